import { StateError, StateHeldError } from "../../errors.ts";
import type { Ledger } from "../ledger.ts";
import type { Replica as Process, SignOfLife } from "../runs.ts";
import type { SharedLedger } from "../shared.ts";
import { type Base, freshImage, knownSchema, migrateImage, openBase } from "../sqlite/base.ts";
import { type Connection, createConnection } from "./connection.ts";
import type { SharedLog } from "./log.ts";
import { openReplica } from "./replica.ts";
import { findHead, openTables } from "./schema.ts";
import { createServerClock, type ServerClock } from "./server-clock.ts";
import { createServerLeases, createServerLog, replaceImage, type ServerOptions } from "./server-log.ts";
import { createSharedLedger } from "./shared-ledger.ts";
import { askTime, byThisClock, createSigns, measureClock } from "./signs.ts";
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
  /** Whether what others commit is followed while nothing is asked. */
  readonly follows: boolean;
  /** Epoch ms. */
  now(): number;
  /** Milliseconds since some moment: a clock that nobody can set. */
  monotonic(): number;
  repeat(everyMs: number, work: () => Promise<void>): () => void;
}

/** How long what others have committed may be unknown to whoever looks at a page. */
const followMs = 1_000;

/**
 * Opens a state that is kept by a PostgreSQL server, and makes it where there is none.
 *
 * @throws StateError in one sentence that says what to do.
 */
