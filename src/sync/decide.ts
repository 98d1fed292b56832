import type { Row } from "../model/link.ts";
import type { PostId } from "../model/post.ts";
import { type Action, type ActionKind, changeOf, isNotifying } from "../plan/action.ts";
import { guard } from "../plan/guard.ts";
import { isAllowed } from "../plan/obstacle.ts";
import { adoptRow, planRow } from "../plan/plan.ts";
import { nameIssue, type PulledCycle } from "./cycle-state.ts";
import { recordDecision } from "./record.ts";
import type { PlannedAction } from "./world.ts";

/** Rows are read from the ledger this many at a time, so that a large board never stands in memory as a whole. */
const batchSize = 500;
/** Voters count as notified by one burst for this long. */
const guardWindowMs = 3_600_000;

/** An action that the plan wants, by name only: when its turn comes it is planned again from the row as it is then. */
export interface Wanted {
  readonly post: PostId;
  readonly kind: ActionKind;
  readonly isNotifying: boolean;
  /** Why a guard holds it; undefined when it may go. */
  readonly held: string | undefined;
  /** Why the PATCH that follows a create is held although the create may go. */
  readonly followUpHeld: string | undefined;
}

/**
 * Decides every due row. What needs no write is recorded at once; a row with actions stays due until they are done. Then
 * the guard looks over all of it, before the first write.
 */
export function decide(cycle: PulledCycle): readonly Wanted[] {
  const { world, memory } = cycle;
  const wanted: Wanted[] = [];
  let after: PostId | undefined;
  for (;;) {
    const now = world.clock.now();
    const rows = world.ledger.rows.due(memory.id, now, after, batchSize);
    world.ledger.transaction(() => {
      for (const row of rows) wanted.push(...decideRow(cycle, row, now));
    });
    after = rows.at(-1)?.post.id;
    if (rows.length < batchSize) break;
  }
  return holdBack(cycle, wanted);
}

/** Decides one row as it is now, and records what needs no write. */
function decideRow(cycle: PulledCycle, row: Row, now: number): readonly Wanted[] {
  if (cycle.run.mode === "adopt") {
    adoptDecision(cycle, row, now);
    return [];
  }
  const decision = planRow(row, cycle.context(now));
  if (decision.actions.some(({ kind }) => kind === "create-issue") && adoptMarked(cycle, row, now)) return [];
  recordDecision(cycle, decision, now);
  cycle.tally.waiting += decision.notes.some(({ kind }) => kind === "settling") ? 1 : 0;
  for (const note of decision.notes) {
    if (note.kind === "undecided") {
      cycle.tally.errors.push({ post: row.post.id, code: "tracker.undecided", message: note.message });
    }
  }
  for (const action of decision.actions) cycle.tally.planned.push(...describe(cycle, action));
  return decision.actions.map((action) => ({
    post: row.post.id,
    kind: action.kind,
    isNotifying: isNotifying(action),
    held: undefined,
    followUpHeld: undefined,
  }));
}

/** Both sides as they are: for `--adopt`, and for an issue that was found by its marker. */
function adoptDecision(cycle: PulledCycle, row: Row, now: number): void {
  const decision = planRow(row, cycle.context(now));
  if (decision.actions.some(({ kind }) => kind === "create-issue")) {
    // Only what exists is adopted; the post stays due, so that the next sync opens its issue.
    if (!adoptMarked(cycle, row, now)) recordDecision(cycle, { ...decision, base: {} }, now, "now");
    return;
  }
  recordDecision(cycle, adoptRow(row, cycle.context(now)), now, undefined);
}

/**
 * Links the issue that carries our marker for the post, if there is one: the create that was planned must not happen.
 * Returns whether there was one.
 */
