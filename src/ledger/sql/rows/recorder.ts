import { ruleFields } from "../../../model/post.ts";
import type { RowRecord } from "../../rows.ts";
import { encodeBase, encodeIssueBase } from "../columns/bases.ts";
import type { Changes, Queries } from "../columns/numbers.ts";
import { createNamesakeMarker } from "../issues/links.ts";
import { markedDue, type Part, sql } from "../statements.ts";
import type { Asked } from "../store.ts";
import { createNoteWriter } from "./notes.ts";

/** In `posts.due_at`: due whatever the time is. */
const dueAtOnce = 0;

/** That a post was not marked since a decision; where no mark is given that does not matter. */
function isUnmarked(mark: number | null | undefined): Part {
  return mark === undefined ? sql`true` : sql`due_at IS NOT DISTINCT FROM ${mark}`;
}

/** Writes decisions, and what has to be decided again. */
export function createRecorder(on: Queries) {
  const { run, upsert, numbers } = on;
  const notes = createNoteWriter(on);
  const markNamesakes = createNamesakeMarker(on);
  const markDue = (which: Part) => run`UPDATE posts SET ${markedDue} WHERE ${which}`;
  function* writeBases(
    post: number,
    { base, issueBases = [], mark }: Pick<RowRecord, "base" | "issueBases" | "mark">,
  ): Asked<void> {
    const unmarked = sql`FROM posts WHERE number = ${post} AND ${isUnmarked(mark)}`;
    for (const field of ruleFields) {
      const one = base[field];
      if (one !== undefined)
        yield* upsert("bases", ["post", "field"], encodeBase(post, field, one), unmarked);
    }
    for (const { issue, base: bases } of issueBases) {
      for (const [field, one] of Object.entries(bases)) {
        if (one === undefined) continue;
        const encoded = encodeIssueBase(post, issue, field, one);
        yield* upsert("issue_bases", ["post", "repository", "number", "field"], encoded, unmarked);
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
        yield* run`
          UPDATE posts SET standing = ${kind}, reason = ${reason},
            due_at = CASE WHEN ${isUnmarked(record.mark)} THEN ${dueAt} ELSE due_at END
          WHERE number = ${post} AND (standing IS DISTINCT FROM ${kind} OR reason IS DISTINCT FROM ${reason}
            OR due_at IS DISTINCT FROM ${dueAt})`;
        yield* notes.replace(project, post, record.notes, standing?.get(post));
      },
      *"set-bases"({ bases, ...of }) {
        const [, post] = yield* numbers.place(of);
        yield* writeBases(post, bases);
        yield* markDue(sql`number = ${post}`);
      },
      *release({ at, ...of }) {
        const [, post] = yield* numbers.place(of);
        yield* run`DELETE FROM notes WHERE post = ${post} AND kind = 'quarantined'`;
        yield* run`UPDATE posts SET released_at = ${at} WHERE number = ${post}`;
      },
      *"mark-due"({ project: id, which }) {
        const project = yield* numbers.project(id);
        if (which === "all") return yield* markDue(sql`project = ${project}`);
        if (which === "linked")
          return yield* markDue(sql`number IN (SELECT post FROM links WHERE project = ${project})`);
        for (const post of which) {
          yield* markDue(sql`project = ${project} AND id = ${post}`);
          yield* markNamesakes(sql`here.project = ${project} AND here.id = ${post}`);
        }
      },
    } satisfies Partial<Changes>,
  };
}
