import type { PostId, ProjectId } from "../../../model/post.ts";
import {
  type AuditEntry,
  type CallKey,
  type DoneSince,
  type Intent,
  type IntentId,
  isNotified,
  type KnownAction,
  type RunWrite,
} from "../../journal.ts";
import { stored } from "../../stored.ts";
import type { Numbers } from "../columns/numbers.ts";
import { auditFieldsShape } from "../columns/shapes.ts";
import type { Asked, Store } from "../store.ts";

/** One line for every write to either side. */
export interface Audit {
  write(entry: AuditEntry): Asked<void>;
  /** For a write whose process ended before it could write its own line. */
  writeInterrupted(intent: Intent, message: string): Asked<void>;
  /** Of a write whose answer was lost: what has been found out about it. */
  correct(intent: IntentId, isApplied: boolean, message: string): Asked<void>;
  /** The same of a call of a tool; `post`: the post that it made, where it is known. */
  correctCall(call: CorrectedCall): Asked<void>;
  history(project: ProjectId, post: PostId | undefined, limit: number): Asked<readonly AuditEntry[]>;
  statusWrites(project: ProjectId, since: number): Asked<number>;
  doneSince(project: ProjectId, since: number): Asked<DoneSince>;
  writesOf(run: number): Asked<readonly RunWrite[]>;
  doneBy(action: KnownAction, since: number): Asked<number | undefined>;
}

interface CorrectedCall extends Pick<CallKey, "project" | "subject"> {
  /** As the audit calls it. */
  readonly kind: string;
  readonly isApplied: boolean;
  readonly message: string;
  readonly post: PostId | undefined;
}

interface AuditColumns {
  at: number;
  run: number;
  side: AuditEntry["side"];
  repository: string | null;
  issue: number | null;
  kind: string;
  fields: string;
  reason: string;
  outcome: AuditEntry["outcome"];
  message: string | null;
  is_approved: number;
  voters: number | null;
  subject: string | null;
}

type NewColumns = AuditColumns & {
  project: number;
  post: number | null;
  intent: IntentId | null;
  is_status: number;
};
type FoundColumns = AuditColumns & { project: ProjectId; post: PostId | null };
type WriteColumns = FoundColumns & { repository_id: number | null; is_done: number };

