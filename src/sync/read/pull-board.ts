import type { ListEnd } from "../../board/board.ts";
import { RemoteError } from "../../errors.ts";
import type { Change } from "../../ledger/change.ts";
import type { PersonRequest } from "../../ledger/orders.ts";
import type { PostId } from "../../model/post.ts";
import { dayMs } from "../../model/time.ts";
import { isShrunk } from "../../plan/guard.ts";
import { isOtherBoard } from "../../plan/namesake.ts";
import { isPushedFromHead, repeatedPosts } from "../../plan/repeats.ts";
import { type BoardPull, type Cycle, projectNow, rememberOfProject } from "../ground/cycle-state.ts";
import { isPreview } from "../ground/order.ts";
import { noteError } from "../ground/report.ts";
import { collectNotes, storeOwn } from "./page.ts";
import {
  listedSince,
  type Reading,
  type ReadingWishes,
  readList,
  recallPaging,
  takeOpenList,
  unfinished,
} from "./read-list.ts";

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
  const categories = new Map([...first.categories, ...last.categories]);
  return {
    ...ended,
    listedSince: await listedSince(cycle, list),
    pages,
    categories,
    notes: notes?.found ?? [],
  };
}

/** Whether the list came to an end, and pages of it show the same posts. One that says itself that it goes in circles is no case of it. */
function isTorn({ end, isBroken, shown }: Reading): boolean {
  if (isBroken || (end.kind !== "complete" && end.kind !== "incomplete")) return false;
  const before = new Set(shown.slice(0, -1).flat());
  const isCircle = shown.at(-1)?.every((post) => before.has(post)) ?? true;
  return repeatedPosts(shown).length > 0 && (end.kind === "complete" || !isCircle);
}

/**
 * Looks at the first page once more: what came there meanwhile has been seen then, too. Where a linked post is on no page it may
 * be the one whose place was taken, whatever has come.
 */
