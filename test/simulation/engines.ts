import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import type { SharedLedger } from "../../src/ledger/ledger.ts";
import { tables } from "../../src/ledger/sql/schema.ts";
import { keepWhatIsNew, makeNew } from "../ledger/postgres/make-new.ts";
import { openShared } from "../ledger/postgres/open.ts";
import { startPostgres } from "../support/postgres.ts";
import { type Call, type Recorded, recordState } from "./recorded-state.ts";
import { createStates } from "./state.ts";
import { playHistory, type Way } from "./world.ts";

/** Histories that are played on SQLite, and whose calls of the ledger's port are made once more on a PostgreSQL server. */
export interface Engines {
  /** How many calls have been compared. */
  readonly calls: number;
  /** The first call of a history that the two answer otherwise, as words; undefined where there is none. */
  compare(seed: number, way: Way): Promise<string | undefined>;
  close(): Promise<void>;
}

/** SQLite gives numbers of rows that were deleted last once more, where nobody minds. */
const nextNumbers = tables
  .filter(({ counted, isForever }) => counted !== undefined && !isForever)
  .map(
    ({ name, counted }) =>
      `SELECT setval(pg_get_serial_sequence('boardsync.${name}', '${counted}'), coalesce(max(${counted}), 0) + 1, false) FROM boardsync.${name}`,
  )
  .join(";\n");

export async function startEngines(): Promise<Engines> {
  const server = await startPostgres(["-c", "fsync=off", "-c", "full_page_writes=off"]);
  const url = await server.freshDatabase();
  (await openShared(url)).close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(keepWhatIsNew);
  const states = createStates();
  const recorded: Recorded[] = [];
  const watched = {
    fast: recordState(states.fast, recorded),
    shared: recordState(states.shared, recorded),
    replicated: states.replicated,
    close: () => undefined,
  };
  let calls = 0;

  /** Makes the calls again, up to the first that is answered otherwise. */
  async function replay(): Promise<string | undefined> {
    const ledgers = new Map<number, SharedLedger>();
    const forget = (): void => {
      for (const ledger of ledgers.values()) ledger.close();
      ledgers.clear();
    };
    let isComparable = false;
    try {
      for (const one of recorded.splice(0)) {
        if (one === "new") {
          forget();
          await client.query(makeNew);
          isComparable = true;
        } else if (one === "other" || one.outcome === undefined) isComparable = false;
        if (typeof one === "string" || !isComparable || one.outcome === undefined) continue;
        const ledger = ledgers.get(one.ledger) ?? (await openShared(url));
        ledgers.set(one.ledger, ledger);
        calls += 1;
        await client.query(nextNumbers);
        const answer = await make(ledger, one);
        if (!isSameOutcome(one.outcome, answer)) return describe(one, one.outcome, answer);
        // A transaction that was rolled back has used numbers up on one engine alone.
        if ("error" in answer) isComparable = false;
      }
      return undefined;
    } finally {
      forget();
    }
  }

  return {
    get calls() {
      return calls;
    },
    async compare(seed, way) {
      await playHistory(watched, seed, { ...way, isOverHttp: false, isShared: false });
      return replay();
    },
    async close() {
      states.close();
      await client.end();
      await server.end();
    },
  };
}

type Outcome = NonNullable<Call["outcome"]>;

async function make(ledger: SharedLedger, { part, method, ahead, args }: Call): Promise<Outcome> {
  const whole: unknown = ahead === undefined ? ledger : ledger.after(() => ahead);
  const target = part === undefined ? whole : pick(whole, part);
  try {
    const work = pick(target, method) as (...given: readonly unknown[]) => unknown;
    return { value: await Reflect.apply(work, target, [...args]) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function pick(whole: unknown, key: string): unknown {
  return (whole as Readonly<Record<string, unknown>>)[key];
}

/** How a call fails is told in the words of each engine. */
function isSameOutcome(one: Outcome, other: Outcome): boolean {
  if ("error" in one || "error" in other) return "error" in one && "error" in other;
  return isDeepStrictEqual(plain(one.value), plain(other.value));
}

/** A field that is left out is one that is undefined. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return { map: plain([...value]) };
  if (value instanceof Set) return { set: plain([...value]) };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(fields.map(([key, one]) => [key, plain(one)]));
}

function describe({ part, method, args, ahead }: Call, one: Outcome, other: Outcome): string {
  const name = part === undefined ? method : `${part}.${method}`;
  const after = ahead === undefined ? "" : ` after ${shorten(ahead)}`;
  return `${name}(${shorten(args)})${after}\n  SQLite ${shorten(one)}\n  PostgreSQL ${shorten(other)}`;
}

function shorten(value: unknown): string {
  return (JSON.stringify(plain(value)) ?? "").slice(0, 1_500);
}
