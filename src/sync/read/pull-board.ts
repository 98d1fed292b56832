import type { ListEnd, ListWishes, PagePlace } from "../../board/board.ts";
import { RemoteError } from "../../errors.ts";
import type { KnownPage, PullId, PullMeasure } from "../../ledger/pulls.ts";
import type { PersonRequest } from "../../ledger/requests.ts";
import { type AskedPaging, showWay } from "../../model/page.ts";
import type { PostField, PostId } from "../../model/post.ts";
import { isShrunk } from "../../plan/guard.ts";
import { isPushedFromHead, repeatedPosts } from "../../plan/repeats.ts";
import { asOne } from "../ground/as-one.ts";
import {
  type BoardPull,
  type Cycle,
  type PulledPage,
  projectNow,
  rememberOfProject,
} from "../ground/cycle-state.ts";
import { boardLane, closeLane } from "../ground/lane.ts";
import { noteLimitOf } from "../ground/limits.ts";
import { isPreview } from "../ground/order.ts";
import { isOutOfTime, isPutOff, noteError, notePutOff } from "../ground/report.ts";
import { collectNotes, type NoteCollector } from "./notes.ts";
import { keepOpenList, listedSince, type OwnList, takeOpenList } from "./open-list.ts";

/**
 * Reads every post of the project, page by page; each page is one transaction. A pull that breaks off keeps what it has
 * seen, and its absences mean nothing. A list whose pages are no snapshot is read once more.
 *
 * @throws RemoteError when not even the first page could be read, or the key is refused.
 */
export async function pullBoard(cycle: Cycle): Promise<BoardPull> {
  const beganAt = cycle.world.clock.now();
  const notes = await collectNotes(cycle);
  const list = await takeOpenList(cycle);
  const first = await readList(cycle, { notes, list, before: undefined });
  let last = first;
  // Of a list that is read in parts absence means nothing anyway.
  if (list.from !== undefined) {
    if (first.end.kind === "complete") last = { ...first, end: pieced };
  } else if (isTorn(first) && !(await isExplained(cycle, first))) {
    last = await readTornAgain(cycle, first, { notes, list });
  }
  const ended = await endPull(cycle, last, beganAt);
  const pages = last === first ? first.pages : [...first.pages, ...last.pages];
  return { ...ended, listedSince: await listedSince(cycle, list), pages, notes: notes?.found ?? [] };
}

/** What one reading of the list has brought. */
interface Reading {
  readonly pull: PullId;
  readonly end: ListEnd;
  readonly seen: ReadonlySet<PostField>;
  readonly pages: readonly PulledPage[];
  /** Posts of each page. */
  readonly shown: readonly (readonly PostId[])[];
}

interface ReadingWishes {
  readonly notes: NoteCollector | undefined;
  readonly list: OwnList;
  /** The reading that this one repeats. */
  readonly before: Reading | undefined;
}

async function readList(cycle: Cycle, { notes, list, before }: ReadingWishes): Promise<Reading> {
  const { ledger, clock, board, log } = cycle.world;
  const pull = await ledger.pulls.begin(cycle.memory.id, cycle.run.number, list.beganAt);
  const seen = new Set<PostField>(before?.seen);
  let end: ListEnd | undefined;
  let next: PagePlace | undefined;
  let read = 0;
  let known: KnownPage | undefined;
  const pages: PulledPage[] = [];
  const shown: (readonly PostId[])[] = [];
  const wishes: ListWishes = {
    hasNotes: notes !== undefined,
    known: {
      find: async (request) => {
        known = await ledger.pulls.knownPage(pull, request);
        return known?.trace;
      },
    },
    isConditional: isBelieved(cycle),
    asked: recallPaging(cycle),
    from: list.from,
  };
  // A page is asked for when the one before it has been taken.
  let askedAt = clock.now();
  try {
    for await (const page of board.listPosts(cycle.memory.id, cycle.run.bounds, wishes)) {
      // Stored is the page, or only that it is still the same: as it was when it was asked for.
      const isSame = page.isUnchanged === true && page.trace !== undefined;
      await ledger.commit([
        isSame
          ? { kind: "see-page", pull, trace: page.trace, at: askedAt }
          : { kind: "store-posts", pull, posts: page.posts, at: askedAt, trace: page.trace },
      ]);
      read += isSame ? (known?.posts ?? 0) : page.posts.length;
      const pulled: PulledPage = { place: page.place, askedAt, notes: undefined, asking: undefined };
      pages.push(pulled);
      shown.push(page.ids);
      for (const field of page.seen) seen.add(field);
      notes?.take(page, pulled);
      if (page.asked !== undefined) await rememberPaging(cycle, page.asked);
      for (const reason of before === undefined ? page.unusable : []) {
        log.warn({ project: cycle.project.key, reason }, "A record of the board could not be used");
      }
      end = page.end;
      next = page.next;
      cycle.world.progress?.show({
        project: cycle.project.key,
        what: "posts read",
        done: read,
        total: undefined,
      });
      askedAt = clock.now();
    }
  } catch (error) {
    // A second reading has to be whole: a later run begins it anew.
    const place = before === undefined ? next : undefined;
    const broken: Broken = { list, read, hasSeen: seen.size > 0, next: place };
    end = {
      kind: "incomplete",
      message: await explainBreak(cycle, error, broken),
    };
  }
  return { pull, end: end ?? unended, seen, pages, shown };
}

