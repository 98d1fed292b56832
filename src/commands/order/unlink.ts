import { ConfigError } from "../../errors.ts";
import type { IssueRef } from "../../model/issue.ts";
import { type Beside, besideRuns, findPost, type NamedPost } from "../open/beside.ts";
import { parseIssue, showIssue } from "../open/link-target.ts";
import { printJson } from "../print/json.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { printLine } from "../print/text.ts";

/** `boardsync unlink POST [OWNER/REPO#N]`: ends a post's links, or one of them, by the next run. */
export function unlink(
  terminal: Terminal,
  options: CommonOptions,
  post: string,
  issueText: string | undefined,
): Promise<number> {
  return besideRuns(terminal, options, async (beside) => {
    const { ledger, now } = beside;
    const found = await findPost(beside, post);
    const linked = ((await ledger.rows.row(found.project, found.post, now))?.links ?? []).map(
      ({ link }) => link.issue,
    );
    const issues = issueText === undefined ? linked : chooseIssue(beside, found, linked, issueText);
    if (issues.length > 0) {
      await ledger.commit([
        {
          kind: "add-request",
          request: { kind: "unlink", project: found.project, at: now, post: found.post, issues },
        },
      ]);
    }
    const names = issues.map((issue) => showIssue(beside, issue));
    const message = explain(names, linked.length - issues.length);
    if (options.json === true) {
      const { key } = found;
      printJson(terminal.out, {
        project: key,
        post: found.post,
        issues: names,
        requested: issues.length > 0,
        message,
      });
    } else if (options.quiet !== true) {
      printLine(terminal.out, `${found.key}/${found.post}: `, message);
    }
    return exitCodes.ok;
  });
}

function explain(names: readonly string[], left: number): string {
  if (names.length === 0) return "it is linked to no issue.";
  const what = `the next run ends its link to ${names.join(", ")}; nothing is written to either side for that.`;
  if (left > 0) return what;
  return `${what} It then stays without an issue: \`boardsync link\` gives it one, \`boardsync retry\` lets a new one be opened.`;
}

function chooseIssue(
  beside: Beside,
  { key, post }: NamedPost,
  linked: readonly IssueRef[],
  text: string,
): readonly IssueRef[] {
  const { repository, number } = parseIssue(text, beside.config.tracker.url);
  const isNamed = (issue: IssueRef): boolean => {
    const known = beside.ledger.memory.repositoryById(issue.repositoryId);
    const names = [known?.name, known?.repository.name];
    return issue.number === number && names.some((name) => name?.toLowerCase() === repository.toLowerCase());
  };
  const chosen = linked.filter(isNamed);
  if (chosen.length > 0) return chosen;
  const names = linked.map((issue) => showIssue(beside, issue)).join(", ");
  throw new ConfigError([
    `${key}/${post} is not linked to ${text}. It is linked to: ${names || "no issue"}.`,
  ]);
}