function adoptMarked(cycle: PulledCycle, row: Row, now: number): boolean {
  const { world, memory, tally } = cycle;
  const found = world.ledger.pulls.marked(memory.id, row.post.id);
  if (found === undefined) return false;
  const issue = { repositoryId: found.issue.repositoryId, number: found.issue.number };
  if (found.count > 1) {
    tally.errors.push({
      post: row.post.id,
      issue: nameIssue(cycle, issue),
      code: "tracker.duplicate",
      message: `${found.count} issues carry the marker of this post; the first is used. Close the others by hand.`,
    });
  }
  world.ledger.rows.link(memory.id, { post: row.post.id, issue, origin: "adopted" }, found.issue, undefined);
  tally.adopted += 1;
  const linked = world.ledger.rows.row(memory.id, row.post.id, now);
  if (linked !== undefined) recordDecision(cycle, adoptRow(linked, cycle.context(now)), now, undefined);
  return true;
}

function holdBack(cycle: PulledCycle, wanted: readonly Wanted[]): readonly Wanted[] {
  const { world, memory, settings } = cycle;
  const now = world.clock.now();
  const recent = { statusWrites: world.ledger.journal.statusWrites(memory.id, now - guardWindowMs) };
  const verdict = guard(
    wanted.map(({ kind, isNotifying }) => ({ kind, isNotifying, isApproved: false })),
    recent,
    settings.guard,
  );
  return wanted.map((action) => {
    if (!isAllowed(action, settings)) {
      sayHeld(cycle, action, `\`writes: ${settings.writes}\` in the config`);
      return { ...action, held: settings.writes };
    }
    const heldStatus = action.isNotifying ? verdict.holdStatuses : undefined;
    const held = cycle.hold ?? (action.kind === "patch-post" ? heldStatus : verdict.holdIssues);
    if (held === undefined) return { ...action, followUpHeld: heldStatus };
    noteHeld(cycle, action, held, now);
    return { ...action, held };
  });
}

/** A held row stays due and says so, until it is approved or no longer wanted. */
function noteHeld(cycle: PulledCycle, action: Wanted, held: string, now: number): void {
  const row = cycle.world.ledger.rows.row(cycle.memory.id, action.post, now);
  if (row === undefined) return;
  const decision = planRow(row, cycle.context(now));
  recordDecision(cycle, decision, now, "now", [{ kind: "held", message: held, since: now }]);
  sayHeld(cycle, action, held);
}

function sayHeld(cycle: PulledCycle, action: Wanted, held: string): void {
  const { planned } = cycle.tally;
  for (const [index, line] of planned.entries()) {
    if (line.post === action.post && line.kind === action.kind) planned[index] = { ...line, held };
  }
}

/** An action in words for a person and a script; a create is followed by the PATCH that it leads to. */
function describe(cycle: PulledCycle, action: Action): readonly PlannedAction[] {
  switch (action.kind) {
    case "create-issue": {
      const { title, labels, assignees, milestone, type } = action;
      const fields = { title, labels, assignees, ...(milestone && { milestone }), ...(type && { type }) };
      const create: PlannedAction = {
        kind: action.kind,
        post: action.post,
        issue: action.repo,
        fields,
        reason: action.reason,
        notifies: 0,
      };
      return action.followUp === undefined ? [create] : [create, ...describe(cycle, action.followUp)];
    }
    case "update-issue": {
      const fields = {
        ...(action.title !== undefined && { title: action.title }),
        ...(action.block !== undefined && { body: "the managed block" }),
      };
      const { kind, post, reason } = action;
      return [{ kind, post, issue: nameIssue(cycle, action.issue), fields, reason, notifies: 0 }];
    }
    case "patch-post": {
      const { kind, post, reason, notifies } = action;
      const row = cycle.world.ledger.rows.row(cycle.memory.id, post, cycle.world.clock.now());
      const first = row?.links[0]?.link.issue;
      return [
        {
          kind,
          post,
          issue: first ? nameIssue(cycle, first) : null,
          fields: changeOf(action),
          reason,
          notifies,
        },
      ];
    }
  }
}
