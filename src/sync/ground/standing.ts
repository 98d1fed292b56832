import type { Row, RowNote } from "../../model/link.ts";
import type { Action, Decision, Note } from "../../plan/ground/action.ts";
import { approvalSignature } from "../../plan/ground/identity.ts";
import { pauseOf } from "../../plan/ground/obstacle.ts";
import { isUndecidable } from "../../plan/plan.ts";
import { type PulledCycle, whyUnasked } from "./cycle-state.ts";
import { describeChange, describeField } from "./describe.ts";
import { closedBy, type Delay, isSameAsked, type Outcome, sayDelay, type ToldAction } from "./verdict.ts";

/*
 * The notes of a post. A decision writes all of them: about its fields, and about each action that is asked for and not done. What
 * becomes of an action then replaces the note about that action, and no other. Nothing is planned here.
 */

export function tellAction(cycle: Pick<PulledCycle, "world">, row: Row, action: Action): ToldAction {
  const { post, kind } = action;
  return { post, kind, planned: describeChange(cycle, row, action), approval: approvalSignature(action) };
}

/**
 * The notes of a decision. An action that has a note already, because it waits or is held, keeps that note.
 *
 * @param asked - what is told of its actions.
 */
export function notesOf(
  cycle: PulledCycle,
  row: Row,
  decision: Decision,
  asked: readonly ToldAction[],
  now: number,
): readonly RowNote[] {
  // Of a post whose issue is gone it is said already why nothing can be decided.
  const isGone = row.notes?.some(({ cause }) => cause === "issue-gone");
  const told = isGone ? decision.notes.filter(({ kind }) => kind !== "undecided") : decision.notes;
  // What stands behind another PATCH is told as an action: a person may let it go at once.
  const isBehind = ({ kind, ...note }: Note): boolean =>
    kind === "held" &&
    "field" in note &&
    decision.behind?.writes.some(({ field }) => field === note.field) === true;
  const fields = told
    .filter((note) => !isBehind(note))
    .map((note) => noteField(cycle, row, decision, note, now));
  const actions = asked.flatMap((one) => noteAction(row, one, now));
  return [
    ...fields,
    ...actions,
    ...noteBehind(cycle, row, decision, now),
    ...keptHolds(row, decision, actions),
  ];
}

function noteBehind(cycle: PulledCycle, row: Row, { behind }: Decision, now: number): readonly RowNote[] {
  if (behind?.hold === undefined) return [];
  const told = tellAction(cycle, row, behind);
  const hold = noteDelay(told, { kind: "hold", ...behind.hold, isApprovable: true }, now);
  const before = row.notes?.find(
    (note) => isLetGoByPerson(note) && note.action?.signature === hold.action?.signature,
  );
  return pauseOf(row) === undefined
    ? [{ ...hold, since: before?.since ?? now }]
    : before === undefined
      ? []
      : [before];
}

function noteField(cycle: PulledCycle, row: Row, decision: Decision, note: Note, now: number): RowNote {
  const { kind, message } = note;
  const unasked = kind === "undecided" ? whyUnasked(cycle, row) : undefined;
  if (unasked !== undefined) {
    const until = unasked.until !== undefined && { until: unasked.until };
    const { cause } = closedBy(unasked);
    return { kind: "waiting", cause, message: `${message}; ${unasked.message}`, since: now, ...until };
  }
  const cause = "cause" in note ? note.cause : kind === "disagreement" ? "differs" : note.kind;
  if (kind === "quarantined") {
    const stopped = decision.stopped.find((action) => action.kind === "patch-post");
    return {
      kind,
      cause,
      message,
      since: now,
      ...(stopped && { planned: describeChange(cycle, row, stopped) }),
    };
  }
  if (kind !== "settling") return { kind, cause, message, since: now };
  const { settling } = decision;
  const planned = settling && describeField(cycle, row, settling, note.field);
  const told = { since: now, ...(planned && { planned }) };
  const pause = pauseOf(row);
  return pause === undefined
    ? { ...told, kind, cause, message, until: note.until }
    : { ...told, kind: "paused", cause: pause.cause, message: pause.why };
}

function noteAction({ notes = [], ...row }: Row, told: ToldAction, now: number): readonly RowNote[] {
  const own = notes.filter(({ action }) => action?.kind === told.kind);
  // A hold of a part of it may stand beside the part that went by itself.
  const held = own.find(({ kind, planned }) => kind === "held" && isSameAsked({ ...told, planned }, told));
  const standing = held ?? own.find(({ kind }) => kind === "waiting");
  const pause = pauseOf(row);
  if (pause !== undefined) {
    // What was held before the pause is held still when it ends.
    return [noteDelay(told, { kind: "pause", ...pause }, now), ...(held === undefined ? [] : [held])];
  }
  if (standing === undefined) return [noteDelay(told, notYet, now)];
  const action = { ...standing.action, kind: told.kind };
  return [
    {
      ...standing,
      planned: told.planned,
      action: action.signature === undefined ? action : { ...action, signature: told.approval },
    },
  ];
}

/** Of what is decided and not tried yet: a process that ends now leaves it to the next run. */
const notYet: Delay = { kind: "wait", cause: "turn", why: "no run has come to it yet" };

/**
 * A row that can't be decided now may still ask for what is held: those holds stay. Where a fact is missing, what can be
 * decided without it may be of the same kind as what is held.
 */
function keptHolds(row: Row, decision: Decision, actions: readonly RowNote[]): readonly RowNote[] {
  const held = row.notes?.filter(isLetGoByPerson) ?? [];
  if (held.length === 0 || !isUndecidable(row, decision)) return [];
  const isUndecided = decision.notes.some(({ kind }) => kind === "undecided");
  const asked = isUndecided
    ? actions.filter(isLetGoByPerson).map(({ action }) => action?.kind)
    : decision.actions.map(({ kind }) => kind);
  // It has its issue by now.
  const isOver = ({ action }: RowNote): boolean => action?.kind === "create-issue" && row.links.length > 0;
  return held.filter((note) => !asked.includes(note.action?.kind) && !isOver(note));
}

/** Whether a person may let it go. */
export function isLetGoByPerson({ kind, action }: RowNote): boolean {
  return kind === "held" && action?.signature !== undefined;
}

const kinds = { wait: "waiting", refuse: "waiting", hold: "held", pause: "paused" } as const;

/** Why an action is not done. */
export function noteDelay({ kind, planned, approval }: ToldAction, delay: Delay, now: number): RowNote {
  const isApprovable = delay.kind === "hold" && delay.isApprovable === true;
  return {
    kind: kinds[delay.kind],
    cause: delay.cause,
    message: sayDelay(delay),
    since: now,
    planned,
    action: { kind, ...(isApprovable && { signature: approval }) },
  };
}

/** What an outcome leaves to be said of its action: nothing where it is done, or its failure is told elsewhere. */
export function noteOutcome(told: ToldAction, outcome: Outcome, now: number): readonly RowNote[] {
  // What `writes` stops the config lets go, and no person.
  if (!("cause" in outcome) || (outcome.kind === "hold" && outcome.cause === "writes-off")) return [];
  return [noteDelay(told, outcome, now)];
}
