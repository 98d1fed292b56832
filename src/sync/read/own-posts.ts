import type { Change } from "../../ledger/change.ts";
import type { Post, PostId } from "../../model/post.ts";
import { isDoubtful, isReplaced } from "../../plan/namesake.ts";
import { type Cycle, nameIssue } from "../ground/cycle-state.ts";
import { command } from "../ground/remedy.ts";
import { noteError } from "../ground/report.ts";

/** The posts of a page that may be what the state knows by their ids. */
export interface OwnPosts {
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
export async function ownPosts(cycle: Cycle, posts: readonly Post[]): Promise<OwnPosts> {
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
