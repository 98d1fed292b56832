import type { Replica, SignOfLife } from "../orders.ts";
import { toSign } from "../sign.ts";
import { named, sql, statementsOf } from "../sql/statements.ts";
import type { Asked, Store } from "../sql/store.ts";

/** A process on the state. */
export interface Signer {
  /** `daemon, process 1 on host box`. */
  readonly who: string;
  readonly host: string;
  /** A print of the config that it works by now; '' where it runs nothing. */
  config(): string;
}

/** Of `replicas`: a process that has given a sign of life of late, and has not said that it was its last one. */
export const isAlive = `at > clock_timestamp() - interval '1 minute' AND sign::jsonb ->> 'isLast' IS DISTINCT FROM 'true'`;

/** Signs of life of all processes. Times are the server's. */
export function createSigns(store: Store, { who, host, config }: Signer) {
  const { run, get, all } = statementsOf(store);
  const living = named(isAlive);
  /** The newest sign; a daemon that lives comes before one that has said good-bye a moment ago. */
  function* latest(isOfHost: boolean): Asked<SignOfLife | undefined> {
    const first = isOfHost
      ? sql`host = ${host} DESC, ${living} DESC`
      : sql`${living} DESC, host = ${host} DESC`;
    const found = yield* get<{ sign: string }>`
      SELECT sign FROM boardsync.replicas ORDER BY ${first}, at DESC LIMIT 1`;
    return found && toSign("replicas.sign", found.sign);
  }
  return {
    *beat({ sign }: { readonly sign: SignOfLife }): Asked<void> {
      yield* run`
        INSERT INTO boardsync.replicas (who, host, config, sign, at)
        VALUES (${who}, ${host}, ${config()}, ${JSON.stringify(sign)}, now())
        ON CONFLICT (who) DO UPDATE SET config = excluded.config, sign = excluded.sign, at = now()`;
      yield* run`DELETE FROM boardsync.replicas WHERE at < now() - interval '1 day'`;
    },
    /** Of a daemon that lives, on whichever host; where none does, of the last one of this host. */
    heartbeat: () => latest(false),
    /** Of this host's daemon, also where it has ended; where it never had one, of any. */
    ofHost: () => latest(true),
    *replicas(): Asked<readonly Replica[]> {
      const found = yield* all<Omit<Replica, "config"> & { sign: string }>`
        SELECT who, sign, (extract(epoch FROM at) * 1000)::float8 AS at, coalesce((
          SELECT json_agg(project ORDER BY project) FROM boardsync.leases
          WHERE holder = who AND until > clock_timestamp()), '[]') AS projects
        FROM boardsync.replicas WHERE ${living} ORDER BY who`;
      return found.map(({ sign, ...replica }): Replica => {
        const { config } = toSign("replicas.sign", sign);
        return { ...replica, ...(config && { config }) };
      });
    },
  };
}
