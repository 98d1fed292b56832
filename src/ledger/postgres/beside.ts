import { StateError, StateHeldError } from "../../errors.ts";
import type { Ledger } from "../ledger.ts";
import type { Runs, SignOfLife } from "../orders.ts";
import { createHeld, createLedger } from "../sql/ledger.ts";
import { stampBackup } from "../sql/stamp.ts";
import type { SqliteStore } from "../sqlite/database.ts";
import { createLedger as createSqliteLedger, type LedgerCopy, openEmptyLedger } from "../sqlite/sqlite.ts";
import { openMemoryStore } from "../sqlite/store.ts";
import { EarlierFormError } from "../stored.ts";
import { byThisClock, createServerClock, measureClock } from "./clock.ts";
import { readTables, writeTables } from "./copy.ts";
import { createPool, type Pool } from "./pool.ts";
import { engineOf, openSharedLedger, type SharedOptions } from "./postgres.ts";
import { createServerStore, type ServerOptions } from "./store.ts";
import { findHead, knownSchema, openTables, placeOf, refuseNewer } from "./tables.ts";
import { showPlace } from "./url.ts";

/** What whoever only looks at a server has to know. */
type LookOptions = Pick<SharedOptions, "url" | "host" | "now" | "monotonic">;

/** What only looks at a server, and what it takes to do so. */
interface Look {
  readonly pool: Pool;
  readonly engine: ReturnType<typeof engineOf>;
  readonly isAtHome: boolean;
}

/** For whoever holds no lease and follows nothing. */
function withoutLease(
  server: Pick<ServerOptions, "pool" | "at" | "place" | "known">,
  { monotonic }: Pick<SharedOptions, "monotonic">,
): ServerOptions {
  return {
    ...server,
    clock: createServerClock(monotonic),
    leaseMs: 0,
    prolonged: () => undefined,
    *moved() {
      yield* [];
    },
  };
}

/** Connects for this work alone. */
async function withPool<T>(url: string, work: (pool: Pool, at: string) => Promise<T>): Promise<T> {
  const at = showPlace(url);
  const pool = createPool(url, at, 1);
  try {
    return await work(pool, at);
  } finally {
    pool.close();
  }
}

/** @returns undefined where there is no state. */
async function lookAt(pool: Pool, at: string, options: LookOptions): Promise<Look | undefined> {
  const head = await findHead(pool, at);
  if (head === undefined) return undefined;
  refuseNewer({ ...head }, at);
  if (head.schema < knownSchema) {
    throw new StateError(
      `The state at ${at} has an older schema (${head.schema}, not ${knownSchema}): the next \`boardsync sync\` or \`daemon\` of this version brings it up to date.`,
      { schema: head.schema },
    );
  }
  const place = { now: "place", written: "place" };
  const server = withoutLease({ pool, at, place, known: { place: head.place } }, options);
  const nobody = { who: "", host: options.host, config: () => "" };
  const engine = engineOf(server, [], nobody, pool.close, async () => undefined);
  return { pool, engine, isAtHome: head.isAtHome };
}

/** The same for this work alone. */
function withLook<T>(options: LookOptions, work: (look: Look) => Promise<T>): Promise<T | undefined> {
  return withPool(options.url, async (pool, at) => {
    const look = await lookAt(pool, at, options);
    return look && work(look);
  });
}

/**
 * The state as it is, for whoever only looks. Times of signs of life are by this machine's clock.
 *
 * @returns undefined where there is none yet; nothing is made.
 * @throws StateError
 */
export async function openSharedReader(options: SharedOptions): Promise<Ledger | undefined> {
  const at = showPlace(options.url);
  const pool = createPool(options.url, at, 1);
  try {
    const look = await lookAt(pool, at, options);
    if (look === undefined) {
      pool.close();
      return undefined;
    }
    const { engine, isAtHome } = look;
    const aheadMs = await measureClock(pool, options);
    const { ledger, relearn } = createLedger(engine, createHeld(engine.store));
    await engine.carry(relearn);
    const { runs: told } = ledger;
    const runs: Runs = {
      ...told,
      heartbeat: async () => {
        const sign = await told.heartbeat();
        return sign && byThisClock(sign, aheadMs);
      },
      replicas: async () => (await told.replicas()).map((one) => byThisClock(one, aheadMs)),
    };
    const copiedAt = isAtHome ? ledger.copiedAt : (ledger.copiedAt ?? options.now());
    return Object.defineProperties(ledger, { runs: { value: runs }, copiedAt: { value: copiedAt } });
  } catch (error) {
    pool.close();
    throw error;
  }
}

