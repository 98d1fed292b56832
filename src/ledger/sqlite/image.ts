import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";

/** Where a database says how it is read and written: 1 without a log beside it. https://www.sqlite.org/fileformat.html */
const versionsAt = 18;
const withoutLog = 1;

/** A database in memory with all that another one holds. No other process knows of it, and none of it outlives the process. */
export function copyToMemory(database: Database.Database): Database.Database {
  const bytes = database.serialize();
  // Memory has no place for a log.
  bytes.fill(withoutLog, versionsAt, versionsAt + 2);
  return new Database(bytes);
}

/**
 * The same of a file in a folder where nothing can be written, such as a snapshot: SQLite keeps files of its own beside a
 * database, also for reading. With its log, which may hold the latest of it.
 */
export function readToMemory(path: string): Database.Database {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-read-"));
  try {
    const copy = join(folder, "state.db");
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    const database = new Database(copy);
    try {
      return copyToMemory(database);
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
