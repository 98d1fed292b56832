import type { Row } from "../../../model/link.ts";
import { dayMs } from "../../../model/time.ts";
import type { Rows } from "../../rows.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import { preparePins } from "../issues/signals.ts";
import type { PostTimes } from "../posts/post-numbers.ts";
import { markedDue } from "../schema.ts";
import { type Asked, answer, type Plain, type Store } from "../store.ts";
import { prepareWholePauses } from "./pauses.ts";
import { groupParts, type PartOfPost, toRow } from "./row-builder.ts";
import {
  type Batch,
  lineColumns,
  partColumns,
  partNames,
  prepareParts,
  type RowColumns,
  type RowLine,
  rowColumns,
} from "./row-parts.ts";

/** What decisions are made of: the rows of posts, each batch with a handful of statements, however many there are. */
export function createRows(
  store: Store,
  numbers: Numbers,
  seenAt: PostTimes,
): Plain<Pick<Rows, "due" | "row" | "rows" | "shown">> & Carrying<"forget-look" | "mark-missing"> {
  // Without the hint SQLite would look at every post of the project, due or not.
  const selectDue = store.prepare<
    [{ project: number; now: number; after: string; limit: number }],
    RowColumns
  >(`
    SELECT ${rowColumns} FROM posts INDEXED BY posts_due JOIN post_facts ON post_facts.post = posts.number
    WHERE project = @project AND id > @after AND due_at IS NOT NULL AND due_at <= @now
      AND hash IS NOT NULL
    ORDER BY id LIMIT @limit`);
  const selectPins = preparePins(store);
  const selectPauses = prepareWholePauses(store);
  const ofAll = prepareParts<Batch>(store, "EACH NUMBER @posts AS batch");
  const wanted = "project = @project AND id IN (SELECT one.value FROM EACH TEXT @posts AS one)";
  const ofSome = prepareParts<Batch>(store, `(SELECT number AS value FROM posts WHERE ${wanted}) AS batch`);
  const selectSome = store.prepare<[Batch], RowLine>(`
    SELECT ${lineColumns} FROM posts JOIN post_facts ON post_facts.post = posts.number WHERE ${wanted} ORDER BY id`);
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
  const rows: Plain<Rows>["rows"] = (id, posts, now) =>
    numbers.ofProject(id, [], function* (project): Asked<readonly Row[]> {
      const asked: Batch = { posts: JSON.stringify(posts), project, since: now - dayMs };
      const [found, pauses, pins, ...parts] = yield* store.together([
        selectSome.all(asked),
        selectPauses.all(project),
        selectPins.all(project),
        ...partNames.map((name): Asked<PartOfPost[]> => ofSome[name].all(asked)),
      ]);
      for (const { id: post, number } of found) numbers.learn(project, post, number);
      const grouped = groupParts(pauses, pins, parts);
      return found.map((line) => toRow(line, grouped, seenAt));
    });

  return {
    due: (id, now, after, limit) =>
      numbers.ofProject(id, [], (project) =>
        store.read(function* (): Asked<readonly Row[]> {
          const found = yield* selectDue.all({ project, now, after: after ?? "", limit });
          if (found.length === 0) return [];
          for (const { id: post, number } of found) numbers.learn(project, post, number);
          const posts = JSON.stringify(found.map(({ number }) => number));
          const batch: Batch = { posts, project, since: now - dayMs };
          const hasSome = (has: keyof RowColumns): boolean => found.some((line) => line[has] === 1);
          const [pauses, pins, ...parts] = yield* store.together([
            selectPauses.all(project),
            hasSome("has_links") ? selectPins.all(project) : answer(() => []),
            ...partNames.map(
              (name): Asked<PartOfPost[]> =>
                hasSome(partColumns[name]) ? ofAll[name].all(batch) : answer(() => []),
            ),
          ]);
          const grouped = groupParts(pauses, pins, parts);
          return found.map((line) => toRow(line, grouped, seenAt));
        }),
      ),
    *row(project, post, now) {
      return (yield* rows(project, [post], now))[0];
    },
    rows,
    shown: (project, field) =>
      numbers.ofProject(project, [], function* (number): Asked<readonly string[]> {
        return (yield* shown[field].all(number)).map(({ value }) => value);
      }),
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
