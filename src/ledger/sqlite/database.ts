import type Database from "better-sqlite3";
import { StateError } from "../../errors.ts";
import { type Asked, answer, createReader, type Query, type Store } from "../sql/store.ts";
import { toSqlite } from "./dialect.ts";
import { stateFailure, withStateFailure } from "./failure.ts";

/** An open database, which answers at once. */
export interface SqliteStore extends Store {
  readonly file: string;
  readonly database: Database.Database;
  /** Carries out what was written with `yield*`. */
  carry<T>(asked: Asked<T>): T;
  /** @throws StateError where a commit would not be on the disk; in memory none has to be. */
  assertDurable(): void;
  close(): void;
}

const synchronousFull = 2;

/**
 * The store over an open database whose schema is up to date.
 *
 * @param file - what messages call it.
 */
export function createStore(database: Database.Database, file: string): SqliteStore {
  const undos: ((isOver: boolean) => void)[] = [];
  const begin = createTransactions(database);
  const begun = <T>(work: () => Asked<T>, mode: TransactionMode): T => {
    if (database.inTransaction) return atOnce(work());
    try {
      return begin(() => atOnce(work()), mode);
    } catch (error) {
      for (const undo of undos.toReversed()) undo(true);
      throw stateFailure(file, error);
    } finally {
      undos.length = 0;
    }
  };
  return {
    file,
    database,
    carry: atOnce,
    prepare: (sql) => createQuery(database, file, sql),
    together: (asked) =>
      answer(() => begun(() => answer(() => asked.map((one) => atOnce(one)) as never), "deferred")),
    transaction: (work) => answer(() => begun(work, "immediate")),
    tryOut: (work) =>
      answer(() =>
        withStateFailure(file, () => {
          const known = undos.length;
          // Of a transaction that is running the rest stays.
          const isPart = database.inTransaction;
          database.exec(isPart ? "SAVEPOINT tried" : "BEGIN IMMEDIATE");
          try {
            return atOnce(work());
          } finally {
            for (const undo of undos.splice(known).toReversed()) undo(true);
            if (database.inTransaction)
              database.exec(isPart ? "ROLLBACK TO tried; RELEASE tried" : "ROLLBACK");
          }
        }),
      ),
    read: (work) => answer(() => begun(work, "deferred")),
    // The database has one writer at a time.
    lock: () => answer(() => undefined),
    onRollback: (undo) => {
      if (database.inTransaction) undos.push(undo);
    },
    assertDurable: () => {
      if (!database.memory) assertDurable(database, file);
    },
    close: () => {
      database.close();
    },
  };
}

function atOnce<T>(asked: Asked<T>): T {
  const step = asked[Symbol.iterator]().next();
  if (step.done !== true) throw new Error("A question was not answered at once.");
  return step.value;
}

type TransactionMode = "immediate" | "deferred";

/**
 * What `database.transaction` does, with statements that are prepared once: it makes four functions anew for every piece of
 * work, which costs more than a short transaction does.
 */
function createTransactions(database: Database.Database): <T>(work: () => T, mode: TransactionMode) => T {
  const begin = { immediate: database.prepare("BEGIN IMMEDIATE"), deferred: database.prepare("BEGIN") };
  const commit = database.prepare("COMMIT");
  const rollback = database.prepare("ROLLBACK");
  return (work, mode) => {
    begin[mode].run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      // SQLite may have rolled all of it back by itself, as on a full disk.
      if (database.inTransaction) rollback.run();
      throw error;
    }
  };
}

function createQuery(database: Database.Database, file: string, sql: string): Query {
  const statement = withStateFailure(file, () => database.prepare(toSqlite(sql)));
  const read = createReader();
  const carry = <T>(work: () => T): Asked<T> => answer(() => withStateFailure(file, work));
  return {
    run: (...bound) => carry(() => void statement.run(...bound)),
    some: (failure, ...bound) =>
      carry(() => {
        if (statement.run(...bound).changes === 0) throw failure();
      }),
    count: (...bound) => carry(() => statement.run(...bound).changes),
    get: (...bound) => carry(() => read(statement.get(...bound))),
    all: (...bound) => carry(() => statement.all(...bound).map(read)),
  };
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
