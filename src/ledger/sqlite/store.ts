import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import Database from "better-sqlite3";
import { StateError } from "../../errors.ts";
import { assertDurable, createStore, type SqliteStore } from "./database.ts";
import { remedy, withStateFailure } from "./failure.ts";
import { isFresh, knownSchema, migrate, refuseOtherSchema } from "./migrate.ts";
import {
  createFolderOf,
  createPrivateFile,
  readHeader,
  refuseOtherFile,
  tightenFile,
} from "./private-file.ts";

/** What the state is opened with. */
export interface StateOptions {
  /** Epoch milliseconds: for the stamp of the copy that is made before a migration. */
  readonly now: number;
  /** Of this program: a file with a newer schema names the version that made it. */
  readonly version: string;
}

/** How long a statement waits for another process's short transaction. */
export const busyTimeoutMs = 5_000;
/** A log that grew beyond this in one large transaction is cut again. */
export const journalLimitBytes = 16 * 1024 * 1024;

/**
 * Opens the state for writing: makes folder and file when they are missing, checks the file, and brings its schema up to
 * date; `copy` is the state as it was, where that has changed it. Without `isTrusted` the whole file is checked for damage,
 * which reads all of it.
 *
 * @throws StateError when the file can't be used, in one sentence that says what to do.
 */
export function openStore(
  file: string,
  options: StateOptions,
  isTrusted = false,
): SqliteStore & { readonly copy: string | undefined } {
  return withStateFailure(file, () => {
    const path = resolve(file);
    refuseOtherFile(path, file);
    createFolderOf(path);
    createPrivateFile(path);
    refuseForeignJournal(path, file);
    const database = new Database(path, { timeout: busyTimeoutMs });
    try {
      refuseOtherSchema(database, file);
      tightenFile(path);
      const finding = isTrusted ? "ok" : database.pragma("quick_check(1)", { simple: true });
      if (finding !== "ok")
        throw new StateError(`The state file ${file} is damaged (${finding}): ${remedy}.`);
      setPragmas(database);
      const copy = migrate(database, { path, ...options });
      assertDurable(database, file);
      return { ...createStore(database, file), copy };
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/**
 * Opens the state beside whoever writes it; undefined where there is none yet. Nothing can be written through it.
 *
 * The connection itself is not read-only: such a one could not put away the journal files that every reader of a database
 * in WAL mode needs, and would leave them behind.
 *
 * @param schema - `any`: an older one is good enough, for a copy.
 */
export function openStoreReadOnly(
  file: string,
  schema: "current" | "any" = "current",
): SqliteStore | undefined {
  return withStateFailure(file, () => {
    const path = resolve(file);
    refuseOtherFile(path, file);
    if (!existsSync(path)) return undefined;
    refuseForeignJournal(path, file);
    const database = openForReading(path);
    try {
      database.pragma("query_only = ON");
      database.pragma("trusted_schema = OFF");
      if (isFresh(database)) {
        database.close();
        return undefined;
      }
      const found = refuseOtherSchema(database, file);
      if (schema === "current" && found < knownSchema) {
        throw new StateError(
          `The state file ${file} has an older schema (${found}, not ${knownSchema}): the next \`boardsync sync\` or \`daemon\` of this version brings it up to date.`,
          { schema: found },
        );
      }
      return createStore(database, file);
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/**
 * A copy of the state in memory, to try out what would come, made beside the process that writes it; also of an older schema,
 * brought up to date there. An empty one where there is none yet.
 *
 * @throws StateError when the file can't be read.
 */
export function openStoreCopy(
  file: string,
  options: StateOptions,
): { readonly store: SqliteStore; readonly isKnown: boolean } {
  const source = openStoreReadOnly(file, "any");
  return withStateFailure(file, () => {
    try {
      const image = source && imageOf(source.database);
      return { store: openMemoryStore(options, image, file), isKnown: source !== undefined };
    } finally {
      source?.close();
    }
  });
}

/**
 * A state in memory: an empty one, or that of an image, brought up to date.
 *
 * @param file - what messages call it.
 */
export function openMemoryStore(options: StateOptions, image?: Buffer, file = ":memory:"): SqliteStore {
  const database = new Database(image ?? ":memory:");
  database.pragma("foreign_keys = ON");
  database.pragma("trusted_schema = OFF");
  migrate(database, { path: undefined, ...options });
  return createStore(database, file);
}

/** A connection for reading; where no file can be made beside the state, to a copy of it. */
export function openForReading(path: string): Database.Database {
  const database = new Database(path, { timeout: busyTimeoutMs, fileMustExist: true });
  try {
    database.pragma("schema_version");
    return database;
  } catch (error) {
    database.close();
    const code = error instanceof Database.SqliteError ? error.code : "";
    const isReadOnly = code === "SQLITE_CANTOPEN" || code === "SQLITE_READONLY_DIRECTORY";
    // Where a process is at work beside it, its log goes on while we read.
    if (!isReadOnly || existsSync(`${path}-shm`)) throw error;
    return readToMemory(path);
  }
}

/**
 * A copy of a file in a folder where nothing can be written, such as a snapshot: SQLite keeps files of its own beside a
 * database, also for reading. With its log, which may hold the latest of it.
 */
function readToMemory(path: string): Database.Database {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-read-"));
  try {
    const copy = join(folder, "state.db");
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    const database = new Database(copy);
    try {
      return new Database(imageOf(database));
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where a database says how it is written and read: 1 with a rollback journal, 2 with a log. https://www.sqlite.org/fileformat.html */
const versionsAt = 18;
const withoutLog = 1;

/** The bytes of a database in memory with all that another one holds. */
export function imageOf(database: Database.Database): Buffer {
  const bytes = database.serialize();
  // Memory has no place for a log.
  return bytes.fill(withoutLog, versionsAt, versionsAt + 2);
}

/**
 * SQLite replays any log that lies beside a database, also that of another one: a copy that was put back over a state whose
 * process had been killed would become a mixture of the two. Our copies don't use a log until they are opened, so one
 * beside them is never theirs.
 *
 * Only before the first connection of this process to the file: closing it here drops every lock that the process has on it.
 *
 * @throws StateError
 */
function refuseForeignJournal(path: string, file: string): void {
  const journal = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (journal === undefined || journal.size === 0) return;
  if (readHeader(path)[versionsAt] !== withoutLog) return;
  throw new StateError(
    `The state file ${file} is a copy that was put back beside the log of another state (${file}-wal), and the two would be mixed: delete ${file}-wal and ${file}-shm, then try again.`,
  );
}

function setPragmas(database: Database.Database): void {
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.pragma("foreign_keys = ON");
  database.pragma("trusted_schema = OFF");
  database.pragma(`journal_size_limit = ${journalLimitBytes}`);
}
