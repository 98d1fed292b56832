import { hash } from "node:crypto";
import type { IssueRef } from "../../../model/issue.ts";
import type { PostId } from "../../../model/post.ts";
import type { KnownMark, MarkedIssue, Pulls } from "../../pulls.ts";
import { decodeIssue } from "../columns/facts.ts";
import type { Carrying, Queries } from "../columns/numbers.ts";
import { into, issueColumns, markedDue, ofIssue, postOf, type Statements, sql } from "../statements.ts";
import type { Asked, Plain } from "../store.ts";

/** What the state knows of an issue's mark and of one of the posts that it names. */
interface PostOfMark {
  project: number;
  id: PostId;
  number?: number;
  /** Whether the mark has named a post of the project before, or the issue is linked to one. */
  isKnown: boolean;
  /** Whether that is this post. */
  isNamed: boolean;
  isEnded: boolean;
  isExplained: boolean;
}

/**
 * Which issues carry a marker of ours, for which posts. A marker that was seen once stays known, even when a person edits it away: forgetting it could open a second issue.
 * A post whose marker is new becomes due, since it may have to be adopted: not that of an issue of ours that is linked to it.
 */
export function createMarkers(
  on: Queries,
): Plain<Pick<Pulls, "marked" | "marks">> & { store(marked: MarkedIssue): Asked<void> } {
  const { run, get, all, numbers } = on;
  // Without the hint SQLite would look at every post of the project.
  const ofMark = (issue: IssueRef, project: number, id: PostId) => {
    const named = sql`(SELECT post FROM markers WHERE ${ofIssue(issue)} UNION SELECT post FROM links WHERE ${ofIssue(issue)})`;
    return get<PostOfMark>`
      SELECT ${project} AS project, ${id} AS id, mine.number AS number,
        EXISTS (SELECT 1 FROM posts NOT INDEXED WHERE project = ${project} AND number IN ${named}) AS is_known,
        coalesce(mine.number, 0) IN ${named} AS is_named,
        EXISTS (SELECT 1 FROM ended_links WHERE post = mine.number AND ${ofIssue(issue)}) AS is_ended,
        EXISTS ${named}
          OR EXISTS (SELECT 1 FROM links WHERE links.project = ${project} AND links.post = mine.number)
          OR EXISTS (SELECT 1 FROM markers WHERE markers.post = mine.number)
          OR EXISTS (SELECT 1 FROM intents INDEXED BY intents_open WHERE intents.project = ${project}
            AND intents.post = mine.number AND kind = 'create-issue' AND ended_at IS NULL AND attempts > 0)
          OR EXISTS (SELECT 1 FROM audit WHERE audit.post = mine.number AND kind = 'create-issue'
            AND outcome IN ('applied', 'unknown')) AS is_explained
      FROM (SELECT 1 AS one) AS always LEFT JOIN posts AS mine ON mine.project = ${project} AND mine.id = ${id}`;
  };
  return {
    *store({ issue, isOwn, project: of, posts }) {
      const project = yield* numbers.project(of);
      const { repositoryId, number } = issue;
      yield* run`${into("issues", issueColumns(issue))} ON CONFLICT DO NOTHING`;
      for (const [position, id] of posts.entries()) {
        const post = yield* numbers.post(project, id);
        yield* run`
          UPDATE posts SET ${markedDue} WHERE number = ${post} AND NOT EXISTS (SELECT 1 FROM markers
            WHERE markers.post = ${post} AND markers.repository = ${repositoryId} AND markers.number = ${number})
            AND NOT (${isOwn} = 1 AND EXISTS (SELECT 1 FROM links WHERE links.project = ${project} AND links.post = ${post}
              AND links.repository = ${repositoryId} AND links.number = ${number}))`;
        yield* run`${into("markers", { post, ...issueColumns(issue), isOwn, position })} ON CONFLICT DO NOTHING`;
      }
    },
    *marked(project, post) {
      // One statement, because each takes and gives back a lock.
      const [first, ...others] = yield* all<{
        facts: string;
        isOwn: boolean;
        isGone: boolean;
        position: number;
      }>`
        SELECT issues.facts AS facts, is_own, is_gone, position FROM markers
        JOIN issues ON issues.repository = markers.repository AND issues.number = markers.number
        WHERE markers.post = ${postOf(project, post)}
          AND issues.facts IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM ended_links AS ended WHERE ended.post = markers.post
            AND ended.repository = markers.repository AND ended.number = markers.number)
        ORDER BY is_gone, markers.repository, markers.number`;
      return (
        first && {
          issue: decodeIssue(first.facts),
          isOwn: first.isOwn,
          isFirst: first.position === 0,
          others: others.filter(({ isGone }) => !isGone).map(({ facts }) => decodeIssue(facts)),
        }
      );
    },
    *marks(marks) {
      const asked: Asked<PostOfMark | undefined>[] = [];
      for (const { issue, project: of, posts } of marks) {
        const project = yield* numbers.findProject(of);
        asked.push(...posts.map((id) => ofMark(issue, project, id)));
      }
      const found = (yield* on.together(asked)) as PostOfMark[];
      for (const { project, id, number } of found)
        if (number !== undefined) numbers.learn(project, id, number);
      return marks.map(({ posts }): KnownMark => {
        const ofPosts = found.splice(0, posts.length);
        const isKnown = ofPosts.some((one) => one.isKnown);
        const idsOf = (isWanted: (one: PostOfMark) => boolean) =>
          ofPosts.filter(isWanted).map(({ id }) => id);
        return {
          strange: isKnown ? idsOf(({ isNamed }) => !isNamed) : [],
          isExplained: ofPosts.some((one) => one.isExplained),
          ended: idsOf(({ isEnded }) => isEnded),
        };
      });
    },
  };
}

/** Which issues of people's name which addresses. */
export function createNaming(on: Statements) {
  const { run, all } = on;
  return {
    *naming(addresses) {
      const hashes = new Map(addresses.map((address) => [hashOf(address), address]));
      const found = yield* all<IssueRef & { address: string }>`
        SELECT address, repository AS repository_id, number FROM EACH TEXT ${[...hashes.keys()]} AS wanted
        CROSS JOIN naming ON address = wanted.value ORDER BY repository DESC, number DESC`;
      return new Map(found.map(({ address, ...issue }) => [hashes.get(address) ?? "", issue]));
    },
    changes: {
      *"store-naming"({ named }) {
        for (const { issue, addresses } of named) {
          const wanted = [...new Set(addresses.map(hashOf))].sort();
          const known = yield* all<{ address: string }>`
            SELECT address FROM naming WHERE ${ofIssue(issue)} ORDER BY address`;
          if (wanted.join() === known.map(({ address }) => address).join()) continue;
          yield* run`DELETE FROM naming WHERE ${ofIssue(issue)}`;
          for (const address of wanted) yield* run`${into("naming", { address, ...issueColumns(issue) })}`;
        }
      },
    },
  } satisfies Partial<Plain<Pulls>> & Carrying;
}

function hashOf(address: string): string {
  return hash("sha256", address, "base64");
}
