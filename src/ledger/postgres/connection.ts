import pg from "pg";
import { StateError } from "../../errors.ts";

/** What one statement has found: rows of text, numbers and bytes, as the server's types say. */
export interface ServerAnswer {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number | null;
}

/** One connection to the server, which is made anew where it was lost. */
export interface Connection {
  /**
   * Sends statements in one message, so that poolers see no more than a transaction; `values` stand for `$1`, `$2`.
   *
   * @throws DatabaseError where the server refuses one of them.
   * @throws StateError where it can't be reached, or gives no answer.
   */
  ask(sql: string, values?: readonly unknown[]): Promise<readonly ServerAnswer[]>;
  /** Ends it at once; the next question makes another one. */
  drop(): void;
  close(): Promise<void>;
}

/** A server that was reached, and said no. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  /** As PostgreSQL numbers them. https://www.postgresql.org/docs/current/errcodes-appendix.html */
  readonly sqlState: string;

  constructor(message: string, sqlState: string, cause: unknown) {
    super(message, { cause });
    this.sqlState = sqlState;
  }
}

const connectMs = 5_000;
/** A server that says nothing for so long is treated like one that is gone. */
const answerMs = 15_000;

/** @param place how messages call the server: without its password. */
export function createConnection(url: string, place: string): Connection {
  let known: Promise<pg.Client> | undefined;
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
      keepAlive: true,
      application_name: "boardsync",
    });
    const forget = (): void => {
      known = undefined;
    };
    client.on("error", forget);
    client.on("end", forget);
    await client.connect();
    return client;
  };
  const drop = (): void => {
    const lost = known;
    known = undefined;
    // Its answers are waited for no more; the server ends what it has begun.
    void lost?.then((client) => Object(client).connection?.stream?.destroy()).catch(() => undefined);
  };
  return {
    async ask(sql, values) {
      try {
        known ??= connect();
        const client = await known;
        const found = values === undefined ? await client.query(sql) : await client.query(sql, [...values]);
        return [found].flat();
      } catch (error) {
        if (error instanceof pg.DatabaseError && !isLost(error)) {
          throw new DatabaseError(error.message, error.code ?? "", error);
        }
        drop();
        throw unreachable(place, error);
      }
    },
    drop,
    async close() {
      const last = known;
      known = undefined;
      await last?.then((client) => client.end()).catch(() => undefined);
    },
  };
}

/** Whether the server ends the connection with it: it shuts down, starts up, has no room, or waited for us too long. */
function isLost({ code = "", severity }: pg.DatabaseError): boolean {
  return severity === "FATAL" || /^(08|57P|25P03|25P04|53)/.test(code);
}

function unreachable(place: string, error: unknown): StateError {
  const why = String(Object(error).message ?? error) || String(Object(error).code);
  return new StateError(`The state at ${place} can't be reached (${why}).`, {
    cause: error,
    code: "state.unreachable",
  });
}
