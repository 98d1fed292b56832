import type { Row } from "../model/link.ts";
import type { Action } from "./action.ts";
import { absence } from "./obstacle.ts";
import { type PlanContext, planRow } from "./plan.ts";

/**
 * What a row asks for whatever stops it now: a refusal, a quarantine, or the setting `writes`. It tells whether something
 * that waits is still wanted. undefined while that can't be said.
 */
export function wishedActions(row: Row, context: PlanContext): readonly Action[] | undefined {
  if (row.seenAt === undefined || row.openIntents.length > 0 || absence(row) !== undefined) return undefined;
  const free: Row = { ...row, parked: [], isQuarantined: false, statusWrites: [] };
  const settings = { ...context.settings, writes: "all" as const };
  const { actions, notes } = planRow(free, { ...context, settings });
  return notes.some(({ kind }) => kind === "undecided") ? undefined : actions;
}
