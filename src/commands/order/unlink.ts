import { chooseLinked, describeUnlinking, linkedIssues } from "../../sync/orders/ask-link.ts";
import { showIssue } from "../../sync/orders/named-issue.ts";
import { besideRuns, findPost } from "../open/beside.ts";
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
    const { config, ledger, now } = beside;
    const found = await findPost(beside, post);
    const linked = await linkedIssues(ledger, found, now);
    const issues =
      issueText === undefined ? linked : chooseLinked(ledger, found, linked, issueText, config.tracker.url);
    if (issues.length > 0) {
      await ledger.commit([
        {
          kind: "add-request",
          request: { kind: "unlink", project: found.project, at: now, post: found.post, issues },
        },
      ]);
    }
    const names = issues.map((issue) => showIssue(ledger, issue));
    const message = describeUnlinking(names, linked.length - issues.length);
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
