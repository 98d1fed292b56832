import type { ContentBase, Field, IntentKind } from "../../../model/link.ts";
import type { PostId, ProjectId } from "../../../model/post.ts";
import type { Intent, IntentId, IntentState, IntentWrite, Journal, NewIntent } from "../../journal.ts";
import { stored } from "../../stored.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import { issueField, ruleField, writesShape } from "../columns/shapes.ts";
import type { Asked, Plain, Store } from "../store.ts";
import type { Audit } from "./audit.ts";

interface IntentColumns {
  id: IntentId;
  project: ProjectId;
  post: PostId;
  kind: IntentKind;
  run: number;
  at: number;
  reason: string;
  body_hash: string;
  repository: number | null;
  number: number | null;
  title_hash: string | null;
  block_hash: string | null;
  writes: string | null;
  updated_at_before: string | null;
  voters: number | null;
  state: IntentState;
  attempts: number;
  sent_at: number | null;
  unknown_at: number | null;
  taken_at: number | null;
  message: string | null;
}

type NewColumns = Omit<
  IntentColumns,
  "id" | "project" | "post" | "state" | "attempts" | "sent_at" | "unknown_at" | "taken_at" | "message"
> & {
  project: number;
  post: number;
};

interface SentColumns extends NewColumns {
  sent_at: number;
  signature: string | null;
}

/** Intents and the pace; `audit` writes and reads the lines of what came of them. */
export function createJournal(
  store: Store,
  numbers: Numbers,
  audit: Audit,
): Plain<Journal> & Carrying<"mark-sent" | "resolve" | "retarget" | "take-up" | "audit"> {
  const columns = `intents.id AS id, board_projects.id AS project, posts.id AS post, kind, run, at, intents.reason AS reason,
    body_hash, repository, intents.number AS number, title_hash, block_hash, writes, updated_at_before, voters, state, attempts,
    sent_at, unknown_at, taken_at, message`;
  // Without the hint SQLite would read through everything that is over.
  const joined = `intents INDEXED BY intents_open JOIN board_projects ON board_projects.number = intents.project
    JOIN posts ON posts.number = intents.post`;
  // The place counts as much as the content, or the outcome would be looked up where nothing was sent.
  const endOther = store.prepare<[SentColumns]>(`
    UPDATE intents SET state = 'REJECTED', message = 'not sent; something else is wanted now', ended_at = @sent_at
    WHERE project = @project AND post = @post AND kind = @kind AND ended_at IS NULL AND state = 'PREPARED'
      AND (body_hash <> @body_hash OR repository IS DISTINCT FROM @repository OR number IS DISTINCT FROM @number
        OR writes IS DISTINCT FROM @writes)`);
  const writeSent = store.prepare<[SentColumns]>(`
    INSERT INTO intents
      (project, post, kind, run, at, reason, body_hash, repository, number, title_hash, block_hash, writes,
       updated_at_before, voters, state, sent_at, attempts, signature)
    VALUES
      (@project, @post, @kind, @run, @at, @reason, @body_hash, @repository, @number, @title_hash, @block_hash, @writes,
       @updated_at_before, @voters, 'SENT', @sent_at, 1, @signature)
    ON CONFLICT (project, post, kind) WHERE ended_at IS NULL DO UPDATE SET state = 'SENT', sent_at = excluded.sent_at,
      unknown_at = NULL, attempts = intents.attempts + 1, signature = excluded.signature
    WHERE intents.state = 'PREPARED'`);
  const writeState = store.prepare<
    [{ id: number; state: string; at: number; message: string; answer: string | null }]
  >(`
    UPDATE intents SET state = @state, message = @message, answer = @answer,
      unknown_at = CASE @state WHEN 'UNKNOWN' THEN coalesce(unknown_at, @at) WHEN 'PREPARED' THEN NULL ELSE unknown_at END,
      ended_at = CASE WHEN @state IN ('DONE', 'REJECTED') THEN @at END
    WHERE id = @id AND ended_at IS NULL`);
  const writeTargets = store.prepare<[{ id: number; writes: string }]>(
    "UPDATE intents SET writes = @writes WHERE id = @id AND ended_at IS NULL",
  );
  const selectOpen = store.prepare<[number], IntentColumns>(
    `SELECT ${columns} FROM ${joined} WHERE intents.project = ? AND ended_at IS NULL ORDER BY intents.id`,
  );
  const selectSent = store.prepare<[string], IntentColumns>(
    `SELECT ${columns} FROM ${joined} WHERE ended_at IS NULL AND state = 'SENT'
      AND board_projects.id IN (SELECT one.value FROM EACH TEXT ? AS one) ORDER BY intents.id`,
  );
  const writeTaken = store.prepare<[{ id: number; at: number }]>(
    "UPDATE intents SET taken_at = @at WHERE id = @id AND state = 'UNKNOWN'",
  );

  return {
    open: (project) =>
      numbers.ofProject(project, [], function* (number): Asked<readonly Intent[]> {
        return (yield* selectOpen.all(number)).map(toIntent);
      }),
    *recover(at, projects) {
      const wanted = JSON.stringify(projects);
      // Nearly always nothing was under way.
      if ((yield* selectSent.all(wanted)).length === 0) return 0;
      return yield* store.transaction(function* () {
        const sent = (yield* selectSent.all(wanted)).map(toIntent);
        for (const intent of sent) {
          yield* writeState.run({ id: intent.id, state: "UNKNOWN", at, message: interrupted, answer: null });
          yield* audit.writeInterrupted(intent, interrupted);
        }
        return sent.length;
      });
    },
    history: audit.history,
    writesOf: audit.writesOf,
    doneBy: audit.doneBy,
    statusWrites: audit.statusWrites,
    doneSince: audit.doneSince,
    changes: {
      *"mark-sent"({ intent, at, signature = null }) {
        const { post, kind } = intent;
        const written = fromIntent(intent, ...(yield* numbers.place(intent)));
        const sent = { ...written, sent_at: at, signature };
        yield* endOther.run(sent);
        yield* writeSent.some(
          () => new Error(`The ${kind} of post ${post} is under way, or in doubt.`),
          sent,
        );
      },
      *resolve({ intent: id, state, at, message, answer: shown }) {
        if (state === "DONE" || state === "PREPARED") yield* audit.correct(id, state === "DONE", message);
        const answer = shown === undefined ? null : JSON.stringify(shown);
        const changed = { id, state, at, message, answer };
        yield* writeState.some(() => new Error(`Intent ${id} is not open.`), changed);
      },
      retarget: ({ intent: id, writes }) => writeTargets.run({ id, writes: fromWrites(writes) ?? "[]" }),
      *"take-up"({ intent: id, at }) {
        yield* writeTaken.some(() => new Error(`The outcome of intent ${id} is not unknown.`), { id, at });
      },
      audit: ({ entry }) => audit.write(entry),
    },
  };
}

