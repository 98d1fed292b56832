import type { Issue, IssueRef } from "../../model/issue.ts";
import { encodeIssue } from "./facts.ts";
import type { Store } from "./store.ts";

/** The facts of issues, and the rows that hang on them. */
export interface IssueStore {
  /** Whether an issue is linked or carried a marker once; others are not kept. */
  isKept(issue: IssueRef): boolean;
  /** Stores the facts; where they differ, or the issue was gone, its rows become due. */
  store(issue: Issue): void;
  setGone(issue: IssueRef, isGone: boolean): void;
}

/** A listed issue is there: whatever was said of it before, it is not gone. */
export function createIssueStore(store: Store): IssueStore {
  const select = store.prepare<[number, number], { facts: string | null; is_gone: number }>(
    "SELECT facts, is_gone FROM issues WHERE repository = ? AND number = ?",
  );
  const write = store.prepare<[{ repository: number; number: number; facts: string }]>(`
    INSERT INTO issues (repository, number, facts) VALUES (@repository, @number, @facts)
    ON CONFLICT DO UPDATE SET facts = excluded.facts, is_gone = 0`);
  const writeGone = store.prepare<[{ repository: number; number: number; isGone: number }]>(`
    INSERT INTO issues (repository, number, is_gone) VALUES (@repository, @number, @isGone)
    ON CONFLICT DO UPDATE SET is_gone = excluded.is_gone`);
  const selectLink = store.prepare<[number, number]>(
    "SELECT 1 FROM links WHERE repository = ? AND number = ? LIMIT 1",
  );
  const markRows = store.prepare<[number, number]>(`
    UPDATE posts SET due_at = 0 WHERE number IN (SELECT post FROM links WHERE repository = ? AND number = ?)`);
  return {
    isKept: ({ repositoryId, number }) =>
      select.get(repositoryId, number) !== undefined || selectLink.get(repositoryId, number) !== undefined,
    store(issue) {
      const facts = encodeIssue(issue);
      const known = select.get(issue.repositoryId, issue.number);
      if (known?.facts === facts && known.is_gone === 0) return;
      write.run({ repository: issue.repositoryId, number: issue.number, facts });
      markRows.run(issue.repositoryId, issue.number);
    },
    setGone({ repositoryId, number }, isGone) {
      const known = select.get(repositoryId, number);
      if ((known?.is_gone === 1) === isGone) return;
      writeGone.run({ repository: repositoryId, number, isGone: Number(isGone) });
      markRows.run(repositoryId, number);
    },
  };
}
