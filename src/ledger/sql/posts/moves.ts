import { OutdatedError } from "../../../errors.ts";
import type { PostId } from "../../../model/post.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import { type RequestColumns, readRequest } from "../journal/requests.ts";
import { markedDue } from "../schema.ts";
import type { Asked, Store } from "../store.ts";

interface Move {
  /** The numbers of the post in both projects, and of the project that has it now. */
  from: number;
  fromProject: number;
  post: number;
  project: number;
}

/** Tables whose rows go over as they are. */
const ofPost = ["bases", "issue_bases"];
/** Those that also name the project. What the new place has of its own is only what waits for the move. */
const ofProject = ["notes", "backlinks"];

const toPlace = "SET post = @post, project = @project";

/** Posts that the board moves from one project to another. */
export function createMoves(store: Store, numbers: Numbers): Carrying<"move-post"> {
  const steps = [
    ...[...ofPost, ...ofProject].map((table) => `DELETE FROM ${table} WHERE post = @post`),
    // What is prepared there was not sent, or did not arrive.
    "DELETE FROM intents WHERE project = @project AND post = @post AND ended_at IS NULL AND state = 'PREPARED'",
    ...ofPost.map((table) => `UPDATE ${table} SET post = @post WHERE post = @from`),
    ...[...ofProject, "audit"].map((table) => `UPDATE ${table} ${toPlace} WHERE post = @from`),
    `UPDATE links ${toPlace} WHERE project = @fromProject AND post = @from`,
    `UPDATE intents ${toPlace} WHERE project = @fromProject AND post = @from AND ended_at IS NULL`,
    // A list may still be late after one of these.
    `UPDATE intents ${toPlace} WHERE post = @from AND kind = 'patch-post' AND state = 'DONE'`,
    "UPDATE backlinks SET is_due = 1 WHERE post = @post",
    // The marks in the issues name the old place until their text is written anew. They say nothing of it any more.
    `INSERT INTO markers (post, repository, number, is_own, position)
      SELECT @post, repository, number, is_own, position FROM markers WHERE post = @from ON CONFLICT DO NOTHING`,
    `INSERT INTO markers (post, repository, number, is_own, position)
      SELECT @from, repository, number, 1, 0 FROM links WHERE project = @project AND post = @post
      ON CONFLICT DO NOTHING`,
    `INSERT INTO ended_links (post, repository, number)
      SELECT @post, repository, number FROM ended_links WHERE post = @from ON CONFLICT DO NOTHING`,
    `DELETE FROM ended_links WHERE post = @post AND EXISTS (SELECT 1 FROM links
      WHERE links.project = @project AND links.post = @post
        AND links.repository = ended_links.repository AND links.number = ended_links.number)`,
    `INSERT INTO ended_links (post, repository, number)
      SELECT @from, repository, number FROM links WHERE project = @project AND post = @post
      ON CONFLICT DO NOTHING`,
    // A person may have paused it in its new place before it was known to be the same.
    `UPDATE posts SET (released_at, paused_at, unlinked_at) =
      (SELECT released_at, coalesce(posts.paused_at, old.paused_at), unlinked_at FROM posts AS old WHERE number = @from),
      ${markedDue} WHERE number = @post`,
    `UPDATE posts SET released_at = NULL, paused_at = NULL, unlinked_at = NULL, ${markedDue}
      WHERE number = @from`,
  ].map((sql) => store.prepare<[Move]>(sql));
  const selectStill = store.prepare<[{ from: number; fromProject: number }]>(`
    SELECT 1 AS one FROM posts WHERE number = @from AND (hash IS NULL OR missing > 0) AND NOT EXISTS (
      SELECT 1 FROM intents INDEXED BY intents_open WHERE intents.project = @fromProject AND intents.post = @from
        AND ended_at IS NULL AND (kind <> 'patch-post' OR state = 'SENT'))`);
  const moveRequests = createRequestMover(store);
  return {
    changes: {
      *"move-post"({ project, post: id, to }) {
        const [fromProject, from] = yield* numbers.place({ project, post: id });
        if ((yield* selectStill.get({ from, fromProject })) === undefined)
          throw new OutdatedError(`Post ${id} of ${project} is not what it was.`);
        const [target, post] = yield* numbers.place({ project: to, post: id });
        for (const step of steps) yield* step.run({ from, fromProject, post, project: target });
        yield* moveRequests(id, fromProject, target);
      },
    },
  };
}

/** What people asked for of one post goes over; of a request that names several, the part about this one. */
function createRequestMover(store: Store): (post: PostId, from: number, to: number) => Asked<void> {
  const select = store.prepare<[number], RequestColumns>(
    "SELECT id, at, request FROM requests WHERE project = ? ORDER BY id",
  );
  const move = store.prepare<[number, number]>("UPDATE requests SET project = ? WHERE id = ?");
  const write = store.prepare<[string, number]>("UPDATE requests SET request = ? WHERE id = ?");
  const insert = store.prepare<[number, number, string]>(
    "INSERT INTO requests (project, at, request) VALUES (?, ?, ?)",
  );
  return function* (post, from, to) {
    for (const { id, at, request } of yield* select.all(from)) {
      const found = readRequest(request);
      if (!("post" in found || "posts" in found || "actions" in found)) continue;
      if (found.kind === "link" || found.kind === "unlink") {
        if (found.post === post) yield* move.run(to, id);
        continue;
      }
      const [list, all] = found.kind === "approve" ? ["actions", found.actions] : ["posts", found.posts];
      const isOf = (one: (typeof all)[number]): boolean =>
        (typeof one === "string" ? one : one.post) === post;
      if (!all.some(isOf)) continue;
      yield* insert.run(to, at, JSON.stringify({ ...found, [list]: all.filter(isOf) }));
      yield* write.run(JSON.stringify({ ...found, [list]: all.filter((one) => !isOf(one)) }), id);
    }
  };
}
