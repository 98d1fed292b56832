import type { PostId } from "../../../model/post.ts";
import {
  type AuditEntry,
  auditKinds,
  type CallKey,
  type DoneSince,
  type Intent,
  type IntentId,
  isNotified,
  type Journal,
  type RunWrite,
} from "../../journal.ts";
import { auditFieldsShape } from "../../shapes.ts";
import { stored } from "../../stored.ts";
import type { Queries } from "../columns/numbers.ts";
import { into, postOf, projectOf, sql } from "../statements.ts";
import type { Asked, Plain } from "../store.ts";

export type Audit = ReturnType<typeof createAudit>;

/** A line as it is read. */
type Found<Line> = Omit<Line, "fields"> & { readonly fields: string };

/** Writes and reads audit lines: one for every write to either side. */
export function createAudit({ run, get, all, numbers }: Queries) {
  const columns = sql`at, run, side, board_projects.id AS project, posts.id AS post, kind, fields,
    repository AS "issue.repository", issue AS "issue.number", audit.reason AS reason, message,
    is_approved, audit.voters AS voters, subject`;
  const joined = sql`audit JOIN board_projects ON board_projects.number = audit.project
    LEFT JOIN posts ON posts.number = audit.post`;
  function* write(entry: AuditEntry): Asked<void> {
    const project = yield* numbers.project(entry.project);
    const post = entry.post === undefined ? undefined : yield* numbers.post(project, entry.post);
    yield* run`${into("audit", fromEntry(entry, project, post))}`;
  }
  return {
    write,
    /** For a write whose process ended before it could write its own line. */
    *writeInterrupted(intent: Intent, message: string) {
      const { repository } = intent;
      const name = yield* get<{ currentName: string }>`
        SELECT current_name FROM repositories WHERE id = ${repository}`;
      yield* write({
        at: intent.sentAt ?? intent.at,
        run: intent.run,
        side: intent.kind === "patch-post" || intent.kind === "patch-note" ? "board" : "tracker",
        project: intent.project,
        post: intent.post,
        issue:
          name === undefined || intent.number === undefined
            ? undefined
            : { repository: name.currentName, number: intent.number },
        kind: intent.kind,
        intent: intent.id,
        fields: intent.writes ?? intent.issueWrites ?? [],
        reason: intent.reason,
        outcome: "unknown",
        message,
        isApproved: false,
        ...(intent.voters !== undefined && { voters: intent.voters }),
      });
    },
    /** Of a write whose answer was lost, what has been found out about it: only one request of an intent can be in doubt at a time. */
    correct: (intent: IntentId, isApplied: boolean, message: string) => run`
      UPDATE audit SET outcome = ${outcomeOf(isApplied)}, message = ${message}, is_status = is_status * ${isApplied}
      WHERE post = (SELECT post FROM intents WHERE id = ${intent} AND unknown_at IS NOT NULL)
        AND intent = ${intent} AND outcome = 'unknown'`,
    /** The same of a call of a tool; `id` is that of the post that it made, where it is known. */
    *correctCall(key: CallKey, isApplied: boolean, message: string, id: PostId | undefined) {
      const project = yield* numbers.project(key.project);
      const post = id === undefined ? undefined : yield* numbers.post(project, id);
      yield* run`
        UPDATE audit SET outcome = ${outcomeOf(isApplied)}, message = ${message}, post = coalesce(${post}, post)
        WHERE project = ${project} AND kind = ${auditKinds[key.purpose]} AND subject = ${key.subject} AND outcome = 'unknown'`;
    },
    told: {
      *history(id, post, limit) {
        const which =
          post === undefined ? sql`audit.project = ${projectOf(id)}` : sql`audit.post = ${postOf(id, post)}`;
        const found = yield* all<Found<AuditEntry>>`
          SELECT ${columns}, outcome FROM ${joined} WHERE ${which}
          ORDER BY audit.at DESC, audit.number DESC LIMIT ${limit}`;
        return found.map(toEntry<AuditEntry>);
      },
      *statusWrites(project, since) {
        const found = yield* get<{ count: number }>`
          SELECT count(*) AS count FROM audit WHERE project = ${projectOf(project)}
            AND is_status = 1 AND at >= ${since} AND is_approved = 0`;
        return found?.count ?? 0;
      },
      *lastTold(project, post) {
        const found = yield* get<{ at?: number }>`
          SELECT max(at) AS at FROM audit WHERE post = ${postOf(project, post)} AND is_status = 1`;
        return found?.at;
      },
      *doneSince(project, since) {
        // What was in doubt counts from when it was found out.
        const found = yield* get<DoneSince>`
          SELECT count(*) FILTER (WHERE audit.kind = 'create-issue') AS opened,
            count(*) FILTER (WHERE is_status = 1) AS told,
            coalesce(sum(audit.voters) FILTER (WHERE is_status = 1), 0) AS known,
            count(*) FILTER (WHERE is_status = 1 AND audit.voters IS NULL) AS unknown
          FROM audit LEFT JOIN intents ON intents.id = audit.intent
          WHERE audit.project = ${projectOf(project)} AND outcome = 'applied'
            AND (audit.at > ${since} OR (unknown_at IS NOT NULL AND ended_at > ${since}))`;
        return found ?? { opened: 0, told: 0, known: 0, unknown: 0 };
      },
      *doneBy({ project, post, kind, signature }, since) {
        const found = yield* get<{ run: number }>`
          SELECT audit.run AS run FROM audit JOIN intents ON intents.id = audit.intent
          WHERE audit.post = ${postOf(project, post)} AND audit.at >= ${since} AND outcome = 'applied'
            AND intents.kind = ${kind} AND intents.signature = ${signature} ORDER BY audit.number LIMIT 1`;
        return found?.run;
      },
      *writesOf(number) {
        // Of a request that was made twice nobody can tell which of the two took effect.
        const found = yield* all<Found<RunWrite>>`
          SELECT ${columns},
            coalesce((SELECT intents.repository FROM intents WHERE intents.id = audit.intent),
              (SELECT repositories.id FROM repositories WHERE lower(repositories.current_name) = lower(audit.repository)))
              AS repository,
            CASE WHEN EXISTS (SELECT 1 FROM intents WHERE intents.id = audit.intent AND intents.state = 'DONE'
              AND intents.attempts = 1) THEN 'applied' ELSE outcome END AS outcome
          FROM ${joined} WHERE run = ${number} AND outcome IN ('applied', 'unknown') ORDER BY audit.number`;
        return found.map(toEntry<RunWrite>);
      },
    } satisfies Plain<Omit<Journal, "open" | "recover">>,
  };
}

/** The outcome of what was under way when its process ended. */
export const interrupted = "The process ended before the answer came.";

function outcomeOf(isApplied: boolean): AuditEntry["outcome"] {
  return isApplied ? "applied" : "not-applied";
}

function fromEntry(entry: AuditEntry, project: number, post: number | undefined) {
  const { at, run, side, intent, issue, kind, reason, outcome, message, voters, subject } = entry;
  return {
    at,
    run,
    side,
    project,
    post,
    intent,
    kind,
    reason,
    outcome,
    message,
    voters,
    subject,
    repository: issue?.repository,
    issue: issue?.number,
    isApproved: entry.isApproved,
    // Of a field that was unseen JSON leaves `before` out.
    fields: entry.fields.map(({ field, before, value }) => ({ field, before, value })),
    isStatus: isNotified(entry),
  };
}

const readFields = stored("audit.fields", auditFieldsShape);

function toEntry<Line extends AuditEntry | RunWrite>(found: Found<Line>) {
  return { ...found, fields: readFields(found.fields) };
}
