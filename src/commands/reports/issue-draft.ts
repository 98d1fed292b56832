import type { IssueDraft, PlannedAction } from "../../sync/ground/reports.ts";
import type { ToldTimes } from "../../sync/tell/times.ts";
import type { Output } from "../print/terminal.ts";
import { count, harmless, oneLine, paint, printLine } from "../print/text.ts";

/** A line of a plan with the issue that comes of it. */
export type DraftedAction = PlannedAction & { readonly draft: IssueDraft };

export function hasDraft(action: PlannedAction): action is DraftedAction {
  return action.draft !== undefined;
}

/** Prints an issue as it will be, to the letter. What people wrote stands behind a margin, so that none of it passes for ours. */
export function printDraft(out: Output, times: ToldTimes, { draft, ...action }: DraftedAction): void {
  const { kind, post, issue, reason, when, held, notBefore } = action;
  const does = kind === "create-issue" ? "a new issue in" : "what changes in the text of";
  printLine(out, "", paint(out, "bold", oneLine(`${post}: ${does} ${issue}`)));
  printLine(out, "  ", oneLine(`why: ${times.tell(reason)}`));
  const at = notBefore === undefined ? "" : `, ${times.show(Date.parse(notBefore))}`;
  const told = held === undefined ? `${when}${at}` : `needs you: ${times.tell(held)}`;
  printLine(out, "  ", oneLine(`when: ${told}`));
  const fields = { title: draft.title, type: draft.type, milestone: draft.milestone };
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) printLine(out, "  ", oneLine(`${name}: ${value}`));
  for (const name of ["labels", "assignees"] as const) {
    const values = draft[name] ?? [];
    if (values.length > 0) printLine(out, "  ", oneLine(`${name}: ${values.join(", ")}`));
  }
  if (draft.body === undefined) return;
  printLine(out, "  ", `text (${count(draft.body.length, "character")}):`);
  for (const line of draft.body.trimEnd().split("\n")) out.write(`${`  │ ${harmless(line)}`.trimEnd()}\n`);
}
