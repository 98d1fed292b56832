import { existsSync } from "node:fs";
import { resolve } from "node:path";
import Database from "better-sqlite3";
import { StateError } from "../../../errors.ts";
import { remedy, stateFailure, withStateFailure } from "./failure.ts";
import { refuseForeignJournal } from "./foreign-journal.ts";
import { copyToMemory, readToMemory } from "./image.ts";
import { isFresh, migrate, refuseOtherSchema } from "./migrate.ts";
import { applicationId, migrations } from "./migrations.ts";
import { createFolderOf, createPrivateFile, refuseOtherFile, tightenFile } from "./private-file.ts";

/** What the state is opened with. */
export interface StateOptions {
  /** Epoch milliseconds: for the stamp of the copy that is made before a migration. */
  readonly now: number;
  /** Of this program: a file with a newer schema names the version that made it. */
  readonly version: string;
}

/** A prepared statement whose failures are sentences. `Bound` are its parameters, `Found` is a row that it gives. */
export interface Query<Bound extends unknown[], Found> {
  /** Returns how many rows were changed. */
  run(...bound: Bound): number;
  /** Inserts one row and returns its number. */
  insert(...bound: Bound): number;
  get(...bound: Bound): Found | undefined;
  all(...bound: Bound): Found[];
  /** The tables whose columns it gives. */
  tables(): readonly string[];
}

/** An open database with its transactions. */
export interface Store {
  readonly file: string;
  /** The copy of the state as it was, where opening it has changed its schema. */
  readonly copy: string | undefined;
  readonly database: Database.Database;
  prepare<Bound extends unknown[], Found = unknown>(sql: string): Query<Bound, Found>;
  /** All of `work`, or nothing when it throws. Inside another one it is a savepoint: it fails alone, and commits with the outer one. */
  transaction<T>(work: () => T): T;
  /** What `work` returns; nothing of what it writes stays. */
  tryOut<T>(work: () => T): T;
  /** One unchanging view of the database for several reads. */
  read<T>(work: () => T): T;
  /** Begins a transaction that others end: what `transaction` does meanwhile is part of it. */
  begin(): { commit(): void; rollback(): void };
  /** @throws StateError where a commit would not be on the disk, or wherever this state is kept. */
  assertDurable(): void;
  /** Takes back, in memory, what the running transaction has done there, if it is rolled back. */
  onRollback(undo: () => void): void;
  close(): void;
}

/** How long a statement waits for another process's short transaction. */
export const busyTimeoutMs = 5_000;
/** A log that grew beyond this in one large transaction is cut again. */
export const journalLimitBytes = 16 * 1024 * 1024;
const synchronousFull = 2;

/**
 * Opens the state for writing: makes folder and file when they are missing, checks the file, and brings its schema up to
 * date. Without `isTrusted` the whole file is checked for damage, which reads all of it.
 *
 * @throws StateError when the file can't be used, in one sentence that says what to do.
 */
