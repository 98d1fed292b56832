import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { Absence, IssueRef } from "../../model/issue.ts";
import { dayMs } from "../../model/time.ts";
import { select } from "../../select.ts";
import type { IssueAnswer, IssuePage, IssueQuery } from "../../tracker/tracker.ts";
import type { Cycle } from "../ground/cycle-state.ts";
import { secondLookMs, takeAnswer } from "./follow.ts";
import { storePage } from "./markers.ts";

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
    if (pages >= open.size && reachesBack(page, memory)) break;
  }
  const unlisted = await select(open.values(), async (issue) => !(await isKnownAs(cycle, "deleted", issue)));
  const after = await askForEach(cycle, memory, unlisted);
  return { ...after, fullAt: clock.now() };
}

/** Longer than any look takes, and than any request is under way. */
const marginMs = dayMs;

function reachesBack({ issues }: IssuePage, { fullAt = 0, scannedAt = 0 }: RepositoryMemory): boolean {
  const oldest = issues.at(-1)?.issue.createdAt;
  return oldest !== undefined && Date.parse(oldest) < Math.max(fullAt, scannedAt) - marginMs;
}

/**
 * Issues that could not be found are asked for again by every run until it is clear what they are; an idle run has none.
 * While a repository is paused, all of it is looked at again every ten minutes.
 */
export async function lookForMissing(cycle: Cycle, memory: RepositoryMemory): Promise<RepositoryMemory> {
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
