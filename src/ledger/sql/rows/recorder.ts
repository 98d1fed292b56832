import type { IssueField } from "../../../model/issue.ts";
import type { Parked, RowNote } from "../../../model/link.ts";
import { type PostId, ruleFields } from "../../../model/post.ts";
import type { RowRecord } from "../../rows.ts";
import { type BaseColumns, encodeBase, encodeIssueBase, type IssueBaseColumns } from "../columns/bases.ts";
import type { NoteColumns, StandingNotes } from "../columns/notes.ts";
import { prepareNamesakes } from "../issues/links.ts";
import type { Asked, Store } from "../store.ts";
import { createNoteWriter } from "./notes.ts";

/** What is written about rows, by the numbers of project and post. */
export interface Recorder {
  /** @param notes - those that stand, where they have been read with other posts'. */
  record(
    project: number,
    post: number,
    record: RowRecord,
    notes: readonly NoteColumns[] | undefined,
  ): Asked<void>;
  readNotes(posts: readonly number[]): Asked<StandingNotes>;
  noteAction(
    project: number,
    post: number,
    action: Required<RowNote>["action"],
    notes: readonly RowNote[],
  ): Asked<void>;
  setBases(post: number, bases: Pick<RowRecord, "base" | "issueBases">): Asked<void>;
  markDue(project: number, which: "all" | "linked" | readonly PostId[]): Asked<void>;
  park(project: number, post: number, parked: Parked): Asked<void>;
  unpark(post: number, kind?: Parked["action"]["kind"], cause?: Parked["cause"]): Asked<void>;
}

/** In `posts.due_at`: due whatever the time is. */
const dueAtOnce = 0;

/** Writes decisions, and what has to be decided again. */
export function createRecorder(store: Store): Recorder {
  const writeStanding = store.prepare<[{ post: number; kind: string; reason: string; dueAt: number | null }]>(
    `UPDATE posts SET standing = @kind, reason = @reason, due_at = @dueAt WHERE number = @post
      AND (standing IS DISTINCT FROM @kind OR reason IS DISTINCT FROM @reason OR due_at IS DISTINCT FROM @dueAt)`,
  );
  const writeBase = store.prepare<[BaseColumns]>(`
    INSERT INTO bases
      (post, field, target, post_value, foreign_value, written_sent, written_shown, pending_target, pending_since,
        ruled_from, ruled_since, is_echo)
    VALUES (@post, @field, @target, @post_value, @foreign_value, @written_sent, @written_shown, @pending_target,
      @pending_since, @ruled_from, @ruled_since, @is_echo)
    ON CONFLICT (post, field) DO UPDATE SET target = excluded.target, post_value = excluded.post_value,
      foreign_value = excluded.foreign_value, written_sent = excluded.written_sent,
      written_shown = excluded.written_shown, pending_target = excluded.pending_target,
      pending_since = excluded.pending_since, ruled_from = excluded.ruled_from, ruled_since = excluded.ruled_since,
      is_echo = excluded.is_echo`);
  const writeIssueBase = store.prepare<[IssueBaseColumns]>(`
    INSERT INTO issue_bases
      (post, repository, number, field, target, shown_value, foreign_value, written_sent, written_shown, pending_target,
        pending_since)
    VALUES (@post, @repository, @number, @field, @target, @shown_value, @foreign_value, @written_sent, @written_shown,
      @pending_target, @pending_since)
    ON CONFLICT (post, repository, number, field) DO UPDATE SET target = excluded.target,
      shown_value = excluded.shown_value, foreign_value = excluded.foreign_value,
      written_sent = excluded.written_sent, written_shown = excluded.written_shown,
      pending_target = excluded.pending_target, pending_since = excluded.pending_since`);
  const markDue = store.prepare<[number]>("UPDATE posts SET due_at = 0 WHERE number = ?");
  const writer = createNoteWriter(store);
  const markAll = store.prepare<[number]>(
    "UPDATE posts SET due_at = 0 WHERE project = ? AND due_at IS DISTINCT FROM 0",
  );
  const markLinked = store.prepare<[number]>(
    "UPDATE posts SET due_at = 0 WHERE number IN (SELECT post FROM links WHERE project = ?) AND due_at IS DISTINCT FROM 0",
  );
  const markOne = store.prepare<[number, string]>("UPDATE posts SET due_at = 0 WHERE project = ? AND id = ?");
  const markNamesakes = prepareNamesakes<[number, string]>(store, "here.project = ? AND here.id = ?");
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
    readNotes: writer.read,
    *record(project, post, { standing, notes, due, ...bases }, standingNotes) {
      const dueAt = due === "now" ? dueAtOnce : (due ?? null);
      yield* writeStanding.run({ post, kind: standing.kind, reason: standing.reason, dueAt });
      yield* writeBases(post, bases);
      yield* writer.replace(project, post, notes, standingNotes);
    },
    noteAction: (project, post, action, notes) => writer.replaceOf(project, post, action, notes),
    *setBases(post, bases) {
      yield* writeBases(post, bases);
      yield* markDue.run(post);
    },
    *markDue(project, which) {
      if (which === "all") yield* markAll.run(project);
      else if (which === "linked") yield* markLinked.run(project);
      else {
        for (const id of which) {
          yield* markOne.run(project, id);
          yield* markNamesakes.run(project, id);
        }
      }
    },
    park: writer.park,
    unpark: writer.unpark,
  };
}
