import { StateError } from "../../errors.ts";
import { tables } from "../sql/schema.ts";
import type { Asked } from "../sql/store.ts";
import type { SqliteStore } from "../sqlite/database.ts";
import { literal } from "./dialect.ts";
import type { ServerAnswer } from "./pool.ts";

/** Rows that are sent in one message. */
const rowsAtOnce = 1_000;

/** All rows of a state on a server, into an empty one in SQLite; inside a transaction that reads. */
export function* readTables(to: SqliteStore): Asked<void> {
  to.database.pragma("foreign_keys = OFF");
  try {
    for (const { name, columns, counted, isForever } of tables) {
      const names = columns.map((column) => column.name);
      to.database.exec(`DELETE FROM ${name}`);
      const places = names.map((column) => `@${column}`).join(", ");
      const insert = to.database.prepare(`INSERT INTO ${name} (${names.join(", ")}) VALUES (${places})`);
      yield [`DECLARE rows NO SCROLL CURSOR FOR SELECT ${names.join(", ")} FROM boardsync.${name}`];
      for (;;) {
        const [found] = (yield [`FETCH ${rowsAtOnce} FROM rows`]) as readonly ServerAnswer[];
        const rows = found?.rows ?? [];
        to.database.transaction(() => {
          for (const row of rows) insert.run(row);
        })();
        if (rows.length < rowsAtOnce) break;
      }
      yield ["CLOSE rows"];
      if (!isForever) continue;
      const [last] = (yield [
        `SELECT last_value - (NOT is_called)::int AS last FROM boardsync.${name}_${counted}_seq`,
      ]) as readonly ServerAnswer[];
      to.database.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run(name);
      to.database
        .prepare("INSERT INTO sqlite_sequence (name, seq) SELECT ?, ? WHERE ? > 0")
        .run(name, ...Array(2).fill(last?.rows[0]?.["last"]));
    }
  } finally {
    to.database.pragma("foreign_keys = ON");
  }
}

/** All rows of a state in SQLite, into an empty one on a server; inside a transaction that writes. */
export function* writeTables(from: SqliteStore, at: string): Asked<void> {
  const [found] = (yield [
    "SELECT EXISTS (SELECT 1 FROM boardsync.runs) OR EXISTS (SELECT 1 FROM boardsync.board_projects) AS used",
  ]) as readonly ServerAnswer[];
  if (found?.rows[0]?.["used"] === 1)
    throw new StateError(`${at} holds a state already, and two can't become one: name an empty database.`);
  for (const { name, columns, counted } of tables) {
    const names = columns.map((column) => column.name);
    yield [`DELETE FROM boardsync.${name}`];
    const send = function* (rows: readonly string[]): Asked<void> {
      if (rows.length > 0)
        yield [`INSERT INTO boardsync.${name} (${names.join(", ")}) VALUES ${rows.join(", ")}`];
    };
    let waiting: string[] = [];
    for (const row of from.database.prepare<[], Record<string, unknown>>(`SELECT * FROM ${name}`).iterate()) {
      waiting.push(`(${names.map((column) => literal(row[column])).join(", ")})`);
      if (waiting.length < rowsAtOnce) continue;
      yield* send(waiting);
      waiting = [];
    }
    yield* send(waiting);
    if (counted === undefined) continue;
    const last = from.database
      .prepare<[string], number>("SELECT seq FROM sqlite_sequence WHERE name = ?")
      .pluck()
      .get(name);
    yield [
      `SELECT setval('boardsync.${name}_${counted}_seq',
        greatest(${last ?? 0}, (SELECT coalesce(max(${counted}), 0) FROM boardsync.${name})) + 1, false)`,
    ];
  }
}