export async function openSharedLedger(options: SharedOptions): Promise<SharedLedger> {
  const { url, version, leaseMs } = options;
  const at = showPlace(url);
  const working = createConnection(url, at);
  const minding = createConnection(url, at);
  const close = (): void => {
    void working.close();
    void minding.close();
  };
  try {
    const fresh = { now: options.now(), version };
    const tables = await openTables(working, at, {
      schema: knownSchema,
      version,
      image: () => freshImage(at, fresh),
    });
    const validUntil = new Map<string, number>();
    const clock = createServerClock(options.monotonic);
    await askTime(minding, clock);
    const server = serverOf(options, at, clock, (holds, until) => {
      for (const { project } of holds) validUntil.set(project, until);
    });
    const log = createServerLog(working, server);
    if (tables.schema < knownSchema) await bringUpToDate(working, log, at, fresh);
    const replica = await openReplica(log, (image) => openBase(image, at, fresh));
    await replica.follow();
    const stop = options.follows ? options.repeat(followMs, () => replica.follow()) : () => undefined;
    return createSharedLedger({
      replica,
      leases: createServerLeases(minding, server),
      signs: createSigns(minding, options),
      validUntil,
      requestMs: options.requestMs,
      clockAheadMs: clock.now() - options.now(),
      now: clock.now,
      monotonic: options.monotonic,
      repeat: options.repeat,
      leaseMs,
      close() {
        stop();
        replica.close();
        close();
      },
    });
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * The state as it is now, for whoever only looks: what is written to it reaches nobody.
 *
 * @returns undefined where there is none yet; nothing is made.
 * @throws StateError
 */
export async function openSharedCopy(options: SharedOptions): Promise<Ledger | undefined> {
  const copy = await copyBase(options);
  if (copy === undefined) return undefined;
  const { ledger } = copy.base;
  if (!copy.isAtHome) await ledger.commit([{ kind: "declare-old", at: options.now() }]);
  const known = { heartbeat: async () => copy.sign, replicas: async () => copy.processes };
  return Object.create(ledger, { runs: { value: { ...ledger.runs, ...known } } });
}

/**
 * Whether there is a state; nothing is made.
 *
 * @throws StateError
 */
export async function hasSharedState(url: string): Promise<boolean> {
  const at = showPlace(url);
  const connection = createConnection(url, at);
  try {
    return (await findHead(connection, at)) !== undefined;
  } finally {
    await connection.close();
  }
}

/** What a server holds now. */
interface ServerCopy {
  /** Brought up to date. */
  readonly base: Base;
  /** Whether it is where it was made. */
  readonly isAtHome: boolean;
  readonly sign: SignOfLife | undefined;
  readonly processes: readonly Process[];
  /** Who has a project now. */
  readonly holder: string | undefined;
}

async function copyBase(options: SharedOptions): Promise<ServerCopy | undefined> {
  const at = showPlace(options.url);
  const connection = createConnection(options.url, at);
  const fresh = { now: options.now(), version: options.version };
  try {
    const head = await findHead(connection, at);
    if (head === undefined) return undefined;
    const server = serverOf(options, at, createServerClock(options.monotonic), () => undefined);
    const log = createServerLog(connection, server);
    const { image, entries } = await readWhole(log);
    const isOlder = head.schema < knownSchema;
    const base = openBase(isOlder ? migrateImage(image, entries, at, fresh) : image, at, fresh);
    if (!isOlder) base.replay(entries);
    const signs = createSigns(connection, options);
    const sign = await signs.read();
    const aheadMs = await measureClock(connection, options);
    const [held] = await connection.ask(
      "SELECT holder FROM boardsync.leases WHERE until > clock_timestamp() LIMIT 1",
    );
    const holder = held?.rows[0]?.["holder"];
    return {
      base,
      isAtHome: head.isAtHome,
      sign: sign && byThisClock(sign, aheadMs),
      processes: (await signs.processes()).map((one) => byThisClock(one, aheadMs)),
      holder: holder === undefined ? undefined : String(holder),
    };
  } finally {
    await connection.close();
  }
}

/** The newest image, and all that came after it. */
async function readWhole(log: SharedLog): Promise<{ readonly image: Buffer; readonly entries: Buffer[] }> {
  for (;;) {
    const image = await log.image();
    const { entries } = await log.read(image.number);
    // Another process may have made a newer image in between.
    if (entries !== undefined) return { image: image.body, entries: entries.map(({ body }) => body) };
  }
}

/**
 * Puts a whole state onto a server that holds none yet.
 *
 * @throws StateError where there is one already, or the server can't be used.
 */
export async function fillServer(options: SharedOptions, body: Buffer): Promise<void> {
  const at = showPlace(options.url);
  const connection = createConnection(options.url, at);
  const fresh = { now: options.now(), version: options.version };
  try {
    const tables = { schema: knownSchema, version: fresh.version, image: () => freshImage(at, fresh) };
    await openTables(connection, at, tables);
    const log = createServerLog(
      connection,
      serverOf(options, at, createServerClock(options.monotonic), () => undefined),
    );
    // What was ever written to it has a number.
    const turn = await log.turn(0, []);
    try {
      const { number } = await log.image();
      if (number > 0 || turn.news?.length !== 0) {
        throw new StateError(
          `${at} holds a state already, and two can't become one: name an empty database.`,
        );
      }
      await replaceImage(connection, { number: 1, body }, { schema: knownSchema, version: options.version });
    } finally {
      await turn.end();
    }
  } finally {
    await connection.close();
  }
}

/**
 * The whole state of a server at which nobody is at work.
 *
 * @param keep puts it somewhere. When that has come true, the server's state counts as an old copy of it.
 * @throws StateHeldError where somebody is at work.
 * @throws StateError where there is no state, or the server can't be used.
 */
export async function emptyServer(
  options: SharedOptions,
  keep: (image: Buffer) => Promise<void>,
): Promise<void> {
  const at = showPlace(options.url);
  const copy = await copyBase(options);
  if (copy === undefined) throw new StateError(`There is no state at ${at}.`);
  const who = copy.holder ?? copy.processes[0]?.who;
  if (who !== undefined) throw new StateHeldError(`The state at ${at} is held by ${who}.`);
  await keep(copy.base.image());
  const ledger = await openSharedLedger({ ...options, follows: false });
  try {
    await ledger.commit([{ kind: "declare-old", at: options.now() }]);
  } finally {
    ledger.close();
  }
}

function serverOf(
  { leaseMs, who, config }: SharedOptions,
  at: string,
  clock: ServerClock,
  prolonged: ServerOptions["prolonged"],
): ServerOptions {
  return { at, schema: knownSchema, leaseMs, who, config, clock, prolonged };
}

/** Nobody else commits meanwhile, and from then on no older version does. */
async function bringUpToDate(
  connection: Connection,
  log: SharedLog,
  at: string,
  options: { readonly now: number; readonly version: string },
): Promise<void> {
  for (;;) {
    const image = await log.image();
    const turn = await log.turn(image.number, []);
    try {
      // Another process may have made a newer image in between.
      if (turn.news === undefined) continue;
      const last = turn.news.at(-1)?.number ?? image.number;
      const entries = turn.news.map(({ body }) => body);
      const body = migrateImage(image.body, entries, at, options);
      await replaceImage(
        connection,
        { number: last, body },
        { schema: knownSchema, version: options.version },
      );
      return;
    } finally {
      await turn.end();
    }
  }
}
