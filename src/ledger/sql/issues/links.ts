import type { IssueRef } from "../../../model/issue.ts";
import type { ContentBase } from "../../../model/link.ts";
import type { OfPost, Rows } from "../../rows.ts";
import type { Carrying, Queries } from "../columns/numbers.ts";
import { into, issueColumns, markedDue, ofIssue, type Part, type Statements, sql } from "../statements.ts";
import type { Asked, Plain } from "../store.ts";
import { followersOf, type IssueStore } from "./issue-store.ts";

/** A text that was written, as columns. */
type Content = Partial<ContentBase>;

/** Links stand in the order in which they were made: the first is the primary one. */
export function createLinks(on: Queries, issues: IssueStore) {
  const { run, some, count, has, get, all, numbers } = on;
  const markNamesakes = createNamesakeMarker(on);
  const writeContent = ({ titleHash, blockHash }: Content): Part =>
    sql`title_hash = ${titleHash}, block_hash = ${blockHash}`;
  const deleteIssueBases = (post: number, issue: IssueRef) =>
    run`DELETE FROM issue_bases WHERE post = ${post} AND ${ofIssue(issue)}`;
  function* isIt(of: OfPost, issue: IssueRef): Asked<Part> {
    const [project, post] = yield* numbers.place(of);
    return sql`project = ${project} AND post = ${post} AND ${ofIssue(issue)}`;
  }
  return {
    hasContent: (issue) =>
      has`SELECT 1 AS one FROM links WHERE ${ofIssue(issue)} AND title_hash IS NOT NULL LIMIT 1`,
    linkedTo: (issue, scope) => all<OfPost>`
      SELECT board_projects.id AS project, posts.id AS post FROM posts
      JOIN board_projects ON board_projects.number = posts.project
      WHERE posts.number IN (SELECT post FROM links WHERE ${ofIssue(issue)})
        ${scope === undefined ? sql`` : sql`OR posts.number IN (${followersOf(issue)})`}
      ORDER BY posts.project, posts.id`,
    changes: {
      *link({ project: id, link: { post: postId, issue, origin }, issue: facts, content }) {
        const [project, post] = yield* numbers.place({ project: id, post: postId });
        const { titleHash, blockHash } = content ?? {};
        const position = sql`coalesce(max(position), 0) + 1`;
        const line = { project, post, ...issueColumns(issue), position, origin, titleHash, blockHash };
        const [added, known] = yield* on.together([
          count`
            ${into("links", line, sql`FROM links WHERE project = ${project} AND post = ${post}`)}
            ON CONFLICT DO NOTHING`,
          issues.find(facts),
        ]);
        if (added > 0) {
          // Of an earlier link between the two nothing counts any more.
          yield* deleteIssueBases(post, issue);
          yield* run`UPDATE posts SET unlinked_at = NULL WHERE number = ${post} AND unlinked_at IS NOT NULL`;
          yield* run`DELETE FROM ended_links WHERE post = ${post} AND ${ofIssue(issue)}`;
          yield* markNamesakes(sql`here.number = ${post}`);
        }
        const isMarked = yield* issues.store(facts, known);
        if (added > 0 && !isMarked) yield* issues.markRows(issue);
      },
      *"set-content"({ issue, content, ...of }) {
        const failure = () =>
          new Error(`Issue ${issue.number} of repository ${issue.repositoryId} is not linked to this post.`);
        yield* some(failure)`
          UPDATE links SET ${writeContent(content)}, left_text = NULL WHERE ${yield* isIt(of, issue)}`;
      },
      *"leave-text"({ issue, content: { titleHash, blockHash, seenAt }, ...of }) {
        const left = { titleHash, blockHash, seenAt };
        yield* run`UPDATE links SET left_text = ${left} WHERE ${yield* isIt(of, issue)}`;
      },
      *"end-links"({ issues: ended, at, ...of }) {
        const [project, post] = yield* numbers.place(of);
        for (const issue of ended) {
          const link = yield* isIt(of, issue);
          const content = yield* get<Content>`
            SELECT title_hash, block_hash FROM links WHERE ${link}`;
          if (content === undefined) continue;
          const { repositoryId, number } = issue;
          yield* run`DELETE FROM links WHERE ${link}`;
          yield* run`${into("ended_links", { post, ...issueColumns(issue) })} ON CONFLICT DO NOTHING`;
          yield* deleteIssueBases(post, issue);
          if (content.titleHash !== undefined)
            yield* run`
              UPDATE links SET ${writeContent(content)} WHERE project = ${project} AND ${ofIssue(issue)} AND post = (
                SELECT min(post) FROM links AS next
                WHERE next.project = ${project} AND next.repository = ${repositoryId} AND next.number = ${number})`;
          yield* issues.markRows(issue);
        }
        yield* run`UPDATE posts SET ${markedDue} WHERE number = ${post}`;
        const unlinked = yield* count`
          UPDATE posts SET unlinked_at = ${at} WHERE number = ${post}
            AND NOT EXISTS (SELECT 1 FROM links WHERE links.project = ${project} AND links.post = ${post})`;
        if (unlinked === 0) return;
        // These are of a post with an issue.
        yield* run`DELETE FROM bases WHERE post = ${post}`;
        yield* run`DELETE FROM issue_bases WHERE post = ${post}`;
        yield* run`DELETE FROM notes WHERE post = ${post} AND kind = 'parked'`;
      },
      *reopen(of) {
        const [, post] = yield* numbers.place(of);
        yield* run`UPDATE posts SET unlinked_at = NULL, ${markedDue} WHERE number = ${post}`;
      },
    },
  } satisfies Partial<Plain<Rows>> & Carrying;
}

/** Makes posts due that others may have been moved to, where their own projects do not list these: those that `which` names, of `here`. */
export function createNamesakeMarker({ run }: Statements): (which: Part) => Asked<void> {
  return (which) => run`
    UPDATE posts SET ${markedDue} WHERE hash IS NOT NULL AND missing = 0 AND number IN (
      SELECT there.number FROM posts AS here CROSS JOIN board_projects ON true
      CROSS JOIN posts AS there ON there.project = board_projects.number AND there.id = here.id
      WHERE ${which} AND (here.missing > 0 OR here.hash IS NULL))`;
}
