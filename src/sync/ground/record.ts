import type { Change } from "../../ledger/change.ts";
import type { AuditEntry, Intent } from "../../ledger/journal.ts";
import type { IssueRef } from "../../model/issue.ts";
import type { Parked, PatchAnswer, Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import type { Action, ActionKind, Decision } from "../../plan/ground/action.ts";
import { isOpeningInDoubt, isRefusal, parkedOf } from "../../plan/ground/obstacle.ts";
import { adoptRow, planRow, wishesOf } from "../../plan/plan.ts";
import { type Cycle, closureNow, endOf, nameIssue, type PulledCycle } from "./cycle-state.ts";
import type { Lane } from "./lane.ts";
import { readRow } from "./rows.ts";
import { noteOutcome, notesOf, tellAction } from "./standing.ts";
import { closedBy, type Outcome, type ToldAction } from "./verdict.ts";
import type { Closure } from "./world.ts";

/** What is decided of a row by what is known now. */
export async function planNow(
  cycle: PulledCycle,
  row: Row,
  now = cycle.world.clock.now(),
): Promise<Decision> {
  return planRow(row, await cycle.context(now));
}

/** Decides a row as it is now, and records that: after something has been done, refused or put off. */
export async function recordRow(cycle: PulledCycle, post: PostId): Promise<void> {
  const now = cycle.world.clock.now();
  const row = await readRow(cycle, post);
  if (row !== undefined) await recordDecision(cycle, row, await planNow(cycle, row, now), now);
}

/** Takes both sides as they are, and records that: nothing is written for what differs. */
export async function recordAdopted(cycle: PulledCycle, row: Row, now: number, due?: "now"): Promise<void> {
  await recordDecision(cycle, row, adoptRow(row, await cycle.context(now)), now, due);
}

/**
 * Records a decision; with actions left to do the row stays due, and says of each that waits why it does.
 *
 * @returns the row with the notes that it has now, and what is told of each action.
 */
export async function recordDecision(
  cycle: PulledCycle,
  row: Row,
  decision: Decision,
  now: number,
  due: "now" | number | undefined = dueOf(decision, now),
) {
  const { base, issueBases, standing, pauses } = decision;
  const place = { project: cycle.memory.id, post: decision.post };
  const paused = pausedBy(row, decision, now);
  if (paused !== row) {
    const { log } = cycle.world;
    log.warn(
      { project: cycle.project.key, post: row.post.id, reason: pauses },
      "A person's change pauses a post",
    );
  }
  warnOfLostWrites(cycle, decision);
  const told = decision.actions.map((action) => tellAction(cycle, row, action));
  const notes = notesOf(cycle, paused, decision, told, now);
  const ended = endedParked(cycle, row, decision);
  const record = { base, issueBases, standing, notes, mark: row.mark ?? null, due };
  await cycle.world.ledger.commit([
    ...ended.map(({ cause, action: { kind: of } }) => ({ ...place, kind: "unpark", of, cause }) as const),
    { ...place, kind: "record-row", record },
    // After it: a pause marks the post once more.
    ...(paused === row ? [] : [{ ...place, kind: "pause", at: now } as const]),
  ]);
  return { row: { ...paused, notes }, told };
}

/** The row as its decision leaves it: a person's change on the board may pause the post. */
export function pausedBy(row: Row, { pauses }: Decision, now: number): Row {
  return pauses === undefined || row.pausedAt !== undefined ? row : { ...row, pausedAt: now };
}

/** An action, and the row that asks for it. */
export interface Asked<A extends Action = Action> {
  readonly row: Row;
  readonly action: A;
}

/**
 * The action as the row asks for it now; undefined when it no longer does, and then the row's decision is recorded.
 *
 * What it makes of the bases is recorded before a PATCH and before a change of an issue, too: after these nothing is known
 * of the side that was written until it is listed again. A field that agreed by itself by then would look as if it had changed. It is recorded
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
  const decision = await planNow(cycle, row, now);
  const isAsked = (one: Action): one is Extract<Action, { readonly kind: K }> => one.kind === wanted.kind;
  const action = decision.actions.find(isAsked);
  const { base, issueBases, pauses } = decision;
  const isNews = Object.keys(base).length > 0 || issueBases.length > 0 || pauses !== undefined;
  if (action === undefined || (isNews && isRemembered(action)))
    await recordDecision(cycle, row, decision, now);
  return action && { row, action };
}

/** Whether the bases have to say that something is going to be written, before it is. */
function isRemembered({ kind }: Action): boolean {
  return kind === "patch-post" || kind === "change-issue" || kind === "comment-issue";
}

/** Leaves an action for a later run for a reason that concerns more than this action: it is also one of the run. */
export function postpone({ tally }: Pick<Cycle, "tally">, closure: Closure): Outcome {
  tally.putOff.push(closure);
  return { kind: "wait", ...closedBy(closure) };
}

/** What became of an action: what was said of it before is over. */
export function outcomeOf(
  { world: { clock }, memory }: PulledCycle,
  told: ToldAction,
  outcome: Outcome,
): Change {
  const { post, kind, approval: signature } = told;
  const notes = noteOutcome(told, outcome, clock.now());
  return { kind: "note-action", project: memory.id, post, of: { kind, signature }, notes };
}

/** Leaves an action for a later run because its lane takes nothing more in this one. */
export function putOff(cycle: PulledCycle, lane: Lane): Outcome {
  return postpone(cycle, closureNow(cycle, lane) ?? endOf(cycle.run));
}

/** An undecided row is due in every run: the missing fact may become known although nothing changes on either side. */
function dueOf({ actions, notes, dueAt }: Decision, now: number): "now" | number | undefined {
  const isOpen = actions.length > 0 || notes.some(({ kind }) => kind === "undecided");
  return isOpen || (dueAt !== undefined && dueAt <= now) ? "now" : dueAt;
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

/** What is parked of writes that the row no longer asks for. A post that may have an issue may be selected again. */
function endedParked({ settings }: PulledCycle, row: Row, decision: Decision): readonly Parked[] {
  const parked = parkedOf(row);
  const wished = parked.length === 0 ? undefined : wishesOf(row, decision);
  if (wished === undefined) return [];
  const isEnded = (refused: Parked): boolean => row.links.length > 0 || !isOpeningInDoubt(refused);
  return parked.filter(
    (refused) => isEnded(refused) && !wished.some((action) => isRefusal(refused, action, settings, row.post)),
  );
}

/** What became of a write is known now: its row is decided again. `known`: what else is recorded of that, before. */
export async function endIntent(
  { world: { ledger, clock }, memory }: PulledCycle,
  { id, post }: Intent,
  state: "DONE" | "REJECTED" | "PREPARED",
  message: string,
  known: readonly Change[] = [],
  told: { readonly answer?: PatchAnswer; readonly isOpen?: true } = {},
): Promise<void> {
  await ledger.commit([
    ...known,
    { kind: "resolve", intent: id, state, at: clock.now(), message, ...told },
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

/**
 * A line of the audit: a post's link to an issue has begun or ended, or has followed the issue.
 *
 * @param told in the place of what is told of it else.
 */
export function auditLink(
  cycle: Cycle,
  { issue, ...link }: { readonly issue: IssueRef } & Pick<AuditEntry, "post" | "kind" | "reason">,
  told: Partial<Pick<AuditEntry, "project" | "issue" | "fields">> = {},
): Change {
  const { ledger, clock } = cycle.world;
  const repository = ledger.memory.repositoryById(issue.repositoryId)?.repository.name;
  const entry: AuditEntry = {
    at: clock.now(),
    run: cycle.run.number,
    side: "tracker",
    project: cycle.memory.id,
    ...link,
    issue: repository === undefined ? undefined : { repository, number: issue.number },
    fields: [{ field: "issue", value: nameIssue(cycle, issue) }],
    outcome: "applied",
    message: undefined,
    isApproved: false,
    ...told,
  };
  return { kind: "audit", entry };
}
