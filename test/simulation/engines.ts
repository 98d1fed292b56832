/**
 * Plays histories on SQLite, and makes the same calls of the ledger's port on a PostgreSQL server: what both answer has to be the same.
 *
 *   node test/simulation/engines.ts [--from S] [--seeds N] [--tools]
 */
import { isDeepStrictEqual, parseArgs } from "node:util";
import pg from "pg";
import type { SharedLedger } from "../../src/ledger/ledger.ts";
import { tables } from "../../src/ledger/sql/schema.ts";
import { keepWhatIsNew, makeNew } from "../ledger/postgres/make-new.ts";
import { openShared } from "../ledger/postgres/open.ts";
import { startPostgres } from "../support/postgres.ts";
import { type Call, type Recorded, recordState } from "./recorded-state.ts";
import { createStates, type States } from "./state.ts";
import { playHistory } from "./world.ts";

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    seeds: { type: "string", default: "100" },
    tools: { type: "boolean", default: false },
  },
});

/** SQLite gives numbers of rows that were deleted last once more, where nobody minds. */
const nextNumbers = tables
  .filter(({ counted, isForever }) => counted !== undefined && !isForever)
  .map(
    ({ name, counted }) =>
      `SELECT setval(pg_get_serial_sequence('boardsync.${name}', '${counted}'), coalesce(max(${counted}), 0) + 1, false) FROM boardsync.${name}`,
  )
  .join(";\n");

const server = await startPostgres(["-c", "fsync=off", "-c", "full_page_writes=off"]);
const url = await server.freshDatabase();
(await openShared(url)).close();
const client = new pg.Client({ connectionString: url });
await client.connect();
await client.query(keepWhatIsNew);
const states = createStates();
let calls = 0;
let differences = 0;
try {
  const from = Number(values.from);
  for (let seed = from; seed < from + Number(values.seeds); seed += 1) {
    const recorded: Recorded[] = [];
    await playHistory(recordedStates(states, recorded), seed, {
      isOverHttp: false,
      isShared: false,
      hasTools: values.tools,
    });
    const difference = await replay(recorded);
    if (difference === undefined) continue;
    differences += 1;
    process.stdout.write(`Seed ${seed}: ${difference}\n`);
  }
} finally {
  states.close();
  await client.end();
  await server.end();
}
process.stdout.write(
  `${values.seeds} histories, ${calls} calls, ${differences} histories with a difference\n`,
);
process.exitCode = differences === 0 ? 0 : 1;

function recordedStates(of: States, recorded: Recorded[]): States {
  return {
    ...of,
    fast: recordState(of.fast, recorded),
    shared: recordState(of.shared, recorded),
    replicated: of.replicated,
  };
}

/** Makes the calls again, up to the first that is answered otherwise; undefined where none is. */
async function replay(recorded: readonly Recorded[]): Promise<string | undefined> {
  const ledgers = new Map<number, SharedLedger>();
  const forget = (): void => {
    for (const ledger of ledgers.values()) ledger.close();
    ledgers.clear();
  };
  let isComparable = false;
  try {
    for (const one of recorded) {
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
      if (isSameOutcome(one.outcome, answer)) {
        // A transaction that was rolled back has used numbers up on one engine alone.
        if ("error" in answer) isComparable = false;
        continue;
      }
      const name = [one.part, one.method].filter((part) => part !== undefined).join(".");
      return `${name}(${shorten(one.args)})${one.ahead ? ` after ${shorten(one.ahead)}` : ""}\n  SQLite ${shorten(one.outcome)}\n  PostgreSQL ${shorten(answer)}`;
    }
    return undefined;
  } finally {
    forget();
  }
}

type Outcome = NonNullable<Call["outcome"]>;

async function make(ledger: SharedLedger, { part, method, ahead, args }: Call): Promise<Outcome> {
  const whole: unknown = ahead === undefined ? ledger : ledger.after(() => ahead);
  const target = part === undefined ? whole : part.split(".").reduce(pick, whole);
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

function shorten(value: unknown): string {
  return (JSON.stringify(plain(value)) ?? "").slice(0, 1500);
}
