import type { Intent } from "../../ledger/journal.ts";
import type { Parked, Row, RowNote } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { isUndecidable, planAhead, wishedActions } from "../../plan/ahead.ts";
import type { Action, ActionKind, Decision } from "../../plan/ground/action.ts";
import { approvalSignature } from "../../plan/ground/identity.ts";
import { isRefusal, pauseOf } from "../../plan/ground/obstacle.ts";
import { adoptRow, planRow } from "../../plan/plan.ts";
import {
  type Cycle,
  closureOf,
  delayAction,
  isApproved,
  type PulledCycle,
  whyUnasked,
} from "./cycle-state.ts";
import { describeChange, describeField } from "./describe.ts";
import type { Lane } from "./lane.ts";
import { readRow } from "./rows.ts";
import { type Delay, type Outcome, sayDelay } from "./verdict.ts";
import { isSameAsked } from "./wanted.ts";
import type { Closure } from "./world.ts";

/** Decides a row as it is now, and records that: after something has been done, refused or put off. */
export async function recordRow(cycle: PulledCycle, post: PostId): Promise<void> {
  const now = cycle.world.clock.now();
  const row = await readRow(cycle, post);
  if (row !== undefined) await recordDecision(cycle, row, planRow(row, await cycle.context(now)), now);
}

/** Takes both sides as they are, and records that: nothing is written for what differs. */
export async function recordAdopted(cycle: PulledCycle, row: Row, now: number, due?: "now"): Promise<void> {
  await recordDecision(cycle, row, adoptRow(row, await cycle.context(now)), now, due);
}

/** Records a decision; with actions left to do the row stays due, and says of each that waits why it does. */
export async function recordDecision(
  cycle: PulledCycle,
  row: Row,
  decision: Decision,
  now: number,
  due: "now" | number | undefined = dueOf(decision, now),
): Promise<void> {
  const { base, issueBases, standing } = decision;
  const place = { project: cycle.memory.id, post: decision.post };
  const isNewlyQuarantined = !row.isQuarantined && decision.notes.some(({ kind }) => kind === "quarantined");
  warnOfLostWrites(cycle, decision);
  const record = { base, issueBases, standing, notes: await notesOf(cycle, row, decision, now), due };
  await cycle.world.ledger.commit([
    ...(await endedParked(cycle, row, now)).map(
      ({ kind }) => ({ ...place, kind: "unpark", of: kind }) as const,
    ),
    { ...place, kind: "record-row", record },
    ...(isNewlyQuarantined ? [{ ...place, kind: "quarantine" } as const] : []),
  ]);
}

/** An action, and the row that asks for it. */
export interface Asked<A extends Action = Action> {
  readonly row: Row;
  readonly action: A;
}

/**
 * The action as the row asks for it now; undefined when it no longer does, and then the row's decision is recorded.
 *
 * It is recorded before a PATCH and before a change of an issue, too: after these nothing is known of the side that was
 * written until it is listed again. A field that agreed by itself by then would look as if it had changed. It is recorded
 * before a comment, because the comment's mark holds the time since which its rule holds.
 */
export async function replan<K extends ActionKind>(
  cycle: PulledCycle,
  wanted: { readonly post: PostId; readonly kind: K },
  given?: Row,
): Promise<Asked<Extract<Action, { readonly kind: K }>> | undefined> {
  const row = given ?? (await readRow(cycle, wanted.post));
  if (row === undefined) return undefined;
  const now = cycle.world.clock.now();
  const decision = planRow(row, await cycle.context(now));
  const action = decision.actions.find((one) => isOfKind(one, wanted.kind));
  if (action === undefined || isRemembered(action)) await recordDecision(cycle, row, decision, now);
  return action && { row, action };
}

function isOfKind<K extends ActionKind>(
  action: Action,
  kind: K,
): action is Extract<Action, { readonly kind: K }> {
  return action.kind === kind;
}

/** Whether the bases have to say that something is going to be written, before it is. */
function isRemembered({ kind }: Action): boolean {
  return kind === "patch-post" || kind === "change-issue" || kind === "comment-issue";
}

/** Leaves an action for a later run, with the reason. One that concerns more than this action is also one of the run. */
export async function postpone(
  cycle: PulledCycle,
  wanted: Pick<Action, "post" | "kind">,
  reason: string | Closure,
): Promise<Outcome> {
  if (typeof reason !== "string") cycle.tally.putOff.push(reason);
  const delay = { kind: "wait", why: typeof reason === "string" ? reason : reason.message } as const;
  delayAction(cycle, wanted, delay);
  await recordRow(cycle, wanted.post);
  return delay;
}

/** Leaves an action for a later run because its lane takes nothing more in this one. */
export function putOff(
  cycle: PulledCycle,
  wanted: Pick<Action, "post" | "kind">,
  lane: Lane,
): Promise<Outcome> {
  return postpone(cycle, wanted, closureOf(cycle, lane));
}

/** An undecided row is due in every run: the missing fact may become known although nothing changes on either side. */
function dueOf({ actions, notes, dueAt }: Decision, now: number): "now" | number | undefined {
  const isOpen = actions.length > 0 || notes.some(({ kind }) => kind === "undecided");
  return isOpen || (dueAt !== undefined && dueAt <= now) ? "now" : dueAt;
}