/** Writes and reads audit lines. */
export function createAudit(store: Store, numbers: Numbers): Audit {
  const insert = store.prepare<[NewColumns]>(`
    INSERT INTO audit
      (at, run, side, project, post, intent, repository, issue, kind, fields, reason, outcome, message, is_approved,
       is_status, voters, subject)
    VALUES
      (@at, @run, @side, @project, @post, @intent, @repository, @issue, @kind, @fields, @reason, @outcome, @message,
       @is_approved, @is_status, @voters, @subject)`);
  const columns = `at, run, side, board_projects.id AS project, posts.id AS post, repository, issue, kind, fields,
    audit.reason AS reason, outcome, message, is_approved, audit.voters AS voters, subject`;
  const joined = `audit JOIN board_projects ON board_projects.number = audit.project
    LEFT JOIN posts ON posts.number = audit.post`;
  const newestFirst = "ORDER BY audit.at DESC, audit.number DESC LIMIT ?";
  const selectOfProject = store.prepare<[number, number], FoundColumns>(
    `SELECT ${columns} FROM ${joined} WHERE audit.project = ? ${newestFirst}`,
  );
  const selectOfPost = store.prepare<[number, number], FoundColumns>(
    `SELECT ${columns} FROM ${joined} WHERE audit.post = ? ${newestFirst}`,
  );
  const countStatus = store.prepare<[string, number], { count: number }>(`
    SELECT count(*) AS count FROM audit WHERE project = (SELECT number FROM board_projects WHERE id = ?)
      AND is_status = 1 AND at >= ? AND is_approved = 0`);
  // Of a request that was made twice nobody can tell which of the two took effect.
  const selectWrites = store.prepare<[number], WriteColumns>(`
    SELECT ${columns},
      coalesce((SELECT intents.repository FROM intents WHERE intents.id = audit.intent),
        (SELECT repositories.id FROM repositories WHERE lower(repositories.current_name) = lower(audit.repository)))
        AS repository_id,
      outcome = 'applied' OR EXISTS (SELECT 1 FROM intents WHERE intents.id = audit.intent AND intents.state = 'DONE'
        AND intents.attempts = 1) AS is_done
    FROM ${joined} WHERE run = ? AND outcome IN ('applied', 'unknown') ORDER BY audit.number`);
  const selectDoneSince = store.prepare<[{ project: ProjectId; since: number }], DoneSince>(`
    SELECT count(*) FILTER (WHERE kind = 'create-issue') AS opened, count(*) FILTER (WHERE is_status = 1) AS told,
      sum(votes) FILTER (WHERE is_status = 1) AS voters
    FROM audit LEFT JOIN post_facts ON is_status = 1 AND post_facts.post = audit.post
    WHERE project = (SELECT number FROM board_projects WHERE id = @project) AND at > @since AND outcome = 'applied'`);
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
    [
      {
        project: number;
        kind: string;
        subject: string;
        outcome: string;
        message: string;
        post: number | null;
      },
    ]
  >(`
    UPDATE audit SET outcome = @outcome, message = @message, post = coalesce(@post, post)
    WHERE project = @project AND kind = @kind AND subject = @subject AND outcome = 'unknown'`);
  function* write(entry: AuditEntry): Asked<void> {
    const project = yield* numbers.project(entry.project);
    const post = entry.post === undefined ? null : yield* numbers.post(project, entry.post);
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
    correct(intent, isApplied, message) {
      const outcome: AuditEntry["outcome"] = isApplied ? "applied" : "not-applied";
      return correct.run({ intent, outcome, isNotified: Number(isApplied), message });
    },
    *correctCall({ project: id, kind, subject, isApplied, message, post: made }) {
      const project = yield* numbers.project(id);
      const post = made === undefined ? null : yield* numbers.post(project, made);
      const outcome: AuditEntry["outcome"] = isApplied ? "applied" : "not-applied";
      yield* correctCall.run({ project, kind, subject, outcome, message, post });
    },
    history: (project, post, limit) =>
      numbers.ofProject(project, [], function* (number): Asked<readonly AuditEntry[]> {
        if (post === undefined) return (yield* selectOfProject.all(number, limit)).map(toEntry);
        const row = yield* numbers.findPost(number, post);
        return row === undefined ? [] : (yield* selectOfPost.all(row, limit)).map(toEntry);
      }),
    *statusWrites(project, since) {
      return (yield* countStatus.get(project, since))?.count ?? 0;
    },
    *doneSince(project, since) {
      return (yield* selectDoneSince.get({ project, since })) ?? { opened: 0, told: 0, voters: null };
    },
    doneBy: ({ project, post, kind, signature }, since) =>
      numbers.ofProject(project, undefined, function* (number): Asked<number | undefined> {
        const row = yield* numbers.findPost(number, post);
        if (row === undefined) return undefined;
        return (yield* selectDone.get({ post: row, kind, signature, since }))?.run;
      }),
    *writesOf(run) {
      return (yield* selectWrites.all(run)).map(toWrite);
    },
  };
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

function fromEntry(entry: AuditEntry, project: number, post: number | null): NewColumns {
  return {
    at: entry.at,
    run: entry.run,
    side: entry.side,
    project,
    post,
    intent: entry.intent ?? null,
    repository: entry.issue?.repository ?? null,
    issue: entry.issue?.number ?? null,
    kind: entry.kind,
    fields: JSON.stringify(entry.fields.map(pickField)),
    reason: entry.reason,
    outcome: entry.outcome,
    message: entry.message ?? null,
    is_approved: Number(entry.isApproved),
    is_status: Number(isNotified(entry)),
    voters: entry.voters ?? null,
    subject: entry.subject ?? null,
  };
}

const readFields = stored("audit.fields", auditFieldsShape);

function toEntry(found: FoundColumns): AuditEntry {
  const { repository, issue: number } = found;
  return {
    at: found.at,
    run: found.run,
    side: found.side,
    project: found.project,
    post: found.post ?? undefined,
    issue: repository === null || number === null ? undefined : { repository, number },
    kind: found.kind,
    fields: readFields(found.fields),
    reason: found.reason,
    outcome: found.outcome,
    message: found.message ?? undefined,
    isApproved: found.is_approved === 1,
    ...(found.voters !== null && { voters: found.voters }),
    ...(found.subject !== null && { subject: found.subject }),
  };
}

function toWrite(found: WriteColumns): RunWrite {
  return {
    ...toEntry(found),
    repository: found.repository_id ?? undefined,
    outcome: found.is_done === 1 ? "applied" : "unknown",
  };
}
