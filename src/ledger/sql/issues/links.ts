import type { IssueRef } from "../../../model/issue.ts";
import type { ContentBase, LeftText } from "../../../model/link.ts";
import type { Change } from "../../change.ts";
import type { LinkedPost } from "../../rows.ts";
import type { Asked, Query, Store } from "../store.ts";
import { duplicateFollowers, type IssueStore } from "./issue-store.ts";

/** Post ↔ issue, by the numbers of project and post. */
export interface LinkWriter {
  /** Stores the issue, too. A link that is there stays as it is; a new one makes the rows of its issue due. That it was ended before is over. */
  add(project: number, post: number, made: Extract<Change, { readonly kind: "link" }>): Asked<void>;
  setContent(project: number, post: number, issue: IssueRef, content: ContentBase): Asked<void>;
  leaveText(project: number, post: number, issue: IssueRef, content: LeftText): Asked<void>;
  /** Every post that is linked to an issue, by project and id. */
  postsOf(issue: IssueRef): Asked<readonly LinkedPost[]>;
  /** The same, and those of issues that are duplicates of it. */
  followersOf(issue: IssueRef): Asked<readonly LinkedPost[]>;
}

interface LinkKey {
  project: number;
  post: number;
  repository: number;
  number: number;
}

/** Links stand in the order in which they were made: the first is the primary one. */
export function createLinkWriter(store: Store, issues: IssueStore): LinkWriter {
  const insert = store.prepare<
    [LinkKey & { origin: string; titleHash: string | null; blockHash: string | null }]
  >(`
    INSERT INTO links (project, post, repository, number, position, origin, title_hash, block_hash)
    SELECT @project, @post, @repository, @number, coalesce(max(position), 0) + 1, @origin, @titleHash, @blockHash
    FROM links WHERE project = @project AND post = @post
    ON CONFLICT DO NOTHING`);
  // Of an earlier link between the two nothing counts any more.
  const deleteBases = store.prepare<[Omit<LinkKey, "project">]>(
    "DELETE FROM issue_bases WHERE post = @post AND repository = @repository AND number = @number",
  );
  const selectPosts = prepareLinkedPosts(store);
  const selectFollowers = store.prepare<[Pick<LinkKey, "repository" | "number">], LinkedPost>(`
    SELECT board_projects.id AS project, posts.id AS post FROM posts
    JOIN board_projects ON board_projects.number = posts.project
    WHERE posts.number IN (SELECT post FROM links WHERE repository = @repository AND number = @number)
      OR posts.number IN (${duplicateFollowers})
    ORDER BY posts.project, posts.id`);
  const clearUnlinked = store.prepare<[number]>(
    "UPDATE posts SET unlinked_at = NULL WHERE number = ? AND unlinked_at IS NOT NULL",
  );
  const deleteEnd = store.prepare<[Omit<LinkKey, "project">]>(
    "DELETE FROM ended_links WHERE post = @post AND repository = @repository AND number = @number",
  );
  const markNamesakes = prepareNamesakes(store);
  const writeContent = store.prepare<[LinkKey & ContentBase]>(`
    UPDATE links SET title_hash = @titleHash, block_hash = @blockHash, left_text = NULL
    WHERE project = @project AND post = @post AND repository = @repository AND number = @number`);
  const writeLeft = store.prepare<[LinkKey & { left: string }]>(`
    UPDATE links SET left_text = @left
    WHERE project = @project AND post = @post AND repository = @repository AND number = @number`);
  return {
    *add(project, post, { link: { issue, origin }, issue: facts, content }) {
      const place = { post, repository: issue.repositoryId, number: issue.number };
      const link = {
        ...place,
        project,
        origin,
        titleHash: content?.titleHash ?? null,
        blockHash: content?.blockHash ?? null,
      };
      const [added, known] = yield* store.together([insert.count(link), issues.find(facts)]);
      if (added > 0) {
        yield* deleteBases.run(place);
        yield* clearUnlinked.run(post);
        yield* deleteEnd.run(place);
        yield* issues.markRows(issue);
        yield* markNamesakes.run(post);
      }
      yield* issues.store(facts, known);
    },
    *setContent(project, post, { repositoryId, number }, { titleHash, blockHash }) {
      const key = { project, post, repository: repositoryId, number };
      const failure = () =>
        new Error(`Issue ${number} of repository ${repositoryId} is not linked to this post.`);
      yield* writeContent.some(failure, { ...key, titleHash, blockHash });
    },
    leaveText(project, post, { repositoryId, number }, { titleHash, blockHash, seenAt }) {
      const left = JSON.stringify({ titleHash, blockHash, seenAt });
      return writeLeft.run({ project, post, repository: repositoryId, number, left });
    },
    postsOf: ({ repositoryId, number }) => selectPosts.all({ repository: repositoryId, number }),
    followersOf: ({ repositoryId, number }) => selectFollowers.all({ repository: repositoryId, number }),
  };
}

/** A statement for every post that is linked to an issue. */
export function prepareLinkedPosts(
  store: Store,
): Query<[Pick<LinkKey, "repository" | "number">], LinkedPost> {
  return store.prepare(`
    SELECT board_projects.id AS project, posts.id AS post FROM links
    JOIN board_projects ON board_projects.number = links.project JOIN posts ON posts.number = links.post
    WHERE links.repository = @repository AND links.number = @number ORDER BY links.project, posts.id`);
}

/** Makes posts due that one may have been moved to, where its own project does not list it. @param which - that one, `here`. */
export function prepareNamesakes<Bound extends unknown[] = [post: number]>(
  store: Store,
  which = "here.number = ?",
): Query<Bound, unknown> {
  return store.prepare(`
    UPDATE posts SET due_at = 0 WHERE hash IS NOT NULL AND missing = 0 AND number IN (
      SELECT there.number FROM posts AS here CROSS JOIN board_projects ON true
      CROSS JOIN posts AS there ON there.project = board_projects.number AND there.id = here.id
      WHERE ${which} AND (here.missing > 0 OR here.hash IS NULL))`);
}