async function notesOf(
  cycle: PulledCycle,
  row: Row,
  decision: Decision,
  now: number,
): Promise<readonly RowNote[]> {
  const future = planAhead(row, decision, await cycle.context(now));
  const pause = pauseOf(row);
  const unasked = whyUnasked(cycle, row);
  const notes = decision.notes.map((note): RowNote => {
    const { kind, message } = note;
    if (kind === "undecided" && unasked !== undefined)
      return {
        kind: "waiting",
        message: `${message}; ${unasked.message}`,
        since: now,
        ...(unasked.until !== undefined && { until: unasked.until }),
      };
    if (kind !== "settling") return { kind, message, since: now };
    const planned = future && describeField(cycle, row, future, note.field);
    const told = { since: now, ...(planned && { planned }) };
    return pause === undefined
      ? { ...told, kind, message, until: note.until }
      : { ...told, kind: "paused", message: pause };
  });
  const held = holdsOf(cycle, row, decision);
  const delays = decision.actions.flatMap((action): readonly RowNote[] => {
    const delay = delayOf(cycle, action, pause);
    const isPassing = delay?.kind === "hold" ? delay.isPassing : undefined;
    const planned = { ...describeChange(cycle, row, action), ...(isPassing && { isPassing }) };
    const asked = { post: action.post, kind: action.kind, planned };
    const standing = held.get(action.kind);
    const isHeldStill = standing !== undefined && isSameAsked({ ...asked, planned: standing.planned }, asked);
    if (delay === undefined && !isHeldStill) return [];
    // What was held before the pause is held still when it ends.
    if (delay?.kind === "pause")
      return [
        { kind: "paused", message: delay.why, since: now, planned },
        ...(isHeldStill ? [standing] : []),
      ];
    const kind = delay !== undefined && delay.kind !== "hold" ? "waiting" : "held";
    const message = delay === undefined ? String(standing?.message) : sayDelay(delay);
    const isApprovable = delay === undefined || (delay.kind === "hold" && delay.isApprovable === true);
    const name = { kind: action.kind, signature: approvalSignature(action) };
    return [{ kind, message, since: now, planned, ...(isApprovable && { action: name }) }];
  });
  // A row that can't be decided now may still ask for what is held: those holds stay.
  const kept = isUndecidable(row, decision) ? [...held.values()] : [];
  // Where a fact is missing, what can be decided without it may be of the same kind as what is held.
  const asked = decision.notes.some(({ kind }) => kind === "undecided")
    ? delays.flatMap(({ action }) => action ?? [])
    : decision.actions;
  return [
    ...notes,
    ...delays,
    ...kept.filter(({ action }) => asked.every(({ kind }) => kind !== action?.kind)),
  ];
}

/** Every record of a paused post says so of all that it asks for, whatever else puts that off. */
function delayOf(
  { course }: PulledCycle,
  { post, kind }: Pick<Action, "post" | "kind">,
  pause: string | undefined,
): Delay | undefined {
  return pause === undefined ? course.delays.get(post)?.get(kind) : { kind: "pause", why: pause };
}

/** Holds that stand, by the kind of their actions; what a person has let go is none. */
function holdsOf(cycle: PulledCycle, row: Row, decision: Decision): ReadonlyMap<ActionKind, RowNote> {
  if (decision.actions.length === 0 && !isUndecidable(row, decision)) return new Map();
  return new Map(
    (row.notes ?? []).flatMap((note): readonly [ActionKind, RowNote][] => {
      const { kind, action } = note;
      if (kind !== "held" || action === undefined) return [];
      return isApproved(cycle, row.post.id, action.kind) ? [] : [[action.kind, note]];
    }),
  );
}

/** Said once: the planner gives the note only together with a base, and the base is recorded here. */
function warnOfLostWrites({ world, project }: PulledCycle, decision: Decision): void {
  const { post, notes, base, issueBases } = decision;
  const recorded = new Set([base, ...issueBases.map((one) => one.base)].flatMap(Object.keys));
  for (const note of notes) {
    if (note.kind !== "did-not-stick" || !recorded.has(note.field)) continue;
    world.log.warn({ project: project.key, post, reason: note.message }, "A change did not stick");
  }
}

/** What is parked of writes that the row no longer asks for. */
async function endedParked(cycle: PulledCycle, row: Row, now: number): Promise<readonly Parked[]> {
  if (row.parked.length === 0) return [];
  const wished = wishedActions(row, await cycle.context(now));
  if (wished === undefined) return [];
  return row.parked.filter((refused) => !wished.some((action) => isRefusal(refused, action, cycle.settings)));
}

/** What became of a write is known now: its row is decided again. */
export async function endIntent(
  { world: { ledger, clock }, memory }: PulledCycle,
  { id, post }: Intent,
  state: "DONE" | "REJECTED" | "PREPARED",
  message: string,
): Promise<void> {
  await ledger.commit([
    { kind: "resolve", intent: id, state, at: clock.now(), message },
    { kind: "mark-due", project: memory.id, which: [post] },
  ]);
}

/** Ends what was prepared for a post and never sent: it rested on other links. Should it come back, it is decided afresh. */
export async function endPrepared(cycle: Cycle, post: PostId, why: string): Promise<void> {
  const { ledger, clock } = cycle.world;
  for (const intent of await ledger.journal.open(cycle.memory.id)) {
    if (intent.post !== post || intent.state !== "PREPARED") continue;
    const message = `not sent; ${why}`;
    await ledger.commit([
      { kind: "resolve", intent: intent.id, state: "REJECTED", at: clock.now(), message },
    ]);
  }
}
