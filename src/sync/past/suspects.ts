import { type IssueRecord, type IssueRef, isSameIssue, type Repository } from "../../model/issue.ts";
import { parseMarker } from "../../plan/text/marker.ts";
import { nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { isOurLogin } from "../read/identify.ts";
import { overlapMs, storeRecords } from "../read/markers.ts";

/** So many numbers are asked for one by one. */
const mostAsked = 10;

/** So many of them behind the newest: what is not listed any more may stand behind a discussion, which no list has. */
const mostNext = 5;

/**
 * What may be an issue of ours, as words, where no list shows our mark: people may have written its text anew, transferred or deleted
 * it meanwhile. None where each number that was given since then is accounted for, and none behind them was given. An issue
 * that is found with its mark after all is stored.
 *
 * @param openedSince epoch ms.
 */
export async function findSuspects(
  cycle: PulledCycle,
  repository: Repository,
  openedSince: number,
): Promise<readonly string[]> {
  const { tracker, ledger } = cycle.world;
  const { unmarked, lacking, next } = await lookAtNumbers(cycle, repository, openedSince - overlapMs);
  const suspects = unmarked.map((issue) => `${nameIssue(cycle, issue)}, which has no mark of a post`);
  const [beyond] = lacking.slice(mostAsked);
  if (beyond !== undefined) {
    const name = nameIssue(cycle, { repositoryId: repository.id, number: beyond });
    suspects.push(`${name}, or another one that is not listed`);
  }
  for (const number of [...lacking.slice(0, mostAsked), ...next]) {
    const issue = { repositoryId: repository.id, number };
    const name = nameIssue(cycle, issue);
    if ((await ledger.rows.linkedTo(issue)).length > 0) continue;
    const answer = await tracker.readIssue(issue, cycle.run.bounds);
    // Not given yet, or to a discussion.
    if (answer.kind === "missing" && next.includes(number)) continue;
    const suspect =
      "record" in answer ? await judge(cycle, issue, answer.record) : `which ${words[answer.kind]}`;
    if (suspect !== undefined) suspects.push(`${name}, ${suspect}`);
  }
  return suspects;
}

const words = { gone: "was deleted", missing: "is not found", refused: "can't be read" } as const;

/** Why it may be the issue that is looked for; undefined where it is not, or where that is known now. */
async function judge(cycle: PulledCycle, asked: IssueRef, record: IssueRecord): Promise<string | undefined> {
  const { issue, author, body } = record;
  if (!isOurLogin(cycle.world, cycle.account, author)) return undefined;
  if (parseMarker(body) === undefined) return "which has no mark of a post";
  const isRead = cycle.world.ledger.memory.repositoryById(issue.repositoryId) !== undefined;
  if (!isRead && !isSameIssue(asked, issue))
    return "which was moved to a repository that the config doesn't name";
  await storeRecords(cycle, [record]);
  return undefined;
}

/** What was given a number since then. */
interface Numbers {
  /** Issues of ours that show no mark, and that no post has. */
  readonly unmarked: readonly IssueRef[];
  /** Numbers that the list lacks. */
  readonly lacking: readonly number[];
  /** Those that follow the newest. */
  readonly next: readonly number[];
}

/** Issues and pull requests of anybody: they share their numbers, which grow with the time. */
async function lookAtNumbers(cycle: PulledCycle, repository: Repository, since: number): Promise<Numbers> {
  const { tracker, ledger } = cycle.world;
  const query = { kind: "by", author: undefined, createdSince: new Date(since).toISOString() } as const;
  const shown = new Set<number>();
  const unmarked: IssueRef[] = [];
  let older = 0;
  for await (const page of tracker.listIssues(repository, query, cycle.run.bounds)) {
    for (const { number, createdAt } of page.rows ?? []) {
      if (Date.parse(createdAt) >= since) shown.add(number);
      else if (older === 0) older = number;
    }
    for (const { issue } of page.odd ?? []) shown.add(issue.number);
    for (const { issue, author, body } of page.issues) {
      const isBare = isOurLogin(cycle.world, cycle.account, author) && parseMarker(body) === undefined;
      if (isBare && (await ledger.rows.linkedTo(issue)).length === 0) unmarked.push(issue);
    }
  }
  const newest = Math.max(older, ...shown);
  return {
    unmarked,
    lacking: numbersFrom(older + 1, newest).filter((number) => !shown.has(number)),
    next: numbersFrom(newest + 1, newest + mostNext),
  };
}

function numbersFrom(first: number, last: number): readonly number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
