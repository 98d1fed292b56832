import type { Store } from "../file/store.ts";
import type { Sightings } from "./sightings.ts";

/** A column that holds the time of something that has happened, or of what is to be done. */
interface TimeColumn {
  table: string;
  column: string;
}

/** A copy that was made since has a stamp of the new clock: a search for markers from before it must not look later. */
const longAgo: readonly string[] = ["due_at", "seen_at", "scanned_at"];

/**
 * Brings the state back to a clock that was set back; see `Runs.begin`. Which columns are times is read from the schema,
 * by their names, so that none is forgotten: `at`, `since`, and what ends like them.
 */
export function createRewind(store: Store, sightings: Sightings): (now: number) => number {
  // The last run is enough to tell, and costs an idle run nothing.
  const selectLast = store.prepare<[], { at: number }>(
    "SELECT max(started_at, coalesce(finished_at, 0)) AS at FROM runs WHERE number = (SELECT max(number) FROM runs)",
  );
  return (now) => {
    const aheadMs = (selectLast.get()?.at ?? now) - now;
    if (aheadMs <= 0) return 0;
    sightings.seenAt.clear();
    store.transaction(() => {
      // It holds as long as it was to hold when it was learnt.
      store
        .prepare<[number, number]>("UPDATE limits SET until = until - (at - ?) WHERE at > ?")
        .run(now, now);
      for (const { table, column } of listTimes(store)) {
        // What is to be done is due at once, and a look from then is none.
        const time = longAgo.includes(column) ? 0 : now;
        store
          .prepare<[number, number]>(`UPDATE ${table} SET ${column} = ? WHERE ${column} > ?`)
          .run(time, now);
      }
    });
    return aheadMs;
  };
}

function listTimes(store: Store): readonly TimeColumn[] {
  return store
    .prepare<[], TimeColumn>(`
      SELECT tables.name AS "table", columns.name AS "column"
      FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
      WHERE tables.type = 'table' AND columns.type = 'INTEGER'
        AND (columns.name IN ('at', 'since') OR columns.name GLOB '*_at' OR columns.name GLOB '*_since')`)
    .all();
}
