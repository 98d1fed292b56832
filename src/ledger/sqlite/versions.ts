import { createRequire } from "node:module";
import Database from "better-sqlite3";

/** What reads and writes a state. */
export interface SqliteVersions {
  readonly sqlite: string;
  /** Of the package `better-sqlite3`. */
  readonly driver: string;
}

/** The versions of SQLite and of what ties it to Node.js. */
export function readSqliteVersions(): SqliteVersions {
  const database = new Database(":memory:");
  try {
    const sqlite = database.prepare<[], string>("SELECT sqlite_version()").pluck().get() ?? "";
    // Its own file: it has a version.
    const { version } = createRequire(import.meta.url)("better-sqlite3/package.json");
    return { sqlite, driver: version };
  } finally {
    database.close();
  }
}
