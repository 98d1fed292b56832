import type { PostId, ProjectId } from "../../model/post.ts";
import type { FoundMarker, MarkedIssue } from "../ledger.ts";
import { decodeIssue } from "./facts.ts";
import type { Numbers } from "./numbers.ts";
import type { Store } from "./store.ts";

/** Which issues carry a marker of ours, for which posts. */
export interface Markers {
  store(marked: MarkedIssue): void;
  find(project: ProjectId, post: PostId): FoundMarker | undefined;
}

/**
 * A marker that was seen once stays known, even when a person edits it away: forgetting it could open a second issue.
 * A post whose marker is new becomes due, since it may have to be adopted.
 */
export function createMarkers(store: Store, numbers: Numbers): Markers {
  const insert = store.prepare<[{ post: number; repository: number; number: number; isOwn: number }]>(`
    INSERT INTO markers (post, repository, number, is_own) VALUES (@post, @repository, @number, @isOwn)
    ON CONFLICT DO NOTHING`);
  const keepIssue = store.prepare<[{ repository: number; number: number }]>(
    "INSERT INTO issues (repository, number) VALUES (@repository, @number) ON CONFLICT DO NOTHING",
  );
  const markDue = store.prepare<[number]>("UPDATE posts SET due_at = 0 WHERE number = ?");
  const select = store.prepare<[number], { facts: string; is_own: number }>(`
    SELECT issues.facts AS facts, is_own FROM markers
    JOIN issues ON issues.repository = markers.repository AND issues.number = markers.number
    WHERE markers.post = ? AND issues.facts IS NOT NULL
    ORDER BY markers.repository, markers.number`);
  return {
    store({ issue: { repositoryId, number }, isOwn, project, posts }) {
      const projectNumber = numbers.project(project);
      keepIssue.run({ repository: repositoryId, number });
      for (const id of posts) {
        const post = numbers.post(projectNumber, id);
        if (insert.run({ post, repository: repositoryId, number, isOwn: Number(isOwn) }) > 0)
          markDue.run(post);
      }
    },
    find(project, id) {
      const projectNumber = numbers.findProject(project);
      const post = projectNumber === undefined ? undefined : numbers.findPost(projectNumber, id);
      const found = post === undefined ? [] : select.all(post);
      const [first] = found;
      return first && { issue: decodeIssue(first.facts), isOwn: first.is_own === 1, count: found.length };
    },
  };
}
