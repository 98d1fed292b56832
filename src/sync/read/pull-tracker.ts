import { RemoteError } from "../../errors.ts";
import type { RepositoryMemory } from "../../ledger/memory.ts";
import { type Absence, type IssueRef, isSameRepository, type RepositoryName } from "../../model/issue.ts";
import { dayMs } from "../../model/time.ts";
import { select } from "../../select.ts";
import type { IssueAnswer, IssuePage, IssueQuery } from "../../tracker/tracker.ts";
import type { Cycle } from "../ground/cycle-state.ts";
import { lookOnce } from "../ground/looks.ts";
import { isReadingOver, noteError } from "../ground/report.ts";
import { repositoryNames } from "../ground/world.ts";
import { parkAbsent, retryAbsent } from "./absent.ts";
import { followMarked, followNamed, secondLookMs, takeAnswer } from "./follow.ts";
import { overlapMs, storePage } from "./markers.ts";
import { askRepositoryAgain, eachRepository, rememberNews } from "./repositories.ts";
import { scanMarkers } from "./scan-markers.ts";
import { partOfReading } from "./share.ts";

/**
 * Reads what changed on the tracker since the last run, once a run for each repository, and with it every marker of ours.
 * Idle this is one conditional request a repository.
 *
 * @returns the repositories that could be read, as they are known now, and the others. One of them may be gone, or refused to
 *   us, or most of its issues not be found: that is said, and its posts wait.
 * @throws ProjectError, RemoteError when none can be read, or the tracker can't be asked at all.
 */
export async function pullTracker(cycle: Cycle): Promise<Pick<Cycle, "repositories" | "unread">> {
  const { used } = await eachRepository(cycle, cycle.repositories, (known) => pullOnce(cycle, known));
  const pulled = new Map([...used].filter(([, { pausedAt }]) => pausedAt === undefined));
  await followMarked(cycle);
  await followNamed(cycle);
  await retryAbsent(cycle);
  await parkAbsent(cycle);
  // What the config no longer names stays as it was last seen.
  const unread = repositoryNames(cycle.settings).filter((name) => !pulled.has(name));
  const { memory } = cycle.world.ledger;
  const ids = unread.flatMap((name) => memory.repository(name)?.repository.id ?? []);
  return { repositories: pulled, unread: new Set(ids) };
}

/** Nothing is decided for its issues, and none is opened there. */
function sayPaused({ tally }: Cycle, name: RepositoryName, pausedAt: number): void {
  const since = new Date(pausedAt).toISOString();
  const message = `More than a fifth of the linked issues of ${name} are not found (404) since ${since}: that looks like lost access, so nothing is decided for its posts and nothing is written there. Give the token its access back; the next looks end this by themselves, after a day at the latest, when issues that are still not found need you one by one.`;
  noteError(tally, { code: "tracker.lost-access", message });
}

async function pullOnce(cycle: Cycle, known: RepositoryMemory): Promise<RepositoryMemory> {
  const { id } = known.repository;
  const read = await lookOnce(cycle, `pull of ${id}`, () => pullRepository(cycle, known));
  const memory = read ?? cycle.world.ledger.memory.repositoryById(id) ?? known;
  if (memory.pausedAt !== undefined) sayPaused(cycle, memory.name, memory.pausedAt);
  return memory;
}

async function pullRepository(cycle: Cycle, known: RepositoryMemory): Promise<RepositoryMemory> {
  // Where issues are off there is nothing to read; whether they are on again costs as much as an idle look.
  const memory = known.repository.hasIssues ? known : await askRepositoryAgain(cycle, known);
  if (!memory.repository.hasIssues) return memory;
  try {
    return await readRepository(cycle, memory);
  } catch (error) {
    // Issues that were switched off, and a name that was given to another repository, first show in an answer like this.
    if (!(error instanceof RemoteError) || (error.fault !== "missing" && error.fault !== "refused"))
      throw error;
    const now = await askRepositoryAgain(cycle, memory);
    if (!now.repository.hasIssues) return now;
    if (isSameRepository(now.repository.name, memory.repository.name)) throw error;
    return readRepository(cycle, { ...now, etag: undefined });
  }
}

async function readRepository(cycle: Cycle, known: RepositoryMemory): Promise<RepositoryMemory> {
  const { clock, policy } = cycle.world;
  let memory = await scanMarkers(cycle, await pullChanges(cycle, known));
  const isFull = memory.fullAt !== undefined && clock.now() - memory.fullAt < policy.fullEveryMs;
  memory = isFull ? await lookForMissing(cycle, memory) : await lookInTime(cycle, memory);
  await rememberNews(cycle, known, memory);
  return memory;
}

