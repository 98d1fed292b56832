import { ConfigError } from "../../errors.ts";
import type { HeldProjects, Ledger, SharedLedger } from "../ledger.ts";
import { createHeld, createLedger, type Engine } from "../sql/ledger.ts";
import type { Asked } from "../sql/store.ts";
import { askTime, createServerClock, serverTime } from "./clock.ts";
import { createLeases, createValidity, type LeaseNumber, type Leases } from "./leases.ts";
import { createPool, type ServerAnswer } from "./pool.ts";
import { createSigns, type Signer } from "./signs.ts";
import { createServerStore, type ServerOptions } from "./store.ts";
import { openTables, placeOf, refuseNewer } from "./tables.ts";
import { showPlace } from "./url.ts";

/** What a shared state is opened with. */
export interface SharedOptions extends Signer {
  readonly url: string;
  /** Of this program. */
  readonly version: string;
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

/** Each change of what is remembered counts one up, once it is committed. */
const countRemembered = "SELECT last_value AS value FROM boardsync.remembered";

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
    const place = await placeOf(pool);
    const head = await openTables(pool, at, version, place);
    refuseNewer({ ...head }, at);
    const clock = createServerClock(options.monotonic);
    await askTime(minding, clock);
    const validity = createValidity(clock.monotonic, options.requestMs);
    const { prolonged } = validity;
    const leases = createLeases({ ...options, pool: minding, clock, prolonged });
    const server: ServerOptions = {
      pool,
      at,
      place,
      clock,
      leaseMs,
      prolonged,
      known: { place: head.place },
      moved: () => relearnMoved(),
    };
    const { store, carry } = createServerStore(server, []);
    const held = createHeld(store);
    let remembered = 0;
    const engineFor = (holds: readonly LeaseNumber[]): Engine => ({
      ...engineOf(server, holds, options, close, () => validity.assertLong(holds, leases)),
      *isUpToDate() {
        const [found] = (yield [countRemembered]) as readonly ServerAnswer[];
        return Number(found?.rows[0]?.["value"]) === remembered;
      },
    });
    const base = createLedger(engineFor([]), held);
    const relearn = function* (): Asked<void> {
      const [seen, state] = (yield [
        countRemembered,
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
    // One after the other: an earlier look never takes the place of a later one.
    let learning = Promise.resolve();
    const learn = (how: () => Asked<void>): Promise<void> => {
      learning = learning.catch(() => undefined).then(() => carry(how));
      return learning;
    };
    const follow = async (): Promise<void> => {
      const beganAt = clock.monotonic();
      const [found] = await pool.ask(`
        SELECT (SELECT last_value FROM boardsync.remembered) AS value, place, ${serverTime} AS now
        FROM boardsync.state`);
      clock.told(found, beganAt);
      const row = found?.rows[0];
      if (String(row?.["place"]) !== server.known.place) await learn(relearnMoved);
      else if (Number(row?.["value"]) !== remembered) await learn(relearn);
    };
    await learn(relearn);
    if (options.follows) stop = repeat(followMs, follow);
    return createSharedLedger({
      ledger: base.ledger,
      ofHold: (holds) => createLedger(engineFor(holds), held).ledger,
      relearn: () => learn(relearn),
      leases,
      repeat,
      leaseMs,
      now: clock.now,
      clockAheadMs: clock.now() - options.now(),
    });
  } catch (error) {
    close();
    throw error;
  }
}

/** What a shared ledger is made of. */
export interface Shares
  extends Pick<SharedOptions, "leaseMs" | "repeat">,
    Pick<SharedLedger, "now" | "clockAheadMs"> {
  /** For what is asked beside runs. */
  readonly ledger: Ledger;
  /** For a run that holds leases. */
  ofHold(holds: readonly LeaseNumber[]): Ledger;
  /** Reads anew what this process holds of the state. */
  relearn(): Promise<void>;
  readonly leases: Leases;
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
          // A lease that can't be let go of runs out by itself: what was done under it is done all the same.
          await leases.release(holds).catch(() => undefined);
        },
      };
      try {
        // What the one before has remembered is read before anything is decided.
        await shares.relearn();
      } catch (error) {
        // Nobody gets this hold, so nobody else would ever let go of it.
        await hold.release();
        throw error;
      }
      return hold;
    },
  });
}

/** The engine for one holder of leases, or for what is asked beside runs. */
export function engineOf(
  server: ServerOptions,
  holds: readonly LeaseNumber[],
  options: Signer,
  close: () => void,
  assertHeld: () => Promise<void>,
): Engine & { readonly signs: ReturnType<typeof createSigns> } {
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
    async copyTo(file) {
      // The server's own tool knows how to copy it, and a dump that is put back is known for one without a stamp.
      throw new ConfigError([
        `The state is on PostgreSQL, which has its own backups: \`pg_dump --format=custom --schema=boardsync --file=${file} ${server.at}\`, while the daemons run.`,
      ]);
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
