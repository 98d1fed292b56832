import type { Row } from "../../../model/link.ts";
import type { PostId } from "../../../model/post.ts";
import { dayMs } from "../../../model/time.ts";
import type { Rows } from "../../rows.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import { preparePins } from "../issues/signals.ts";
import { markedDue } from "../schema.ts";
import type { Asked, Plain, Query, Store } from "../store.ts";
import { prepareWholePauses } from "./pauses.ts";
import { groupParts, type PartOfPost, toRow } from "./row-builder.ts";
import { type Batch, lineColumns, ofBatch, prepareParts, type RowLine } from "./row-parts.ts";

/** What decisions are made of: the rows of posts, each batch with a handful of statements, however many there are. */
export function createRows(
  store: Store,
  numbers: Numbers,
  seenAt: Map<number, number>,
): Plain<Pick<Rows, "due" | "row" | "rows" | "shown">> & Carrying<"forget-look" | "mark-missing"> {
  // Without the hint SQLite would look at every post of the project, due or not.
  const selectDue = store.prepare<
    [{ project: number; now: number; after: string; limit: number }],
    { id: PostId }
  >(`
    SELECT id FROM posts INDEXED BY posts_due
    WHERE project = @project AND id > @after AND due_at IS NOT NULL AND due_at <= @now AND hash IS NOT NULL
    ORDER BY id LIMIT @limit`);
  const selectPins = preparePins(store);
  const selectPauses = prepareWholePauses(store);
  const parts = Object.entries<Query<[Batch], PartOfPost>>(prepareParts(store));
  const selectLines = store.prepare<[Batch], RowLine>(`
    SELECT ${lineColumns} FROM posts JOIN post_facts ON post_facts.post = posts.number WHERE ${ofBatch} ORDER BY id`);
  const markMissing = store.prepare<[number]>(
    `UPDATE posts SET missing = 1, missing_run = NULL, missing_since = NULL, ${markedDue} WHERE number = ? AND missing = 0`,
  );
  const forgetLook = store.prepare<[number]>("UPDATE posts SET seen_at = NULL WHERE number = ?");
  const selectShown = (column: string) =>
    store.prepare<[number], { value: string }>(`
      SELECT ${column} AS value FROM posts JOIN post_facts ON post_facts.post = posts.number
      WHERE project = ? AND missing = 0 AND hash IS NOT NULL AND ${column} IS NOT NULL
      GROUP BY ${column} ORDER BY count(*) DESC, ${column} LIMIT 1000`);
  const shown = { status: selectShown("status"), categoryId: selectShown("category") };

  /** All parts of some rows at once, whichever they have: what a server costs is the message. */
  const rows: Plain<Rows>["rows"] = function* (id, posts, now) {
    const project = yield* numbers.findProject(id);
    const asked: Batch = { posts: JSON.stringify(posts), project, since: now - dayMs };
    const [found, pauses, pins, ...read] = yield* store.together([
      selectLines.all(asked),
      selectPauses.all(project),
      selectPins.all(project),
      ...parts.map(([, part]) => part.all(asked)),
    ]);
    for (const { id: post, number } of found) numbers.learn(project, post, number);
    const named = parts.map(([name], place) => [name, read[place] ?? []] as const);
    const grouped = groupParts(pauses, pins, named);
    return found.map((line) => toRow(line, grouped, seenAt));
  };

  return {
    *due(id, now, after, limit) {
      const project = yield* numbers.findProject(id);
      return yield* store.read(function* (): Asked<readonly Row[]> {
        const found = yield* selectDue.all({ project, now, after: after ?? "", limit });
        if (found.length === 0) return [];
        const posts = found.map((line) => line.id);
        return yield* rows(id, posts, now);
      });
    },
    *row(project, post, now) {
      return (yield* rows(project, [post], now))[0];
    },
    rows,
    *shown(project, field) {
      return (yield* shown[field].all(yield* numbers.findProject(project))).map(({ value }) => value);
    },
    changes: {
      *"forget-look"(of) {
        const [, post] = yield* numbers.place(of);
        seenAt.delete(post);
        yield* forgetLook.run(post);
      },
      *"mark-missing"(of) {
        yield* markMissing.run((yield* numbers.place(of))[1]);
      },
    },
  };
}