/** A full look that takes longer than reading may is left to a run that has nothing else to do: what is written goes on without it. */
async function lookInTime(cycle: Cycle, memory: RepositoryMemory): Promise<RepositoryMemory> {
  try {
    return await lookAtLinked({ ...cycle, run: partOfReading(cycle) }, memory);
  } catch (error) {
    if (!isReadingOver(error, cycle)) throw error;
    cycle.world.log.info(
      { repo: memory.name },
      "The full look at linked issues takes longer than reading may while something is to be written: a later run makes it",
    );
    return memory;
  }
}

/** What changed since the cursor. The cursor moves only when all of it is stored. */
async function pullChanges(cycle: Cycle, known: RepositoryMemory): Promise<RepositoryMemory> {
  const { ledger, tracker, clock } = cycle.world;
  const query: IssueQuery = { kind: "latest", etag: known.etag };
  let memory = known;
  for await (const page of tracker.listIssues(known.repository, query, cycle.run.bounds)) {
    if (page.isUnchanged) return memory;
    const listed = await ledger.pulls.listed(page.issues.map(({ issue }) => issue));
    if (listed.some(({ isOther }) => isOther)) {
      const now = await askRepositoryAgain(cycle, known);
      if (!isSameRepository(now.repository.name, known.repository.name)) {
        return pullChanges(cycle, { ...now, etag: undefined });
      }
    }
    await storePage(cycle, page);
    if (page.hasMore && !(await reachesBack(cycle, known, page.lastUpdatedAt))) await catchUp(cycle, known);
    memory = {
      ...memory,
      etag: page.etag,
      // One page that is all: its issues have been looked through for pages of posts, too.
      namedAt: page.hasMore ? memory.namedAt : (memory.namedAt ?? clock.now()),
      // A page may hold nothing but pull requests, and the cursor must move all the same.
      cursor: newest([known.cursor, page.firstUpdatedAt, ...page.issues.map(({ issue }) => issue.updatedAt)]),
    };
  }
  return memory;
}

/** The first page was not all: every change since the cursor, oldest first. What breaks off is gone on with by the next run. */
async function catchUp(cycle: Cycle, known: RepositoryMemory): Promise<void> {
  const { repository, cursor } = known;
  const since = cursor === undefined ? undefined : new Date(Date.parse(cursor) - overlapMs).toISOString();
  const pages = cycle.world.tracker.listIssues(repository, { kind: "since", since }, cycle.run.bounds);
  let reached = cursor;
  try {
    for await (const page of pages) {
      await storePage(cycle, page);
      reached = newest([reached, page.lastUpdatedAt]);
    }
  } catch (error) {
    if (error instanceof RemoteError) await rememberNews(cycle, known, { ...known, cursor: reached });
    throw error;
  }
}

/**
 * Whether a page that others follow holds everything that changed since the cursor. Before the first cursor that is so as
 * long as no issue is linked, and the search for markers is still to come: there was nothing that could have changed.
 */
async function reachesBack(
  { world }: Cycle,
  { cursor, repository, scannedAt }: RepositoryMemory,
  lastUpdatedAt: string | undefined,
): Promise<boolean> {
  if (cursor === undefined) {
    return scannedAt === undefined && (await world.ledger.pulls.linkedIssues(repository.id)).length === 0;
  }
  return lastUpdatedAt === undefined || Date.parse(lastUpdatedAt) < Date.parse(cursor) - overlapMs;
}

