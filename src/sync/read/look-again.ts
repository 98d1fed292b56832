import type { Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { minuteMs } from "../../model/time.ts";
import { type DueNote, isShown, type PulledCycle, type PulledPage } from "../ground/cycle-state.ts";
import { readRow } from "../ground/rows.ts";
import { ownPosts } from "./own-posts.ts";

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
