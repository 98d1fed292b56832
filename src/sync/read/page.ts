import type { PostPage } from "../../board/board.ts";
import type { Change } from "../../ledger/change.ts";
import type { Row } from "../../model/link.ts";
import type { Post, PostId } from "../../model/post.ts";
import { minuteMs } from "../../model/time.ts";
import { isDoubtful, isReplaced } from "../../plan/namesake.ts";
import {
  type Cycle,
  type DueNote,
  isShown,
  nameIssue,
  type PulledCycle,
  type PulledPage,
} from "../ground/cycle-state.ts";
import { takesAsItIs } from "../ground/order.ts";
import { command } from "../ground/remedy.ts";
import { noteError } from "../ground/report.ts";
import { readRow } from "../ground/rows.ts";

/*
 * What becomes of a page of the board's list: its own posts are stored, the internal notes that are to be changed are kept, and
 * before a write it is asked for once more.
 */

/** The posts of a page that may be what the state knows by their ids. */
interface OwnPosts {
  readonly posts: readonly Post[];
  /** Those of them that are it only where most of the list is. */
  readonly doubtful: readonly Post[];
  /** Those that were left out. */
  readonly others: readonly PostId[];
}

/**
 * Posts of a list without those that are surely others than the ones whose issues the state knows by their ids: a board may give an
 * id again, and another board has the same ones. What is left out is said.
 */
async function ownPosts(cycle: Cycle, posts: readonly Post[]): Promise<OwnPosts> {
  const { world, memory, project, tally } = cycle;
  const { lookup, rows } = world.ledger;
  const known = await lookup.linkedPosts(
    memory.id,
    posts.map(({ id }) => id),
  );
  if (known.size === 0) return { posts, doubtful: [], others: [] };
  const others = posts.filter((post) => {
    const before = known.get(post.id);
    return before !== undefined && isReplaced(before, post.values);
  });
  for (const { id: post, values } of others) {
    const [linked] = (await rows.row(memory.id, post, world.clock.now()))?.links ?? [];
    const issue = linked === undefined ? "its issue" : nameIssue(cycle, linked.link.issue);
    const unlink = command("unlink", `${project.key}/${post}`);
    const message = `The board shows another post by this id than the one of ${issue}: it was made at ${String(values.createdAt)}, that one at ${String(known.get(post)?.createdAt)}, and the titles differ. Neither is written. If the id was given again, \`${unlink}\` lets go of the issue; if \`board.url\` is another board now, use another \`state\`.`;
    noteError(tally, { post, code: "board.other-post", message });
  }
  const own = others.length === 0 ? posts : posts.filter((post) => !others.includes(post));
  const doubtful = own.filter((post) => isDoubtful(known.get(post.id) ?? post.values, post.values));
  return { posts: own, doubtful, others: others.map(({ id }) => id) };
}

/** Stores those posts of a page that surely are what the state knows by their ids, and tells of the others. */
export async function storeOwn(
  cycle: Cycle,
  { posts, pull, at, trace }: Omit<Extract<Change, { readonly kind: "store-posts" }>, "kind">,
): Promise<Omit<OwnPosts, "posts">> {
  const { doubtful, others, ...own } = await ownPosts(cycle, posts);
  const sure = own.posts.filter((post) => !doubtful.includes(post));
  const isWhole = sure.length === posts.length;
  await cycle.world.ledger.commit([
    { kind: "store-posts", pull, posts: sure, at, trace: isWhole ? trace : undefined },
  ]);
  return { doubtful, others };
}

/** Notes are private and may be long: no more than these of one pull stand in memory. The rest waits for the next pull. */
const most = { notes: 10_000, characters: 8 * 1024 * 1024 };

/** Picks the notes out of a pull that `backlink` has to change. */
export interface NoteCollector {
  take(shown: PostPage, page: PulledPage): Promise<void>;
  /** None where no record of the pull has shown its note: what a board does not show is not written. */
  readonly found: readonly DueNote[];
}