async function isExplained(cycle: Cycle, { pull, end, shown, doubtful }: Reading): Promise<boolean> {
  const { ledger, clock, board } = cycle.world;
  const { linked, linkedSeen } = await ledger.pulls.measure(pull);
  if (end.kind !== "complete" || linkedSeen + countPosts(doubtful) < linked) return false;
  const askedAt = clock.now();
  const wishes = { hasNotes: false, asked: recallPaging(cycle) };
  try {
    for await (const { posts, ids } of board.listPosts(cycle.memory.id, cycle.run.bounds, wishes)) {
      await storeOwn(cycle, { pull, posts, at: askedAt, trace: undefined });
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
  return `The board's list shows posts on more than one page, also when it is read again: ${named}${more}. So its pages do not fit together, other posts may be on none of them, and no post counts as missing. Let the board list posts in an order that stays the same, or ask for pages that hold them all (board.paging.sizeParam and size).`;
}

/** Posts may have moved between the parts. */
const pieced: ListEnd = {
  kind: "cut",
  message:
    "The list of posts was read in several runs, so posts missing from it are not taken for deleted. Raise `budget` if that stays so.",
};

async function endPull(cycle: Cycle, reading: Reading, beganAt: number) {
  const { ledger, clock, log } = cycle.world;
  const { memory, tally } = cycle;
  const { pull, end, seen: shown } = reading;
  const endedAt = clock.now();
  // A person has said that the board is as it looks: what it no longer lists counts as missing from now on.
  const acceptances = await pendingAcceptances(cycle, endedAt);
  const other = await findOtherBoard(cycle, reading, acceptances);
  const isOther = other !== undefined && { isOther: true as const };
  const measure = await ledger.pulls.measure(pull);
  // From a list that shows nothing, nothing is learnt about fields.
  const seen = end.kind === "incomplete" || measure.posts === 0 ? new Set([...shown, ...memory.seen]) : shown;
  if (end.kind === "incomplete") {
    await ledger.commit([{ kind: "end-pull", pull, end: "incomplete", at: endedAt }]);
    const isSaid = tally.isPutOff || tally.errors.some(({ code }) => code === unfinished);
    if (!isSaid) noteError(tally, { code: "board.incomplete", message: end.message });
    return { seen, posts: measure.posts, hold: other, ...isOther, kind: "incomplete", beganAt } as const;
  }
  if (end.kind === "cut") log.warn({ project: cycle.project.key }, end.message);
  if (end.kind === "lossy") noteError(tally, { code: "board.incomplete", message: end.message });
  // A board that shrank is looked at again before anything is counted as missing.
  const shrunk = end.kind === "complete" ? isShrunk(measure) : undefined;
  const found = other ?? shrunk;
  const hold = acceptedBy(acceptances, found).length > 0 ? undefined : found;
  if (hold !== undefined) {
    log.warn(
      { project: cycle.project.key, reason: hold },
      "Nothing is written until a person has looked at the board",
    );
  }
  const kind = end.kind === "complete" && hold === undefined ? "complete" : "usable";
  const accepted = end.kind === "complete" ? acceptances : [];
  const ended: readonly Change[] = [
    { kind: "end-pull", pull, end: kind, at: endedAt },
    ...accepted.map(({ id }) => ({ kind: "end-request", request: id }) as const),
  ];
  if ([...seen].join() === projectNow(cycle).seen.join()) await ledger.commit(ended);
  else await rememberOfProject(cycle, { seen: [...seen] }, ended);
  if (kind === "complete" && !isPreview(cycle.run)) await sayUnlisted(cycle, endedAt);
  return { seen, posts: measure.posts, hold, ...isOther, kind, beganAt } as const;
}

/** A person answers what they were shown: what no run has needed for a day is over, and the same words are asked about anew. */
async function pendingAcceptances(
  { world: { ledger }, memory }: Cycle,
  now: number,
): Promise<readonly Acceptance[]> {
  const pending = await ledger.requests.pending(memory.id);
  const all = pending.filter((request) => request.kind === "accept-size");
  const ranAt = Math.max(memory.lastSuccessAt ?? 0, memory.doneAt ?? 0);
  const over = all.filter(({ at }) => now - at > dayMs && ranAt > at);
  if (over.length > 0) await ledger.commit(over.map(({ id }) => ({ kind: "end-request", request: id })));
  return all.filter((request) => !over.includes(request));
}

type Acceptance = Extract<PersonRequest, { readonly kind: "accept-size" }>;

/** Those of this very hold: the board may have changed further since a person was asked. */
function acceptedBy(acceptances: readonly Acceptance[], hold: string | undefined): readonly Acceptance[] {
  return hold === undefined ? [] : acceptances.filter(({ shown = hold }) => shown === hold);
}

/** Why the list is rather that of another board; what is doubtful of any other list is stored. */
async function findOtherBoard(
  { world: { ledger } }: Cycle,
  { pull, end, doubtful, others }: Reading,
  acceptances: readonly Acceptance[],
): Promise<string | undefined> {
  if (doubtful.length === 0) return undefined;
  const { linked, linkedSeen } = await ledger.pulls.measure(pull);
  const count = countPosts(doubtful) + others.size;
  // A part of a list shows a part of the posts.
  const same = end.kind === "complete" || end.kind === "lossy" ? linkedSeen : linked - count;
  const other = isOtherBoard(count, Math.max(linkedSeen, same));
  const accepted = acceptedBy(acceptances, other);
  if (other !== undefined && accepted.length === 0) return other;
  await ledger.commit([
    ...doubtful.map((page) => ({ kind: "store-posts", pull, ...page, trace: undefined }) as const),
    ...accepted.map(({ id }) => ({ kind: "end-request", request: id }) as const),
  ]);
  return undefined;
}

/** A post that stands on two pages is one. */
function countPosts(pages: Reading["doubtful"]): number {
  return new Set(pages.flatMap(({ posts }) => posts.map(({ id }) => id))).size;
}

/** So many of them are named in the log. */
const mostNamed = 20;

/** Linked posts that this list is the first to lack: said once, when it begins. */
async function sayUnlisted({ world: { ledger, log }, memory, project }: Cycle, at: number): Promise<void> {
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