/**
 * A copy of the state in memory, for whoever tries something out. Where there is none yet, none is made.
 *
 * @throws StateError
 */
export async function openSharedCopy(options: SharedOptions): Promise<LedgerCopy> {
  const { now, version } = options;
  const known = await withLook(options, async (look) => {
    const copied = createSqliteLedger(await copyOf(look, options));
    if (!look.isAtHome) await copied.commit([{ kind: "declare-old", at: now() }]);
    return copied;
  });
  return { ledger: known ?? openEmptyLedger({ now: now(), version }), isKnown: known !== undefined };
}

async function copyOf({ engine: { store, carry } }: Look, options: SharedOptions): Promise<SqliteStore> {
  const copy = openMemoryStore({ now: options.now(), version: options.version });
  await carry(() => store.read(() => readTables(copy)));
  return copy;
}

/**
 * Whether there is a state; nothing is made.
 *
 * @throws StateError
 */
export function hasSharedState(url: string): Promise<boolean> {
  return withPool(url, async (pool, at) => (await findHead(pool, at)) !== undefined);
}

/**
 * The last sign of life of a daemon on this host, without the rest of the state.
 *
 * @throws StateError
 */
export function readSign(options: LookOptions): Promise<SignOfLife | undefined> {
  return withLook(options, async ({ pool, engine }) => {
    const sign = await engine.carry(() => engine.signs.ofHost());
    return sign && byThisClock(sign, await measureClock(pool, options));
  });
}

/**
 * Puts a whole state onto a server that holds none yet.
 *
 * @param image - of a state in SQLite of this version.
 * @throws StateError where there is one already, or the server can't be used.
 */
export async function fillServer(options: SharedOptions, image: Buffer): Promise<void> {
  const { url, version, now } = options;
  const source = openMemoryStore({ now: now(), version }, image);
  try {
    await withPool(url, async (pool, at) => {
      const place = await placeOf(pool);
      const head = await openTables(pool, at, version, place);
      const known = { pool, at, place, known: { place: head.place } };
      const { store, carry } = createServerStore(withoutLease(known, options), []);
      await carry(() => store.transaction(() => writeTables(source, at)));
    });
  } finally {
    source.close();
  }
}

/**
 * The whole state of a server at which nobody is at work.
 *
 * @param keep - puts it somewhere. When that has come true, the server's state counts as an old copy of it.
 * @throws StateHeldError where somebody is at work.
 * @throws StateError where there is no state, or the server can't be used.
 */
export async function emptyServer(
  options: SharedOptions,
  keep: (image: Buffer) => Promise<void>,
): Promise<void> {
  const at = showPlace(options.url);
  let isEarlier = false;
  const image = await withLook(options, (look) => imageOf(look, at, options)).catch(
    async (error: unknown) => {
      if (!(error instanceof EarlierFormError)) throw error;
      isEarlier = true;
      const { readEarlierServer } = await import("./earlier.ts");
      const earlier = { now: options.now(), version: options.version };
      return withPool(options.url, (pool) => readEarlierServer(pool, at, earlier));
    },
  );
  if (image === undefined) throw new StateError(`There is no state at ${at}.`);
  await keep(image);
  // Nobody works with the earlier form any more, so it needs no word that it is an old copy.
  if (isEarlier) return;
  const ledger = await openSharedLedger({ ...options, follows: false });
  try {
    await ledger.commit([{ kind: "declare-old", at: options.now() }]);
  } finally {
    ledger.close();
  }
}

async function imageOf(look: Look, at: string, options: SharedOptions): Promise<Buffer> {
  const { pool, engine, isAtHome } = look;
  const [held] = await pool.ask(
    "SELECT holder FROM boardsync.leases WHERE until > clock_timestamp() LIMIT 1",
  );
  const who = held?.rows[0]?.["holder"] ?? (await engine.carry(() => engine.signs.replicas()))[0]?.who;
  if (who !== undefined) throw new StateHeldError(`The state at ${at} is held by ${String(who)}.`);
  const copy = await copyOf(look, options);
  try {
    if (!isAtHome) copy.carry(copy.transaction(() => stampBackup(copy, options.now())));
    return copy.database.serialize();
  } finally {
    copy.close();
  }
}