/** undefined where no note has to be read. */
export async function collectNotes({
  world,
  memory,
  settings,
  run,
}: Cycle): Promise<NoteCollector | undefined> {
  const { backlinks } = world.ledger;
  const isWanted = settings.backlink && settings.writes === "all" && !takesAsItIs(run);
  if (!isWanted || !(await backlinks.areDue(memory.id))) return undefined;
  const notes = new Map<PostId, DueNote>();
  let characters = 0;
  let isSeen = false;
  return {
    async take({ posts, notes: shown = new Map() }, page) {
      if (shown.size > 0) isSeen = true;
      const ids = posts.flatMap(({ id, values }) => (values.isArchived === true ? [] : [id]));
      for (const { post, line } of await backlinks.due(memory.id, ids)) {
        const text = shown.has(post) ? shown.get(post) : "";
        // What can't be read is not written over; a later pull may show it as text.
        if (text === null || text === undefined) continue;
        if (notes.size >= most.notes || characters + text.length > most.characters) return;
        characters += text.length;
        notes.set(post, { post, text, line, page });
      }
    },
    get found() {
      return isSeen ? [...notes.values()] : [];
    },
  };
}

/**
 * A write to a post rests on a page that was asked for no longer ago than this (I8): what people change on the board
 * meanwhile would be overwritten unseen.
 */
export const longestLookMs = minuteMs;

/** Whether a look is too old for a write to rest on it. */
export function isTooOld({ world: { clock } }: PulledCycle, askedAt: number): boolean {
  return clock.now() - askedAt > longestLookMs;
}

/**
 * Makes sure that a post was looked at a moment ago: where a long list or a slow import has made the look too old, the page
 * that showed the post is asked for once more. Posts of the same page share that request. The post may have moved to another
 * page meanwhile; then its look stays as old as it was, and its writes wait for the next run.
 *
 * @returns the post's row as it is then.
 * @throws RemoteError
 */
export async function lookAgain(cycle: PulledCycle, post: PostId): Promise<Row | undefined> {
  const row = await readRow(cycle, post);
  if (row?.seenAt === undefined || !isShown(cycle, row) || !isTooOld(cycle, row.seenAt)) return row;
  const pages = cycle.pull.pages.filter((page) => page.askedAt === row.seenAt);
  for (const page of pages) await askPageAgain(cycle, page);
  return readRow(cycle, post);
}

/** The internal note of a post as it was a moment ago, likewise; undefined where its page shows none any more. */
export async function readNoteAgain(
  cycle: PulledCycle,
  { post, page, text }: DueNote,
): Promise<string | null | undefined> {
  if (isTooOld(cycle, page.askedAt)) await askPageAgain(cycle, page);
  return page.notes === undefined ? text : page.notes.get(post);
}

function askPageAgain(cycle: PulledCycle, page: PulledPage): Promise<void> {
  page.asking ??= ask(cycle, page).finally(() => {
    page.asking = undefined;
  });
  return page.asking;
}

async function ask(cycle: PulledCycle, page: PulledPage): Promise<void> {
  const { ledger, board, clock } = cycle.world;
  const { id: project } = cycle.memory;
  const wishes = { hasNotes: cycle.pull.notes.length > 0, from: page.place };
  const askedAt = clock.now();
  for await (const found of board.listPosts(project, cycle.run.bounds, wishes)) {
    // A pull of its own that means nothing beyond its posts: what it lacks is not missing.
    const pull = await ledger.pulls.begin(project, cycle.run.number, askedAt);
    const { posts } = await ownPosts(cycle, found.posts);
    await ledger.commit([
      { kind: "store-posts", pull, posts, at: askedAt },
      { kind: "end-pull", pull, end: "incomplete", at: clock.now() },
    ]);
    page.askedAt = askedAt;
    page.notes = found.notes;
    return;
  }
}
