import type { Intent } from "../../ledger/journal.ts";
import type { Issue, IssueRef, Repository } from "../../model/issue.ts";
import { parseMarker } from "../../plan/text/marker.ts";
import { select } from "../../select.ts";
import type { IssueAnswer } from "../../tracker/tracker.ts";
import { nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { askAccount, isSameLogin } from "../read/identify.ts";
import { overlapMs, storePage, storeRecords } from "../read/markers.ts";

/** So many numbers are asked for one by one. */
const mostAsked = 10;

/** So many of them behind the newest: what is not listed any more may stand behind a discussion, which no list has. */
const mostNext = 5;

/** What is known of openings that no issue shows with our mark. */
interface Lost {
  /** As words, what may be such an issue. None where each number is accounted for: then nothing was opened. */
  readonly suspects: readonly string[];
  /** An issue that is there, and that the list should show and does not: it may lack others, too. */
  readonly unlisted?: IssueRef;
}

/**
 * Looks for issues whose opening got no answer, and stores what carries our mark. Everything that anybody has opened since is listed:
 * however busy the repository, that is one request for every hundred issues and pull requests. They share their numbers, which grow
 * with the time. Where nothing shows the mark, people may have written its text anew, transferred or deleted the issue meanwhile: so
 * the numbers that the list lacks are asked for, and some behind the newest.
 *
 * @param openedSince epoch ms.
 * @throws RemoteError: a list that breaks off proves nothing.
 */
export async function lookForOpened(
  cycle: PulledCycle,
  repository: Repository,
  intents: readonly Intent[],
  openedSince: number,
): Promise<Lost> {
  const looking: Looking = { repository, intents, isOurs: await whoWeWere(cycle, openedSince) };
  const listed = await readOpened(cycle, looking, openedSince - overlapMs);
  const lost = await select(intents, async (intent) => (await shownIssue(cycle, intent)) === undefined);
  if (lost.length === 0) return { suspects: listed.suspects };
  const asked = await askForUnlisted(cycle, looking, listed);
  return { ...asked, suspects: [...listed.suspects, ...asked.suspects] };
}

/** An opening may have been asked for with the token of another account. */
async function whoWeWere(cycle: PulledCycle, openedSince: number): Promise<Looking["isOurs"]> {
  const { ledger, policy } = cycle.world;
  const account = await askAccount(cycle);
  const { former = [], since: changedAt = 0 } = ledger.memory.account() ?? {};
  const logins = [account, ...policy.trustedAuthors, ...(openedSince <= changedAt ? former : [])];
  return (author) => logins.some((login) => isSameLogin(author, login));
}

/** What the list of all that was opened since has told. */
interface Listed {
  readonly suspects: readonly string[];
  readonly shown: ReadonlySet<number>;
  /** Rows that can't be read there, and may be ours. */
  readonly odd: ReadonlySet<number>;
  /** The highest number that was given before. */
  readonly older: number;
  /** How far back the list goes, epoch ms. */
  readonly reach: number;
  /** What is older must be listed, epoch ms. */
  readonly listedBy: number;
}

/** @param since - epoch ms. */
async function readOpened(cycle: PulledCycle, looking: Looking, since: number): Promise<Listed> {
  const { tracker, clock, policy } = cycle.world;
  const listedBy = clock.now() - policy.waits.createMs;
  const query = { kind: "by", author: undefined, createdSince: new Date(since).toISOString() } as const;
  const shown = new Set<number>();
  const odd = new Set<number>();
  const suspects: string[] = [];
  let older = 0;
  let reach = 0;
  for await (const page of tracker.listIssues(looking.repository, query, cycle.run.bounds)) {
    await storePage(cycle, page);
    for (const { number, createdAt, updatedAt } of page.rows ?? []) {
      shown.add(number);
      if (Date.parse(createdAt) >= since) continue;
      reach = Date.parse(createdAt);
      // What was moved here since has an old time, and a new number.
      if (older === 0 && Date.parse(updatedAt) < since) older = number;
    }
    for (const { issue, author } of page.odd ?? [])
      (author === null || looking.isOurs(author) ? odd : shown).add(issue.number);
    for (const record of page.issues)
      suspects.push(...(await judge(cycle, looking, record.issue, { kind: "found", record })));
  }
  return { suspects, shown, odd, older, reach, listedBy };
}

/** Asks for the numbers that the list lacks, the newest first, and for some behind the newest. */
async function askForUnlisted(
  cycle: PulledCycle,
  looking: Looking,
  { shown, odd, older, reach, listedBy }: Listed,
): Promise<Lost> {
  const { tracker, ledger } = cycle.world;
  const { id: repositoryId } = looking.repository;
  const linked = (await ledger.pulls.linkedIssues(repositoryId)).map(({ number }) => number);
  const listed = highest([...shown]);
  const newest = highest([listed, ...linked]);
  const lacking = numbersFrom(older + 1, newest).filter((number) => !shown.has(number));
  const unasked = lacking.slice(0, -mostAsked).at(-1);
  const suspects: string[] = [];
  if (unasked !== undefined)
    suspects.push(
      `${nameIssue(cycle, { repositoryId, number: unasked })}, or another one that is not listed`,
    );
  const next = numbersFrom(newest + 1, newest + mostNext);
  for (const number of [...lacking.slice(-mostAsked).reverse(), ...next]) {
    const issue: IssueRef = { repositoryId, number };
    const isLinked = linked.includes(number);
    if (isLinked && number < listed) continue;
    const answer = await tracker.readIssue(issue, cycle.run.bounds);
    if (answer.kind === "refused" && (isLinked || odd.has(number))) throw answer.error;
    // Not given yet, or to a discussion.
    const isFree = answer.kind === "missing" && number > newest;
    if (!isLinked && !isFree) suspects.push(...(await judge(cycle, looking, issue, answer)));
    const createdAt = answer.kind === "found" ? Date.parse(answer.record.issue.createdAt) : listedBy + 1;
    if (createdAt >= reach && createdAt <= listedBy && number > listed) return { suspects, unlisted: issue };
  }
  return { suspects };
}

const words = {
  gone: "was deleted, or made a discussion",
  missing: "is not found",
  refused: "can't be read",
} as const;

interface Looking {
  readonly repository: Repository;
  readonly intents: readonly Intent[];
  readonly isOurs: (author: string | null) => boolean;
}

/** Why it may be an issue that is looked for, in words; nothing where it is not, or where that is known now. */
async function judge(
  cycle: PulledCycle,
  { intents, isOurs }: Looking,
  asked: IssueRef,
  answer: IssueAnswer,
): Promise<readonly string[]> {
  const { ledger } = cycle.world;
  const name = nameIssue(cycle, asked);
  if (!("record" in answer)) return [`${name}, which ${words[answer.kind]}`];
  const { issue, author, body } = answer.record;
  if (!isOurs(author) || (await ledger.rows.linkedTo(issue)).length > 0) return [];
  const marker = parseMarker(body);
  if (marker === undefined) return [`${name}, which has no mark of a post`];
  if (ledger.memory.repositoryById(issue.repositoryId) === undefined)
    return [`${name}, which was moved to a repository that the config doesn't name`];
  // Of an earlier account of ours only a mark that is looked for counts.
  const isLookedFor = author !== null && intents.some(({ post }) => marker.posts.includes(post));
  await storeRecords({ ...cycle, ...(isLookedFor && { account: author }) }, [answer.record]);
  return [];
}

/** The issue that carries our mark for a post, as far as that is known. */
export async function shownIssue(
  { world, memory }: PulledCycle,
  { post }: Intent,
): Promise<Issue | undefined> {
  return (await world.ledger.pulls.marked(memory.id, post))?.issue;
}

function highest(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => Math.max(one, other), 0);
}

function numbersFrom(first: number, last: number): readonly number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
