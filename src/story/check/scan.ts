import type { Repository } from "../../model/issue.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import type { Tracker } from "../../tracker/tracker.ts";
import { type Finding, say } from "./findings.ts";

/** Of fewer pages nobody need know. */
const longScan = 10;

/** Says what the first search for marks in a repository costs, where that is much. */
export async function checkScan(
  findings: Finding[],
  subject: string,
  repository: Repository,
  account: string,
  tracker: Pick<Tracker, "listIssues">,
  bounds: ReadBounds,
): Promise<void> {
  const pages = await countPages(repository, account, tracker, bounds);
  if (pages !== undefined && pages < longScan) return;
  const [many, cost] =
    pages === undefined
      ? ["more than 100 issues (GitHub does not say how many)", "a request for each 100 of them"]
      : [`about ${pages * 100} issues`, `${pages} requests`];
  const message = `${account} has opened ${many} in ${repository.name}. The first run looks through them for marks (${cost}) before it opens one. If that takes longer than \`budget\` allows, let \`boardsync rebuild\` do it: it has six hours.`;
  say(findings, "ok", subject, message);
}

/** undefined where the tracker does not say. */
async function countPages(
  repository: Repository,
  author: string,
  tracker: Pick<Tracker, "listIssues">,
  bounds: ReadBounds,
): Promise<number | undefined> {
  const query = { kind: "by", author, createdSince: undefined } as const;
  for await (const { pages } of tracker.listIssues(repository, query, bounds)) return pages;
  return 1;
}
