import type { Issue, IssueRef } from "../../model/issue.ts";
import type { PostId, ProjectId } from "../../model/post.ts";
import { decodeIssue } from "./facts.ts";
import type { Numbers } from "./numbers.ts";
import type { Store } from "./store.ts";

/** Which issues carry a marker of ours, for which posts. */
export interface Markers {
  store(issue: IssueRef, project: ProjectId, posts: readonly PostId[]): void;
  find(project: ProjectId, post: PostId): { readonly issue: Issue; readonly count: number } | undefined;
}

/**
 * A marker that was seen once stays known, even when a person edits it away: forgetting it could open a second issue.
 * A post whose marker is new becomes due, since it may have to be adopted.
 */
export function createMarkers(store: Store, numbers: Numbers): Markers {
  const insert = store.prepare<[{ post: number; repository: number; number: number }]>(`
    INSERT INTO markers (post, repository, number) VALUES (@post, @repository, @number) ON CONFLICT DO NOTHING`);
  const keepIssue = store.prepare<[{ repository: number; number: number }]>(
    "INSERT INTO issues (repository, number) VALUES (@repository, @number) ON CONFLICT DO NOTHING",
  );
  const markDue = store.prepare<[number]>("UPDATE posts SET due_at = 0 WHERE number = ?");
  const select = store.prepare<[number], { facts: string }>(`
    SELECT issues.facts AS facts FROM markers
    JOIN issues ON issues.repository = markers.repository AND issues.number = markers.number
    WHERE markers.post = ? AND issues.facts IS NOT NULL
    ORDER BY markers.repository, markers.number`);
  return {
    store({ repositoryId, number }, project, posts) {
      const projectNumber = numbers.project(project);
      keepIssue.run({ repository: repositoryId, number });
      for (const id of posts) {
        const post = numbers.post(projectNumber, id);
        if (insert.run({ post, repository: repositoryId, number }) > 0) markDue.run(post);
      }
    },
    find(project, id) {
      const projectNumber = numbers.findProject(project);
      const post = projectNumber === undefined ? undefined : numbers.findPost(projectNumber, id);
      const found = post === undefined ? [] : select.all(post);
      const [first] = found;
      return first && { issue: decodeIssue(first.facts), count: found.length };
    },
  };
}