/** Whether the list came to an end, and pages of it show the same posts. One that says itself that it goes in circles is no case of it. */
function isTorn({ end, shown }: Reading): boolean {
  if (end.kind !== "complete" && end.kind !== "incomplete") return false;
  const before = new Set(shown.slice(0, -1).flat());
  const isCircle = shown.at(-1)?.every((post) => before.has(post)) ?? true;
  return repeatedPosts(shown).length > 0 && (end.kind === "complete" || !isCircle);
}

/** Looks at the first page once more: what came there meanwhile has been seen then, too. */
async function isExplained(cycle: Cycle, { pull, end, shown }: Reading): Promise<boolean> {
  const { ledger, clock, board } = cycle.world;
  if (end.kind !== "complete") return false;
  const askedAt = clock.now();
  const wishes = { hasNotes: false, asked: recallPaging(cycle) };
  try {
    for await (const { posts, ids } of board.listPosts(cycle.memory.id, cycle.run.bounds, wishes)) {
      await ledger.commit([{ kind: "store-posts", pull, posts, at: askedAt, trace: undefined }]);
      return isPushedFromHead(shown, ids);
    }
  } catch (error) {
    // The second reading asks for that page, too, and says what there is to say.
    if (!(error instanceof RemoteError)) throw error;
  }
  return false;
}

/** Once a run: a list whose pages overlap again is not read until they don't. */
async function readTornAgain(
  cycle: Cycle,
  first: Reading,
  { notes, list }: Omit<ReadingWishes, "before">,
): Promise<Reading> {
  const { ledger, clock, log } = cycle.world;
  const posts = repeatedPosts(first.shown).slice(0, mostNamed);
  log.info(
    { project: cycle.project.key, posts },
    "Pages of the board's list show the same posts: it is read once more",
  );
  await ledger.commit([{ kind: "end-pull", pull: first.pull, end: "incomplete", at: clock.now() }]);
  const again = await readList(cycle, { notes, list, before: first });
  if (!isTorn(again) || (await isExplained(cycle, again))) return again;
  return { ...again, end: { kind: "incomplete", message: sayTorn(repeatedPosts(again.shown)) } };
}

function sayTorn(posts: readonly PostId[]): string {
  const named = posts.slice(0, 5).join(", ");
  const more = posts.length > 5 ? ` and ${posts.length - 5} more` : "";
  return `The board's list shows posts on more than one page, also when it is read once more: ${named}${more}. So its pages do not fit together, other posts may be on none of them, and no post counts as missing. Let the board list posts in an order that stays the same, or ask for pages that hold them all (board.paging.sizeParam and size).`;
}

/** Posts may have moved between the parts. */
const pieced: ListEnd = {
  kind: "cut",
  message:
    "The list of posts was read in several runs, so posts missing from it are not taken for deleted. Raise `budget` if that stays so.",
};

/**
 * Whether a board that answers "not changed" is believed. If its entity tag were wrong, a change would stay hidden for good. So
 * once every `fullEvery`, when all rows are looked at anyway, each page is asked for without a condition.
 */
function isBelieved({ memory, world: { clock, policy } }: Cycle): boolean {
  return memory.fullAt !== undefined && clock.now() - memory.fullAt < policy.fullEveryMs;
}

/** What asking the board for more has shown. It is asked again every `fullEvery`. */
function recallPaging({ memory, world: { clock, ledger, policy } }: Cycle): AskedPaging | undefined {
  const known = ledger.memory.paging(memory.id);
  return known !== undefined && clock.now() - known.askedAt < policy.fullEveryMs ? known : undefined;
}

async function rememberPaging(
  { memory, project, world: { clock, ledger, log } }: Cycle,
  asked: AskedPaging,
): Promise<void> {
  await ledger.commit([
    { kind: "remember-paging", project: memory.id, paging: { ...asked, askedAt: clock.now() } },
  ]);
  // Where only larger pages would help, the pull is incomplete and says so itself.
  if (asked.way === undefined || asked.way.kind === "none") return;
  const config = `board: { ${showWay(asked.way)} }`;
  log.warn(
    { project: project.key, code: "board.paging-found", config },
    "The board's list shows no sign of further pages, and yet there are some: they are read. Put the line into the config",
  );
}

const unended: ListEnd = { kind: "incomplete", message: "The list of posts ended without an end." };

const unfinished = "board.unfinished";

/** How far a list had come. */
interface Broken {
  readonly list: OwnList;
  readonly read: number;
  readonly hasSeen: boolean;
  readonly next: PagePlace | undefined;
}

