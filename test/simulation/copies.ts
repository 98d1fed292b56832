import { stampCopy } from "../../src/ledger/sql/stamp.ts";
import type { SqliteStore } from "../../src/ledger/sqlite/database.ts";

type Line = Readonly<Record<string, string | number | null>>;

/** What a backup holds: every line of every table, and the stamp. */
export interface Copy {
  readonly stampedAt: number;
  readonly tables: ReadonlyMap<string, readonly Line[]>;
}

/**
 * Copies a state line by line, and puts it back: a file that would have to be opened for it costs more than a history.
 *
 * @param childrenFirst - the tables, each before those that it refers to.
 */
export function copyTables(
  { prepare, carry }: SqliteStore,
  childrenFirst: readonly string[],
  stampedAt: number,
): Copy {
  const tables = [...childrenFirst, "sqlite_sequence", "meta"];
  return {
    stampedAt,
    tables: new Map(tables.map((name) => [name, carry(prepare(`SELECT * FROM ${name}`).all()) as Line[]])),
  };
}

/** Puts a copy into a state that is empty but for its schema; a dump of a server has no stamp. */
export function fillTables(
  store: SqliteStore,
  childrenFirst: readonly string[],
  { tables, stampedAt }: Copy,
  isStamped = true,
): void {
  store.carry(
    store.transaction(function* () {
      for (const name of [...childrenFirst.toReversed(), "sqlite_sequence", "meta"]) {
        for (const line of tables.get(name) ?? []) {
          const columns = Object.keys(line);
          const places = columns.map(() => "?").join();
          yield* store
            .prepare(`INSERT OR REPLACE INTO ${name} (${columns.join()}) VALUES (${places})`)
            .run(...Object.values(line));
        }
      }
      if (isStamped) yield* stampCopy(store, stampedAt);
    }),
  );
}
