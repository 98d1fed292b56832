import type { KnownImport } from "../../ledger/pulls.ts";
import type { RepositoryName } from "../../model/issue.ts";
import type { PostId } from "../../model/post.ts";
import type { CreatePost } from "../../plan/ground/action.ts";
import { parkedOf } from "../../plan/ground/obstacle.ts";
import { isCalled, issuesNamed, newcomers } from "../../plan/imports/alike.ts";
import { inOrder } from "../../select.ts";
import { issueKey, type PulledCycle } from "../ground/cycle-state.ts";
import { command } from "../ground/remedy.ts";
import { readRow } from "../ground/rows.ts";
import type { Hold } from "../ground/verdict.ts";
import type { Wanted } from "../ground/wanted.ts";
import { nameNow, repositoryNames } from "../ground/world.ts";

/* One side names the other: before a second one is made of the same thing, a person is asked. */

/**
 * Says of new issues where the post names an issue of the project's repositories, is called like one that is to become a post, or came
 * while nobody knows whether one has become a post already: it may be that very post. A person links it, or lets another issue be opened.
 */
export async function holdImported(
  cycle: PulledCycle,
  wanted: readonly Wanted[],
): Promise<readonly Wanted[]> {
  if (cycle.settings.import === undefined) return wanted;
  const pages = repositoryNames(cycle.settings).flatMap((name) => pagesOf(cycle, name));
  const imports = wanted.some(({ kind }) => kind === "create-issue")
    ? await cycle.world.ledger.imports.known(cycle.memory.id)
    : [];
  const fresh = imports.length === 0 ? fromNone : await newcomersOf(cycle, imports);
  const wishes = imports.filter(({ reason, isDiscarded }) => reason === undefined && !isDiscarded);
  const held: Wanted[] = [];
  for (const action of wanted) {
    const row =
      action.kind === "create-issue" && action.hold === undefined
        ? await readRow(cycle, action.post)
        : undefined;
    const { title, description } = row?.post.values ?? {};
    const texts = { title: String(title ?? ""), text: String(description ?? "") };
    const [named] = pages.flatMap(({ name, address }) =>
      issuesNamed(texts, address).map((number) => `${name}#${number}`),
    );
    const made = fresh.get(action.post);
    const called = row && wishes.find((wish) => isCalled(texts, wish.title));
    const hold =
      named === undefined
        ? ((called && namingHold(cycle, action, `is called as ${called.post}`, called.post)) ??
          (row && made && namingHold(cycle, action, `may be what ${made} has become`, made)))
        : namingHold(cycle, action, `names ${named}`, named);
    held.push(hold === undefined ? action : { ...action, hold });
  }
  return held;
}

const fromNone: ReadonlyMap<PostId, PostId> = new Map();

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
    return { name, address: project.renderer.issueAddress(called, 0).replace(/0$/, "") };
  });
}

function namingHold({ project }: PulledCycle, { post }: Wanted, what: string, issue: string): Hold {
  const link = command("link", `${project.key}/${post}`, issue);
  const open = command("approve", project.key, post);
  const why = `the post ${what}: \`${link}\` links it, \`${open}\` opens a new issue`;
  return { kind: "hold", cause: "named", why };
}

/** Of an issue that is to become a post: one of the board names it, or is called as it is. */
export function namedHold({ project }: PulledCycle, { post: issue }: CreatePost, post: PostId): Hold {
  const link = command("link", `${project.key}/${post}`, issue);
  const make = command("approve", project.key, issue);
  const why = `the post ${post} names this issue, or is called as it is: \`${link}\` links it, \`${make}\` makes a new one`;
  return { kind: "hold", cause: "named", why };
}
