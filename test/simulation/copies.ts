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
  { database }: SqliteStore,
  childrenFirst: readonly string[],
  stampedAt: number,
): Copy {
  const tables = [...childrenFirst, "sqlite_sequence", "meta"];
  return {
    stampedAt,
    tables: new Map(tables.map((name) => [name, database.prepare<[], Line>(`SELECT * FROM ${name}`).all()])),
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
        const [first, ...others] = tables.get(name) ?? [];
        if (first === undefined) continue;
        const columns = Object.keys(first);
        const places = columns.map((column) => `@${column}`).join();
        const put = store.database.prepare(
          `INSERT OR REPLACE INTO ${name} (${columns.join()}) VALUES (${places})`,
        );
        for (const line of [first, ...others]) put.run(line);
      }
      if (isStamped) yield* stampCopy(store, stampedAt);
    }),
  );
}