function newest(times: readonly (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
}

/** More than this part of a repository's linked issues not found, and more than one: that is lost access, not deletion. */
const lostPart = 1 / 5;

/**
 * Lost access ends by itself. If the issues are not found for this long while their repository is, they are taken for what
 * they seem to be, each by itself: nothing is written for them, and they come back if they are found.
 */
const longestPauseMs = dayMs;

/**
 * Looks at every linked issue anew: a list may hide a change, and a label's or milestone's rename moves no time. Nearly all
 * are ours, so the list of ours, newest first, shows them a hundred at a time; the others are read one by one. Where few of
 * very many are linked the list is left when it has taken as many requests as issues are still to be found, and has shown all
 * that was opened since the last such look: a duplicate that came about late is among these.
 */
export async function lookAtLinked(cycle: Cycle, memory: RepositoryMemory): Promise<RepositoryMemory> {
  const { ledger, tracker, clock } = cycle.world;
  const linked = await ledger.pulls.linkedIssues(memory.repository.id);
  if (linked.length === 0) return { ...memory, fullAt: clock.now(), pausedAt: undefined };
  const open = new Map(linked.map((issue) => [issue.number, issue]));
  const query: IssueQuery = { kind: "by", author: cycle.account, createdSince: undefined };
  let pages = 0;
  for await (const page of tracker.listIssues(memory.repository, query, cycle.run.bounds)) {
    await storePage(cycle, page);
    for (const { issue } of page.issues) open.delete(issue.number);
    pages += 1;
    if (pages >= open.size && reachesLastLook(page, memory)) break;
  }
  const unlisted = await select(open.values(), async (issue) => !(await isKnownAs(cycle, "deleted", issue)));
  const after = await askForEach(cycle, memory, unlisted);
  return { ...after, fullAt: clock.now() };
}

/** Longer than any look takes, and than any request is under way. */
const marginMs = dayMs;

function reachesLastLook({ issues }: IssuePage, { fullAt = 0, scannedAt = 0 }: RepositoryMemory): boolean {
  const oldest = issues.at(-1)?.issue.createdAt;
  return oldest !== undefined && Date.parse(oldest) < Math.max(fullAt, scannedAt) - marginMs;
}

/**
 * Issues that could not be found are asked for again by every run until it is clear what they are; an idle run has none.
 * While a repository is paused, all of it is looked at again every ten minutes.
 */
async function lookForMissing(cycle: Cycle, memory: RepositoryMemory): Promise<RepositoryMemory> {
  const { ledger, clock } = cycle.world;
  if (memory.pausedAt !== undefined) {
    const isDue = clock.now() - (memory.fullAt ?? 0) >= secondLookMs;
    return isDue ? lookAtLinked(cycle, memory) : memory;
  }
  const missing = (await ledger.absences.ofRepository(memory.repository.id))
    .filter(({ absence }) => absence.kind === "missing" || absence.kind === "refused")
    .map(({ issue }) => issue);
  return missing.length === 0 ? memory : askForEach(cycle, memory, missing);
}

/** So many in a row that get no answer, each asked for several times, are no matter of single issues: nothing is read there now. */
const mostInVain = 3;

/** All answers are there before any of them counts: only together they tell a loss of access from a deletion. */
async function askForEach(
  cycle: Cycle,
  memory: RepositoryMemory,
  asked: readonly IssueRef[],
): Promise<RepositoryMemory> {
  const { ledger, tracker, clock } = cycle.world;
  const answers: { readonly issue: IssueRef; readonly answer: IssueAnswer }[] = [];
  let inVain = 0;
  for (const issue of asked) {
    const answer = await tracker.readIssue(issue, cycle.run.bounds);
    inVain = answer.kind === "refused" && answer.error.fault === "unreachable" ? inVain + 1 : 0;
    if (answer.kind === "refused" && inVain === mostInVain) throw answer.error;
    answers.push({ issue, answer });
  }
  const isLong = memory.pausedAt !== undefined && clock.now() - memory.pausedAt >= longestPauseMs;
  const isLost = await isAccessLost(cycle, memory, answers);
  if (isLost && !isLong) return { ...memory, pausedAt: memory.pausedAt ?? clock.now(), fullAt: clock.now() };
  for (const { issue, answer } of answers) {
    await takeAnswer(cycle, issue, answer, isLost);
  }
  if (memory.pausedAt !== undefined)
    await ledger.commit([{ kind: "mark-repository", repository: memory.repository.id }]);
  return { ...memory, pausedAt: undefined };
}

/**
 * Whether so many linked issues of a repository answer 404 that our access is lost, and not the issues. Issues that were known to
 * be lost before are not counted at all.
 */
async function isAccessLost(
  cycle: Cycle,
  { repository: { id } }: RepositoryMemory,
  answers: readonly { readonly issue: IssueRef; readonly answer: IssueAnswer }[],
): Promise<boolean> {
  const isCounted = async (issue: IssueRef): Promise<boolean> => !(await isKnownAs(cycle, "lost", issue));
  const found = answers.filter(({ answer }) => answer.kind === "missing").map(({ issue }) => issue);
  const missing = await select(found, isCounted);
  if (missing.length < 2) return false;
  const known = await select(await cycle.world.ledger.pulls.linkedIssues(id), isCounted);
  return missing.length > known.length * lostPart;
}

async function isKnownAs({ world }: Cycle, kind: Absence["kind"], issue: IssueRef): Promise<boolean> {
  return (await world.ledger.absences.of(issue))?.kind === kind;
}
