import type { IssueField } from "../../../model/issue.ts";
import { ruleFields } from "../../../model/post.ts";
import type { RowRecord } from "../../rows.ts";
import { type BaseColumns, encodeBase, encodeIssueBase } from "../columns/bases.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import { prepareNamesakes } from "../issues/links.ts";
import { markedDue, upsert } from "../schema.ts";
import type { Asked, Store } from "../store.ts";
import { createNoteWriter, type NoteWriter } from "./notes.ts";

/** In `posts.due_at`: due whatever the time is. */
const dueAtOnce = 0;

/** By which mark a decision was made; `isAny` where that does not matter. */
interface Marked {
  readonly mark: number | null;
  readonly isAny: number;
}

function markedAs(mark: number | null | undefined): Marked {
  return { mark: mark ?? null, isAny: Number(mark === undefined) };
}

const isUnmarked = "(@isAny = 1 OR due_at IS NOT DISTINCT FROM @mark)";

/** The same statement, for a post that was not marked since. */
function unlessMarked(insert: string): string {
  const [into = "", values = ""] = insert.split(" VALUES ");
  const [row = "", conflict = ""] = values.split(" ON CONFLICT ");
  return `${into} SELECT ${row.slice(1, -1)} FROM posts WHERE number = @post AND ${isUnmarked} ON CONFLICT ${conflict}`;
}

/** Writes decisions, and what has to be decided again. */
export function createRecorder(
  store: Store,
  numbers: Numbers,
): Pick<NoteWriter, "standing"> &
  Carrying<"record-row" | "note-action" | "set-bases" | "mark-due" | "park" | "unpark" | "release"> {
  const writeStanding = store.prepare<
    [Marked & { post: number; kind: string; reason: string; dueAt: number | null }]
  >(
    `UPDATE posts SET standing = @kind, reason = @reason, due_at = CASE WHEN ${isUnmarked} THEN @dueAt ELSE due_at END
      WHERE number = @post
      AND (standing IS DISTINCT FROM @kind OR reason IS DISTINCT FROM @reason OR due_at IS DISTINCT FROM @dueAt)`,
  );
  const writeBase = store.prepare<[BaseColumns & Marked]>(unlessMarked(upsert("bases", ["post", "field"])));
  const writeIssueBase = store.prepare<[ReturnType<typeof encodeIssueBase> & Marked]>(
    unlessMarked(upsert("issue_bases", ["post", "repository", "number", "field"])),
  );
  const markDue = store.prepare<[number]>(`UPDATE posts SET ${markedDue} WHERE number = ?`);
  const notes = createNoteWriter(store, numbers);
  const markAll = store.prepare<[number]>(`UPDATE posts SET ${markedDue} WHERE project = ?`);
  const markLinked = store.prepare<[number]>(
    `UPDATE posts SET ${markedDue} WHERE number IN (SELECT post FROM links WHERE project = ?)`,
  );
  const markOne = store.prepare<[number, string]>(
    `UPDATE posts SET ${markedDue} WHERE project = ? AND id = ?`,
  );
  const markNamesakes = prepareNamesakes<[number, string]>(store, "here.project = ? AND here.id = ?");
  const release = store.prepare<[number, number]>("UPDATE posts SET released_at = ? WHERE number = ?");
  const endQuarantine = store.prepare<[number]>("DELETE FROM notes WHERE post = ? AND kind = 'quarantined'");
  function* writeBases(
    post: number,
    { base, issueBases = [], mark }: Pick<RowRecord, "base" | "issueBases" | "mark">,
  ): Asked<void> {
    const marked = markedAs(mark);
    for (const field of ruleFields) {
      const fieldBase = base[field];
      if (fieldBase !== undefined) yield* writeBase.run({ ...encodeBase(post, field, fieldBase), ...marked });
    }
    for (const { issue, base: bases } of issueBases) {
      for (const [field, fieldBase] of Object.entries(bases)) {
        if (fieldBase !== undefined)
          yield* writeIssueBase.run({
            ...encodeIssueBase(post, issue, field as IssueField, fieldBase),
            ...marked,
          });
      }
    }
  }
  return {
    standing: notes.standing,
    changes: {
      ...notes.changes,
      *"record-row"(
        {
          record: {
            standing: { kind, reason },
            due,
            ...record
          },
          ...of
        },
        standing,
      ) {
        const [project, post] = yield* numbers.place(of);
        const dueAt = due === "now" ? dueAtOnce : (due ?? null);
        yield* writeBases(post, record);
        yield* writeStanding.run({ post, kind, reason, dueAt, ...markedAs(record.mark) });
        yield* notes.replace(project, post, record.notes, standing?.get(post));
      },
      *"set-bases"({ bases, ...of }) {
        const [, post] = yield* numbers.place(of);
        yield* writeBases(post, bases);
        yield* markDue.run(post);
      },
      *release({ at, ...of }) {
        const [, post] = yield* numbers.place(of);
        yield* endQuarantine.run(post);
        yield* release.run(at, post);
      },
      *"mark-due"({ project: id, which }) {
        const project = yield* numbers.project(id);
        if (which === "all") yield* markAll.run(project);
        else if (which === "linked") yield* markLinked.run(project);
        else {
          for (const post of which) {
            yield* markOne.run(project, post);
            yield* markNamesakes.run(project, post);
          }
        }
      },
    },
  };
}
