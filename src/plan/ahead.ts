import type { Row } from "../model/link.ts";
import type { Action, Decision } from "./ground/action.ts";
import { absence } from "./ground/obstacle.ts";
import { isInDoubt } from "./rules/plan-patch.ts";

/**
 * Whether a row can't be decided now although its issues may ask for something: a fact is missing, the post was not looked at
 * since our last write, or the outcome of a write is not known.
 */
export function isUndecidable(row: Row, { notes }: Pick<Decision, "notes">): boolean {
  if (row.seenAt === undefined || isInDoubt(row)) return true;
  return notes.some(({ kind }) => kind === "undecided");
}

/**
 * All that a row asks for, whatever stops it: by this one can tell whether an action that waits is still wanted. undefined while
 * the row can't be decided.
 */
export function wishesOf(
  row: Row,
  { actions, stopped, notes }: Pick<Decision, "actions" | "stopped" | "notes">,
): readonly Action[] | undefined {
  if (row.seenAt === undefined || row.openIntents.length > 0 || absence(row) !== undefined) return undefined;
  return notes.some(({ kind }) => kind === "undecided") ? undefined : [...actions, ...stopped];
}
