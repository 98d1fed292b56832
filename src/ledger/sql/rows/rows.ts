import type { Row } from "../../../model/link.ts";
import type { PostId } from "../../../model/post.ts";
import { dayMs } from "../../../model/time.ts";
import type { Rows } from "../../rows.ts";
import type { Carrying, Queries } from "../columns/numbers.ts";
import { selectPins } from "../issues/signals.ts";
import { markedDue, named, projectOf } from "../statements.ts";
import type { Asked, Plain } from "../store.ts";
import { selectWholePauses } from "./pauses.ts";
import { groupParts, type PartOfPost, toRow } from "./row-builder.ts";
import { lineColumns, ofBatch, type RowLine, readParts } from "./row-parts.ts";

/** What decisions are made of: the rows of posts, each batch with a handful of statements, however many there are. */
export function createRows(on: Queries, seenAt: Map<number, number>) {
  const { run, all, numbers } = on;
  /** All parts of some rows at once, whichever they have: what a server costs is the message. */
  const rows: Plain<Rows>["rows"] = function* (id, wanted, now) {
    const project = yield* numbers.findProject(id);
    const posts = JSON.stringify(wanted);
    const parts = Object.entries<Asked<PartOfPost[]>>(readParts(on, project, posts, now - dayMs));
    const [found, pauses, pins, ...read] = yield* on.together([
      all<RowLine>`
        SELECT ${lineColumns} FROM posts JOIN post_facts ON post_facts.post = posts.number
        WHERE ${ofBatch(project, posts)} ORDER BY id`,
      selectWholePauses(on, project),
      selectPins(on, project),
      ...parts.map(([, part]) => part),
    ]);
    for (const { id: post, number } of found) numbers.learn(project, post, number);
    const byName = parts.map(([name], place) => [name, read[place] ?? []] as const);
    const grouped = groupParts(pauses, pins, byName);
    return found.map((line) => toRow(line, grouped, seenAt));
  };

  return {
    *due(id, now, after, limit) {
      const project = yield* numbers.findProject(id);
      return yield* on.read(function* (): Asked<readonly Row[]> {
        // Without the hint SQLite would look at every post of the project, due or not.
        const found = yield* all<{ id: PostId }>`
          SELECT id FROM posts INDEXED BY posts_due
          WHERE project = ${project} AND id > ${after ?? ""} AND due_at IS NOT NULL AND due_at <= ${now} AND hash IS NOT NULL
          ORDER BY id LIMIT ${limit}`;
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
      const column = named(field === "status" ? "status" : "category");
      const found = yield* all<{ value: string }>`
        SELECT ${column} AS value FROM posts JOIN post_facts ON post_facts.post = posts.number
        WHERE project = ${projectOf(project)} AND missing = 0 AND hash IS NOT NULL AND ${column} IS NOT NULL
        GROUP BY ${column} ORDER BY count(*) DESC, ${column} LIMIT 1000`;
      return found.map(({ value }) => value);
    },
    changes: {
      *"forget-look"(of) {
        const [, post] = yield* numbers.place(of);
        seenAt.delete(post);
        yield* run`UPDATE posts SET seen_at = NULL WHERE number = ${post}`;
      },
      *"mark-missing"(of) {
        const [, post] = yield* numbers.place(of);
        yield* run`
          UPDATE posts SET missing = 1, missing_run = NULL, missing_since = NULL, ${markedDue}
          WHERE number = ${post} AND missing = 0`;
      },
    },
  } satisfies Partial<Plain<Rows>> & Carrying;
}
