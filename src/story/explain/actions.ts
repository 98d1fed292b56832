import type { Reason } from "../../model/causes.ts";
import type { Row, RowNote } from "../../model/link.ts";
import type { Action, Decision } from "../../plan/ground/action.ts";
import { isAllowed, pauseOf } from "../../plan/ground/obstacle.ts";
import { describeAction } from "../../sync/ground/describe.ts";
import { pausedBy } from "../../sync/ground/record.ts";
import type { PlannedAction } from "../../sync/ground/reports.ts";
import { writesHold } from "../../sync/ground/verdict.ts";
import { heldLine, linesLater } from "../../sync/tell/plan-later.ts";
import type { Explaining } from "./explaining.ts";

/** What is decided of a post, as `plan` shows it: what goes now, at a time, or when a person lets it go; and what follows. */
export function explainActions(
  explaining: Explaining,
  decision: Decision,
  isTaken: boolean,
): { readonly coming: readonly PlannedAction[]; readonly later: readonly PlannedAction[] } {
  const { row, settings } = explaining;
  const told = { world: explaining };
  const show = (action: Action): readonly PlannedAction[] => {
    const lines = describeAction(told, row, action);
    const stop = whyHeld(explaining, decision, action);
    if (stop !== undefined) return lines.map((line) => heldLine(line, stop));
    const waiting = noteOn(row, action, "waiting");
    if (waiting === undefined && !isTaken) return lines;
    const notBefore = waiting?.until && { notBefore: new Date(waiting.until).toISOString() };
    return lines.map((line) => ({ ...line, when: "later", ...notBefore }));
  };
  const switchedOff = decision.stopped.filter((action) => !isAllowed(action, settings));
  return {
    coming: decision.actions.flatMap(show),
    later: [...switchedOff.flatMap(show), ...linesLater(told, row, decision)],
  };
}

/** The action itself says so where it waits for a person anyway; of the others the last run has noted what keeps them back. */
function whyHeld({ row, settings, now }: Explaining, decision: Decision, action: Action): Reason | undefined {
  const held = noteOn(row, action, "held");
  return (
    pauseOf(pausedBy(row, decision, now)) ??
    (isAllowed(action, settings) ? undefined : writesHold(settings)) ??
    ("hold" in action ? action.hold : undefined) ??
    (held && { cause: held.cause, why: held.message })
  );
}

function noteOn({ notes = [] }: Row, { kind }: Action, wanted: RowNote["kind"]): RowNote | undefined {
  return notes.find((note) => note.kind === wanted && note.action?.kind === kind);
}
