import { z } from "zod";
import type { ListEnd, ListWishes, PagePlace } from "../../board/board.ts";
import { RemoteError } from "../../errors.ts";
import type { KnownPage, PullId } from "../../ledger/pulls.ts";
import { type AskedPaging, showWay } from "../../model/page.ts";
import type { Post, PostField, PostId, ProjectId } from "../../model/post.ts";
import { hourMs } from "../../model/time.ts";
import type { Cycle, PulledPage } from "../ground/cycle-state.ts";
import { boardLane, closeLane, noteLimitOf } from "../ground/lane.ts";
import { isOutOfTime, isPutOff, noteError, notePutOff } from "../ground/report.ts";
import type { World } from "../ground/world.ts";
import { type NoteCollector, storeOwn } from "./page.ts";

/** What one reading of the list has brought. */
export interface Reading {
  readonly pull: PullId;
  readonly end: ListEnd;
  /** Whether it ended in the middle, and not as the board's list does. */
  readonly isBroken: boolean;
  readonly seen: ReadonlySet<PostField>;
  readonly pages: readonly PulledPage[];
  /** Names of categories by their ids, as far as records that were read anew show both. */
  readonly categories: ReadonlyMap<string, string>;
  /** Posts of each page. */
  readonly shown: readonly (readonly PostId[])[];
  /** Not stored before the list is known to be this board's. */
  readonly doubtful: readonly DoubtfulPosts[];
  /** Those that surely are others by ids of posts with issues: they are left out. */
  readonly others: ReadonlySet<PostId>;
}

/** Posts of a page that may be others by the same ids, and when that was asked for, epoch ms. */
interface DoubtfulPosts {
  readonly posts: readonly Post[];
  readonly at: number;
}

export interface ReadingWishes {
  readonly notes: NoteCollector | undefined;
  readonly list: OwnList;
  /** The reading that this one repeats. */
  readonly before: Reading | undefined;
}

/** Reads the list once, and stores each page as it comes. What ends the project is thrown. */
export async function readList(cycle: Cycle, { notes, list, before }: ReadingWishes): Promise<Reading> {
  const { ledger, clock, board, log } = cycle.world;
  const { key: project } = cycle.project;
  const pull = await ledger.pulls.begin(cycle.memory.id, cycle.run.number, list.beganAt);
  let next: PagePlace | undefined;
  let read = 0;
  let known: KnownPage | undefined;
  const reading = {
    pull,
    end: unended,
    isBroken: false,
    seen: new Set<PostField>(before?.seen),
    pages: [] as PulledPage[],
    categories: new Map<string, string>(),
    shown: [] as (readonly PostId[])[],
    doubtful: [] as DoubtfulPosts[],
    others: new Set<PostId>(),
  };
  const { seen, others } = reading;
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
    isPatient: ledger.memory.paging(cycle.memory.id)?.posts === null,
    from: list.from,
  };
  // A page is asked for when the one before it has been taken.
  let askedAt = clock.now();
  try {
    for await (const page of board.listPosts(cycle.memory.id, cycle.run.bounds, wishes)) {
      // Stored is the page, or only that it is still the same: as it was when it was asked for.
      const isSame = page.isUnchanged === true && page.trace !== undefined;
      if (isSame) await ledger.commit([{ kind: "see-page", pull, trace: page.trace, at: askedAt }]);
      else {
        const { posts, trace } = page;
        const left = await storeOwn(cycle, { pull, posts, at: askedAt, trace });
        for (const post of left.others) others.add(post);
        if (left.doubtful.length > 0) reading.doubtful.push({ posts: left.doubtful, at: askedAt });
      }
      read += isSame ? (known?.posts ?? 0) : page.posts.length;
      const pulled: PulledPage = { place: page.place, askedAt, notes: undefined, asking: undefined };
      reading.pages.push(pulled);
      reading.shown.push(page.ids);
      for (const field of page.seen) seen.add(field);
      for (const [id, name] of page.categories ?? []) reading.categories.set(id, name);
      await notes?.take(page, pulled);
      if (page.asked !== undefined) await rememberPaging(cycle, page.asked);
      for (const reason of before === undefined ? page.unusable : [])
        log.warn({ project, reason }, "A record of the board could not be used");
      reading.end = page.end ?? unended;
      next = page.next;
      cycle.world.progress?.show({ project, what: "posts read", done: read, total: undefined });
      askedAt = clock.now();
    }
  } catch (error) {
    if (!(error instanceof RemoteError) || error.fault === "unauthorized" || seen.size === 0) throw error;
    // A second reading has to be whole: a later run begins it anew.
    const place = before === undefined ? next : undefined;
    await noteLimitOf(cycle.world, error);
    if (isPutOff(error) && place !== undefined) {
      const kept = JSON.stringify({ place, beganAt: list.beganAt });
      await ledger.commit([{ kind: "remember-open-list", project: cycle.memory.id, place: kept }]);
    }
    const message = await explainBreak(cycle, error, read, place !== undefined);
    return { ...reading, isBroken: true, end: { kind: "incomplete", message } };
  }
  if (others.size > 0 && reading.end.kind === "complete") reading.end = otherPosts;
  return reading;
}

