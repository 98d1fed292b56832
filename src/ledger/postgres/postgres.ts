import { StateError, StateHeldError } from "../../errors.ts";
import { EarlierFormError } from "../earlier-form.ts";
import type { Ledger } from "../ledger.ts";
import type { Runs, SignOfLife } from "../runs.ts";
import type { HeldProjects, SharedLedger } from "../shared.ts";
import { createHeld, createLedger, type Engine } from "../sql/ledger.ts";
import { stampCopy } from "../sql/stamp.ts";
import type { Asked } from "../sql/store.ts";
import { copyDatabase } from "../sqlite/copy.ts";
import type { SqliteStore } from "../sqlite/database.ts";
import { createLedger as createSqliteLedger } from "../sqlite/sqlite.ts";
import { openMemoryStore } from "../sqlite/store.ts";
import { askTime, byThisClock, createServerClock, measureClock, serverTime } from "./clock.ts";
import { readTables, writeTables } from "./copy.ts";
import { createLeases, createValidity, type Leases } from "./leases.ts";
import { createPool, type Pool, type ServerAnswer } from "./pool.ts";
import { createSigns, type Signer } from "./signs.ts";
import { createServerStore, type LeaseNumber, refuseNewer, type ServerOptions } from "./store.ts";
import { findHead, knownSchema, openTables, placeOf } from "./tables.ts";
import { showPlace } from "./url.ts";

/** What a shared state is opened with. */
export interface SharedOptions {
  readonly url: string;
  /** Of this program. */
  readonly version: string;
  /** `daemon, process 1 on host box`. */
  readonly who: string;
  readonly host: string;
  /** A print of the config that this process works by now; '' where it runs nothing. */
  config(): string;
  readonly leaseMs: number;
  /** The longest that a request to either side may take. */
  readonly requestMs: number;
  /** Whether what others remember is followed while nothing is asked. */
  readonly follows: boolean;
  /** Epoch ms. */
  now(): number;
  /** Milliseconds since some moment: a clock that nobody can set. */
  monotonic(): number;
  repeat(everyMs: number, work: () => Promise<void>): () => void;
}

/** How long what others remember may be unknown to whoever looks at a page. */
const followMs = 1_000;
/** Transactions at a time: of runs, and of people beside them. */
const mostConnections = 8;

/**
 * Opens a state that is kept by a PostgreSQL server, and makes it where there is none.
 *
 * @throws StateError in one sentence that says what to do.
 */
export async function openSharedLedger(options: SharedOptions): Promise<SharedLedger> {
  const { url, version, leaseMs, repeat } = options;
  const at = showPlace(url);
  const pool = createPool(url, at, mostConnections);
  // A lease is prolonged however busy the others are.
  const minding = createPool(url, at, 1);
  let stop = (): void => undefined;
  const close = (): void => {
    stop();
    pool.close();
    minding.close();
  };
  try {
    const head = await openTables(pool, at, version);
    refuseNewer({ ...head }, { at, schema: knownSchema });
    const clock = createServerClock(options.monotonic);
    await askTime(minding, clock);
    const validity = createValidity(clock.monotonic, options.requestMs);
    const { prolonged } = validity;
    const leases = createLeases({ ...options, pool: minding, clock, prolonged });
    const server: ServerOptions = {
      ...{ pool, at, schema: knownSchema, place: await placeOf(pool), clock, leaseMs, prolonged },
      known: { place: head.place },
      moved: () => relearnMoved(),
    };
    const { store, carry } = createServerStore(server, []);
    const held = createHeld(store);
    const engineFor = (holds: readonly LeaseNumber[]): Engine =>
      engineOf(server, holds, options, close, () => validity.assertLong(holds, leases));
    const base = createLedger(engineFor([]), held);
    let remembered = 0;
    const relearn = function* (): Asked<void> {
      const [seen, state] = (yield [
        "SELECT last_value AS value FROM boardsync.remembered",
        "SELECT place FROM boardsync.state",
      ]) as readonly ServerAnswer[];
      yield* base.relearn();
      remembered = Number(seen?.rows[0]?.["value"]);
      server.known.place = String(state?.rows[0]?.["place"]);
    };
    const relearnMoved = function* (): Asked<void> {
      held.numbers.forget();
      yield* relearn();
    };
    const follow = async (): Promise<void> => {
      const beganAt = clock.monotonic();
      const [found] = await pool.ask(`
        SELECT (SELECT last_value FROM boardsync.remembered) AS value, place, ${serverTime} AS now
        FROM boardsync.state`);
      clock.told(found, beganAt);
      const row = found?.rows[0];
      if (String(row?.["place"]) !== server.known.place) await carry(relearnMoved);
      else if (Number(row?.["value"]) !== remembered) await carry(relearn);
    };
    await carry(relearn);
    if (options.follows) stop = repeat(followMs, follow);
    return createSharedLedger({
      ledger: base.ledger,
      ofHold: (holds) => createLedger(engineFor(holds), held).ledger,
      relearn: () => carry(relearn),
      ...{ leases, repeat, leaseMs },
      now: clock.now,
      clockAheadMs: clock.now() - options.now(),
    });
  } catch (error) {
    close();
    throw error;
  }
}