export function openStore(file: string, options: StateOptions, isTrusted = false): Store {
  return withStateFailure(file, () => {
    const path = resolve(file);
    refuseOtherFile(path, file);
    createFolderOf(path);
    createPrivateFile(path);
    refuseForeignJournal(path, file);
    const database = new Database(path, { timeout: busyTimeoutMs });
    try {
      refuseOtherSchema(database, file, migrations.length, applicationId);
      tightenFile(path);
      if (!isTrusted) refuseDamage(database, file);
      setPragmas(database);
      const copy = migrate(database, { file, path, applicationId, migrations, ...options });
      assertDurable(database, file);
      return createStore(database, file, copy);
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
export function openStoreReadOnly(file: string, schema: "current" | "any" = "current"): Store | undefined {
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
      const found = refuseOtherSchema(database, file, migrations.length, applicationId);
      if (schema === "current" && found < migrations.length) {
        throw new StateError(
          `The state file ${file} has an older schema (${found}, not ${migrations.length}): the next \`boardsync sync\` or \`daemon\` of this version brings it up to date.`,
          { schema: found },
        );
      }
      return createStore(database, file, undefined);
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/**
 * A copy of the state in memory, to try out what would come; also of an older schema, brought up to date there. An empty one
 * where there is none yet.
 *
 * @throws StateError when the file can't be read.
 */
export function openStoreCopy(
  file: string,
  options: StateOptions,
): { readonly store: Store; readonly isKnown: boolean } {
  const source = openStoreReadOnly(file, "any");
  return withStateFailure(file, () => {
    try {
      const database = source === undefined ? new Database(":memory:") : copyToMemory(source.database);
      database.pragma("foreign_keys = ON");
      database.pragma("trusted_schema = OFF");
      migrate(database, { file, path: undefined, applicationId, migrations, ...options });
      return { store: createStore(database, file, undefined), isKnown: source !== undefined };
    } finally {
      source?.close();
    }
  });
}

/** A connection for reading; where no file can be made beside the state, to a copy of it. */
function openForReading(path: string): Database.Database {
  const database = new Database(path, { timeout: busyTimeoutMs, fileMustExist: true });
  try {
    database.pragma("schema_version");
    return database;
  } catch (error) {
    database.close();
    // Where a process is at work beside it, its log goes on while we read.
    if (!isReadOnlyPlace(error) || existsSync(`${path}-shm`)) throw error;
    return readToMemory(path);
  }
}

function isReadOnlyPlace(error: unknown): boolean {
  const code = error instanceof Database.SqliteError ? error.code : "";
  return code === "SQLITE_CANTOPEN" || code === "SQLITE_READONLY_DIRECTORY";
}

/**
 * A commit that is not on the disk when it returns would let a write leave that a power cut forgets: better-sqlite3 is
 * built with `synchronous=NORMAL` for WAL.
 *
 * @throws StateError when the connection does not promise that.
 */
export function assertDurable(database: Database.Database, file: string): void {
  const synchronous = database.pragma("synchronous", { simple: true });
  const journal = database.pragma("journal_mode", { simple: true });
  if (synchronous === synchronousFull && journal === "wal") return;
  throw new StateError(
    `The state file ${file} can't be written durably (journal_mode=${journal}, synchronous=${synchronous}): put it on a local disk.`,
  );
}

function setPragmas(database: Database.Database): void {
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.pragma("foreign_keys = ON");
  database.pragma("trusted_schema = OFF");
  database.pragma(`journal_size_limit = ${journalLimitBytes}`);
}

/**
 * The state of an image, in memory; a new one without an image. Nothing is brought up to date but what is new.
 *
 * @param place - what messages call it.
 */
export function openStoreImage(image: Buffer | undefined, place: string, options: StateOptions): Store {
  const database = new Database(image ?? ":memory:");
  database.pragma("foreign_keys = ON");
  database.pragma("trusted_schema = OFF");
  database.pragma("temp_store = MEMORY");
  if (image === undefined)
    migrate(database, { file: place, path: undefined, applicationId, migrations, ...options });
  return createStore(database, place, undefined, true);
}

/** Brings an image up to date that was made by an older version. */
export function migrateStore({ database, file }: Store, options: StateOptions): void {
  migrate(database, { file, path: undefined, applicationId, migrations, ...options });
}

/** How many migrations this program knows. */
export const knownSchema = migrations.length;

function refuseDamage(database: Database.Database, file: string): void {
  const finding = database.pragma("quick_check(1)", { simple: true });
  if (finding !== "ok") throw new StateError(`The state file ${file} is damaged (${finding}): ${remedy}.`);
}

/**
 * The store over an open database whose schema is up to date.
 *
 * @param file - what messages call it.
 * @param isKeptElsewhere whoever commits sees to it that nothing is lost.
 */
export function createStore(
  database: Database.Database,
  file: string,
  copy: string | undefined,
  isKeptElsewhere = false,
): Store {
  let undos: (() => void)[] = [];
  const begin = createTransactions(database);
  const begun = <T>(work: () => T, mode: TransactionMode): T => {
    try {
      return begin(work, mode);
    } catch (error) {
      for (const undo of undos) undo();
      throw error === tried ? error : stateFailure(file, error);
    } finally {
      if (undos.length > 0 && !database.inTransaction) undos = [];
    }
  };
  return {
    file,
    copy,
    database,
    prepare: (sql) => createQuery(database, file, sql),
    transaction: (work) => begun(work, "immediate"),
    tryOut: (work) => {
      const found: { value?: ReturnType<typeof work> } = {};
      try {
        begun(() => {
          found.value = work();
          throw tried;
        }, "immediate");
      } catch (error) {
        if (error !== tried) throw error;
      }
      return found.value as ReturnType<typeof work>;
    },
    begin() {
      database.exec("BEGIN IMMEDIATE");
      return {
        commit() {
          database.exec("COMMIT");
          undos = [];
        },
        rollback() {
          for (const undo of undos) undo();
          undos = [];
          if (database.inTransaction) database.exec("ROLLBACK");
        },
      };
    },
    assertDurable: () => {
      if (!isKeptElsewhere) assertDurable(database, file);
    },
    read: (work) => (database.inTransaction ? work() : begun(work, "deferred")),
    onRollback: (undo) => {
      if (database.inTransaction) undos.push(undo);
    },
    close: () => {
      database.close();
    },
  };
}

/** Ends a transaction that was only tried out. */
const tried = new Error("tried out");

type TransactionMode = "immediate" | "deferred";

/**
 * What `database.transaction` does, with statements that are prepared once: it makes four functions anew for every piece of
 * work, which costs more than a short transaction does.
 */
function createTransactions(database: Database.Database): <T>(work: () => T, mode: TransactionMode) => T {
  const begin = { immediate: database.prepare("BEGIN IMMEDIATE"), deferred: database.prepare("BEGIN") };
  const outer = { commit: database.prepare("COMMIT"), undo: [database.prepare("ROLLBACK")] };
  const savepoint = database.prepare("SAVEPOINT inner_work");
  const release = database.prepare("RELEASE inner_work");
  const inner = { commit: release, undo: [database.prepare("ROLLBACK TO inner_work"), release] };
  return (work, mode) => {
    const isInner = database.inTransaction;
    const { commit, undo } = isInner ? inner : outer;
    (isInner ? savepoint : begin[mode]).run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      // SQLite may have rolled all of it back by itself, as on a full disk.
      if (database.inTransaction) for (const statement of undo) statement.run();
      throw error;
    }
  };
}

function createQuery<Bound extends unknown[], Found>(
  database: Database.Database,
  file: string,
  sql: string,
): Query<Bound, Found> {
  const statement = withStateFailure(file, () => database.prepare<unknown[], Found>(keepPlan(sql)));
  return {
    run: (...bound) => withStateFailure(file, () => statement.run(...bound).changes),
    insert: (...bound) => withStateFailure(file, () => Number(statement.run(...bound).lastInsertRowid)),
    get: (...bound) => withStateFailure(file, () => statement.get(...bound)),
    all: (...bound) => withStateFailure(file, () => statement.all(...bound)),
    tables: () => statement.columns().flatMap(({ table }) => table ?? []),
  };
}

/**
 * SQLite plans a statement anew whenever a parameter is bound whose value its planner has looked at, as it does in a
 * comparison with an indexed column and in LIMIT; that takes ten times as long as the statement. It does not look into a
 * sub-select. What an UPDATE sets comes before its conditions, and is no comparison.
 */
export function keepPlan(sql: string): string {
  const conditions = /^\s*UPDATE\b/.test(sql) ? sql.search(/\bWHERE\b/) : 0;
  const kept = sql.slice(conditions).replaceAll(/(=|\bLIMIT) (\?|@\w+)/g, "$1 (SELECT $2)");
  return sql.slice(0, conditions) + kept;
}
