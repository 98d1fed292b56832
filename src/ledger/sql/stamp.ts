import { randomBytes } from "node:crypto";
import { hourMs } from "../../model/time.ts";
import { createMeta, type MetaKey } from "./journal/meta.ts";
import { addedToHour } from "./journal/quiet-hours.ts";
import { tables } from "./schema.ts";
import { named, sql, statementsOf } from "./statements.ts";
import type { Asked, Store } from "./store.ts";

/** What a state says of itself from its beginning. */
export function freshMeta(): readonly (readonly [MetaKey, string])[] {
  return [
    ["identity", randomBytes(16).toString("hex")],
    ["page_key", freshPageKey()],
  ];
}

/**
 * Marks a new copy, inside a transaction. What it holds was scanned before it was made, also where the clock has been set back
 * since: put back, it is told by that from what has been scanned in its new life. Whoever gets hold of a backup must not open
 * the page of the state, and no daemon works on a copy: the sign of life of the original's stays there.
 */
export function* stampCopy(store: Store, at: number): Asked<void> {
  const meta = createMeta(store);
  yield* meta.write("copied_at", String(at));
  yield* meta.write("page_key", freshPageKey());
  yield* meta.remove("heartbeat", yield* meta.read("heartbeat"));
  yield* rewrite(store, memories.slice(2), (key) => (key === "scannedAt" ? 0 : undefined), at);
}

/** The same of a copy with the tables of today: what commands have ordered is carried out once, in the original. */
export function* stampBackup(store: Store, at: number): Asked<void> {
  yield* stampCopy(store, at);
  yield* statementsOf(store).run`DELETE FROM orders`;
}

function freshPageKey(): string {
  return randomBytes(32).toString("hex");
}

/** What is remembered as JSON. */
const memories = [
  { table: named("memory"), column: named("value"), where: sql`kind <> 'open-list'` },
  { table: named("projects"), column: named("memory"), where: sql`true` },
  { table: named("repositories"), column: named("memory"), where: sql`true` },
];

/** Columns that are times; a test holds all others against what they are. */
export const timeNames = /^(at|since)$|_(at|since)$/;
/** What holds until a time, and when that was said. */
const lasting = ["limits", "orders"];
/** A copy that was made since has a stamp of the new clock: a search for markers from before it must not look later. */
const longAgo: readonly string[] = ["due_at", "seen_at"];

/**
 * Brings the state back to a clock that was set back; see `Runs.begin`. Which columns are times is read from the schema,
 * by their names, so that none is forgotten: `at`, `since`, and what ends like them. What else goes by the clock is named here.
 */
export function createRewind(store: Store, forgetLooks: () => void): (now: number) => Asked<number> {
  const { run, get } = statementsOf(store);
  return function* (now) {
    // The last run is enough to tell, and costs an idle run nothing.
    const last = yield* get<{ startedAt: number; finishedAt?: number }>`
      SELECT started_at, finished_at FROM runs WHERE number = (SELECT max(number) FROM runs)`;
    const aheadMs = Math.max(last?.startedAt ?? now, last?.finishedAt ?? 0) - now;
    if (last === undefined || aheadMs <= 0) return 0;
    forgetLooks();
    // It holds as long as it was to hold when it was learnt.
    for (const table of lasting)
      yield* run`UPDATE ${named(table)} SET until = until - (at - ${now}) WHERE at > ${now}`;
    // Those of later hours were made in this one.
    const hour = Math.floor(now / hourMs);
    yield* run`
      INSERT INTO quiet_runs (hour, runs, failures, longest_ms)
      SELECT ${hour}, sum(runs), sum(failures), max(longest_ms) FROM quiet_runs WHERE hour > ${hour} HAVING count(*) > 0
      ${addedToHour}`;
    yield* run`DELETE FROM quiet_runs WHERE hour > ${hour}`;
    for (const { name: table, columns } of tables) {
      for (const { name } of columns.filter((one) => one.isNumber && timeNames.test(one.name))) {
        // What is to be done is due at once, and a look from then is none.
        const time = longAgo.includes(name) ? 0 : now;
        yield* run`UPDATE ${named(table)} SET ${named(name)} = ${time} WHERE ${named(name)} > ${now}`;
      }
    }
    // What was remembered ahead was remembered now, and a scan from then is none.
    const timeOf = (key: string) =>
      /^(since|until)$|(At|Since)$/.test(key) ? (key === "scannedAt" ? 0 : now) : undefined;
    yield* rewrite(store, memories, timeOf, now);
    return aheadMs;
  };
}

/** Rows of the same text become the same. */
function* rewrite(
  store: Store,
  where: typeof memories,
  timeOf: (key: string) => number | undefined,
  now: number,
): Asked<void> {
  const { run, all } = statementsOf(store);
  for (const { table, column, where: which } of where) {
    const found = yield* all<{ json: string }>`SELECT ${column} AS json FROM ${table} WHERE ${which}`;
    for (const { json } of found) {
      const rewritten = JSON.stringify(JSON.parse(json), (key, value: unknown) =>
        typeof value === "number" && value > now ? (timeOf(key) ?? value) : value,
      );
      if (rewritten !== json)
        yield* run`UPDATE ${table} SET ${column} = ${rewritten} WHERE ${which} AND ${column} = ${json}`;
    }
  }
}
