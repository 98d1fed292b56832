import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { KnownMark, MarkedIssue } from "../../ledger/pulls.ts";
import type { IssueRecord } from "../../model/issue.ts";
import type { PostId } from "../../model/post.ts";
import { select } from "../../select.ts";
import type { IssuePage, IssueQuery, OddIssue } from "../../tracker/tracker.ts";
import { type Cycle, nameIssue } from "../ground/cycle-state.ts";
import { noteError } from "../ground/report.ts";
import { findSynced } from "../ground/settings-now.ts";
import { foldLogin } from "./identify.ts";
import { keepRecords, knownMarks, markedBy, overlapMs, storePage } from "./markers.ts";
import { authorsToScan, formerBoards, hasRested, isOutdated, isRecovering, ourLogins } from "./old-state.ts";

/**
 * Looks through every issue that we ever opened in a repository, and those of trusted authors: once in a state's life, once
 * more for each login that is new to the config, and all of it after an old copy was put back. Until that is complete
 * nothing is opened there.
 *
 * @returns what was given, where there is nothing to look for.
 */
export async function scanMarkers(cycle: Cycle, known: RepositoryMemory): Promise<RepositoryMemory> {
  const { project } = cycle;
  const { tracker, clock, log, progress, policy } = cycle.world;
  const authors = authorsToScan(cycle, known);
  if (authors.length === 0) return known;
  let unknown = 0;
  let isBlind = false;
  for (const author of authors) {
    const query: IssueQuery = { kind: "by", author, createdSince: undefined };
    const isFirst = known.scannedAt === undefined || !known.scannedFor.includes(foldLogin(author));
    // Asked for first: what is opened meanwhile is in the list.
    const isNew = isFirst || isOutdated(cycle, known);
    const lacking = isNew ? await firstOpened(cycle, known, author) : new Set<number>();
    let done = 0;
    for await (const page of tracker.listIssues(known.repository, query, cycle.run.bounds)) {
      // A scan that breaks off begins anew with the next run, so whoever has to wait for it should know how long it is.
      if (done === 0 && page.hasMore) {
        log.info(
          { repo: known.name, author, pages: page.pages ?? null, budgetMs: policy.budgetMs },
          "Every issue that the account opened there is looked through for marks, once: a request for each page of 100. Where that takes longer than `budget` allows, `boardsync rebuild` has six hours for it",
        );
      }
      done += 1;
      unknown += await countUnknown(cycle, issuesToCount(cycle, known, page.issues), isFirst);
      await storePage(cycle, page, keepRecords);
      const blind = await takeOdd(cycle, page, author);
      for (const odd of blind) sayBlind(cycle, known, odd);
      isBlind ||= blind.length > 0;
      for (const number of numbersOf(page)) lacking.delete(number);
      progress?.show({ project: project.key, what: "pages of issues read", done, total: page.pages });
    }
    sayShort(cycle, known, author, [...lacking]);
    isBlind ||= lacking.size > 0;
  }
  if (unknown > 0) {
    log.warn(
      { repo: known.name, issues: unknown },
      "Issues carry our marks, and the state does not know them, because it is new or an old copy: they are linked as both sides are, and new issues wait; `boardsync help lost` says what to look at",
    );
  }
  if (isBlind) return known;
  const scannedAt = clock.now();
  const scannedFor = [...ourLogins(cycle).map(foldLogin), ...formerBoards(cycle)];
  // Where the state was lost or is old, new issues wait.
  const isLate = unknown > 0 || isRecovering(cycle) || isOutdated(cycle, known);
  return { ...known, scannedAt, scannedFor, recoveredAt: isLate ? scannedAt : known.recoveredAt };
}

/**
 * Takes the rows of such a list that can't be read. One that may carry a mark that the state does not know is asked for by itself.
 *
 * @param author - whose issues are listed.
 * @returns those that stay unknown: no mark must be taken for absent because of them.
 */
