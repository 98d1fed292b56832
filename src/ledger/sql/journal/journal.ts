import type { Field, FieldWrite } from "../../../model/link.ts";
import type { JournalChange } from "../../change.ts";
import type { Intent, IntentId, Journal } from "../../journal.ts";
import { issueField, ruleField, writesShape } from "../../shapes.ts";
import { stored } from "../../stored.ts";
import type { Carrying, Queries } from "../columns/numbers.ts";
import { into, type Part, projectOf, sql } from "../statements.ts";
import type { Plain } from "../store.ts";
import { type Audit, interrupted } from "./audit.ts";
import type { createToolCalls } from "./tool-calls.ts";

type IntentColumns = Omit<Intent, "writes" | "issueWrites"> & { readonly writes?: string };

/** What has become of an intent. */
type Settled = Omit<Extract<JournalChange, { kind: "resolve" }>, "kind" | "intent" | "isOpen">;

/** Intents; `audit` writes and reads the lines of what came of them. */
export function createJournal(
  on: Queries,
  audit: Audit,
  calls: Pick<ReturnType<typeof createToolCalls>, "select" | "interrupt">,
) {
  const { run, some, all, numbers } = on;
  // Without the hint SQLite would read through everything that is over.
  const open = sql`
    SELECT intents.id AS id, board_projects.id AS project, posts.id AS post, kind, run, at, intents.reason AS reason,
      body_hash, repository, intents.number AS number, title_hash AS "content.titleHash", block_hash AS "content.blockHash",
      writes, updated_at_before, voters, state, attempts, sent_at, unknown_at, taken_at, message
    FROM intents INDEXED BY intents_open JOIN board_projects ON board_projects.number = intents.project
    JOIN posts ON posts.number = intents.post WHERE ended_at IS NULL`;
  // What is over is asked what came of it, and nothing of what it was to send: that is half of its line.
  const ended = (
    at: number,
  ): Part => sql`ended_at = ${at}, message = NULL, reason = '', body_hash = '', title_hash = NULL,
    block_hash = NULL, updated_at_before = NULL`;
  const settle = (id: IntentId, { state, message, answer, at, isUnsent }: Settled): Part => sql`
    UPDATE intents SET state = ${state}, answer = ${answer}, attempts = attempts - ${isUnsent === true},
      unknown_at = CASE ${state} WHEN 'UNKNOWN' THEN coalesce(unknown_at, ${at}) WHEN 'PREPARED' THEN NULL ELSE unknown_at END,
      ${state === "DONE" || state === "REJECTED" ? ended(at) : sql`message = ${message}`}
    WHERE id = ${id} AND ended_at IS NULL`;

  return {
    *open(project) {
      const found = yield* all<IntentColumns>`
        ${open} AND intents.project = ${projectOf(project)} ORDER BY intents.id`;
      return found.map(toIntent);
    },
    *recover(at, projects) {
      const isSent = sql`state = 'SENT' AND board_projects.id IN (SELECT one.value FROM EACH TEXT ${projects} AS one)`;
      const find = () =>
        on.together([all<IntentColumns>`${open} AND ${isSent} ORDER BY intents.id`, calls.select(isSent)]);
      // Nearly always nothing was under way.
      if ((yield* find()).flat().length === 0) return 0;
      return yield* on.transaction(function* () {
        const [sent, sentCalls] = yield* find();
        for (const intent of sent.map(toIntent)) {
          yield* run`${settle(intent.id, { state: "UNKNOWN", at, message: interrupted })}`;
          yield* audit.writeInterrupted(intent, interrupted);
        }
        for (const call of sentCalls) yield* calls.interrupt(call, at);
        return sent.length + sentCalls.length;
      });
    },
    ...audit.told,
    changes: {
      *"mark-sent"({ intent, at: sentAt, signature }) {
        const { kind, run: by, at, reason, bodyHash, repository, number, content } = intent;
        const [project, post] = yield* numbers.place(intent);
        const writes = fromWrites(intent.writes ?? intent.issueWrites);
        const line = {
          project,
          post,
          kind,
          run: by,
          at,
          reason,
          bodyHash,
          repository,
          number,
          writes,
          signature,
          titleHash: content?.titleHash,
          blockHash: content?.blockHash,
          voters: intent.voters,
          updatedAtBefore: intent.updatedAtBefore,
          state: "SENT",
          sentAt,
          attempts: 1,
        };
        // The place counts as much as the content, or the outcome would be looked up where nothing was sent.
        yield* run`
          UPDATE intents SET state = 'REJECTED', ${ended(sentAt)}
          WHERE project = ${project} AND post = ${post} AND kind = ${kind} AND ended_at IS NULL AND state = 'PREPARED'
            AND (body_hash <> ${bodyHash} OR repository IS DISTINCT FROM ${repository}
              OR number IS DISTINCT FROM ${number} OR writes IS DISTINCT FROM ${writes})`;
        yield* some(() => new Error(`The ${kind} of post ${intent.post} is under way, or in doubt.`))`
          ${into("intents", line)}
          ON CONFLICT (project, post, kind) WHERE ended_at IS NULL DO UPDATE SET state = 'SENT', sent_at = excluded.sent_at,
            unknown_at = NULL, attempts = intents.attempts + 1, signature = excluded.signature
          WHERE intents.state = 'PREPARED'`;
      },
      *resolve({ intent: id, isOpen, ...settled }) {
        const { state, message } = settled;
        const isKnown = isOpen !== true && (state === "DONE" || state === "PREPARED");
        if (isKnown) yield* audit.correct(id, state === "DONE", message);
        yield* some(() => new Error(`Intent ${id} is not open.`))`${settle(id, settled)}`;
      },
      retarget: ({ intent: id, writes }) =>
        run`UPDATE intents SET writes = ${fromWrites(writes)} WHERE id = ${id} AND ended_at IS NULL`,
      "take-up": ({ intent: id, at }) =>
        some(() => new Error(`The outcome of intent ${id} is not unknown.`))`
          UPDATE intents SET taken_at = ${at} WHERE id = ${id} AND state = 'UNKNOWN'`,
      audit: ({ entry }) => audit.write(entry),
    },
  } satisfies Plain<Journal> & Carrying;
}

/** `before` is left out by JSON where the field was unseen. */
function fromWrites(writes: readonly FieldWrite<Field>[] | undefined): object | undefined {
  return writes?.map(({ field, before, value, target }) => ({ field, before, value, target }));
}

function toIntent({ writes, ...intent }: IntentColumns): Intent {
  if (writes === undefined) return intent;
  // What a PATCH writes, or what another kind of write does to an issue.
  return intent.kind === "patch-post"
    ? { ...intent, writes: readPatch(writes) }
    : { ...intent, issueWrites: readChange(writes) };
}

const readPatch = stored("intents.writes", () => writesShape(ruleField()));
const readChange = stored("intents.writes", () => writesShape(issueField()));