/**
 * Whether a board that answers "not changed" is believed. If its entity tag were wrong, a change would stay hidden for good. So
 * once every `fullEvery`, when all rows are looked at anyway, each page is asked for without a condition.
 */
function isBelieved({ memory, world: { clock, policy } }: Cycle): boolean {
  return memory.fullAt !== undefined && clock.now() - memory.fullAt < policy.fullEveryMs;
}

/** What asking the board for more has shown. It is asked again every `fullEvery`; where it got no answer, in an hour. */
export function recallPaging({ memory, world: { clock, ledger, policy } }: Cycle): AskedPaging | undefined {
  const known = ledger.memory.paging(memory.id);
  const validMs = known?.posts === null ? Math.min(hourMs, policy.fullEveryMs) : policy.fullEveryMs;
  return known !== undefined && clock.now() - known.askedAt < validMs ? known : undefined;
}

async function rememberPaging(
  { memory, project, world: { clock, ledger, log } }: Cycle,
  asked: AskedPaging,
): Promise<void> {
  // A way that was found before is not forgotten because asking anew gets no answer.
  if (asked.posts === null && ledger.memory.paging(memory.id)?.way !== undefined) return;
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

const otherPosts: ListEnd = {
  kind: "cut",
  message:
    "The list shows other posts by ids that are known, so posts missing from it are not taken for deleted.",
};

const unended: ListEnd = { kind: "incomplete", message: "The list of posts ended without an end." };

/** The code of a list that did not end within the time for reading. */
export const unfinished = "board.unfinished";

/** A limit or a signal puts the rest off; anything else is a failure. @param read - how many posts. */
async function explainBreak(
  cycle: Cycle,
  error: RemoteError,
  read: number,
  isOpen: boolean,
): Promise<string> {
  const { run, tally } = cycle;
  if (isOutOfTime(error, run)) {
    const rest = isOpen ? "the next run goes on there" : "the next run begins anew";
    const message = `The list of posts did not end within the time of the run (\`budget\`): ${read} posts were read, ${rest}.`;
    noteError(tally, { code: unfinished, message });
    return message;
  }
  if (isPutOff(error)) closeLane(run, boardLane, await notePutOff(tally, cycle, error));
  return `The list of posts broke off: ${error.message}`;
}

/** The list of posts that this run reads: one of its own, or one that earlier runs have read a part of. */
interface OwnList {
  /** Where it is gone on with; undefined where it begins. */
  readonly from: PagePlace | undefined;
  /** Epoch ms: in whichever run that was. */
  readonly beganAt: number;
}

/** As the state keeps it between two runs. An older version kept nothing but the place. */
const keptShape = z.object({ place: z.string().optional(), beganAt: z.number().optional() });

/** What is none of that is left to the board, for which it is no place: the list begins anew. */
function readKept(text: string): z.output<typeof keptShape> {
  try {
    return keptShape.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}

/** Whether a list waits to be gone on with. */
export function isListOpen({ ledger }: Pick<World, "ledger">, project: ProjectId): boolean {
  return ledger.memory.openList(project) !== undefined;
}

/** Where an earlier run had to leave the list. Taken once: a place that the board no longer knows must not stay in the way. */
export async function takeOpenList({ memory, world, project }: Cycle): Promise<OwnList> {
  const { ledger, log, clock } = world;
  const now = clock.now();
  const text = ledger.memory.openList(memory.id);
  if (text === undefined) return { from: undefined, beganAt: now };
  await ledger.commit([{ kind: "remember-open-list", project: memory.id, place: undefined }]);
  log.info({ project: project.key }, "The list of posts is gone on with where the last run had to leave it");
  const { place = text, beganAt = now } = readKept(text);
  return { from: place as PagePlace, beganAt };
}

/**
 * Since when a post must have been seen to count as listed, epoch ms. While a list waits to be gone on with, the list before it
 * counts, too: what is known must not wait for pages that some later run has the time to read. A list that broke off is
 * none of that: the one before it may have been too short to be believed.
 */
export async function listedSince({ memory, world }: Cycle, { beganAt }: OwnList): Promise<number> {
  if (!isListOpen(world, memory.id)) return beganAt;
  return (await world.ledger.lookup.lastPull(memory.id))?.beganAt ?? beganAt;
}
