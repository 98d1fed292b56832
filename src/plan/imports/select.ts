import type { IssueRecord, LabelledIssue } from "../../model/issue.ts";
import { includesName } from "../ground/issue-fields.ts";
import type { ImportSettings } from "../ground/settings.ts";

/** Why an issue becomes no post, as it is now; undefined where it may. */
export function whyKept(
  { issue }: Pick<IssueRecord, "issue">,
  { labels }: ImportSettings,
): string | undefined {
  if (issue.state !== "open") return "it is closed";
  const missing = labels.filter((label) => !includesName(issue.labels, label));
  return missing.length === 0 ? undefined : `it has not the label ${missing.join(", ")}`;
}

/** Whether somebody with write access has to have set a label: the issue was opened by somebody without. */
export function needsLabeller({ isOutside }: LabelledIssue, { fromAnyone }: ImportSettings): boolean {
  return isOutside === true && !fromAnyone;
}

/**
 * Whether a person other than the author has set one of the labels. Who may not write to a repository has none set but by its forms,
 * in the author's own name.
 *
 * @param labellers - which person set each label last, by its name in lower case.
 */
export function isLabelledByOther(
  { author }: Pick<IssueRecord, "author">,
  { labels }: ImportSettings,
  labellers: ReadonlyMap<string, string>,
): boolean {
  return labels.some((label) => {
    const login = labellers.get(label.toLowerCase());
    return login !== undefined && login.toLowerCase() !== author?.toLowerCase();
  });
}