async function takeOdd(cycle: Cycle, page: IssuePage, author: string): Promise<readonly OddIssue[]> {
  const { ledger, tracker } = cycle.world;
  const blind = await select(page.odd ?? [], async ({ issue, body }) => {
    if ((await ledger.rows.linkedTo(issue)).length > 0) return false;
    return body === undefined || markedBy(cycle, { issue, author, body }).length > 0;
  });
  return select(blind, async ({ issue }) => {
    const answer = await tracker.readIssue(issue, cycle.run.bounds);
    if (answer.kind !== "found") return true;
    await keepRecords(cycle, [answer.record]);
    return false;
  });
}

function sayBlind(cycle: Cycle, { name }: RepositoryMemory, { issue, error }: OddIssue): void {
  const shown = nameIssue(cycle, issue);
  const message = `${shown} may carry the mark of a post, and it can't be read: until it can, no issue is opened in ${name}. ${error.message}`;
  noteError(cycle.tally, error, { issue: shown, message });
}

/**
 * Numbers that such a list must show: read from its other end, where one that is cut has its gap. A list that is empty, or ends too
 * early, looks like that of a repository without any mark, and every post would get a second issue.
 */
async function firstOpened(
  { world: { tracker }, run }: Cycle,
  { repository }: RepositoryMemory,
  author: string,
): Promise<Set<number>> {
  const numbers = new Set<number>();
  for await (const page of tracker.listIssues(repository, { kind: "first", author }, run.bounds))
    for (const number of numbersOf(page)) numbers.add(number);
  return numbers;
}

/** Pull requests are proof as well: those of an account that opens many may fill the page. */
function numbersOf({ issues, odd = [], rows = [] }: IssuePage): readonly number[] {
  return [...rows.map(({ number }) => number), ...[...issues, ...odd].map(({ issue }) => issue.number)];
}

function sayShort(
  cycle: Cycle,
  { name, repository: { id: repositoryId } }: RepositoryMemory,
  author: string,
  [number, ...others]: readonly number[],
): void {
  if (number === undefined) return;
  const issue = nameIssue(cycle, { repositoryId, number });
  const more = others.length > 0 ? `, and ${others.length} more,` : "";
  const message = `GitHub's list of the issues that ${author} opened in ${name} lacks ${issue}${more} that the same list shows oldest first: an issue that a post has may be missing, too, so no issue is opened in ${name} until the list is whole. Each run reads it again.`;
  noteError(cycle.tally, { issue, code: "tracker.unreadable", message });
}

/**
 * Those whose marks tell that a state is new or old. When a wait is over only what was opened in it does, and for projects that have run
 * here: marks that can't be linked, of posts that are gone or of another instance, would make each scan begin one more wait.
 */
function issuesToCount(
  cycle: Cycle,
  known: RepositoryMemory,
  records: readonly IssueRecord[],
): readonly IssueRecord[] {
  if (!hasRested(cycle, known) || isOutdated(cycle, known)) return records;
  const since = (known.scannedAt ?? 0) - overlapMs;
  return records.filter(
    (record) =>
      Date.parse(record.issue.createdAt) >= since &&
      markedBy(cycle, record).some(({ project }) => findSynced(cycle.world, project) !== undefined),
  );
}

/**
 * How many issues carry a marker for a post that has no issue, as far as the state knows.
 *
 * @param isFirst - whether the author's issues have never been looked through as a whole: then a search that broke off may have linked
 *   what the state knew nothing of, and only the links of issues that it opened itself count as known.
 */
async function countUnknown(
  cycle: Cycle,
  records: readonly IssueRecord[],
  isFirst: boolean,
): Promise<number> {
  const { ledger, clock } = cycle.world;
  const isKnown = async ({ project, posts }: MarkedIssue, { ended }: KnownMark): Promise<boolean> => {
    const isLinked = async (post: PostId): Promise<boolean> => {
      const links = (await ledger.rows.row(project, post, clock.now()))?.links ?? [];
      return links.some(({ link }) => !isFirst || link.origin === "opened");
    };
    const others = await select(posts, async (post) => !ended.includes(post) && !(await isLinked(post)));
    return others.length === 0;
  };
  const marks = await knownMarks(cycle, records);
  return (await select(marks, async ([, marked, known]) => !(await isKnown(marked, known)))).length;
}
