import { StateError } from "../../errors.ts";
import { type Connection, DatabaseError, type ServerAnswer } from "./connection.ts";
import type { CommitTurn, Entry, Image, LeaseNumber, Leases, SharedLog } from "./log.ts";
import { explainServerError, placeOfTables } from "./schema.ts";
import { type ServerClock, serverTime } from "./server-clock.ts";

/** What a log on a server needs to know. */
export interface ServerOptions {
  /** How messages call the server. */
  readonly at: string;
  /** Of the rows that this program knows. */
  readonly schema: number;
  readonly leaseMs: number;
  /** `daemon, process 1 on host box`. */
  readonly who: string;
  /** A print of the config that this process works by now. */
  config(): string;
  /** Told of the server's time with each answer that shows it. */
  readonly clock: ServerClock;
  /** These leases hold until then, by that clock. */
  readonly prolonged: (holds: readonly LeaseNumber[], until: number) => void;
}

/** One that waits for its turn for longer has met a process that has stopped in it. */
const turnMs = 10_000;
/** A process that has stopped in its turn loses it. */
const idleMs = 8_000;
/** Refusals that mean: once more. https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html */
const passing: ReadonlySet<string> = new Set(["40001", "40P01", "55P03"]);
const mostTries = 3;
const imagePartBytes = 1024 * 1024;

/**
 * The log as a table. A turn is a transaction that has locked the one row of `head`: who commits next sees all that was
 * committed before.
 */
export function createServerLog(connection: Connection, options: ServerOptions): SharedLog {
  const { at, leaseMs } = options;
  const ask = (sql: string, values?: readonly unknown[]) => asking(connection, at, sql, values);
  const begin = async (after: number, holds: readonly LeaseNumber[]): Promise<readonly ServerAnswer[]> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await connection.ask(beginTurn(after, holds, leaseMs));
      } catch (error) {
        await connection.ask("ROLLBACK").catch(() => undefined);
        const isPassing = error instanceof DatabaseError && passing.has(error.sqlState);
        if (!isPassing || attempt === mostTries)
          throw error instanceof DatabaseError ? explainServerError(error, at) : error;
      }
    }
  };
  return {
    async turn(after, holds) {
      const beganAt = options.clock.monotonic();
      const answers = await begin(after, holds);
      const [head, news, held] = answers.slice(-3);
      options.clock.told(head, beganAt);
      let isOver = false;
      const end = async (): Promise<void> => {
        if (isOver) return;
        isOver = true;
        await connection.ask("ROLLBACK").catch(() => connection.drop());
      };
      try {
        refuseNewer(head, options);
        if ((held?.rows.length ?? 0) < holds.length) throw leaseLost(holds, held);
      } catch (error) {
        await end();
        throw error;
      }
      const last = Number(head?.rows[0]?.["entry"]);
      return {
        news: whole(news, after, last),
        place: String(head?.rows[0]?.["place"]),
        isAtHome: head?.rows[0]?.["home"] === true,
        now: Math.round(Number(head?.rows[0]?.["now"])),
        async append(body) {
          isOver = true;
          const number = await appendEntry(connection, at, last + 1, body);
          // A turn in which nothing is committed takes back what it has prolonged.
          if (holds.length > 0) options.prolonged(holds, beganAt + leaseMs);
          return number;
        },
        end,
      } satisfies CommitTurn;
    },
    async read(after) {
      const beganAt = options.clock.monotonic();
      const [news, head] = await ask(`
        SELECT number, body FROM boardsync.entries WHERE number > ${after} ORDER BY number;
        SELECT entry, schema, version, place, ${serverTime} AS now FROM boardsync.head`);
      options.clock.told(head, beganAt);
      refuseNewer(head, options);
      const entries = whole(news, after, undefined);
      const last = Number(head?.rows[0]?.["entry"]);
      const isBehind = entries?.length === 0 && last > after;
      return { entries: isBehind ? undefined : entries, place: String(head?.rows[0]?.["place"]) };
    },
    async image() {
      const [parts] = await ask(`
        SELECT number, body, (SELECT place FROM boardsync.head) AS place FROM boardsync.images
        WHERE number = (SELECT max(number) FROM boardsync.images) ORDER BY part`);
      const rows = parts?.rows ?? [];
      return {
        number: Number(rows[0]?.["number"]),
        body: Buffer.concat(rows.map(({ body }) => body as Buffer)),
        place: String(rows[0]?.["place"]),
      };
    },
    keepImage: (image) => keepImage(connection, at, image),
  };
}

