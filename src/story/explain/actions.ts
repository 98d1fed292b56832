import type { Action, Decision } from "../../plan/ground/action.ts";
import { isAllowed, pauseOf } from "../../plan/ground/obstacle.ts";
import { describeAction } from "../../sync/ground/describe.ts";
import { pausedBy } from "../../sync/ground/record.ts";
import type { PlannedAction } from "../../sync/ground/reports.ts";
import { writesHold } from "../../sync/ground/verdict.ts";
import { linesLater } from "../../sync/tell/plan-later.ts";
import type { Explaining } from "./explanation.ts";

/** What is decided of a post, as `plan` shows it: what goes now, at a time, or when a person lets it go; and what follows. */
export function explainActions(
  explaining: Explaining,
  decision: Decision,
  isTaken: boolean,
): { readonly coming: readonly PlannedAction[]; readonly later: readonly PlannedAction[] } {
  const { row, settings } = explaining;
  const told = { world: explaining };
  const show = (action: Action): readonly PlannedAction[] => {
    const when = whenOf(explaining, decision, action, isTaken);
    return describeAction(told, row, action).map((line) => ({ ...line, ...when }));
  };
  const switchedOff = decision.stopped.filter((action) => !isAllowed(action, settings));
  return {
    coming: decision.actions.flatMap(show),
    later: [...switchedOff.flatMap(show), ...linesLater(told, row, decision)],
  };
}

type When = Pick<PlannedAction, "when" | "held" | "cause" | "letGoBy" | "notBefore">;

/** The action itself says so where it waits for a person anyway; of the others the last run has noted what keeps them back. */
function whenOf(
  { row, settings, now }: Explaining,
  decision: Decision,
  action: Action,
  isTaken: boolean,
): When {
  const pause = pauseOf(pausedBy(row, decision, now));
  if (pause !== undefined) return { when: "held", held: pause.why, cause: pause.cause, letGoBy: "resume" };
  if (!isAllowed(action, settings)) {
    const { why, cause } = writesHold(settings);
    return { when: "held", held: why, cause };
  }
  const own = "hold" in action ? action.hold : undefined;
  if (own !== undefined) return { when: "held", held: own.why, cause: own.cause, letGoBy: "approve" };
  const notes = (row.notes ?? []).filter((note) => note.action?.kind === action.kind);
  const held = notes.find(({ kind }) => kind === "held");
  if (held !== undefined) {
    const isApprovable = held.action?.signature !== undefined;
    const stop = { when: "held", held: held.message, cause: held.cause } as const;
    return isApprovable ? { ...stop, letGoBy: "approve" } : stop;
  }
  const waiting = notes.find(({ kind }) => kind === "waiting");
  if (waiting === undefined && !isTaken) return { when: "now" };
  const { until } = waiting ?? {};
  return { when: "later", ...(until !== undefined && { notBefore: new Date(until).toISOString() }) };
}
