import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { KnownMark, MarkedIssue } from "../../ledger/pulls.ts";
import { type IssueRecord, refOf } from "../../model/issue.ts";
import type { PostId } from "../../model/post.ts";
import { select } from "../../select.ts";
import type { IssuePage, IssueQuery, OddIssue } from "../../tracker/tracker.ts";
import { type Cycle, nameIssue } from "../ground/cycle-state.ts";
import { isLookedAt, noteLooks } from "../ground/looks.ts";
import { command } from "../ground/remedy.ts";
import { noteError } from "../ground/report.ts";
import { asOne } from "../ground/rows.ts";
import { findSynced } from "../ground/settings-now.ts";
import { endListed, noteRefused } from "./absences.ts";
import { foldLogin, isSameLogin } from "./identify.ts";
import { type IssueText, keepNaming, readableOf } from "./naming.ts";
import {
  authorsToScan,
  formerBoards,
  hasRested,
  isFromLaterLife,
  isOutdated,
  isRecovering,
  isScanned,
  ourLogins,
  sayOld,
} from "./old-state.ts";
import { isOurBoard, ownMark, readOtherMarks } from "./other-marks.ts";

/** Two clocks and a list that lags: changes this much older than the cursor are read again. */
export const overlapMs = 120_000;

/** More at once is none of people who change an issue twice in a second: a label was deleted, say, which moves no time. */
const mostDoubts = 10;

/**
 * Stores a page of a list, and notes what of it can't be read. One that contradicts what is known of an issue since the very same second may lag: the issue itself
 * is asked, so that nobody is notified of a state that is over.
 *
 * @throws RemoteError
 */
export async function storePage(
  cycle: Cycle,
  page: Pick<IssuePage, "issues" | "odd">,
  keep: typeof storeRecords = storeRecords,
): Promise<void> {
  const { ledger, tracker } = cycle.world;
  const { issues: records } = page;
  const listed = await ledger.pulls.listed(records.map(({ issue }) => issue));
  const found = records.filter((_, index) => listed[index]?.isInDoubt === true);
  const doubts = found.length > mostDoubts ? [] : found;
  await keep(
    cycle,
    records.filter((record) => !doubts.includes(record)),
  );
  for (const { issue } of doubts) {
    const answer = await tracker.readIssue(issue, cycle.run.bounds);
    if (answer.kind === "found") await keep(cycle, [answer.record]);
    if (answer.kind === "refused") await noteRefused(cycle, issue, answer.error);
  }
  await noteOdd(cycle, page);
}

/**
 * Takes the rows of a list that can't be read, each by itself. A linked issue is unknown until it can be read: every run asks for
 * it. Of any other one it is said once a run that it is left out.
 */
async function noteOdd(cycle: Cycle, page: Pick<IssuePage, "odd">): Promise<void> {
  const { ledger, log, clock } = cycle.world;
  for (const { issue, error } of page.odd ?? []) {
    if ((await ledger.rows.linkedTo(issue, "withDuplicates")).length > 0) {
      await noteRefused(cycle, issue, error);
      continue;
    }
    const name = nameIssue(cycle, issue);
    if (isLookedAt(cycle, `odd ${name}`)) continue;
    noteLooks(cycle, [`odd ${name}`], clock.now());
    log.warn({ issue: name, reason: error.message }, "An issue can't be read: it is left out of this look");
  }
  await keepNaming(cycle, readableOf(page));
}

/**
 * Stores what was read of issues: the facts of linked issues, and whatever carries our marker. A marker that the state can't
 * explain shows that the state is an old copy, and that is written down with it.
 */
export async function storeRecords(cycle: Cycle, records: readonly IssueRecord[]): Promise<void> {
  const marks = await knownMarks(cycle, records);
  await asOne(cycle, async (own) => {
    for (const [record, marked, known] of marks) {
      const isLater = isFromLaterLife(own, record.issue, marked, known);
      // What a rebuild of one project forgets was known all the same: else others would never learn that theirs is old, too.
      const isUnexpected =
        isLater && isScanned(own, record.issue.repositoryId, own.world.ledger.copiedAt ?? 0);
      if (isUnexpected) await sayOld(own, marked);
    }
    await keepRecords(
      own,
      records,
      marks.map(([, marked, known]) => withoutStrange(own, marked, known)),
    );
  });
}

/** Our marks on issues, with what the state knows of each. */
async function knownMarks(
  cycle: Cycle,
  records: readonly IssueRecord[],
): Promise<readonly (readonly [IssueRecord, MarkedIssue, KnownMark])[]> {
  const marks = records.flatMap((record) =>
    markedBy(cycle, record).map((marked) => [record, marked] as const),
  );
  const known = await cycle.world.ledger.pulls.marks(marks.map(([, marked]) => marked));
  return marks.map(([record, marked], index) => [record, marked, known[index] as KnownMark]);
}

/** The scan takes every mark as it stands: the state may know less than what was written. */
async function keepRecords(
  cycle: Cycle,
  records: readonly IssueRecord[],
  marked = records.flatMap((record) => markedBy(cycle, record)),
): Promise<void> {
  const issues = records.map(({ issue }) => issue);
  await asOne(cycle, async (own) => {
    await endListed(own, issues);
    await own.world.ledger.commit([
      { kind: "store-issues", issues, marked },
      ...readOtherMarks(cycle, records),
    ]);
  });
  await keepNaming(cycle, records);
}

/**
 * What the mark of a known issue names by now and we have not written there is some person's doing: by it another post would be
 * taken for the issue's own, and its voters are notified of what does not concern them.
 */
function withoutStrange(cycle: Cycle, marked: MarkedIssue, { strange }: KnownMark): MarkedIssue {
  if (strange.length === 0 || !isScanned(cycle, marked.issue.repositoryId)) return marked;
  const issue = nameIssue(cycle, marked.issue);
  // Whoever reads it says it, whichever project it belongs to: that one does not read it again.
  const project = findSynced(cycle.world, marked.project);
  for (const post of project === undefined ? [] : strange) {
    const name = `${project?.key}/${post}`;
    const message = `Somebody has changed the mark of ${issue}: by now it names ${name}, which boardsync did not write there. That is not taken; \`${command("link", name, issue)}\` does it on purpose.`;
    const own = marked.project === cycle.memory.id ? post : undefined;
    noteError(cycle.tally, { post: own, issue, code: "tracker.mark", message });
  }
  return { ...marked, posts: marked.posts.filter((post) => !strange.includes(post)) };
}

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

/** The marker of an issue, when it is ours: written by our own account or a trusted one, for this board. */
function markedBy(cycle: Cycle, record: IssueText): readonly MarkedIssue[] {
  const marker = ownMark(cycle, record);
  if (marker === undefined || !isOurBoard(cycle.world.policy, marker.board)) return [];
  const issue = refOf(record.issue);
  const isOwn = isSameLogin(record.author, cycle.account);
  return [{ issue, isOwn, project: marker.project, posts: marker.posts }];
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