const interrupted = "The process ended before the answer came.";

function fromIntent(intent: NewIntent, project: number, post: number): NewColumns {
  return {
    project,
    post,
    kind: intent.kind,
    run: intent.run,
    at: intent.at,
    reason: intent.reason,
    body_hash: intent.bodyHash,
    repository: intent.repository ?? null,
    number: intent.number ?? null,
    title_hash: intent.content?.titleHash ?? null,
    block_hash: intent.content?.blockHash ?? null,
    writes: fromWrites(intent.writes ?? intent.issueWrites),
    updated_at_before: intent.updatedAtBefore ?? null,
    voters: intent.voters ?? null,
  };
}

function fromWrites(writes: readonly IntentWrite<Field>[] | undefined): string | null {
  return writes === undefined ? null : JSON.stringify(writes.map(pickWrite));
}

/** `before` is left out by JSON where the field was unseen. */
function pickWrite({ field, before, value, target }: IntentWrite<Field>): IntentWrite<Field> {
  return { field, before, value, target };
}

function toIntent(found: IntentColumns): Intent {
  const content = toContent(found.title_hash, found.block_hash);
  return {
    id: found.id,
    project: found.project,
    post: found.post,
    kind: found.kind,
    run: found.run,
    at: found.at,
    reason: found.reason,
    bodyHash: found.body_hash,
    ...(found.repository === null ? {} : { repository: found.repository }),
    ...(found.number === null ? {} : { number: found.number }),
    ...(content === undefined ? {} : { content }),
    ...(found.writes === null ? {} : toWrites(found.kind, found.writes)),
    ...(found.updated_at_before === null ? {} : { updatedAtBefore: found.updated_at_before }),
    ...(found.voters !== null && { voters: found.voters }),
    state: found.state,
    attempts: found.attempts,
    sentAt: found.sent_at ?? undefined,
    unknownAt: found.unknown_at ?? undefined,
    takenAt: found.taken_at ?? undefined,
    message: found.message ?? undefined,
  };
}

function toContent(titleHash: string | null, blockHash: string | null): ContentBase | undefined {
  return titleHash === null || blockHash === null ? undefined : { titleHash, blockHash };
}

/** What a PATCH writes, or what another kind of write does to an issue. */
function toWrites(kind: IntentKind, writes: string): Pick<NewIntent, "writes" | "issueWrites"> {
  return kind === "patch-post" ? { writes: readPatch(writes) } : { issueWrites: readChange(writes) };
}

const readPatch = stored("intents.writes", () => writesShape(ruleField()));
const readChange = stored("intents.writes", () => writesShape(issueField()));
