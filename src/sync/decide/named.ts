import type { KnownImport } from "../../ledger/pulls.ts";
import type { RepositoryName } from "../../model/issue.ts";
import type { PostId } from "../../model/post.ts";
import type { CreatePost } from "../../plan/ground/action.ts";
import { parkedOf } from "../../plan/ground/obstacle.ts";
import { isCalled, issuesNamed, newcomers } from "../../plan/imports/alike.ts";
import { inOrder } from "../../select.ts";
import { issueKey, type PulledCycle } from "../ground/cycle-state.ts";
import { linkOrMake } from "../ground/remedy.ts";
import { readRow } from "../ground/rows.ts";
import type { Hold, HoldOf } from "../ground/verdict.ts";
import { nameNow, repositoryNames } from "../ground/world.ts";

/* One side names the other: before a second one is made of the same thing, a person is asked. */

/**
 * Says of new issues where the post names an issue of the project's repositories, is called like one that is to become a post, or came
 * while nobody knows whether one has become a post already: it may be that very post. A person links it, or lets another issue be opened.
 */
export async function holdsOfImports(cycle: PulledCycle): Promise<HoldOf> {
  if (cycle.settings.import === undefined) return () => undefined;
  const pages = repositoryNames(cycle.settings).flatMap((name) => pagesOf(cycle, name));
  const imports = await cycle.world.ledger.imports.known(cycle.memory.id);
  const fresh = await newcomersOf(cycle, imports);
  const wishes = imports.filter(({ reason, isDiscarded }) => reason === undefined && !isDiscarded);
  return async ({ post }) => {
    const { title, description } = (await readRow(cycle, post))?.post.values ?? {};
    const texts = { title: String(title ?? ""), text: String(description ?? "") };
    const [named] = pages.flatMap(({ name, address }) =>
      issuesNamed(texts, address).map((number) => `${name}#${number}`),
    );
    const called = wishes.find((wish) => isCalled(texts, wish.title))?.post;
    const issue = named ?? called ?? fresh.get(post);
    if (issue === undefined) return undefined;
    const what = named ? "names" : called ? "is called as" : "may be what has become of";
    const why = `the post ${what} ${issue}: ${linkOrMake(cycle.project.key, post, issue)}`;
    return { kind: "hold", cause: "named", why };
  };
}

/** Posts that may be what an issue has become whose call got no answer, whatever people have made of them; by that issue's row. */
async function newcomersOf(
  cycle: PulledCycle,
  imports: readonly KnownImport[],
): Promise<ReadonlyMap<PostId, PostId>> {
  const { ledger } = cycle.world;
  const { id: project } = cycle.memory;
  const calls = (await ledger.toolCalls.unsettled(project, "feedbackCreate")).filter(
    ({ state }) => state === "UNKNOWN",
  );
  const found = await inOrder(calls, async ({ subject, sentAt: at = 0 }) => {
    const one = imports.find(({ issue }) => issueKey(issue) === subject);
    if (one === undefined) return [];
    const posts = await ledger.imports.alike(project, { texts: [], titles: [], listedSince: at });
    const row = await readRow(cycle, one.post);
    // A list that had to show it was read before it was parked.
    const until = row && parkedOf(row)[0]?.since;
    return newcomers(posts, { at, restMs: cycle.world.policy.waits.createMs }, until).map(
      ({ post }) => [post, one.post] as const,
    );
  });
  return new Map(found.flat());
}

/** A repository that was renamed has two: a text goes on naming the one that it was made with. */
function pagesOf({ world, project }: PulledCycle, wanted: RepositoryName) {
  const name = nameNow(world, wanted);
  return [...new Set([name, wanted])].map((called) => {
    return { name, address: project.renderer.dialect.issueAddress(called, 0).replace(/0$/, "") };
  });
}

/** Of an issue that is to become a post: one of the board names it, or is called as it is. */
export function namedHold({ project }: PulledCycle, { post: issue }: CreatePost, post: PostId): Hold {
  const ways = linkOrMake(project.key, post, issue, issue);
  const why = `the post ${post} names this issue, or is called as it is: ${ways}`;
  return { kind: "hold", cause: "named", why };
}
