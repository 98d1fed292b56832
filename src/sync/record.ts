import type { RowNote } from "../ledger/ledger.ts";
import type { PostId } from "../model/post.ts";
import type { Action, Decision } from "../plan/action.ts";
import { planRow } from "../plan/plan.ts";
import type { PulledCycle } from "./cycle-state.ts";

/** Records a decision; with actions left to do the row stays due. */
export function recordDecision(
  cycle: PulledCycle,
  decision: Decision,
  now: number,
  due: "now" | number | undefined = decision.actions.length > 0 ? "now" : decision.dueAt,
  more: readonly RowNote[] = [],
): void {
  const notes = decision.notes.map(
    (note): RowNote => ({ kind: note.kind, message: note.message, since: now }),
  );
  cycle.world.ledger.rows.record(cycle.memory.id, decision.post, {
    base: decision.base,
    standing: decision.standing,
    notes: [...notes, ...more],
    due,
  });
  if (decision.notes.some(({ kind }) => kind === "quarantined")) {
    cycle.world.ledger.rows.quarantine(cycle.memory.id, decision.post);
  }
}

/** The action as the row asks for it now; undefined when it no longer does, and then the row's decision is recorded. */
export function replan(cycle: PulledCycle, wanted: Pick<Action, "post" | "kind">): Action | undefined {
  const { ledger, clock } = cycle.world;
  const now = clock.now();
  const row = ledger.rows.row(cycle.memory.id, wanted.post, now);
  if (row === undefined) return undefined;
  const decision = planRow(row, cycle.context(now));
  const action = decision.actions.find(({ kind }) => kind === wanted.kind);
  if (action === undefined) recordDecision(cycle, decision, now);
  return action;
}

/** Leaves an action for a later run, with the reason. */
export function postpone(cycle: PulledCycle, wanted: Pick<Action, "post" | "kind">, reason: string): void {
  const { ledger, clock } = cycle.world;
  const now = clock.now();
  const row = ledger.rows.row(cycle.memory.id, wanted.post, now);
  if (row === undefined) return;
  const message = `Decided, and waiting: ${reason}`;
  recordDecision(cycle, planRow(row, cycle.context(now)), now, "now", [
    { kind: "waiting", message, since: now },
  ]);
  cycle.tally.waiting += 1;
}

/** Records what is left to decide of a row after one of its actions is done. */
export function settleRow(cycle: PulledCycle, post: PostId): void {
  const { ledger, clock } = cycle.world;
  const now = clock.now();
  const row = ledger.rows.row(cycle.memory.id, post, now);
  if (row !== undefined) recordDecision(cycle, planRow(row, cycle.context(now)), now);
}
