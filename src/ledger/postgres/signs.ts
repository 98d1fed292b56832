import type { Replica as Process, SignOfLife } from "../runs.ts";
import { toSign } from "../sign.ts";
import { type Connection, createConnection } from "./connection.ts";
import { createServerClock, passingMs, type ServerClock, serverTime } from "./server-clock.ts";
import { isAlive } from "./server-log.ts";
import type { Signs } from "./shared-ledger.ts";
import { showPlace } from "./url.ts";

/** How far the server's clock is ahead of this one; half of the question's way is allowed for. */
export async function measureClock(
  connection: Connection,
  { now, monotonic }: { now(): number; monotonic(): number },
): Promise<number> {
  const clock = createServerClock(monotonic);
  await askTime(connection, clock);
  const ahead = Math.round(clock.now() - now());
  // Less than this is the way of the question.
  return Math.abs(ahead) < passingMs ? 0 : ahead;
}

/** Asks for nothing but the time. */
export async function askTime(connection: Connection, clock: ServerClock): Promise<void> {
  const since = clock.monotonic();
  const [found] = await connection.ask(`SELECT ${serverTime} AS now`);
  clock.told(found, since);
}

/** Whose signs are written; who only reads them has nothing but a host. */
interface Signer {
  readonly who?: string;
  readonly host: string;
  config?(): string;
}

/** Signs of life on a server. */
export function createSigns(connection: Connection, { who = "", host, config = () => "" }: Signer): Signs {
  let known: readonly Process[] = [];
  return {
    async write(sign) {
      await connection.ask(
        `INSERT INTO boardsync.replicas (who, host, config, sign, at) VALUES ($1, $2, $3, $4, now())
         ON CONFLICT (who) DO UPDATE SET config = $3, sign = $4, at = now()`,
        [who, host, config(), JSON.stringify(sign)],
      );
      await connection.ask("DELETE FROM boardsync.replicas WHERE at < now() - interval '1 day'");
    },
    async read() {
      const [found] = await connection.ask(
        "SELECT sign FROM boardsync.replicas ORDER BY host = $1 DESC, at DESC LIMIT 1",
        [host],
      );
      const sign = found?.rows[0]?.["sign"];
      return sign === undefined ? undefined : toSign("replicas.sign", String(sign));
    },
    async processes() {
      const answers = await connection
        .ask(`
          SELECT who, (extract(epoch FROM at) * 1000)::float8 AS at, coalesce((
            SELECT json_agg(project ORDER BY project) FROM boardsync.leases
            WHERE holder = who AND until > clock_timestamp()), '[]') AS projects
          FROM boardsync.replicas WHERE ${isAlive} ORDER BY who`)
        .catch(() => undefined);
      // The page and the metrics are wanted most while the server is gone.
      if (answers === undefined) return known;
      known = (answers[0]?.rows ?? []).map(({ who: name, at, projects }) => ({
        who: String(name),
        at: Number(at),
        projects: projects as readonly string[],
      }));
      return known;
    },
  };
}

/** Times of the server by this machine's clock, which is not set by it in a process that only looks. */
export function byThisClock<Timed extends { readonly at: number }>(timed: Timed, aheadMs: number): Timed {
  return { ...timed, at: timed.at - aheadMs };
}

/**
 * The last sign of life of a daemon on this host, without the rest of the state.
 *
 * @throws StateError
 */
export async function readSign(options: {
  readonly url: string;
  readonly host: string;
  now(): number;
  monotonic(): number;
}): Promise<SignOfLife | undefined> {
  const at = showPlace(options.url);
  const connection = createConnection(options.url, at);
  try {
    const sign = await createSigns(connection, options).read();
    return sign && byThisClock(sign, await measureClock(connection, options));
  } finally {
    await connection.close();
  }
}
