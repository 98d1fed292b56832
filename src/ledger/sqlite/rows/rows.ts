import type { PostId, ProjectId } from "../../../model/post.ts";
import type { Rows } from "../../rows.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import type { Plain } from "../file/plain.ts";
import type { Store } from "../file/store.ts";
import type { IssueStore } from "../issues/issue-store.ts";
import { createLinkWriter } from "../issues/links.ts";
import type { PostTimes } from "../posts/post-numbers.ts";
import { createRecorder } from "./recorder.ts";
import { createRowReader, partColumns, type RowColumns } from "./row-reader.ts";
import { createWaitingReader } from "./waiting.ts";

/** What decisions are made of, and what is recorded of them. */
export function createRows(
  store: Store,
  numbers: Numbers,
  seenAt: PostTimes,
  issues: IssueStore,
): Plain<Rows> &
  Carrying<
    | "record-row"
    | "note-action"
    | "set-bases"
    | "forget-look"
    | "mark-due"
    | "mark-missing"
    | "link"
    | "set-content"
    | "leave-text"
    | "park"
    | "unpark"
    | "quarantine"
    | "release"
    | "pause"
    | "resume"
  > {
  const readRows = createRowReader(store, seenAt);
  const columns = `posts.number AS number, id, seen_at, missing, is_quarantined, unlinked_at, paused_at, facts, ${partColumns}`;
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
    "UPDATE posts SET missing = 1, missing_run = NULL, missing_since = NULL, due_at = 0 WHERE number = ? AND missing = 0",
  );
  const forgetLook = store.prepare<[number]>("UPDATE posts SET seen_at = NULL WHERE number = ?");
  const setQuarantine = store.prepare<[number]>("UPDATE posts SET is_quarantined = 1 WHERE number = ?");
  const release = store.prepare<[number, number]>(
    "UPDATE posts SET is_quarantined = 0, released_at = ? WHERE number = ?",
  );
  const selectPaused = store.prepare<[number, string]>(
    "SELECT 1 FROM posts WHERE project = ? AND id = ? AND paused_at IS NOT NULL",
  );
  const pause = store.prepare<[number, number]>(
    "UPDATE posts SET paused_at = coalesce(paused_at, ?), due_at = 0 WHERE number = ?",
  );
  const dropResume = store.prepare<[number, string]>(`
    DELETE FROM requests WHERE project = ? AND request ->> '$.kind' IN ('resume', 'resume-discard')
      AND ? IN (SELECT value FROM json_each(request, '$.posts'))`);
  const resume = store.prepare<[number, number]>(`
    UPDATE posts SET paused_at = NULL, due_at = 0 WHERE number = ?
      AND EXISTS (SELECT 1 FROM requests WHERE requests.id = ?)`);
  const selectShown = store.prepare<[{ project: number; path: string }], { value: string }>(`
    SELECT facts ->> @path AS value FROM posts JOIN post_facts ON post = number
    WHERE project = @project AND missing = 0 AND hash IS NOT NULL AND json_type(facts, @path) = 'text'
    GROUP BY value ORDER BY count(*) DESC, value LIMIT 1000`);
  const links = createLinkWriter(store, issues);
  const recorder = createRecorder(store);
  const reader = createWaitingReader(store);

  const place = ({ project, post }: OfPost): readonly [project: number, post: number] => {
    const number = numbers.project(project);
    return [number, numbers.post(number, post)];
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
    linkedTo: (issue, scope) => (scope === undefined ? links.postsOf(issue) : links.followersOf(issue)),
    held: (project) => ofProject(project, [], reader.held),
    shown: (project, field) =>
      ofProject(project, [], (number) =>
        selectShown.all({ project: number, path: `$.${field}` }).map(({ value }) => value),
      ),
    isPaused: (project, post) =>
      ofProject(project, false, (number) => selectPaused.get(number, post) !== undefined),
    counts: (project) => reader.counts(project),
    waiting: (project, limit, kinds) =>
      ofProject(project, [], (number) => reader.waiting(number, limit, kinds)),
    changes: {
      "record-row": ({ record, ...of }) => recorder.record(...place(of), record),
      "note-action": ({ of: action, notes, ...of }) => recorder.noteAction(...place(of), action, notes),
      "set-bases": ({ bases, ...of }) => recorder.setBases(place(of)[1], bases),
      "mark-due": ({ project, which }) => recorder.markDue(numbers.project(project), which),
      link: ({ project, link, issue, content }) => {
        links.add(...place({ project, post: link.post }), link, content);
        issues.store(issue);
      },
      "set-content": ({ issue, content, ...of }) => links.setContent(...place(of), issue, content),
      "leave-text": ({ issue, content, ...of }) => links.leaveText(...place(of), issue, content),
      "forget-look": (of) => {
        const [, post] = place(of);
        seenAt.delete(post);
        forgetLook.run(post);
      },
      "mark-missing": (of) => {
        markMissing.run(place(of)[1]);
      },
      park: ({ parked, ...of }) => recorder.park(...place(of), parked),
      unpark: ({ of: kind, ...of }) => recorder.unpark(place(of)[1], kind),
      quarantine: (of) => {
        setQuarantine.run(place(of)[1]);
      },
      release: ({ at, ...of }) => {
        release.run(at, place(of)[1]);
      },
      pause: ({ at, ...of }) => {
        const [project, post] = place(of);
        pause.run(at, post);
        dropResume.run(project, of.post);
      },
      resume: ({ request, ...of }) => {
        resume.run(place(of)[1], request);
      },
    },
  };
}

interface OfPost {
  readonly project: ProjectId;
  readonly post: PostId;
}
