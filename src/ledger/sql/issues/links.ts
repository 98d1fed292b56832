import type { IssueRef } from "../../../model/issue.ts";
import type { PostId, ProjectId } from "../../../model/post.ts";
import type { LinkedPost, Rows } from "../../rows.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import { markedDue, ofIssue } from "../schema.ts";
import type { Asked, Plain, Query, Store } from "../store.ts";
import { duplicateFollowers, type IssueStore } from "./issue-store.ts";

interface LinkKey extends IssueRef {
  readonly project: number;
  readonly post: number;
}

interface ContentColumns {
  titleHash: string | null | undefined;
  blockHash: string | null | undefined;
}

/** What is known of a post as long as it has an issue. */
const keptOfLinked = [
  "bases WHERE post = ?",
  "issue_bases WHERE post = ?",
  "notes WHERE post = ? AND kind = 'parked'",
];

/** Links stand in the order in which they were made: the first is the primary one. */
export function createLinks(
  store: Store,
  numbers: Numbers,
  issues: IssueStore,
): Plain<Pick<Rows, "linkedTo" | "hasContent">> &
  Carrying<"link" | "set-content" | "leave-text" | "end-links" | "reopen"> {
  const isIt = `project = @project AND post = @post AND ${ofIssue}`;
  const insert = store.prepare<[LinkKey & ContentColumns & { origin: string }]>(`
    INSERT INTO links (project, post, repository, number, position, origin, title_hash, block_hash)
    SELECT @project, @post, @repositoryId, @number, coalesce(max(position), 0) + 1, @origin, @titleHash, @blockHash
    FROM links WHERE project = @project AND post = @post
    ON CONFLICT DO NOTHING`);
  const deleteIssueBases = store.prepare<[LinkKey]>(
    `DELETE FROM issue_bases WHERE post = @post AND ${ofIssue}`,
  );
  const clearUnlinked = store.prepare<[number]>(
    "UPDATE posts SET unlinked_at = NULL WHERE number = ? AND unlinked_at IS NOT NULL",
  );
  const deleteEnd = store.prepare<[LinkKey]>(`DELETE FROM ended_links WHERE post = @post AND ${ofIssue}`);
  const markNamesakes = prepareNamesakes(store);
  const writeContent = store.prepare<[LinkKey & ContentColumns]>(
    `UPDATE links SET title_hash = @titleHash, block_hash = @blockHash, left_text = NULL WHERE ${isIt}`,
  );
  const writeLeft = store.prepare<[LinkKey & { left: string }]>(
    `UPDATE links SET left_text = @left WHERE ${isIt}`,
  );
  const selectContent = store.prepare<[LinkKey], ContentColumns>(
    `SELECT title_hash AS "titleHash", block_hash AS "blockHash" FROM links WHERE ${isIt}`,
  );
  const deleteLink = store.prepare<[LinkKey]>(`DELETE FROM links WHERE ${isIt}`);
  const insertEnd = store.prepare<[LinkKey]>(
    "INSERT INTO ended_links (post, repository, number) VALUES (@post, @repositoryId, @number) ON CONFLICT DO NOTHING",
  );
  const passOn = store.prepare<[LinkKey & ContentColumns]>(`
    UPDATE links SET title_hash = @titleHash, block_hash = @blockHash
    WHERE project = @project AND ${ofIssue} AND post = (
      SELECT min(post) FROM links AS next
      WHERE next.project = @project AND next.repository = @repositoryId AND next.number = @number)`);
  const writeUnlinked = store.prepare<[{ post: number; project: number; at: number }]>(`
    UPDATE posts SET unlinked_at = @at WHERE number = @post
      AND NOT EXISTS (SELECT 1 FROM links WHERE links.project = @project AND links.post = @post)`);
  const forget = keptOfLinked.map((lines) => store.prepare<[number]>(`DELETE FROM ${lines}`));
  const reopen = store.prepare<[number]>(
    `UPDATE posts SET unlinked_at = NULL, ${markedDue} WHERE number = ?`,
  );
  const markDue = store.prepare<[number]>(`UPDATE posts SET ${markedDue} WHERE number = ?`);
  const selectOwner = store.prepare<[IssueRef]>(
    `SELECT 1 AS one FROM links WHERE ${ofIssue} AND title_hash IS NOT NULL LIMIT 1`,
  );
  const selectPosts = (also: string) =>
    store.prepare<[IssueRef], LinkedPost>(`
      SELECT board_projects.id AS project, posts.id AS post FROM posts
      JOIN board_projects ON board_projects.number = posts.project
      WHERE posts.number IN (SELECT post FROM links WHERE ${ofIssue}) ${also}
      ORDER BY posts.project, posts.id`);
  const selectLinked = selectPosts("");
  const selectFollowers = selectPosts(`OR posts.number IN (${duplicateFollowers})`);
  function* keyOf(of: { project: ProjectId; post: PostId }, issue: IssueRef): Asked<LinkKey> {
    const [project, post] = yield* numbers.place(of);
    return { project, post, repositoryId: issue.repositoryId, number: issue.number };
  }
  return {
    *hasContent(issue) {
      return (yield* selectOwner.get(issue)) !== undefined;
    },
    linkedTo: (issue, scope) => (scope === undefined ? selectLinked : selectFollowers).all(issue),
    changes: {
      *link({ project, link: { post, issue, origin }, issue: facts, content }) {
        const key = yield* keyOf({ project, post }, issue);
        const { titleHash, blockHash } = content ?? {};
        const [added, known] = yield* store.together([
          insert.count({ ...key, origin, titleHash, blockHash }),
          issues.find(facts),
        ]);
        if (added > 0) {
          // Of an earlier link between the two nothing counts any more.
          yield* deleteIssueBases.run(key);
          yield* clearUnlinked.run(key.post);
          yield* deleteEnd.run(key);
          yield* issues.markRows(issue);
          yield* markNamesakes.run(key.post);
        }
        yield* issues.store(facts, known);
      },
      *"set-content"({ issue, content: { titleHash, blockHash }, ...of }) {
        const failure = () =>
          new Error(`Issue ${issue.number} of repository ${issue.repositoryId} is not linked to this post.`);
        yield* writeContent.some(failure, { ...(yield* keyOf(of, issue)), titleHash, blockHash });
      },
      *"leave-text"({ issue, content: { titleHash, blockHash, seenAt }, ...of }) {
        const left = JSON.stringify({ titleHash, blockHash, seenAt });
        yield* writeLeft.run({ ...(yield* keyOf(of, issue)), left });
      },
      *"end-links"({ issues: ended, at, ...of }) {
        const [project, post] = yield* numbers.place(of);
        for (const issue of ended) {
          const key = { project, post, repositoryId: issue.repositoryId, number: issue.number };
          const content = yield* selectContent.get(key);
          if (content === undefined) continue;
          yield* deleteLink.run(key);
          yield* insertEnd.run(key);
          yield* deleteIssueBases.run(key);
          if (content.titleHash !== null) yield* passOn.run({ ...key, ...content });
          yield* issues.markRows(issue);
        }
        yield* markDue.run(post);
        if ((yield* writeUnlinked.count({ post, project, at })) === 0) return;
        for (const statement of forget) yield* statement.run(post);
      },
      *reopen(of) {
        yield* reopen.run((yield* numbers.place(of))[1]);
      },
    },
  };
}

/** Makes posts due that one may have been moved to, where its own project does not list it. @param which - that one, `here`. */
export function prepareNamesakes<Bound extends unknown[] = [post: number]>(
  store: Store,
  which = "here.number = ?",
): Query<Bound, unknown> {
  return store.prepare(`
    UPDATE posts SET ${markedDue} WHERE hash IS NOT NULL AND missing = 0 AND number IN (
      SELECT there.number FROM posts AS here CROSS JOIN board_projects ON true
      CROSS JOIN posts AS there ON there.project = board_projects.number AND there.id = here.id
      WHERE ${which} AND (here.missing > 0 OR here.hash IS NULL))`);
}
