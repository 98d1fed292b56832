import Database from "better-sqlite3";
import { z } from "zod";
import { readEarlier } from "../sqlite/earlier.ts";
import type { StateOptions } from "../sqlite/store.ts";
import { stored } from "../stored.ts";
import type { Pool } from "./pool.ts";

const rowsShape = z.array(z.array(z.union([z.string(), z.number(), z.null()])));

/** What one commit had made of the rows of a table: keys of those that are gone, and rows as they are then. */
const readChanges = stored("entries.body", () =>
  z.array(z.object({ table: z.string(), gone: rowsShape, put: rowsShape })),
);

/**
 * A state as servers kept it before they had its tables: an image of a database, and in their order the rows of all commits since.
 *
 * @returns its bytes in the form that it has now.
 */
export async function readEarlierServer(pool: Pool, at: string, options: StateOptions): Promise<Buffer> {
  const [parts, entries] = await pool.ask(`
    SELECT body FROM boardsync.images WHERE number = (SELECT max(number) FROM boardsync.images) ORDER BY part;
    SELECT body FROM boardsync.entries WHERE number > (SELECT max(number) FROM boardsync.images) ORDER BY number`);
  const bodies = (answer: typeof parts): Buffer[] => (answer?.rows ?? []).map(({ body }) => body as Buffer);
  const database = new Database(Buffer.concat(bodies(parts)));
  try {
    database.pragma("foreign_keys = OFF");
    for (const body of bodies(entries)) replay(database, readChanges(body.toString()));
    return readEarlier(database, at, options);
  } finally {
    database.close();
  }
}

function replay(database: Database.Database, changes: ReturnType<typeof readChanges>): void {
  for (const { table, gone } of changes) {
    const keys = database
      .prepare<[string], string>("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk")
      .pluck()
      .all(table);
    const remove = database.prepare(
      `DELETE FROM "${table}" WHERE ${keys.map((key) => `"${key}" = ?`).join(" AND ")}`,
    );
    for (const key of gone) remove.run(...key);
  }
  for (const { table, put } of changes)
    for (const row of put)
      database
        .prepare(`INSERT OR REPLACE INTO "${table}" VALUES (${row.map(() => "?").join(", ")})`)
        .run(...row);
}
