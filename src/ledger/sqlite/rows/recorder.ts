import type { IssueField } from "../../../model/issue.ts";
import type { Parked, RowNote } from "../../../model/link.ts";
import { type PostId, ruleFields } from "../../../model/post.ts";
import type { RowRecord } from "../../rows.ts";
import { type BaseColumns, encodeBase, encodeIssueBase, type IssueBaseColumns } from "../columns/bases.ts";
import type { Store } from "../file/store.ts";
import { createNoteWriter } from "./notes.ts";

/** What is written about rows, by the numbers of project and post. */
export interface Recorder {
  record(project: number, post: number, record: RowRecord): void;
  noteAction(
    project: number,
    post: number,
    action: Required<RowNote>["action"],
    notes: readonly RowNote[],
  ): void;
  setBases(post: number, bases: Pick<RowRecord, "base" | "issueBases">): void;
  markDue(project: number, which: "all" | "linked" | readonly PostId[]): void;
  park(project: number, post: number, parked: Parked): void;
  unpark(post: number, kind: Parked["kind"] | undefined): void;
}

/** In `posts.due_at`: due whatever the time is. */
const dueAtOnce = 0;

/** Writes decisions, and what has to be decided again. */
export function createRecorder(store: Store): Recorder {
  const writeStanding = store.prepare<[{ post: number; kind: string; reason: string; dueAt: number | null }]>(
    `UPDATE posts SET standing = @kind, reason = @reason, due_at = @dueAt WHERE number = @post
      AND (standing IS NOT @kind OR reason IS NOT @reason OR due_at IS NOT @dueAt)`,
  );
  const writeBase = store.prepare<[BaseColumns]>(`
    INSERT OR REPLACE INTO bases
      (post, field, target, post_value, foreign_value, written_sent, written_shown, pending_target, pending_since,
        ruled_from, ruled_since, is_echo)
    VALUES (@post, @field, @target, @post_value, @foreign_value, @written_sent, @written_shown, @pending_target,
      @pending_since, @ruled_from, @ruled_since, @is_echo)`);
  const writeIssueBase = store.prepare<[IssueBaseColumns]>(`
    INSERT OR REPLACE INTO issue_bases
      (post, repository, number, field, target, shown_value, foreign_value, written_sent, written_shown, pending_target,
        pending_since)
    VALUES (@post, @repository, @number, @field, @target, @shown_value, @foreign_value, @written_sent, @written_shown,
      @pending_target, @pending_since)`);
  const markDue = store.prepare<[number]>("UPDATE posts SET due_at = 0 WHERE number = ?");
  const writer = createNoteWriter(store);
  const markAll = store.prepare<[number]>(
    "UPDATE posts SET due_at = 0 WHERE project = ? AND due_at IS NOT 0",
  );
  const markLinked = store.prepare<[number]>(
    "UPDATE posts SET due_at = 0 WHERE number IN (SELECT post FROM links WHERE project = ?) AND due_at IS NOT 0",
  );
  const markOne = store.prepare<[number, string]>("UPDATE posts SET due_at = 0 WHERE project = ? AND id = ?");
  const writeParked = store.prepare<[Parked & { project: number; post: number }]>(`
    INSERT OR REPLACE INTO parked (project, post, kind, code, message, since, signature)
    VALUES (@project, @post, @kind, @code, @message, @since, @signature)`);
  const deleteParked = store.prepare<[{ post: number; kind: string | null }]>(
    "DELETE FROM parked WHERE post = @post AND (@kind IS NULL OR kind = @kind)",
  );
  const writeBases = (
    post: number,
    { base, issueBases = [] }: Pick<RowRecord, "base" | "issueBases">,
  ): void => {
    for (const field of ruleFields) {
      const fieldBase = base[field];
      if (fieldBase !== undefined) writeBase.run(encodeBase(post, field, fieldBase));
    }
    for (const { issue, base: bases } of issueBases) {
      for (const [field, fieldBase] of Object.entries(bases)) {
        if (fieldBase !== undefined)
          writeIssueBase.run(encodeIssueBase(post, issue, field as IssueField, fieldBase));
      }
    }
  };
  return {
    record(project, post, { standing, notes, due, ...bases }) {
      const dueAt = due === "now" ? dueAtOnce : (due ?? null);
      writeStanding.run({ post, kind: standing.kind, reason: standing.reason, dueAt });
      writeBases(post, bases);
      writer.replace(project, post, notes);
    },
    noteAction: (project, post, action, notes) => writer.replaceOf(project, post, action, notes),
    setBases(post, bases) {
      writeBases(post, bases);
      markDue.run(post);
    },
    markDue(project, which) {
      if (which === "all") markAll.run(project);
      else if (which === "linked") markLinked.run(project);
      else for (const id of which) markOne.run(project, id);
    },
    park(project, post, { kind, code, message, since, signature }) {
      writeParked.run({ project, post, kind, code, message, since, signature });
    },
    unpark(post, kind) {
      deleteParked.run({ post, kind: kind ?? null });
    },
  };
}
