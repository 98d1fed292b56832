import { OutdatedError } from "../../../errors.ts";
import type { PostId } from "../../../model/post.ts";
import type { Carrying, Queries } from "../columns/numbers.ts";
import { type RequestColumns, readRequest } from "../journal/requests.ts";
import { into, markedDue, named, type Statements, sql } from "../statements.ts";
import type { Asked } from "../store.ts";

/** Tables whose rows go over as they are. */
const ofPost = ["bases", "issue_bases"].map(named);
/** Those that also name the project. What the new place has of its own is only what waits for the move. */
const ofProject = ["notes", "backlinks"].map(named);

/** Posts that the board moves from one project to another. */
export function createMoves(on: Queries) {
  const { run, has, numbers } = on;
  const moveRequests = createRequestMover(on);
  /** By the numbers of the post in both projects, and of these. */
  function* move(from: number, fromProject: number, post: number, project: number): Asked<void> {
    const toPlace = sql`SET post = ${post}, project = ${project}`;
    const linked = sql`FROM links WHERE project = ${project} AND post = ${post}`;
    for (const table of [...ofPost, ...ofProject]) yield* run`DELETE FROM ${table} WHERE post = ${post}`;
    // What is prepared there was not sent, or did not arrive.
    yield* run`
      DELETE FROM intents WHERE project = ${project} AND post = ${post} AND ended_at IS NULL AND state = 'PREPARED'`;
    for (const table of ofPost) yield* run`UPDATE ${table} SET post = ${post} WHERE post = ${from}`;
    for (const table of [...ofProject, named("audit")])
      yield* run`UPDATE ${table} ${toPlace} WHERE post = ${from}`;
    yield* run`UPDATE links ${toPlace} WHERE project = ${fromProject} AND post = ${from}`;
    yield* run`UPDATE intents ${toPlace} WHERE project = ${fromProject} AND post = ${from} AND ended_at IS NULL`;
    // A list may still be late after one of these.
    yield* run`UPDATE intents ${toPlace} WHERE post = ${from} AND kind = 'patch-post' AND state = 'DONE'`;
    yield* run`UPDATE backlinks SET is_due = 1 WHERE post = ${post}`;
    // The marks in the issues name the old place until their text is written anew. They say nothing of it any more.
    yield* run`
      INSERT INTO markers (post, repository, number, is_own, position)
      SELECT ${post}, repository, number, is_own, position FROM markers WHERE post = ${from} ON CONFLICT DO NOTHING`;
    yield* run`
      INSERT INTO markers (post, repository, number, is_own, position)
      SELECT ${from}, repository, number, 1, 0 ${linked} ON CONFLICT DO NOTHING`;
    yield* run`
      INSERT INTO ended_links (post, repository, number)
      SELECT ${post}, repository, number FROM ended_links WHERE post = ${from} ON CONFLICT DO NOTHING`;
    yield* run`
      DELETE FROM ended_links WHERE post = ${post} AND EXISTS (SELECT 1 FROM links
        WHERE links.project = ${project} AND links.post = ${post}
          AND links.repository = ended_links.repository AND links.number = ended_links.number)`;
    yield* run`
      INSERT INTO ended_links (post, repository, number)
      SELECT ${from}, repository, number ${linked} ON CONFLICT DO NOTHING`;
    // A person may have paused it in its new place before it was known to be the same.
    yield* run`
      UPDATE posts SET (released_at, paused_at, unlinked_at) =
        (SELECT released_at, coalesce(posts.paused_at, old.paused_at), unlinked_at FROM posts AS old WHERE number = ${from}),
        ${markedDue} WHERE number = ${post}`;
    yield* run`
      UPDATE posts SET released_at = NULL, paused_at = NULL, unlinked_at = NULL, ${markedDue} WHERE number = ${from}`;
  }
  return {
    changes: {
      *"move-post"({ project, post: id, to }) {
        const [fromProject, from] = yield* numbers.place({ project, post: id });
        const isStill = yield* has`
          SELECT 1 AS one FROM posts WHERE number = ${from} AND (hash IS NULL OR missing > 0) AND NOT EXISTS (
            SELECT 1 FROM intents INDEXED BY intents_open WHERE intents.project = ${fromProject}
              AND intents.post = ${from} AND ended_at IS NULL AND (kind <> 'patch-post' OR state = 'SENT'))`;
        if (!isStill) throw new OutdatedError(`Post ${id} of ${project} is not what it was.`);
        const [target, post] = yield* numbers.place({ project: to, post: id });
        yield* move(from, fromProject, post, target);
        yield* moveRequests(id, fromProject, target);
      },
    },
  } satisfies Carrying;
}

/** What people asked for of one post goes over; of a request that names several, the part about this one. */
function createRequestMover(on: Statements): (post: PostId, from: number, to: number) => Asked<void> {
  const { run, all } = on;
  return function* (post, from, to) {
    const asked = yield* all<RequestColumns>`
      SELECT id, at, request FROM requests WHERE project = ${from} ORDER BY id`;
    for (const { id, at, request } of asked) {
      const found = readRequest(request);
      if (!("post" in found || "posts" in found || "actions" in found)) continue;
      if (found.kind === "link" || found.kind === "unlink") {
        if (found.post === post) yield* run`UPDATE requests SET project = ${to} WHERE id = ${id}`;
        continue;
      }
      const [list, parts] = found.kind === "approve" ? ["actions", found.actions] : ["posts", found.posts];
      const isOf = (one: (typeof parts)[number]): boolean =>
        (typeof one === "string" ? one : one.post) === post;
      if (!parts.some(isOf)) continue;
      const withOnly = (isWanted: (one: (typeof parts)[number]) => boolean): string =>
        JSON.stringify({ ...found, [list]: parts.filter(isWanted) });
      yield* run`${into("requests", { project: to, at, request: withOnly(isOf) })}`;
      yield* run`UPDATE requests SET request = ${withOnly((one) => !isOf(one))} WHERE id = ${id}`;
    }
  };
}