/** What a shared ledger is made of. */
export interface Shares {
  /** For what is asked beside runs. */
  readonly ledger: Ledger;
  /** For a run that holds leases. */
  ofHold(holds: readonly LeaseNumber[]): Ledger;
  /** Reads anew what this process holds of the state. */
  relearn(): Promise<void>;
  readonly leases: Leases;
  readonly leaseMs: number;
  repeat(everyMs: number, work: () => Promise<void>): () => void;
  /** Epoch ms, by the clock of the state. */
  now(): number;
  readonly clockAheadMs: number;
}

/** The port with leases. */
export function createSharedLedger(shares: Shares): SharedLedger {
  const { ledger, leases, leaseMs, repeat, now, clockAheadMs } = shares;
  return Object.assign(ledger, {
    clockAheadMs,
    now,
    async take(keys: readonly string[]) {
      const taken = await leases.take(keys);
      if (taken.kind === "taken") return taken;
      const { holds } = taken;
      const stop = repeat(leaseMs / 3, () => leases.renew(holds));
      const hold: HeldProjects = {
        kind: "held",
        ledger: shares.ofHold(holds),
        async release() {
          stop();
          await leases.release(holds);
        },
      };
      try {
        // What the one before has remembered is read before anything is decided.
        await shares.relearn();
      } catch (error) {
        // Nobody gets this hold, so nobody else would ever let go of it.
        await hold.release().catch(() => undefined);
        throw error;
      }
      return hold;
    },
  });
}

type ServerEngine = Engine & Required<Pick<Engine, "signs">>;

/** The engine for one holder of leases, or for what is asked beside runs. */
function engineOf(
  server: ServerOptions,
  holds: readonly LeaseNumber[],
  options: Signer & Pick<SharedOptions, "now" | "version">,
  close: () => void,
  assertHeld: () => Promise<void>,
): ServerEngine {
  const { store, carry } = createServerStore(server, holds);
  return {
    store,
    carry,
    // A commit asks for it each time.
    assertDurable: () => undefined,
    *size() {
      const [found] = (yield [
        `SELECT coalesce(sum(pg_total_relation_size(oid)), 0) AS bytes FROM pg_class
         WHERE relnamespace = 'boardsync'::regnamespace AND relkind = 'r'`,
      ]) as readonly ServerAnswer[];
      return { bytes: Number(found?.rows[0]?.["bytes"]), freeBytes: 0, journalBytes: 0 };
    },
    *trimJournal() {
      yield* [];
      return 0;
    },
    *schema() {
      const [found] = (yield ["SELECT schema FROM boardsync.state"]) as readonly ServerAnswer[];
      return Number(found?.rows[0]?.["schema"]);
    },
    async copyTo(file, stampedAt) {
      const copy = openMemoryStore({ now: options.now(), version: options.version });
      try {
        await carry(() => store.read(() => readTables(copy)));
        await copyDatabase(copy.database, file, stampedAt);
      } finally {
        copy.close();
      }
    },
    assertHeld,
    close,
    remembered() {
      // Nobody waits for it: whoever misses it reads what is new with its next run.
      void server.pool.ask("SELECT nextval('boardsync.remembered')").catch(() => undefined);
    },
    signs: createSigns(store, options),
  };
}

/** What only looks at a server, and what it takes to do so. */
interface Look {
  readonly pool: Pool;
  readonly engine: ServerEngine;
  readonly isAtHome: boolean;
  close(): void;
}

/** @returns undefined where there is no state. */
async function lookAt(options: SharedOptions): Promise<Look | undefined> {
  const at = showPlace(options.url);
  const pool = createPool(options.url, at, 1);
  try {
    const head = await findHead(pool, at);
    if (head === undefined) {
      pool.close();
      return undefined;
    }
    refuseNewer({ ...head }, { at, schema: knownSchema });
    if (head.schema < knownSchema) {
      throw new StateError(
        `The state at ${at} has an older schema (${head.schema}, not ${knownSchema}): the next \`boardsync sync\` or \`daemon\` of this version brings it up to date.`,
        { schema: head.schema },
      );
    }
    const clock = createServerClock(options.monotonic);
    const place = { now: "place", written: "place" };
    const server: ServerOptions = {
      ...{ pool, at, schema: knownSchema, place, clock, leaseMs: 0, known: { place: head.place } },
      prolonged: () => undefined,
      *moved() {
        yield* [];
      },
    };
    const engine = engineOf(
      server,
      [],
      options,
      () => pool.close(),
      async () => undefined,
    );
    return { pool, engine, isAtHome: head.isAtHome, close: pool.close };
  } catch (error) {
    pool.close();
    throw error;
  }
}