/** Of one message: nothing of it leaves the server's transaction, so a pooler may stand between. */
function beginTurn(after: number, holds: readonly LeaseNumber[], leaseMs: number): string {
  return `
    BEGIN;
    SELECT set_config('lock_timeout', '${turnMs}', true),
      set_config('idle_in_transaction_session_timeout', '${idleMs}', true),
      set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
        ELSE current_setting('synchronous_commit') END, true);
    SELECT entry, schema, version, place, place = ${placeOfTables} AS home,
      ${serverTime} AS now FROM boardsync.head FOR UPDATE;
    SELECT number, body FROM boardsync.entries WHERE number > ${after} ORDER BY number;
    ${renewal(holds, leaseMs)}`;
}

/** Whoever commits holds its leases from now on for their full time; one that is over is not taken up again. */
function renewal(holds: readonly LeaseNumber[], leaseMs: number): string {
  if (holds.length === 0) return "SELECT 1 WHERE false";
  const wanted = holds.map(({ project, number }) => `(${literal(project)}, ${number})`).join(", ");
  return `
    UPDATE boardsync.leases SET until = clock_timestamp() + ${leaseMs} * interval '1 ms'
    FROM (VALUES ${wanted}) AS held (project, number)
    WHERE leases.project = held.project AND leases.number = held.number AND until > clock_timestamp()
    RETURNING leases.project, leases.number, ${serverTime} AS now`;
}

/** A text in SQL; backslashes mean nothing in it. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''").replaceAll("\0", "")}'`;
}

function leaseLost(holds: readonly LeaseNumber[], held: ServerAnswer | undefined): StateError {
  const left = new Set(held?.rows.map(({ project }) => project));
  const names = holds.filter(({ project }) => !left.has(project)).map(({ project }) => project);
  return new StateError(
    `The lease of ${names.join(", ")} has run out, so nothing more of this run is recorded or sent: this process stood still, or could not reach the state. The next run goes on.`,
    { code: "state.unreachable" },
  );
}

function refuseNewer(head: ServerAnswer | undefined, { at, schema }: ServerOptions): void {
  const { schema: found, version } = { schema: 0, version: "", ...head?.rows[0] };
  if (Number(found) <= schema) return;
  throw new StateError(
    `The state at ${at} was brought up to date by boardsync ${version} (schema ${found}; this version knows ${schema}): install that version or a newer one here, too.`,
  );
}

/** Entries as they came; undefined where the first of them is not the next. */
function whole(
  found: ServerAnswer | undefined,
  after: number,
  last: number | undefined,
): readonly Entry[] | undefined {
  const entries = (found?.rows ?? []).map(({ number, body }) => ({
    number: Number(number),
    body: body as Buffer,
  }));
  const end = last ?? after + entries.length;
  const isWhole = entries.every(({ number }, place) => number === after + place + 1);
  return isWhole && after + entries.length === end ? entries : undefined;
}

/**
 * One message commits. Where its answer is lost the log itself says what has become of it: whoever has the turn sees all that
 * was committed.
 */
async function appendEntry(
  connection: Connection,
  at: string,
  number: number,
  body: Buffer,
): Promise<number> {
  const bytes = `'\\x${body.toString("hex")}'`;
  try {
    await connection.ask(`
      INSERT INTO boardsync.entries (number, body) VALUES (${number}, ${bytes});
      UPDATE boardsync.head SET entry = ${number}, place = ${placeOfTables};
      COMMIT`);
    return number;
  } catch (error) {
    if (error instanceof DatabaseError) {
      await connection.ask("ROLLBACK").catch(() => connection.drop());
      throw explainServerError(error, at);
    }
    if (await isThere(connection, number, bytes)) return number;
    throw error;
  }
}

/** The lock waits until what was in doubt has ended. */
async function isThere(connection: Connection, number: number, bytes: string): Promise<boolean> {
  try {
    const answers = await connection.ask(`
      BEGIN; SELECT set_config('lock_timeout', '${turnMs}', true); SELECT entry FROM boardsync.head FOR UPDATE;
      SELECT 1 AS there FROM boardsync.entries WHERE number = ${number} AND body = ${bytes}; COMMIT`);
    return answers.some(({ rows }) => rows[0]?.["there"] === 1);
  } catch {
    connection.drop();
    return false;
  }
}

async function keepImage(connection: Connection, at: string, { number, body }: Image): Promise<void> {
  await asking(connection, at, "BEGIN");
  try {
    await writeParts(connection, { number, body });
    // Who follows is seldom behind the image before this one; who is loads this one.
    await connection.ask(`
      DELETE FROM boardsync.entries WHERE number <= (SELECT coalesce(max(number), 0) FROM boardsync.images WHERE number < ${number});
      DELETE FROM boardsync.images WHERE number < ${number};
      COMMIT`);
  } catch (error) {
    await connection.ask("ROLLBACK").catch(() => connection.drop());
    throw error;
  }
}

