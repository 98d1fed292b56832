import type { PostId, ProjectId } from "../../../model/post.ts";
import {
  type AuditEntry,
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
import type { Numbers } from "../columns/numbers.ts";
import { insertInto } from "../schema.ts";
import { type Asked, type Columns, fromColumns, type Plain, type Query, type Store } from "../store.ts";

/** One line for every write to either side. */
export interface Audit {
  readonly told: Plain<Omit<Journal, "open" | "recover">>;
  write(entry: AuditEntry): Asked<void>;
  /** For a write whose process ended before it could write its own line. */
  writeInterrupted(intent: Intent, message: string): Asked<void>;
  /** Of a write whose answer was lost: what has been found out about it. */
  correct(intent: IntentId, isApplied: boolean, message: string): Asked<void>;
  /** The same of a call of a tool; `post`: the post that it made, where it is known. */
  correctCall(call: CorrectedCall): Asked<void>;
}

interface CorrectedCall extends Pick<CallKey, "project" | "subject"> {
  /** As the audit calls it. */
  readonly kind: string;
  readonly isApplied: boolean;
  readonly message: string;
  readonly post: PostId | undefined;
}

/** A line as it is read. */
type Found<Line> = Columns<Line> & { readonly fields: string };

/** Writes and reads audit lines. */
export function createAudit(store: Store, numbers: Numbers): Audit {
  const insert = store.prepare<[ReturnType<typeof fromEntry>]>(insertInto("audit"));
  const columns = `at, run, side, board_projects.id AS project, posts.id AS post, kind, fields,
    repository AS "issue.repository", issue AS "issue.number", audit.reason AS reason, message,
    is_approved AS "isApproved", audit.voters AS voters, subject`;
  const joined = `audit JOIN board_projects ON board_projects.number = audit.project
    LEFT JOIN posts ON posts.number = audit.post`;
  const newestFirst = "ORDER BY audit.at DESC, audit.number DESC LIMIT ?";
  const selectOfProject = store.prepare<[number, number], Found<AuditEntry>>(
    `SELECT ${columns}, outcome FROM ${joined} WHERE audit.project = ? ${newestFirst}`,
  );
  const selectOfPost = store.prepare<[number, number], Found<AuditEntry>>(
    `SELECT ${columns}, outcome FROM ${joined} WHERE audit.post = ? ${newestFirst}`,
  );
  const countStatus = store.prepare<[string, number], { count: number }>(`
    SELECT count(*) AS count FROM audit WHERE project = (SELECT number FROM board_projects WHERE id = ?)
      AND is_status = 1 AND at >= ? AND is_approved = 0`);
  const selectTold = store.prepare<[number], { at: number | null }>(
    "SELECT max(at) AS at FROM audit WHERE post = ? AND is_status = 1",
  );
  // Of a request that was made twice nobody can tell which of the two took effect.
  const selectWrites = store.prepare<[number], Found<RunWrite>>(`
    SELECT ${columns},
      coalesce((SELECT intents.repository FROM intents WHERE intents.id = audit.intent),
        (SELECT repositories.id FROM repositories WHERE lower(repositories.current_name) = lower(audit.repository)))
        AS repository,
      CASE WHEN EXISTS (SELECT 1 FROM intents WHERE intents.id = audit.intent AND intents.state = 'DONE'
        AND intents.attempts = 1) THEN 'applied' ELSE outcome END AS outcome
    FROM ${joined} WHERE run = ? AND outcome IN ('applied', 'unknown') ORDER BY audit.number`);
  // What was in doubt counts from when it was found out.
  const selectDoneSince = store.prepare<[{ project: ProjectId; since: number }], DoneSince>(`
    SELECT count(*) FILTER (WHERE audit.kind = 'create-issue') AS opened, count(*) FILTER (WHERE is_status = 1) AS told,
      coalesce(sum(audit.voters) FILTER (WHERE is_status = 1), 0) AS known,
      count(*) FILTER (WHERE is_status = 1 AND audit.voters IS NULL) AS unknown
    FROM audit LEFT JOIN intents ON intents.id = audit.intent
    WHERE audit.project = (SELECT number FROM board_projects WHERE id = @project) AND outcome = 'applied'
      AND (audit.at > @since OR (unknown_at IS NOT NULL AND ended_at > @since))`);
  const selectDone = store.prepare<
    [{ post: number; kind: string; signature: string; since: number }],
    { run: number }
  >(`
    SELECT audit.run AS run FROM audit JOIN intents ON intents.id = audit.intent
    WHERE audit.post = @post AND audit.at >= @since AND outcome = 'applied'
      AND intents.kind = @kind AND intents.signature = @signature ORDER BY audit.number LIMIT 1`);
  const selectName = store.prepare<[number], { current_name: string }>(
    "SELECT current_name FROM repositories WHERE id = ?",
  );
  // Only one request of an intent can be in doubt at a time.
  const correct = store.prepare<[{ intent: number; outcome: string; isNotified: number; message: string }]>(`
    UPDATE audit SET outcome = @outcome, message = @message, is_status = is_status * @isNotified
    WHERE post = (SELECT post FROM intents WHERE id = @intent AND unknown_at IS NOT NULL)
      AND intent = @intent AND outcome = 'unknown'`);
  const correctCall = store.prepare<
    [Omit<CorrectedCall, "project" | "post"> & { project: number; outcome: string; post: number | undefined }]
  >(`
    UPDATE audit SET outcome = @outcome, message = @message, post = coalesce(@post, post)
    WHERE project = @project AND kind = @kind AND subject = @subject AND outcome = 'unknown'`);
  function* write(entry: AuditEntry): Asked<void> {
    const project = yield* numbers.project(entry.project);
    const post = entry.post === undefined ? undefined : yield* numbers.post(project, entry.post);
    yield* insert.run(fromEntry(entry, project, post));
  }
  return {
    write,
    *writeInterrupted(intent, message) {
      const { repository } = intent;
      const name = repository === undefined ? undefined : yield* selectName.get(repository);
      yield* write({
        at: intent.sentAt ?? intent.at,
        run: intent.run,
        side: intent.kind === "patch-post" || intent.kind === "patch-note" ? "board" : "tracker",
        project: intent.project,
        post: intent.post,
        issue:
          name === undefined || intent.number === undefined
            ? undefined
            : { repository: name.current_name, number: intent.number },
        kind: intent.kind,
        intent: intent.id,
        fields: (intent.writes ?? intent.issueWrites ?? []).map(pickField),
        reason: intent.reason,
        outcome: "unknown",
        message,
        isApproved: false,
        ...(intent.voters !== undefined && { voters: intent.voters }),
      });
    },
    correct: (intent, isApplied, message) =>
      correct.run({ intent, outcome: outcomeOf(isApplied), isNotified: Number(isApplied), message }),
    *correctCall(call) {
      const project = yield* numbers.project(call.project);
      const post = call.post === undefined ? undefined : yield* numbers.post(project, call.post);
      yield* correctCall.run({ ...call, project, outcome: outcomeOf(call.isApplied), post });
    },
    told: {
      *history(id, post, limit) {
        const project = yield* numbers.findProject(id);
        const found =
          post === undefined
            ? yield* selectOfProject.all(project, limit)
            : yield* selectOfPost.all(yield* numbers.findPost(project, post), limit);
        return found.map(toEntry);
      },
      *statusWrites(project, since) {
        return (yield* countStatus.get(project, since))?.count ?? 0;
      },
      *lastTold(project, post) {
        const row = yield* numbers.findPost(yield* numbers.findProject(project), post);
        return (yield* selectTold.get(row))?.at ?? undefined;
      },
      *doneSince(project, since) {
        return (
          (yield* selectDoneSince.get({ project, since })) ?? { opened: 0, told: 0, known: 0, unknown: 0 }
        );
      },
      *doneBy({ project, post: id, kind, signature }, since) {
        const post = yield* numbers.findPost(yield* numbers.findProject(project), id);
        return (yield* selectDone.get({ post, kind, signature, since }))?.run;
      },
      *writesOf(run) {
        return (yield* selectWrites.all(run)).map(toEntry);
      },
    },
  };
}

/** The outcome of what was under way when its process ended. */
export const interrupted = "The process ended before the answer came.";

/**
 * What was SENT for some projects has an unknown outcome. Returns how many there were.
 *
 * @param select - by the projects' ids as JSON.
 */
export function* recoverSent<Sent>(
  store: Store,
  select: Query<[projects: string], Sent>,
  projects: readonly ProjectId[],
  settle: (sent: Sent) => Asked<void>,
): Asked<number> {
  const wanted = JSON.stringify(projects);
  // Nearly always nothing was under way.
  if ((yield* select.all(wanted)).length === 0) return 0;
  return yield* store.transaction(function* () {
    const sent = yield* select.all(wanted);
    for (const one of sent) yield* settle(one);
    return sent.length;
  });
}

type AuditField = AuditEntry["fields"][number];

function pickField({
  field,
  before,
  value,
}: {
  field: string;
  before?: AuditField["value"] | undefined;
  value: AuditField["value"];
}): AuditField {
  return before === undefined ? { field, value } : { field, before, value };
}

function outcomeOf(isApplied: boolean): AuditEntry["outcome"] {
  return isApplied ? "applied" : "not-applied";
}

function fromEntry(entry: AuditEntry, project: number, post: number | undefined) {
  const { intent, issue, fields, voters, subject } = entry;
  return {
    ...entry,
    ...{ project, post, intent, voters, subject },
    repository: issue?.repository,
    issue: issue?.number,
    fields: JSON.stringify(fields.map(pickField)),
    is_approved: Number(entry.isApproved),
    is_status: Number(isNotified(entry)),
  };
}

const readFields = stored("audit.fields", auditFieldsShape);

function toEntry<Line extends AuditEntry | RunWrite>(found: Found<Line>): Line {
  return { ...fromColumns(found), fields: readFields(found.fields) };
}
