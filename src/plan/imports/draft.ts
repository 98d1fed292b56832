import { type IssueRecord, type LabelledIssue, refOf } from "../../model/issue.ts";
import type { PostId } from "../../model/post.ts";
import type { CreatePost } from "../ground/action.ts";
import { includesName } from "../ground/issue-fields.ts";
import type { ImportSettings } from "../ground/settings.ts";
import { type ArgumentValues, fillArguments } from "../text/arguments.ts";
import { toBoardText, toBoardTitle } from "../text/outward.ts";
import { TemplateError } from "../text/template.ts";

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

/**
 * The post that an issue becomes.
 *
 * @param name - `owner/name#number`.
 * @param address - the issue's page: the end of the text, and the mark by which the post is found again.
 */
export function draftPost(
  { issue, title, body }: IssueRecord,
  { name, address }: { readonly name: string; readonly address: string },
  { labels, category }: ImportSettings,
): CreatePost {
  const text = toBoardText(body);
  return {
    kind: "create-post",
    post: name as PostId,
    issue: refOf(issue),
    title: toBoardTitle(title) || name,
    body: text === "" ? address : `${text}\n\n${address}`,
    address,
    category,
    reason: `the issue has the label ${labels.join(", ")}`,
  };
}

const place = "board.mcp.tools.feedbackCreate.args";

/**
 * What the board's tool is called with.
 *
 * @throws TemplateError where one of the `args` fails, or nothing in them keeps the issue's address: the post could not be found again.
 */
export function postArguments(
  { title, body, address, category, issue }: Omit<CreatePost, "kind" | "post" | "reason">,
  { args }: Pick<ImportSettings, "args">,
  project: string,
): Readonly<Record<string, unknown>> {
  const values: ArgumentValues = {
    issue: { title, body, address, number: issue.number, ...(category !== undefined && { category }) },
    project: { id: project },
  };
  const filled = fillArguments(args, values, place);
  if (!JSON.stringify(filled).includes(address))
    throw new TemplateError(`${place}: no argument keeps \`issue.body\` to its end, or \`issue.address\``);
  return filled;
}
