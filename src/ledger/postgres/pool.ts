import pg from "pg";
import { DatabaseError, explainServerError, unreachable } from "./failure.ts";

/** What one statement has found. */
export interface ServerAnswer {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number | null;
}

/** Connections to the server: each is made when it is needed, and another one where it was lost. */
export interface Pool {
  /**
   * Sends statements in one message, outside of a transaction.
   *
   * @param view - `one`: all of them see the same, whatever others commit meanwhile.
   * @throws StateError where the server refuses one, can't be reached, or gives no answer.
   */
  ask(sql: string, view?: "one"): Promise<readonly ServerAnswer[]>;
  /** A connection for one transaction. */
  take(): Promise<Connection>;
  close(): void;
}

/** One connection, for as long as it is not given back. */
export interface Connection {
  /**
   * @throws DatabaseError where the server refuses one of the statements.
   * @throws StateError where it can't be reached, or gives no answer; the connection is gone then.
   */
  ask(sql: string): Promise<readonly ServerAnswer[]>;
  /** @param isUsable - else it is ended: who knows what it is in the middle of. */
  giveBack(isUsable: boolean): void;
}

/** One that waits for a lock for longer has met a process that has stopped in a transaction. */
const lockMs = 10_000;
/** A process that has stopped in its transaction loses it. */
const stillMs = 8_000;

/** Whatever the role's default is: who waits for a lock sees what was committed meanwhile. */
const readCommitted = "ISOLATION LEVEL READ COMMITTED";
export const beginCommitted = `BEGIN ${readCommitted}`;
const repeatableRead = "ISOLATION LEVEL REPEATABLE READ, READ ONLY";
/** Whatever the role's are, for one transaction that writes. */
export const ownSettings = `SELECT set_config('lock_timeout', '${lockMs}', true),
  set_config('idle_in_transaction_session_timeout', '${stillMs}', true),
  set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
    ELSE current_setting('synchronous_commit') END, true),
  CASE WHEN current_setting('transaction_timeout', true) IS NOT NULL
    THEN set_config('transaction_timeout', '0', true) END`;
export const beginRead = `BEGIN ${repeatableRead}`;

const connectMs = 5_000;
/** A server that says nothing for so long is treated like one that is gone. */
const answerMs = 15_000;
/** One that nobody has used for so long is closed. */
const idleMs = 60_000;

/** bigint, numeric and boolean as numbers, as in SQLite. */
const numbers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => (text === "t" ? 1 : 0),
  20: Number,
  1700: Number,
};

/** @param at - how messages call the server: without its password. */
export function createPool(url: string, at: string, most: number): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: most,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: idleMs,
    query_timeout: answerMs,
    keepAlive: true,
    application_name: "boardsync",
    // Nobody waits for a connection that has nothing to do.
    allowExitOnIdle: true,
    types: {
      getTypeParser: (oid: number, format?: never) => numbers[oid] ?? pg.types.getTypeParser(oid, format),
    } as pg.CustomTypesConfig,
  });
  // One that is lost while nobody asks it is forgotten by the pool; while somebody does, the answer says so.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => void client.on("error", () => undefined));
  const taken = new Set<pg.PoolClient>();
  const take = async (): Promise<Connection> => {
    const client = await pool.connect().catch((error: unknown) => {
      throw explainServerError(toFailure(error, at), at);
    });
    taken.add(client);
    const giveBack = (isUsable: boolean): void => {
      if (!taken.delete(client)) return;
      // Whether the server says goodbye, too, nobody waits for.
      if (!isUsable) letGo(client);
      client.release(!isUsable);
    };
    return {
      async ask(sql) {
        try {
          return [(await client.query(sql)) as ServerAnswer | ServerAnswer[]].flat();
        } catch (error) {
          const failure = toFailure(error, at);
          if (!(failure instanceof DatabaseError)) giveBack(false);
          throw failure;
        }
      },
      giveBack,
    };
  };
  return {
    async ask(sql, view) {
      const connection = await take();
      try {
        // Several statements in one message are one transaction.
        const isolation = view === "one" ? repeatableRead : readCommitted;
        const [, ...answers] = await connection.ask(`SET TRANSACTION ${isolation};\n${sql}`);
        connection.giveBack(true);
        return answers;
      } catch (error) {
        connection.giveBack(error instanceof DatabaseError);
        throw explainServerError(error, at);
      }
    },
    take,
    close() {
      for (const client of taken) {
        letGo(client);
        client.release(true);
      }
      taken.clear();
      void pool.end().catch(() => undefined);
    },
  };
}

/** A refusal; or why the server ends the connection: it shuts down, starts up, has no room, or waited for us too long. */
function toFailure(error: unknown, at: string): unknown {
  if (!(error instanceof pg.DatabaseError)) return unreachable(at, error);
  const { message, code = "", severity } = error;
  const refusal = new DatabaseError(message, code, error);
  if (severity !== "FATAL" && !/^(08|57P|25P03|25P04|53)/.test(code)) return refusal;
  return /^25P/.test(code) ? explainServerError(refusal, at) : unreachable(at, error);
}

/** The process may end while it is open. Its types don't know of that. */
function letGo(client: pg.PoolClient): void {
  (client as pg.PoolClient & { unref(): void }).unref();
}
