import type { Field, FieldWrite } from "../../../model/link.ts";
import type { Intent, Journal, NewIntent } from "../../journal.ts";
import { issueField, ruleField, writesShape } from "../../shapes.ts";
import { stored } from "../../stored.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import { type Columns, fromColumns, type Plain, type Store } from "../store.ts";
import { type Audit, interrupted, recoverSent } from "./audit.ts";

type IntentColumns = Columns<Omit<Intent, "writes" | "issueWrites">> & { readonly writes: string | null };

interface SentIntent extends ReturnType<typeof fromIntent> {
  sentAt: number;
  signature: string | undefined;
}

/** Intents; `audit` writes and reads the lines of what came of them. */
export function createJournal(
  store: Store,
  numbers: Numbers,
  audit: Audit,
): Plain<Journal> & Carrying<"mark-sent" | "resolve" | "retarget" | "take-up" | "audit"> {
  const columns = `intents.id AS id, board_projects.id AS project, posts.id AS post, kind, run, at, intents.reason AS reason,
    body_hash AS "bodyHash", repository, intents.number AS number, title_hash AS "content.titleHash",
    block_hash AS "content.blockHash", writes,
    updated_at_before AS "updatedAtBefore", voters, state, attempts, sent_at AS "sentAt", unknown_at AS "unknownAt",
    taken_at AS "takenAt", message`;
  // Without the hint SQLite would read through everything that is over.
  const joined = `intents INDEXED BY intents_open JOIN board_projects ON board_projects.number = intents.project
    JOIN posts ON posts.number = intents.post`;
  // The place counts as much as the content, or the outcome would be looked up where nothing was sent.
  const endOther = store.prepare<[SentIntent]>(`
    UPDATE intents SET state = 'REJECTED', message = 'not sent; something else is wanted now', ended_at = @sentAt
    WHERE project = @project AND post = @post AND kind = @kind AND ended_at IS NULL AND state = 'PREPARED'
      AND (body_hash <> @bodyHash OR repository IS DISTINCT FROM @repository OR number IS DISTINCT FROM @number
        OR writes IS DISTINCT FROM @writes)`);
  const writeSent = store.prepare<[SentIntent]>(`
    INSERT INTO intents
      (project, post, kind, run, at, reason, body_hash, repository, number, title_hash, block_hash, writes,
       updated_at_before, voters, state, sent_at, attempts, signature)
    VALUES
      (@project, @post, @kind, @run, @at, @reason, @bodyHash, @repository, @number, @titleHash, @blockHash, @writes,
       @updatedAtBefore, @voters, 'SENT', @sentAt, 1, @signature)
    ON CONFLICT (project, post, kind) WHERE ended_at IS NULL DO UPDATE SET state = 'SENT', sent_at = excluded.sent_at,
      unknown_at = NULL, attempts = intents.attempts + 1, signature = excluded.signature
    WHERE intents.state = 'PREPARED'`);
  const writeState = store.prepare<
    [{ id: number; state: string; at: number; message: string; unsent: number; answer: string | undefined }]
  >(`
    UPDATE intents SET state = @state, message = @message, answer = @answer, attempts = attempts - @unsent,
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
    *open(project) {
      return (yield* selectOpen.all(yield* numbers.findProject(project))).map(toIntent);
    },
    recover: (at, projects) =>
      recoverSent(store, selectSent, projects, function* (found) {
        const intent = toIntent(found);
        const nothing = { unsent: 0, answer: undefined };
        yield* writeState.run({ ...nothing, id: intent.id, state: "UNKNOWN", at, message: interrupted });
        yield* audit.writeInterrupted(intent, interrupted);
      }),
    ...audit.told,
    changes: {
      *"mark-sent"({ intent, at, signature }) {
        const { post, kind } = intent;
        const [projectNumber, postNumber] = yield* numbers.place(intent);
        const written = fromIntent(intent, projectNumber, postNumber);
        const sent = { ...written, sentAt: at, signature };
        yield* endOther.run(sent);
        yield* writeSent.some(
          () => new Error(`The ${kind} of post ${post} is under way, or in doubt.`),
          sent,
        );
      },
      *resolve({ intent: id, state, at, message, isOpen, isUnsent = false, answer: shown }) {
        const isKnown = isOpen !== true && (state === "DONE" || state === "PREPARED");
        if (isKnown) yield* audit.correct(id, state === "DONE", message);
        const answer = shown && JSON.stringify(shown);
        const changed = { id, state, at, message, unsent: Number(isUnsent), answer };
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

function fromIntent(intent: NewIntent, project: number, post: number) {
  const { repository, number, content, updatedAtBefore, voters } = intent;
  return {
    ...intent,
    ...{ project, post, repository, number, updatedAtBefore, voters },
    titleHash: content?.titleHash,
    blockHash: content?.blockHash,
    writes: fromWrites(intent.writes ?? intent.issueWrites),
  };
}

/** `before` is left out by JSON where the field was unseen. */
function fromWrites(writes: readonly FieldWrite<Field>[] | undefined): string | undefined {
  return (
    writes &&
    JSON.stringify(writes.map(({ field, before, value, target }) => ({ field, before, value, target })))
  );
}

function toIntent({ writes, ...found }: IntentColumns): Intent {
  const intent = fromColumns(found);
  if (writes === null) return intent;
  // What a PATCH writes, or what another kind of write does to an issue.
  return intent.kind === "patch-post"
    ? { ...intent, writes: readPatch(writes) }
    : { ...intent, issueWrites: readChange(writes) };
}

const readPatch = stored("intents.writes", () => writesShape(ruleField()));
const readChange = stored("intents.writes", () => writesShape(issueField()));
