import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { type Asked, answer, type Query } from "../../src/ledger/sql/store.ts";
import type { SqliteStore } from "../../src/ledger/sqlite/database.ts";
import { toSqlite } from "../../src/ledger/sqlite/dialect.ts";
import { createLedger } from "../../src/ledger/sqlite/sqlite.ts";
import { openMemoryStore, openStore } from "../../src/ledger/sqlite/store.ts";
import { type Copy, copyTables, fillTables } from "./copies.ts";
import { type Life, meetDoom } from "./process.ts";
import { createReplicatedState, type ReplicatedState } from "./replicated-state.ts";

/**
 * The real SQLite state, on tmpfs, for one history after another. Opening a database and preparing its statements would
 * cost more than a history does, so the connection stays open: a process that crashes loses its ledger, its transaction
 * and all that it held in memory, and the next one begins with what is committed.
 */
export interface State {
  /** The ledger of a new process. */
  open(life: Life): Ledger;
  /** Runs `work` on a ledger of its own, and forgets everything that it did: a private copy of the state. */
  onCopy<T>(life: Life, work: (ledger: Ledger) => Promise<T>): Promise<T>;
  /** Empties the state, as if the file had been deleted. */
  clear(): void;
  /** A stamped copy of what is committed. */
  copy(stampedAt: number): Copy;
  /** Goes on with a copy, as if somebody had put the file back. */
  putBack(copy: Copy): void;
  /**
   * Goes on with copies of the files as they are this moment, which is what a power cut leaves. Where the connection does
   * not wait for the disk at every commit, it may leave nothing since the last checkpoint.
   */
  cutPower(): void;
  /**
   * For planted bugs: the connection does not wait for the disk, and says that it does, as if the program neither set nor
   * asked it. The next connection does what the program wants of it.
   */
  loosen(): void;
  /** What another process sees: committed lines only. Prepared once. */
  look<Bound extends unknown[], Found>(sql: string): (...bound: Bound) => readonly Found[];
  /** What two replicas share; undefined for a state of one process. */
  readonly replicas: ReplicatedState["replicas"] | undefined;
  close(): void;
}

const synchronousFull = 2;
const version = "simulation";
/** A state is opened at this time, epoch ms; it only matters for migrations. */
const openedAt = 0;

/**
 * @param isShared - whether a second connection looks on, as another process would. It costs a history three times what it
 *   costs else: SQLite then asks the system for a lock at every turn. Without it the same connection looks, outside of any
 *   transaction, when it sees committed lines only, too.
 */
