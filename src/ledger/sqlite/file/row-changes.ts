import type Database from "better-sqlite3";

/** What one transaction has made of the rows of a table; its keys and rows are in the order of the schema's columns. */
export interface TableChanges {
  readonly table: string;
  /** Keys of rows that are there no more. */
  readonly gone: readonly (readonly Value[])[];
  /** Rows as they are now. */
  readonly put: readonly (readonly Value[])[];
}

type Value = string | number | null;

/** Notes which rows are written, on one connection. */
export interface Recorder {
  /** What has been written since it was asked last; empty where nothing was. Inside the transaction that wrote it. */
  take(): readonly TableChanges[];
  /** What has been written since is nobody's news. */
  forget(): void;
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly keys: readonly string[];
}

/**
 * Begins to note the rows that this connection writes, by triggers that no other connection sees. What a rolled back
 * transaction has written is forgotten with it. A key is noted, and not a value: what is told is how a row stands at the end.
 */
export function recordRows(database: Database.Database): Recorder {
  const tables = tablesOf(database);
  // Else a row that another one replaces would be gone without a word.
  database.pragma("recursive_triggers = ON");
  database.exec("CREATE TEMP TABLE written (place INTEGER NOT NULL, key TEXT NOT NULL)");
  for (const [place, { name, keys }] of tables.entries()) {
    const note = (row: "OLD" | "NEW"): string =>
      `INSERT INTO written VALUES (${place}, json_array(${keys.map((key) => `${row}.${quoteName(key)}`).join(", ")}));`;
    const on = (event: string, body: string): void => {
      database.exec(
        `CREATE TEMP TRIGGER ${quoteName(`written_${event.toLowerCase()}_${name}`)} AFTER ${event} ON main.${quoteName(name)} BEGIN ${body} END`,
      );
    };
    on("INSERT", note("NEW"));
    on("UPDATE", `${note("OLD")} ${note("NEW")}`);
    on("DELETE", note("OLD"));
  }
  const readers = tables.map(({ name, keys }) =>
    database
      .prepare<Value[], Value[]>(`SELECT * FROM main.${quoteName(name)} WHERE ${isKey(keys)}`)
      .raw(true),
  );
  const select = database.prepare<[], { place: number; key: string }>(
    "SELECT DISTINCT place, key FROM written ORDER BY place, key",
  );
  const clear = database.prepare("DELETE FROM written");
  return {
    forget: () => void clear.run(),
    take() {
      const written = Map.groupBy(select.all(), ({ place }) => place);
      if (written.size > 0) clear.run();
      return [...written].map(([place, found]) => {
        const gone: Value[][] = [];
        const put: Value[][] = [];
        for (const { key } of found) {
          const values: Value[] = JSON.parse(key);
          const row = readers[place]?.get(...values);
          if (row === undefined) gone.push(values);
          else put.push(row);
        }
        return { table: tables[place]?.name ?? "", gone, put };
      });
    },
  };
}

/** Brings rows to where others have put them. */
export type ReplayRows = (changes: readonly TableChanges[]) => void;

/**
 * Makes changes that were noted elsewhere, on a database of the same schema, inside a transaction. Triggers of the schema run
 * as they did there, and what they wrote is among the changes.
 */
export function createReplay(database: Database.Database): ReplayRows {
  const known = new Map(
    tablesOf(database).map(({ name, columns, keys }) => {
      const others = columns.filter((column) => !keys.includes(column));
      const put = database.prepare<Value[]>(
        `INSERT INTO main.${quoteName(name)} VALUES (${columns.map(() => "?").join(", ")})
         ON CONFLICT (${keys.map(quoteName).join(", ")}) DO ${others.length === 0 ? "NOTHING" : `UPDATE SET ${others.map((column) => `${quoteName(column)} = excluded.${quoteName(column)}`).join(", ")}`}`,
      );
      const remove = database.prepare<Value[]>(`DELETE FROM main.${quoteName(name)} WHERE ${isKey(keys)}`);
      return [name, { put, remove }];
    }),
  );
  const defer = database.prepare("PRAGMA defer_foreign_keys = ON");
  return (changes) => {
    // Rows come in the order of their tables, and not in the one in which they were written.
    defer.run();
    const of = (table: string) => {
      const found = known.get(table);
      if (found === undefined) throw new Error(`There is no table ${table}.`);
      return found;
    };
    for (const { table, gone } of changes) for (const key of gone) of(table).remove.run(...key);
    let left = changes.flatMap(({ table, put }) => put.map((row) => ({ table, row })));
    while (left.length > 0) {
      const refused = left.filter(({ table, row }) => !isTaken(() => of(table).put.run(...row)));
      if (refused.length === left.length) throw new Error(`A row of ${refused[0]?.table} finds no place.`);
      left = refused;
    }
  };
}

/** Whether a row has found its place: a name or an address may still be another row's, which comes later. */
function isTaken(put: () => void): boolean {
  try {
    put();
    return true;
  } catch (error) {
    if (String(Object(error).code).startsWith("SQLITE_CONSTRAINT_UNIQUE")) return false;
    throw error;
  }
}

/** In the order in which they were made: one with triggers on it comes before those that they write to. */
function tablesOf(database: Database.Database): readonly Table[] {
  const names = database
    .prepare<[], { name: string }>(
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
    )
    .all();
  return names.map(({ name }) => {
    const columns = database
      .prepare<[string], { name: string; pk: number }>(
        "SELECT name, pk FROM pragma_table_info(?) ORDER BY cid",
      )
      .all(name);
    const keys = columns.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk);
    return { name, columns: columns.map((column) => column.name), keys: keys.map((column) => column.name) };
  });
}

function isKey(keys: readonly string[]): string {
  return keys.map((key) => `${quoteName(key)} = ?`).join(" AND ");
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
