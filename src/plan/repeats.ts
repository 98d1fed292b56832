import type { PostId } from "../model/post.ts";

/**
 * What posts that occur twice tell of a list that was read page by page. Its pages are then no snapshot: each post that came
 * twice has taken the place of another one, which may be on none.
 */

/** Posts that more than one page has shown, each once. One that stands twice on a page takes nobody's place: the board lists it twice. */
export function repeatedPosts(pages: readonly (readonly PostId[])[]): readonly PostId[] {
  const shown = new Set<PostId>();
  const repeated = new Set<PostId>();
  for (const page of pages) {
    for (const post of new Set(page)) (shown.has(post) ? repeated : shown).add(post);
  }
  return [...repeated];
}

/**
 * Whether posts that came to the head of the list while it was read explain every repeat: they have pushed the last posts of
 * a page to the beginning of the next one, and the first page, read once more, begins with as many posts that no page showed.
 *
 * @param again - posts of the first page, read after all the others.
 */
export function isPushedFromHead(pages: readonly (readonly PostId[])[], again: readonly PostId[]): boolean {
  const shown: PostId[] = [];
  const known = new Set<PostId>();
  let pushed = 0;
  for (const page of pages) {
    const posts = [...new Set(page)];
    const repeats = posts.filter((post) => known.has(post)).length;
    const isPushed = isSamePosts(posts.slice(0, repeats), shown.slice(shown.length - repeats));
    if (!isPushed) return false;
    pushed += repeats;
    for (const post of posts) known.add(post);
    shown.push(...posts);
  }
  const [first = []] = pages;
  const old = again.findIndex((post) => known.has(post));
  const came = old < 0 ? again.length : old;
  return pushed <= came && isSamePosts(again.slice(came), first.slice(0, again.length - came));
}

function isSamePosts(one: readonly PostId[], other: readonly PostId[]): boolean {
  return one.length === other.length && one.every((post, at) => post === other[at]);
}