/** An image in the place of all that there is, inside a turn: another schema, so that no older version reads on, or a first state. */
export async function replaceImage(
  connection: Connection,
  { number, body }: Image,
  { schema, version }: { readonly schema: number; readonly version: string },
): Promise<void> {
  await connection.ask("DELETE FROM boardsync.images; DELETE FROM boardsync.entries");
  await writeParts(connection, { number, body });
  await connection.ask("UPDATE boardsync.head SET entry = $1, schema = $2, version = $3", [
    number,
    schema,
    version,
  ]);
  await connection.ask("COMMIT");
}

async function writeParts(connection: Connection, { number, body }: Image): Promise<void> {
  const parts = Math.ceil(body.length / imagePartBytes);
  for (let part = 0; part < parts; part += 1) {
    const bytes = body.subarray(part * imagePartBytes, (part + 1) * imagePartBytes);
    await connection.ask(
      "INSERT INTO boardsync.images (number, part, body) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
      [number, part, bytes],
    );
  }
}

/** Of `replicas`: a process that has given a sign of life of late, and has not said that it was its last one. */
export const isAlive = `at > clock_timestamp() - interval '1 minute' AND sign::jsonb ->> 'isLast' IS DISTINCT FROM 'true'`;

/** Leases by the server's clock. */
export function createServerLeases(connection: Connection, options: ServerOptions): Leases {
  const { at, leaseMs, who, config, clock } = options;
  return {
    async take(keys) {
      const wanted = JSON.stringify(keys);
      const beganAt = clock.monotonic();
      await asking(
        connection,
        at,
        `INSERT INTO boardsync.leases (project) SELECT value FROM jsonb_array_elements_text($1::jsonb) ON CONFLICT DO NOTHING`,
        [wanted],
      );
      const [found] = await asking(
        connection,
        at,
        `UPDATE boardsync.leases SET number = number + 1, holder = $2, config = $3,
           until = clock_timestamp() + $4 * interval '1 ms'
         WHERE project IN (
           SELECT project FROM boardsync.leases AS free
           WHERE project IN (SELECT value FROM jsonb_array_elements_text($1::jsonb)) AND until <= clock_timestamp()
             AND (config IN ('', $3) OR NOT EXISTS (SELECT 1 FROM boardsync.replicas
               WHERE replicas.config = free.config AND ${isAlive}))
           ORDER BY project FOR UPDATE SKIP LOCKED)
         RETURNING project, number`,
        [wanted, who, config(), leaseMs],
      );
      const holds = (found?.rows ?? []).map(({ project, number }) => ({
        project: String(project),
        number: Number(number),
      }));
      const missing = keys.find((key) => !holds.some(({ project }) => project === key));
      if (missing === undefined) {
        options.prolonged(holds, beganAt + leaseMs);
        return { kind: "held", holds };
      }
      await release(connection, at, holds);
      const [other] = await asking(
        connection,
        at,
        "SELECT holder, config, until > clock_timestamp() AS held FROM boardsync.leases WHERE project = $1",
        [missing],
      );
      const row = other?.rows[0] ?? {};
      return {
        kind: "taken",
        project: missing,
        who: String(row["holder"]),
        isOtherConfig: row["held"] !== true && row["config"] !== config(),
      };
    },
    async renew(holds) {
      const beganAt = clock.monotonic();
      const [found] = await asking(connection, at, renewal(holds, leaseMs));
      clock.told(found, beganAt);
      const kept = (found?.rows ?? []).map(({ project, number }) => ({
        project: String(project),
        number: Number(number),
      }));
      options.prolonged(kept, beganAt + leaseMs);
      return kept;
    },
    release: (holds) => release(connection, at, holds),
  };
}

async function release(connection: Connection, at: string, holds: readonly LeaseNumber[]): Promise<void> {
  if (holds.length === 0) return;
  const wanted = holds.map(({ project, number }) => `(${literal(project)}, ${number})`).join(", ");
  await asking(
    connection,
    at,
    `UPDATE boardsync.leases SET until = '-infinity' FROM (VALUES ${wanted}) AS held (project, number)
     WHERE leases.project = held.project AND leases.number = held.number`,
  );
}

/** One question outside of a turn, with what the server refuses as a sentence. */
async function asking(
  connection: Connection,
  at: string,
  sql: string,
  values?: readonly unknown[],
): Promise<readonly ServerAnswer[]> {
  try {
    return await connection.ask(sql, values);
  } catch (error) {
    throw error instanceof DatabaseError ? explainServerError(error, at) : error;
  }
}