/** A limit or a signal puts the rest off; anything else is a failure. What ends the project is thrown. */
async function explainBreak(cycle: Cycle, error: unknown, broken: Broken): Promise<string> {
  const { world, run, tally } = cycle;
  const { list, read, hasSeen, next } = broken;
  if (!(error instanceof RemoteError) || error.fault === "unauthorized" || !hasSeen) throw error;
  await noteLimitOf(world, error);
  if (isPutOff(error) && next !== undefined) await keepOpenList(cycle, list, next);
  if (isOutOfTime(error, run)) {
    const rest = next === undefined ? "the next run begins anew" : "the next run goes on there";
    const message = `The list of posts did not end within the time of the run (\`budget\`): ${read} posts were read, ${rest}.`;
    noteError(tally, { code: unfinished, message });
    return message;
  }
  if (isPutOff(error)) {
    closeLane(run, boardLane, notePutOff(tally, cycle, error));
  }
  return `The list of posts broke off: ${error.message}`;
}

async function endPull(
  cycle: Cycle,
  { pull, end, seen: shown }: Reading,
  beganAt: number,
): Promise<Omit<BoardPull, "notes" | "pages" | "listedSince">> {
  const { ledger, clock, log } = cycle.world;
  const { memory, tally } = cycle;
  const endedAt = clock.now();
  const measure = await ledger.pulls.measure(pull);
  sayGrowth(cycle, measure);
  // From a list that shows nothing, nothing is learnt about fields.
  const seen = end.kind === "incomplete" || measure.posts === 0 ? new Set([...shown, ...memory.seen]) : shown;
  if (end.kind === "incomplete") {
    await ledger.commit([{ kind: "end-pull", pull, end: "incomplete", at: endedAt }]);
    const isSaid = tally.isPutOff || tally.errors.some(({ code }) => code === unfinished);
    if (!isSaid) noteError(tally, { code: "board.incomplete", message: end.message });
    return { seen, posts: measure.posts, hold: undefined, kind: "incomplete", beganAt };
  }
  if (end.kind === "cut") log.warn({ project: cycle.project.key }, end.message);
  if (end.kind === "lossy") noteError(tally, { code: "board.incomplete", message: end.message });
  // A board that shrank is looked at again before anything is counted as missing.
  const acceptance = await findAcceptance(cycle);
  const hold = end.kind === "complete" && acceptance === undefined ? isShrunk(measure) : undefined;
  if (hold !== undefined) {
    log.warn({ project: cycle.project.key, reason: hold }, "Nothing is written: the project is held");
  }
  const kind = end.kind === "complete" && hold === undefined ? "complete" : "usable";
  await asOne(cycle, async (own) => {
    const { ledger } = own.world;
    await ledger.commit([{ kind: "end-pull", pull, end: kind, at: endedAt }]);
    if (acceptance !== undefined && kind === "complete")
      await ledger.commit([{ kind: "end-request", request: acceptance.id }]);
    if ([...seen].join() !== projectNow(own).seen.join()) await rememberOfProject(own, { seen: [...seen] });
  });
  if (kind === "complete" && !isPreview(cycle.run)) await sayMissing(cycle, endedAt);
  return { seen, posts: measure.posts, hold, kind, beganAt };
}

/** So many of them are named in the log. */
const mostNamed = 20;

/** Linked posts that this list is the first to lack: said once, when it begins. */
async function sayMissing({ world: { ledger, log }, memory, project }: Cycle, at: number): Promise<void> {
  const { missing } = await ledger.rows.counts(memory.id);
  if (missing === 0) return;
  const found = await ledger.rows.waiting(memory.id, missing, ["missing"]);
  const begun = found.filter(({ since }) => since === at).map(({ post }) => post);
  if (begun.length === 0) return;
  const posts = begun.slice(0, mostNamed);
  const more = begun.length - posts.length;
  log.warn(
    { project: project.key, posts, ...(more > 0 && { more }) },
    "The board no longer lists linked posts: nothing is written to them until they are listed again",
  );
}

/** Fewer new posts than this are nobody's surprise. */
const muchGrowth = 1000;

/** A board that has more than doubled makes this run long, once: each new post is decided. It is said why. */
function sayGrowth({ world, project, settings }: Cycle, { posts, added }: PullMeasure): void {
  const before = posts - added;
  if (before === 0 || added < muchGrowth || added <= before) return;
  world.log.warn(
    { project: project.key, before, posts, added },
    settings.writes === "none"
      ? "The board has grown a lot: every new post is decided in this run"
      : "The board has grown a lot: every new post is decided in this run; new issues are opened within the guard and at the tracker's pace, over as many runs as that takes",
  );
}

/** A person has said that the board is as small as it looks: what it no longer lists counts as missing from now on. */
async function findAcceptance({ world, memory }: Cycle): Promise<PersonRequest | undefined> {
  return (await world.ledger.requests.pending(memory.id)).find(({ kind }) => kind === "accept-size");
}
