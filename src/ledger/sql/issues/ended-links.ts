import type { Links } from "../../rows.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import type { Plain, Store } from "../store.ts";
import type { IssueStore } from "./issue-store.ts";

interface LinkKey {
  project: number;
  post: number;
  repository: number;
  number: number;
}

/** What is known of a post as long as it has an issue. */
const keptOfLinked = [
  "bases WHERE post = ?",
  "issue_bases WHERE post = ?",
  "notes WHERE post = ? AND kind = 'parked'",
];

/** The links that a person ends. */
export function createLinks(
  store: Store,
  numbers: Numbers,
  issues: IssueStore,
): Plain<Links> & Carrying<"end-links" | "reopen"> {
  const selectContent = store.prepare<[LinkKey], { title_hash: string | null; block_hash: string | null }>(`
    SELECT title_hash, block_hash FROM links
    WHERE project = @project AND post = @post AND repository = @repository AND number = @number`);
  const deleteLink = store.prepare<[LinkKey]>(`
    DELETE FROM links WHERE project = @project AND post = @post AND repository = @repository AND number = @number`);
  const insertEnd = store.prepare<[LinkKey]>(
    "INSERT INTO ended_links (post, repository, number) VALUES (@post, @repository, @number) ON CONFLICT DO NOTHING",
  );
  const deleteIssueBases = store.prepare<[LinkKey]>(
    "DELETE FROM issue_bases WHERE post = @post AND repository = @repository AND number = @number",
  );
  const passOn = store.prepare<[LinkKey & { title_hash: string | null; block_hash: string | null }]>(`
    UPDATE links SET title_hash = @title_hash, block_hash = @block_hash
    WHERE project = @project AND repository = @repository AND number = @number AND post = (
      SELECT min(post) FROM links AS next
      WHERE next.project = @project AND next.repository = @repository AND next.number = @number)`);
  const writeUnlinked = store.prepare<[{ post: number; project: number; at: number }]>(`
    UPDATE posts SET unlinked_at = @at WHERE number = @post
      AND NOT EXISTS (SELECT 1 FROM links WHERE links.project = @project AND links.post = @post)`);
  const forget = keptOfLinked.map((lines) => store.prepare<[number]>(`DELETE FROM ${lines}`));
  const clearUnlinked = store.prepare<[number]>(
    "UPDATE posts SET unlinked_at = NULL, due_at = 0 WHERE number = ?",
  );
  const markDue = store.prepare<[number]>("UPDATE posts SET due_at = 0 WHERE number = ?");
  const selectOwner = store.prepare<[number, number]>(
    "SELECT 1 AS one FROM links WHERE repository = ? AND number = ? AND title_hash IS NOT NULL LIMIT 1",
  );
  return {
    *hasContent({ repositoryId, number }) {
      return (yield* selectOwner.get(repositoryId, number)) !== undefined;
    },
    changes: {
      *"end-links"({ issues: refs, at, ...of }) {
        const [project, post] = yield* numbers.place(of);
        for (const issue of refs) {
          const key = { project, post, repository: issue.repositoryId, number: issue.number };
          const content = yield* selectContent.get(key);
          if (content === undefined) continue;
          yield* deleteLink.run(key);
          yield* insertEnd.run(key);
          yield* deleteIssueBases.run(key);
          if (content.title_hash !== null) yield* passOn.run({ ...key, ...content });
          yield* issues.markRows(issue);
        }
        yield* markDue.run(post);
        if ((yield* writeUnlinked.count({ post, project, at })) === 0) return;
        for (const statement of forget) yield* statement.run(post);
      },
      *reopen(of) {
        yield* clearUnlinked.run((yield* numbers.place(of))[1]);
      },
    },
  };
}
