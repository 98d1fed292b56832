import type { Row } from "../../../model/link.ts";
import type { Rows, WaitingRow } from "../../rows.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import { type RequestColumns, readRequest } from "../journal/requests.ts";
import type { PostTimes } from "../posts/post-numbers.ts";
import type { Asked, Plain, Store } from "../store.ts";
import type { NoteWriter } from "./notes.ts";
import { createPauses, type SentReader } from "./pauses.ts";
import { createRecorder } from "./recorder.ts";
import { type RowColumns, rowColumns } from "./row-parts.ts";
import { createRowReader } from "./row-reader.ts";
import { createWaitingReader } from "./waiting.ts";

/** What decisions are made of, and what is recorded of them. */
export function createRows(
  store: Store,
  numbers: Numbers,
  seenAt: PostTimes,
  linkedTo: Plain<Rows>["linkedTo"],
): Plain<Rows> &
  SentReader &
  Pick<NoteWriter, "standing"> &
  Carrying<
    | "record-row"
    | "note-action"
    | "set-bases"
    | "forget-look"
    | "mark-due"
    | "mark-missing"
    | "park"
    | "unpark"
    | "release"
    | "pause"
    | "resume"
    | "pause-whole"
    | "resume-whole"
  > {
  const reader = createRowReader(store, numbers, seenAt);
  // Without the hint SQLite would look at every post of the project, due or not.
  const selectDue = store.prepare<
    [{ project: number; now: number; after: string; limit: number }],
    RowColumns
  >(`
    SELECT ${rowColumns} FROM posts INDEXED BY posts_due JOIN post_facts ON post_facts.post = posts.number
    WHERE project = @project AND id > @after AND due_at IS NOT NULL AND due_at <= @now
      AND hash IS NOT NULL
    ORDER BY id LIMIT @limit`);
  const markMissing = store.prepare<[number]>(
    "UPDATE posts SET missing = 1, missing_run = NULL, missing_since = NULL, due_at = 0 WHERE number = ? AND missing = 0",
  );
  const forgetLook = store.prepare<[number]>("UPDATE posts SET seen_at = NULL WHERE number = ?");
  const release = store.prepare<[number, number]>("UPDATE posts SET released_at = ? WHERE number = ?");
  const endQuarantine = store.prepare<[number]>("DELETE FROM notes WHERE post = ? AND kind = 'quarantined'");
  const pause = store.prepare<[number, number]>(
    "UPDATE posts SET paused_at = coalesce(paused_at, ?), due_at = 0 WHERE number = ?",
  );
  const selectRequests = store.prepare<[number], RequestColumns>(
    "SELECT id, at, request FROM requests WHERE project = ?",
  );
  const dropRequest = store.prepare<[number]>("DELETE FROM requests WHERE id = ?");
  const resume = store.prepare<[number, number]>(`
    UPDATE posts SET paused_at = NULL, due_at = 0 WHERE number = ?
      AND EXISTS (SELECT 1 FROM requests WHERE requests.id = ?)`);
  const selectShown = (column: string) =>
    store.prepare<[number], { value: string }>(`
      SELECT ${column} AS value FROM posts JOIN post_facts ON post_facts.post = posts.number
      WHERE project = ? AND missing = 0 AND hash IS NOT NULL AND ${column} IS NOT NULL
      GROUP BY ${column} ORDER BY count(*) DESC, ${column} LIMIT 1000`);
  const shown = { status: selectShown("status"), categoryId: selectShown("category") };
  const recorder = createRecorder(store, numbers);
  const waiting = createWaitingReader(store);
  const pauses = createPauses(store, numbers);
  return {
    standing: recorder.standing,
    due: (project, now, after, limit) =>
      numbers.ofProject(project, [], (number) =>
        store.read(function* () {
          const found = yield* selectDue.all({ project: number, now, after: after ?? "", limit });
          return yield* reader.all(number, found, now);
        }),
      ),
    row: (project, post, now) =>
      numbers.ofProject(project, undefined, function* (number): Asked<Row | undefined> {
        return (yield* reader.some(number, [post], now))[0];
      }),
    rows: (project, posts, now) =>
      numbers.ofProject(project, [], (number) => reader.some(number, posts, now)),
    linkedTo,
    held: (project, by) => numbers.ofProject(project, [], (number) => waiting.held(number, by)),
    shown: (project, field) =>
      numbers.ofProject(project, [], function* (number): Asked<readonly string[]> {
        return (yield* shown[field].all(number)).map(({ value }) => value);
      }),
    wholePauses: pauses.wholePauses,
    sent: pauses.sent,
    counts: waiting.counts,
    waiting: (project, limit, kinds) =>
      numbers.ofProject(project, [], (number) => store.read(() => waiting.waiting(number, limit, kinds))),
    waitingOf: (project, id) =>
      numbers.ofProject(project, [], function* (number): Asked<readonly WaitingRow[]> {
        const post = yield* numbers.findPost(number, id);
        return post === undefined ? [] : yield* waiting.waitingOf(number, post);
      }),
    changes: {
      ...pauses.changes,
      ...recorder.changes,
      *"forget-look"(of) {
        const [, post] = yield* numbers.place(of);
        seenAt.delete(post);
        yield* forgetLook.run(post);
      },
      *"mark-missing"(of) {
        yield* markMissing.run((yield* numbers.place(of))[1]);
      },
      *release({ at, ...of }) {
        const [, post] = yield* numbers.place(of);
        yield* endQuarantine.run(post);
        yield* release.run(at, post);
      },
      *pause({ at, ...of }) {
        const [project, post] = yield* numbers.place(of);
        yield* pause.run(at, post);
        for (const { id, request } of yield* selectRequests.all(project)) {
          const found = readRequest(request);
          const isResume = found.kind === "resume" || found.kind === "resume-discard";
          if (isResume && found.posts.includes(of.post)) yield* dropRequest.run(id);
        }
      },
      *resume({ request, ...of }) {
        yield* resume.run((yield* numbers.place(of))[1], request);
      },
    },
  };
}
