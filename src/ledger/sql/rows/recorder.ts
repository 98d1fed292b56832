import type { IssueField } from "../../../model/issue.ts";
import { ruleFields } from "../../../model/post.ts";
import type { RowRecord } from "../../rows.ts";
import { type BaseColumns, encodeBase, encodeIssueBase } from "../columns/bases.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import { prepareNamesakes } from "../issues/links.ts";
import { upsert } from "../schema.ts";
import type { Asked, Store } from "../store.ts";
import { createNoteWriter, type NoteWriter } from "./notes.ts";

/** In `posts.due_at`: due whatever the time is. */
const dueAtOnce = 0;

/** Writes decisions, and what has to be decided again. */
export function createRecorder(
  store: Store,
  numbers: Numbers,
): Pick<NoteWriter, "standing"> &
  Carrying<"record-row" | "note-action" | "set-bases" | "mark-due" | "park" | "unpark" | "release"> {
  const writeStanding = store.prepare<[{ post: number; kind: string; reason: string; dueAt: number | null }]>(
    `UPDATE posts SET standing = @kind, reason = @reason, due_at = @dueAt WHERE number = @post
      AND (standing IS DISTINCT FROM @kind OR reason IS DISTINCT FROM @reason OR due_at IS DISTINCT FROM @dueAt)`,
  );
  const writeBase = store.prepare<[BaseColumns]>(upsert("bases", ["post", "field"]));
  const writeIssueBase = store.prepare<[ReturnType<typeof encodeIssueBase>]>(
    upsert("issue_bases", ["post", "repository", "number", "field"]),
  );
  const markDue = store.prepare<[number]>("UPDATE posts SET due_at = 0 WHERE number = ?");
  const notes = createNoteWriter(store, numbers);
  const markAll = store.prepare<[number]>(
    "UPDATE posts SET due_at = 0 WHERE project = ? AND due_at IS DISTINCT FROM 0",
  );
  const markLinked = store.prepare<[number]>(
    "UPDATE posts SET due_at = 0 WHERE number IN (SELECT post FROM links WHERE project = ?) AND due_at IS DISTINCT FROM 0",
  );
  const markOne = store.prepare<[number, string]>("UPDATE posts SET due_at = 0 WHERE project = ? AND id = ?");
  const markNamesakes = prepareNamesakes<[number, string]>(store, "here.project = ? AND here.id = ?");
  const release = store.prepare<[number, number]>("UPDATE posts SET released_at = ? WHERE number = ?");
  const endQuarantine = store.prepare<[number]>("DELETE FROM notes WHERE post = ? AND kind = 'quarantined'");
  function* writeBases(
    post: number,
    { base, issueBases = [] }: Pick<RowRecord, "base" | "issueBases">,
  ): Asked<void> {
    for (const field of ruleFields) {
      const fieldBase = base[field];
      if (fieldBase !== undefined) yield* writeBase.run(encodeBase(post, field, fieldBase));
    }
    for (const { issue, base: bases } of issueBases) {
      for (const [field, fieldBase] of Object.entries(bases)) {
        if (fieldBase !== undefined)
          yield* writeIssueBase.run(encodeIssueBase(post, issue, field as IssueField, fieldBase));
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
        yield* writeStanding.run({ post, kind, reason, dueAt });
        yield* writeBases(post, record);
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
