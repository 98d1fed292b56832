import { hash } from "node:crypto";
import type { IssueRef, RepositoryId } from "../../../model/issue.ts";
import type { PostId, ProjectId } from "../../../model/post.ts";
import type { FoundMarker, KnownMark, MarkedIssue, NamingIssue } from "../../pulls.ts";
import { decodeIssue } from "../columns/facts.ts";
import type { Numbers } from "../columns/numbers.ts";
import type { Asked, Store } from "../store.ts";

/** Which issues carry a marker of ours, for which posts. */
export interface Markers {
  store(marked: MarkedIssue): Asked<void>;
  find(project: ProjectId, post: PostId): Asked<FoundMarker | undefined>;
  read(marked: MarkedIssue): Asked<KnownMark>;
}

/**
 * A marker that was seen once stays known, even when a person edits it away: forgetting it could open a second issue.
 * A post whose marker is new becomes due, since it may have to be adopted.
 */
export function createMarkers(store: Store, numbers: Numbers): Markers {
  const insert = store.prepare<
    [{ post: number; repository: number; number: number; isOwn: number; position: number }]
  >(`
    INSERT INTO markers (post, repository, number, is_own, position)
    VALUES (@post, @repository, @number, @isOwn, @position)
    ON CONFLICT DO NOTHING`);
  const keepIssue = store.prepare<[{ repository: number; number: number }]>(
    "INSERT INTO issues (repository, number) VALUES (@repository, @number) ON CONFLICT DO NOTHING",
  );
  const markDue = store.prepare<[number]>("UPDATE posts SET due_at = 0 WHERE number = ?");
  // Asked of every row that is decided: one statement, because each takes and gives back a lock.
  const select = store.prepare<
    [number, PostId],
    { facts: string; is_own: number; is_gone: number; position: number }
  >(`
    SELECT issues.facts AS facts, is_own, is_gone, position FROM markers
    JOIN issues ON issues.repository = markers.repository AND issues.number = markers.number
    WHERE markers.post = (SELECT number FROM posts WHERE project = ? AND id = ?) AND issues.facts IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM ended_links AS ended WHERE ended.post = markers.post
        AND ended.repository = markers.repository AND ended.number = markers.number)
    ORDER BY is_gone, markers.repository, markers.number`);
  // Without the hint SQLite would look at every post of the project.
  const selectKnown = store.prepare<
    [{ project: number; repository: number; number: number }],
    { id: PostId }
  >(`
    SELECT id FROM posts NOT INDEXED WHERE project = @project AND number IN (
      SELECT post FROM markers WHERE repository = @repository AND number = @number
      UNION SELECT post FROM links WHERE repository = @repository AND number = @number)`);
  const selectEnd = store.prepare<[number, number, number]>(
    "SELECT 1 AS one FROM ended_links WHERE post = ? AND repository = ? AND number = ?",
  );
  const explainsIssue = createIssueCheck(store);
  const explainsPost = createPostCheck(store);
  return {
    *store({ issue: { repositoryId, number }, isOwn, project, posts }) {
      const projectNumber = yield* numbers.project(project);
      yield* keepIssue.run({ repository: repositoryId, number });
      for (const [position, id] of posts.entries()) {
        const post = yield* numbers.post(projectNumber, id);
        const marker = { post, repository: repositoryId, number, isOwn: Number(isOwn), position };
        if ((yield* insert.count(marker)) > 0) yield* markDue.run(post);
      }
    },
    find: (project, id) =>
      numbers.ofProject(project, undefined, function* (number): Asked<FoundMarker | undefined> {
        const [first, ...others] = yield* select.all(number, id);
        return (
          first && {
            issue: decodeIssue(first.facts),
            isOwn: first.is_own === 1,
            isFirst: first.position === 0,
            others: others.filter(({ is_gone }) => is_gone === 0).map(({ facts }) => decodeIssue(facts)),
          }
        );
      }),
    *read({ issue, project, posts }) {
      const projectNumber = yield* numbers.findProject(project);
      const isIssueExplained = yield* explainsIssue(issue);
      if (projectNumber === undefined) return { strange: [], isExplained: isIssueExplained, ended: [] };
      const { repositoryId: repository, number } = issue;
      const found = yield* selectKnown.all({ project: projectNumber, repository, number });
      const known = new Set(found.map(({ id }) => id));
      let isExplained = isIssueExplained;
      const ended: PostId[] = [];
      for (const id of posts) {
        const post = yield* numbers.findPost(projectNumber, id);
        if (post === undefined) continue;
        isExplained ||= yield* explainsPost(projectNumber, post);
        if ((yield* selectEnd.get(post, repository, number)) !== undefined) ended.push(id);
      }
      return {
        strange: known.size === 0 ? [] : posts.filter((post) => !known.has(post)),
        isExplained,
        ended,
      };
    },
  };
}

/** Whether an issue is linked, or was seen with a marker. */
function createIssueCheck(store: Store): (issue: IssueRef) => Asked<boolean> {
  const select = store.prepare<[{ repository: number; number: number }]>(`
    SELECT 1 AS one FROM markers WHERE repository = @repository AND number = @number
    UNION ALL SELECT 1 FROM links WHERE repository = @repository AND number = @number LIMIT 1`);
  return function* ({ repositoryId, number }) {
    return (yield* select.get({ repository: repositoryId, number })) !== undefined;
  };
}

/** Whether a post is linked, an issue of its was seen, or one may have been opened for it. */
function createPostCheck(store: Store): (project: number, post: number) => Asked<boolean> {
  const select = store.prepare<[{ project: number; post: number }]>(`
    SELECT 1 AS one FROM links WHERE project = @project AND post = @post
    UNION ALL SELECT 1 FROM markers WHERE post = @post
    UNION ALL SELECT 1 FROM intents INDEXED BY intents_open
      WHERE project = @project AND post = @post AND kind = 'create-issue' AND ended_at IS NULL AND attempts > 0
    UNION ALL SELECT 1 FROM audit
      WHERE post = @post AND kind = 'create-issue' AND outcome IN ('applied', 'unknown') LIMIT 1`);
  return function* (project, post) {
    return (yield* select.get({ project, post })) !== undefined;
  };
}

/** Which issues of people's name which addresses. */
interface Naming {
  store(named: readonly NamingIssue[]): Asked<void>;
  find(address: string): Asked<readonly IssueRef[]>;
}

export function createNaming(store: Store): Naming {
  const select = store.prepare<[string], { repositoryId: RepositoryId; number: number }>(
    'SELECT repository AS "repositoryId", number FROM naming WHERE address = ? ORDER BY repository, number',
  );
  const known = store.prepare<[number, number], { address: string }>(
    "SELECT address FROM naming WHERE repository = ? AND number = ? ORDER BY address",
  );
  const forget = store.prepare<[number, number]>("DELETE FROM naming WHERE repository = ? AND number = ?");
  const insert = store.prepare<[string, number, number]>(
    "INSERT INTO naming (address, repository, number) VALUES (?, ?, ?)",
  );
  return {
    *store(named) {
      for (const { issue, addresses } of named) {
        const { repositoryId, number } = issue;
        const wanted = [...new Set(addresses.map(hashOf))].sort();
        const before = (yield* known.all(repositoryId, number)).map(({ address }) => address);
        if (wanted.join() === before.join()) continue;
        yield* forget.run(repositoryId, number);
        for (const address of wanted) yield* insert.run(address, repositoryId, number);
      }
    },
    find: (address) => select.all(hashOf(address)),
  };
}

function hashOf(address: string): string {
  return hash("sha256", address, "base64");
}
