import type { PostId, ProjectId } from "../../../model/post.ts";
import type { Rows } from "../../rows.ts";
import type { Numbers } from "../columns/numbers.ts";
import type { Store } from "../file/store.ts";
import type { IssueStore } from "../issues/issue-store.ts";
import { createLinkWriter } from "../issues/links.ts";
import type { PostTimes } from "../posts/post-numbers.ts";
import { createRecorder } from "./recorder.ts";
import { createRowReader, partColumns, type RowColumns } from "./row-reader.ts";
import { createWaitingReader } from "./waiting.ts";

/** What decisions are made of, and what is recorded of them. */
export function createRows(store: Store, numbers: Numbers, seenAt: PostTimes, issues: IssueStore): Rows {
  const readRows = createRowReader(store, seenAt);
  const columns = `posts.number AS number, id, seen_at, missing, is_quarantined, unlinked_at, facts, ${partColumns}`;
  // Without the hint SQLite would look at every post of the project, due or not.
  const selectDue = store.prepare<
    [{ project: number; now: number; after: string; limit: number }],
    RowColumns
  >(`
    SELECT ${columns} FROM posts INDEXED BY posts_due JOIN post_facts ON post_facts.post = posts.number
    WHERE project = @project AND id > @after AND due_at IS NOT NULL AND due_at <= @now
    ORDER BY id LIMIT @limit`);
  const selectRow = store.prepare<[number, string], RowColumns>(`
    SELECT ${columns} FROM posts JOIN post_facts ON post_facts.post = posts.number WHERE project = ? AND id = ?`);
  const markMissing = store.prepare<[number]>(
    "UPDATE posts SET missing = 1, missing_run = NULL, due_at = 0 WHERE number = ? AND missing = 0",
  );
  const forgetLook = store.prepare<[number]>("UPDATE posts SET seen_at = NULL WHERE number = ?");
  const setQuarantine = store.prepare<[number]>("UPDATE posts SET is_quarantined = 1 WHERE number = ?");
  const release = store.prepare<[number, number]>(
    "UPDATE posts SET is_quarantined = 0, released_at = ? WHERE number = ?",
  );
  const selectStatuses = store.prepare<[number], { status: string }>(`
    SELECT facts ->> '$.status' AS status FROM posts JOIN post_facts ON post = number
    WHERE project = ? AND missing = 0 AND hash IS NOT NULL AND json_type(facts, '$.status') = 'text'
    GROUP BY status ORDER BY count(*) DESC, status LIMIT 1000`);
  const links = createLinkWriter(store, issues);
  const recorder = createRecorder(store);
  const reader = createWaitingReader(store);

  /** Runs `write` in a transaction, with the numbers of project and post. */
  const writeTo = (
    project: ProjectId,
    post: PostId,
    write: (project: number, post: number) => void,
  ): void => {
    store.transaction(() => {
      const number = numbers.project(project);
      write(number, numbers.post(number, post));
    });
  };
  const ofProject = <T>(project: ProjectId, fallback: T, read: (project: number) => T): T =>
    store.read(() => {
      const number = numbers.findProject(project);
      return number === undefined ? fallback : read(number);
    });

  return {
    due: (project, now, after, limit) =>
      ofProject(project, [], (number) =>
        readRows(number, selectDue.all({ project: number, now, after: after ?? "", limit }), now),
      ),
    row: (project, post, now) =>
      ofProject(project, undefined, (number) => {
        const found = selectRow.get(number, post);
        return found && readRows(number, [found], now)[0];
      }),
    record: (project, post, record) =>
      writeTo(project, post, (number, row) => recorder.record(number, row, record)),
    setBases: (project, post, bases) => writeTo(project, post, (_, row) => recorder.setBases(row, bases)),
    linkedTo: (issue) => links.postsOf(issue),
    followersOf: (issue) => links.followersOf(issue),
    markDue(project, which) {
      store.transaction(() => recorder.markDue(numbers.project(project), which));
    },
    link: (project, link, issue, content) =>
      writeTo(project, link.post, (number, post) => {
        links.add(number, post, link, content);
        issues.store(issue);
      }),
    setContent: (project, post, issue, content) =>
      writeTo(project, post, (number, row) => links.setContent(number, row, issue, content)),
    forgetLook: (project, post) =>
      writeTo(project, post, (_, row) => {
        seenAt.delete(row);
        forgetLook.run(row);
      }),
    markMissing: (project, post) => writeTo(project, post, (_, row) => markMissing.run(row)),
    park: (project, post, parked) =>
      writeTo(project, post, (number, row) => recorder.park(number, row, parked)),
    unpark: (project, post, kind) => writeTo(project, post, (_, row) => recorder.unpark(row, kind)),
    quarantine: (project, post) => writeTo(project, post, (_, row) => setQuarantine.run(row)),
    release: (project, post, at) => writeTo(project, post, (_, row) => release.run(at, row)),
    held: (project) => ofProject(project, [], reader.held),
    statuses: (project) =>
      ofProject(project, [], (number) => selectStatuses.all(number).map(({ status }) => status)),
    counts: (project) => reader.counts(project),
    waiting: (project, limit) => ofProject(project, [], (number) => reader.waiting(number, limit)),
  };
}