export function createState(isShared: boolean): State {
  const shared = "/dev/shm";
  const folder = mkdtempSync(join(existsSync(shared) ? shared : tmpdir(), "boardsync-simulation-"));
  let files = 0;
  let file = join(folder, "state.db");
  const openFile = (): SqliteStore =>
    cacheStatements(isShared ? openStore(file, { now: openedAt, version }) : openInMemory());
  const openLook = (): Onlooker =>
    createOnlooker(isShared ? new Database(file, { readonly: true }) : store.database);
  let store = openFile();
  let onlooker = openLook();
  const tables = childrenFirst(store.database);
  const clear = createEraser(() => store, tables);
  const isLoose = (): boolean =>
    store.database.prepare("PRAGMA synchronous").pluck().get() !== synchronousFull;
  const close = (): void => {
    if (isShared) onlooker.database.close();
    store.close();
  };
  return {
    open: (life) => createLedger(mortal(store, life, false)),
    async onCopy(life, work) {
      const { database } = store;
      database.exec("BEGIN");
      try {
        return await work(createLedger(mortal(store, life, true)));
      } finally {
        database.exec("ROLLBACK");
      }
    },
    clear,
    copy: (stampedAt) => copyTables(store, tables, stampedAt),
    putBack(copy) {
      clear();
      fillTables(store, tables, copy);
    },
    cutPower() {
      files += 1;
      const next = join(folder, `state-${files}.db`);
      copyFileSync(file, next);
      if (!isLoose() && existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${next}-wal`);
      close();
      for (const old of [file, `${file}-wal`, `${file}-shm`]) rmSync(old, { force: true });
      file = next;
      store = openFile();
      onlooker = openLook();
    },
    loosen() {
      if (isLoose()) return;
      store.database.pragma("synchronous = NORMAL");
      claimDurable(store.database);
    },
    look: <Bound extends unknown[], Found>(sql: string) => {
      return (...bound: Bound): readonly Found[] => onlooker.all<Bound, Found>(sql, bound);
    },
    replicas: undefined,
    close() {
      close();
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * Nobody else opens this state and no power cut ever meets it: what was committed only has to be there for the same
 * connection, so that it never needs a file.
 */
function openInMemory(): SqliteStore {
  const store = openMemoryStore({ now: openedAt, version });
  claimDurable(store.database);
  return store;
}

/** From here on the connection has another answer to the program's question whether its commits last. */
function claimDurable(database: Database.Database): void {
  const claims: Readonly<Record<string, unknown>> = { synchronous: synchronousFull, journal_mode: "wal" };
  const { pragma } = database;
  database.pragma = (text, options) => claims[text] ?? pragma.call(database, text, options);
}

interface Onlooker {
  readonly database: Database.Database;
  all<Bound extends unknown[], Found>(sql: string, bound: Bound): readonly Found[];
}

/** A second connection, as a server would use it to look into the journal when a request arrives. */
export function createOnlooker(database: Database.Database): Onlooker {
  const statements = new Map<string, Database.Statement>();
  return {
    database,
    all<Bound extends unknown[], Found>(sql: string, bound: Bound): readonly Found[] {
      if (database.inTransaction) throw new Error("Nobody can look into a transaction.");
      let statement = statements.get(sql);
      if (statement === undefined) {
        statement = database.prepare(toSqlite(sql));
        statements.set(sql, statement);
      }
      return (statement as Database.Statement<Bound, Found>).all(...bound);
    },
  };
}

/** Prepares every statement once for all ledgers over a connection. */
export function cacheStatements(store: SqliteStore): SqliteStore {
  const prepared = new Map<string, Query>();
  return {
    ...store,
    prepare: (sql) => {
      const known = prepared.get(sql) ?? store.prepare(sql);
      prepared.set(sql, known);
      return known;
    },
  };
}

/**
 * The store as one process has it: it ends with the process, before or after one of its commits.
 *
 * @param isCopy - whether all of it is inside a transaction that is never committed.
 */
function mortal(store: SqliteStore, life: Life, isCopy: boolean): SqliteStore {
  let isInside = isCopy;
  return {
    ...store,
    prepare: (sql) => {
      const query = store.prepare(sql);
      const ask = <T>(make: (query: Query) => Asked<T>): Asked<T> =>
        answer(() => {
          meetEnd(life);
          return store.carry(make(query));
        });
      return {
        run: (...bound) => ask((query) => query.run(...bound)),
        some: (failure, ...bound) => ask((query) => query.some(failure, ...bound)),
        count: (...bound) => ask((query) => query.count(...bound)),
        get: (...bound) => ask((query) => query.get(...bound)),
        all: (...bound) => ask((query) => query.all(...bound)),
      };
    },
    transaction: <T>(work: () => Asked<T>): Asked<T> =>
      answer(() => {
        meetEnd(life);
        if (isInside) return store.carry(store.transaction(work));
        isInside = true;
        try {
          const done = store.carry(
            store.transaction(() =>
              answer(() => {
                const result = store.carry(work());
                // All of it is written, and none of it is committed.
                meetDoom(life, "commit", "before");
                return result;
              }),
            ),
          );
          meetDoom(life, "commit", "after");
          return done;
        } finally {
          isInside = false;
        }
      }),
    read: <T>(work: () => Asked<T>): Asked<T> =>
      answer(() => {
        meetEnd(life);
        return store.carry(isInside ? work() : store.read(work));
      }),
  };
}

/** A process that is over neither reads nor writes. */
function meetEnd(life: Life): void {
  if (life.isDead) meetDoom(life, "commit", "after");
}

/** Many tables are empty after a history: to see that of all of them costs what one of the deletes would. */
export function createEraser(store: () => SqliteStore, tables: readonly string[]): () => void {
  const lines = [...tables, "sqlite_sequence", "meta WHERE key <> 'version'"];
  const find = lines
    .map((from, index) => `SELECT ${index} AS filled WHERE EXISTS (SELECT 1 FROM ${from})`)
    .join(" UNION ALL ");
  return () => {
    const { prepare, transaction, carry } = store();
    carry(
      transaction(function* () {
        const found = (yield* prepare(find).all()) as { filled: number }[];
        const filled = new Set(found.map((one) => one.filled));
        for (const [index, from] of lines.entries())
          if (filled.has(index)) yield* prepare(`DELETE FROM ${from}`).run();
      }),
    );
  };
}

/** The tables of the state, each before those that it refers to. Deferring foreign keys instead would void all plans. */
export function childrenFirst(database: Database.Database): readonly string[] {
  const names = database
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('meta', 'sqlite_sequence')",
    )
    .all()
    .map(({ name }) => name);
  const parents = new Map(
    names.map((name) => [
      name,
      database
        .prepare<[], { table: string }>(`PRAGMA foreign_key_list(${name})`)
        .all()
        .map(({ table }) => table),
    ]),
  );
  const ordered: string[] = [];
  const visit = (name: string): void => {
    if (ordered.includes(name)) return;
    for (const child of names) if (child !== name && parents.get(child)?.includes(name)) visit(child);
    ordered.push(name);
  };
  for (const name of names) visit(name);
  return ordered;
}

/** A state for nearly all histories, one for those that a second connection watches, and one that two replicas share. */
export interface States {
  readonly fast: State;
  readonly shared: State;
  /** Made when it is asked for first. */
  readonly replicated: ReplicatedState;
  close(): void;
}

export function createStates(): States {
  const fast = createState(false);
  const shared = createState(true);
  let replicated: ReplicatedState | undefined;
  return {
    fast,
    shared,
    get replicated() {
      replicated ??= createReplicatedState();
      return replicated;
    },
    close() {
      fast.close();
      shared.close();
      replicated?.close();
    },
  };
}
