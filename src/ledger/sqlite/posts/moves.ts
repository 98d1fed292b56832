import { OutdatedError } from "../../../errors.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import type { Store } from "../file/store.ts";

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
const ofProject = ["notes", "parked", "backlinks"];

const toPlace = "SET post = @post, project = @project";

const id = "(SELECT id FROM posts WHERE number = @from)";

/** What people asked for of one post goes over; of a request that names several, the part about this one. */
const ofRequests = [
  `UPDATE requests SET project = @project WHERE project = @fromProject AND request ->> '$.post' = ${id}`,
  ...[
    ["$.posts", "value", "value"],
    ["$.actions", "value ->> '$.post'", "json(value)"],
  ].flatMap(([list, post, value]) => {
    const part = (which: string): string =>
      `json_set(request, '${list}', json((SELECT json_group_array(${value}) FROM json_each(request, '${list}') WHERE ${post} ${which} ${id})))`;
    const isNamed = `project = @fromProject AND EXISTS (SELECT 1 FROM json_each(request, '${list}') WHERE ${post} = ${id})`;
    return [
      `INSERT INTO requests (project, at, request) SELECT @project, at, ${part("=")} FROM requests WHERE ${isNamed} ORDER BY id`,
      `UPDATE requests SET request = ${part("<>")} WHERE ${isNamed}`,
    ];
  }),
];

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
    ...ofRequests,
    "UPDATE backlinks SET is_due = 1 WHERE post = @post",
    // The marks in the issues name the old place until their text is written anew. They say nothing of it any more.
    `INSERT OR IGNORE INTO markers (post, repository, number, is_own, position)
      SELECT @post, repository, number, is_own, position FROM markers WHERE post = @from`,
    `INSERT OR IGNORE INTO markers (post, repository, number, is_own, position)
      SELECT @from, repository, number, 1, 0 FROM links WHERE project = @project AND post = @post`,
    `INSERT OR IGNORE INTO ended_links (post, repository, number)
      SELECT @post, repository, number FROM ended_links WHERE post = @from`,
    `DELETE FROM ended_links WHERE post = @post AND EXISTS (SELECT 1 FROM links
      WHERE links.project = @project AND links.post = @post
        AND links.repository = ended_links.repository AND links.number = ended_links.number)`,
    `INSERT OR IGNORE INTO ended_links (post, repository, number)
      SELECT @from, repository, number FROM links WHERE project = @project AND post = @post`,
    // A person may have paused it in its new place before it was known to be the same.
    `UPDATE posts SET (is_quarantined, released_at, paused_at, unlinked_at) =
      (SELECT is_quarantined, released_at, coalesce(posts.paused_at, old.paused_at), unlinked_at FROM posts AS old WHERE number = @from),
      due_at = 0 WHERE number = @post`,
    `UPDATE posts SET is_quarantined = 0, released_at = NULL, paused_at = NULL, unlinked_at = NULL, due_at = 0
      WHERE number = @from`,
  ].map((sql) => store.prepare<[Move]>(sql));
  const selectStill = store.prepare<[{ from: number; fromProject: number }]>(`
    SELECT 1 FROM posts WHERE number = @from AND (hash IS NULL OR missing > 0) AND NOT EXISTS (
      SELECT 1 FROM intents INDEXED BY intents_open WHERE intents.project = @fromProject AND intents.post = @from
        AND ended_at IS NULL AND (kind <> 'patch-post' OR state = 'SENT'))`);
  return {
    changes: {
      "move-post": ({ project, post, to }) => {
        const [fromProject, target] = [numbers.project(project), numbers.project(to)];
        const from = numbers.post(fromProject, post);
        if (selectStill.get({ from, fromProject }) === undefined)
          throw new OutdatedError(`Post ${post} of ${project} is not what it was.`);
        const move = { from, fromProject, post: numbers.post(target, post), project: target };
        for (const step of steps) step.run(move);
      },
    },
  };
}
