import { tables } from "../schema.ts";
import { rewindMemory } from "../stamp.ts";
import type { Asked, Store } from "../store.ts";
import type { Sightings } from "./sightings.ts";

const timeNames = /^(at|since)$|_(at|since)$/;
/** A copy that was made since has a stamp of the new clock: a search for markers from before it must not look later. */
const longAgo: readonly string[] = ["due_at", "seen_at"];

/**
 * Brings the state back to a clock that was set back; see `Runs.begin`. Which columns are times is read from the schema,
 * by their names, so that none is forgotten: `at`, `since`, and what ends like them.
 */
export function createRewind(store: Store, sightings: Sightings): (now: number) => Asked<number> {
  // The last run is enough to tell, and costs an idle run nothing.
  const selectLast = store.prepare<[], { started_at: number; finished_at: number | null }>(
    "SELECT started_at, finished_at FROM runs WHERE number = (SELECT max(number) FROM runs)",
  );
  return function* (now) {
    const last = yield* selectLast.get();
    const aheadMs = Math.max(last?.started_at ?? now, last?.finished_at ?? 0) - now;
    if (last === undefined || aheadMs <= 0) return 0;
    sightings.seenAt.clear();
    // It holds as long as it was to hold when it was learnt.
    yield* store
      .prepare<[number, number]>("UPDATE limits SET until = until - (at - ?) WHERE at > ?")
      .run(now, now);
    for (const { name, columns } of tables) {
      for (const column of columns.filter(({ isNumber, name: one }) => isNumber && timeNames.test(one))) {
        // What is to be done is due at once, and a look from then is none.
        const time = longAgo.includes(column.name) ? 0 : now;
        yield* store
          .prepare<[number, number]>(`UPDATE ${name} SET ${column.name} = ? WHERE ${column.name} > ?`)
          .run(time, now);
      }
    }
    yield* rewindMemory(store, now);
    return aheadMs;
  };
}
