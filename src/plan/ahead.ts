import type { Row } from "../model/link.ts";
import type { Action, Decision } from "./ground/action.ts";
import { absence } from "./ground/obstacle.ts";
import { type PlanContext, planRow } from "./plan.ts";
import { isChanging } from "./rules/plan-patch.ts";

/**
 * What will be written by itself once the time of `settle` is over, if nothing changes until then: the row as it is, decided
 * without `settle`. undefined where nothing waits for that time.
 */
export function planAhead(row: Row, decision: Decision, context: PlanContext): readonly Action[] | undefined {
  if (decision.notes.every(({ kind }) => kind !== "settling")) return undefined;
  return planRow(row, { ...context, settings: { ...context.settings, settleMs: 0 } }).actions;
}

/**
 * Whether a row can't be decided now although its issues may ask for something: a fact is missing, the post was not looked at
 * since our last write, or the outcome of a write is not known.
 */
export function isUndecidable(row: Row, { notes }: Decision): boolean {
  if (row.seenAt === undefined || row.openIntents.length > 0 || isChanging(row)) return true;
  return notes.some(({ kind }) => kind === "undecided");
}

/**
 * What a row would ask for if nothing stopped it: no refusal, no quarantine, and `writes: all`. By this one can tell whether an
 * action that waits is still wanted. undefined while the row can't be decided.
 */
export function wishedActions(row: Row, context: PlanContext): readonly Action[] | undefined {
  if (row.seenAt === undefined || row.openIntents.length > 0 || absence(row) !== undefined) return undefined;
  const free: Row = { ...row, parked: [], isQuarantined: false, statusWrites: [] };
  const settings = { ...context.settings, writes: "all" as const };
  const { actions, notes } = planRow(free, { ...context, settings });
  return notes.some(({ kind }) => kind === "undecided") ? undefined : actions;
}
