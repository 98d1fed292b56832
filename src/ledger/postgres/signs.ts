import type { Replica, SignOfLife } from "../orders.ts";
import { toSign } from "../sign.ts";
import type { Engine } from "../sql/ledger.ts";
import type { Asked, Store } from "../sql/store.ts";
import { isAlive } from "./leases.ts";

/** Whose signs are written. */
export interface Signer {
  readonly who: string;
  readonly host: string;
  config(): string;
}

/** Signs of life of all processes. Times are the server's. */
export function createSigns(store: Store, { who, host, config }: Signer): NonNullable<Engine["signs"]> {
  const write = store.prepare<[{ who: string; host: string; config: string; sign: string }]>(`
    INSERT INTO boardsync.replicas (who, host, config, sign, at) VALUES (@who, @host, @config, @sign, now())
    ON CONFLICT (who) DO UPDATE SET config = excluded.config, sign = excluded.sign, at = now()`);
  const forget = store.prepare<[]>("DELETE FROM boardsync.replicas WHERE at < now() - interval '1 day'");
  // Of this host, where it has one; else of any. One that lives comes before one that has said good-bye a moment ago.
  const select = store.prepare<[string], { sign: string }>(
    `SELECT sign FROM boardsync.replicas ORDER BY host = ? DESC, ${isAlive} DESC, at DESC LIMIT 1`,
  );
  const selectAll = store.prepare<
    [],
    { who: string; at: number; sign: string; projects: readonly string[] }
  >(`
    SELECT who, sign, (extract(epoch FROM at) * 1000)::float8 AS at, coalesce((
      SELECT json_agg(project ORDER BY project) FROM boardsync.leases
      WHERE holder = who AND until > clock_timestamp()), '[]') AS projects
    FROM boardsync.replicas WHERE ${isAlive} ORDER BY who`);
  let known: readonly Replica[] = [];
  return {
    *beat({ sign }) {
      yield* write.run({ who, host, config: config(), sign: JSON.stringify(sign) });
      yield* forget.run();
    },
    *heartbeat(): Asked<SignOfLife | undefined> {
      const found = yield* select.get(host);
      return found && toSign("replicas.sign", found.sign);
    },
    *replicas() {
      try {
        known = (yield* selectAll.all()).map(({ sign, ...replica }) => {
          const { config } = toSign("replicas.sign", sign);
          return { ...replica, ...(config && { config }) };
        });
      } catch {
        // The page and the metrics are wanted most while the server is gone.
      }
      return known;
    },
  };
}