/**
 * The state as it is, for whoever only looks. Times of signs of life are by this machine's clock.
 *
 * @returns undefined where there is none yet; nothing is made.
 * @throws StateError
 */
export async function openSharedReader(options: SharedOptions): Promise<Ledger | undefined> {
  const look = await lookAt(options);
  if (look === undefined) return undefined;
  const { engine, isAtHome } = look;
  try {
    const aheadMs = await measureClock(look.pool, options);
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
    look.close();
    throw error;
  }
}

/**
 * A copy of the state in memory, for whoever tries something out: what is written to it reaches nobody.
 *
 * @returns undefined where there is none yet; nothing is made.
 * @throws StateError
 */
export async function openSharedCopy(options: SharedOptions): Promise<Ledger | undefined> {
  const look = await lookAt(options);
  if (look === undefined) return undefined;
  try {
    const ledger = createSqliteLedger(await copyOf(look, options));
    if (!look.isAtHome) await ledger.commit([{ kind: "declare-old", at: options.now() }]);
    return ledger;
  } finally {
    look.close();
  }
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
export async function hasSharedState(url: string): Promise<boolean> {
  const at = showPlace(url);
  const pool = createPool(url, at, 1);
  try {
    return (await findHead(pool, at)) !== undefined;
  } finally {
    pool.close();
  }
}

/**
 * The last sign of life of a daemon on this host, without the rest of the state.
 *
 * @throws StateError
 */
export async function readSign(
  options: Pick<SharedOptions, "url" | "host" | "now" | "monotonic">,
): Promise<SignOfLife | undefined> {
  const look = await lookAt({ ...options, ...nobody });
  try {
    const sign = await look?.engine.carry(() => look.engine.signs.heartbeat());
    return sign && look && byThisClock(sign, await measureClock(look.pool, options));
  } finally {
    look?.close();
  }
}

/** Of a process that takes part in nothing. */
const nobody = {
  version: "",
  who: "",
  config: () => "",
  leaseMs: 0,
  requestMs: 0,
  follows: false,
  repeat: () => () => undefined,
};

/**
 * Puts a whole state onto a server that holds none yet.
 *
 * @param image - of a state in SQLite of this version.
 * @throws StateError where there is one already, or the server can't be used.
 */
export async function fillServer(options: SharedOptions, image: Buffer): Promise<void> {
  const { url, version, now } = options;
  const source = openMemoryStore({ now: now(), version }, image);
  const at = showPlace(url);
  const pool = createPool(url, at, 1);
  try {
    const head = await openTables(pool, at, version);
    const server: ServerOptions = {
      ...{
        pool,
        at,
        schema: knownSchema,
        place: await placeOf(pool),
        leaseMs: 0,
        known: { place: head.place },
      },
      clock: createServerClock(options.monotonic),
      prolonged: () => undefined,
      *moved() {
        yield* [];
      },
    };
    const { store, carry } = createServerStore(server, []);
    await carry(() => store.transaction(() => writeTables(source, at)));
  } finally {
    pool.close();
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
  const look = await lookAt(options).catch(async (error: unknown) => {
    if (!(error instanceof EarlierFormError)) throw error;
    const { readEarlierServer } = await import("./earlier.ts");
    const pool = createPool(options.url, at, 1);
    try {
      // Nobody works with it any more, so it needs no word that it is an old copy.
      await keep(await readEarlierServer(pool, at, { now: options.now(), version: options.version }));
    } finally {
      pool.close();
    }
    return "kept" as const;
  });
  if (look === "kept") return;
  if (look === undefined) throw new StateError(`There is no state at ${at}.`);
  try {
    const [held] = await look.pool.ask(
      "SELECT holder FROM boardsync.leases WHERE until > clock_timestamp() LIMIT 1",
    );
    const who =
      held?.rows[0]?.["holder"] ?? (await look.engine.carry(() => look.engine.signs.replicas()))[0]?.who;
    if (who !== undefined) throw new StateHeldError(`The state at ${at} is held by ${String(who)}.`);
    const copy = await copyOf(look, options);
    try {
      if (!look.isAtHome) copy.carry(copy.transaction(() => stampCopy(copy, options.now())));
      await keep(copy.database.serialize());
    } finally {
      copy.close();
    }
  } finally {
    look.close();
  }
  const ledger = await openSharedLedger({ ...options, follows: false });
  try {
    await ledger.commit([{ kind: "declare-old", at: options.now() }]);
  } finally {
    ledger.close();
  }
}
