import type { Ledger } from "../../src/ledger/ledger.ts";
import type { MakeBase } from "../../src/ledger/postgres/replica.ts";
import { type Base, createBase, followRows, type RowTraffic } from "../../src/ledger/sqlite/base.ts";
import type { TableChanges } from "../../src/ledger/sqlite/file/row-changes.ts";
import { openStoreImage, type Store } from "../../src/ledger/sqlite/file/store.ts";
import { createLedger } from "../../src/ledger/sqlite/sqlite.ts";
import { copyTables, fillTables } from "./copies.ts";
import { Crash } from "./process.ts";
import { cacheStatements, childrenFirst, createEraser, createOnlooker, type State } from "./state.ts";
import { createStateServer, type Line, type ServerSettings, type StateServer } from "./state-server.ts";

/** A state on a server in memory. Opening a database costs more than a history does, so those of processes that are over are used again. */
export interface ReplicatedState extends State {
  readonly replicas: Replicas;
}

export interface Replicas {
  /** The server of one history. */
  open(settings: ServerSettings): StateServer;
  /** How a process makes its copy of an image. */
  readonly make: MakeBase;
  /** All rows that are committed, as an image. */
  image(): Buffer;
  /** Whether a copy holds the same rows as the server. */
  isSame(copy: Base): boolean;
}

interface Shelved {
  readonly store: Store;
  readonly traffic: RowTraffic;
  readonly clear: () => void;
  /** All rows, as an image. */
  readonly image: () => Buffer;
}

const place = "memory";
const fresh = { now: 0, version: "simulation" };

export function createReplicatedState(): ReplicatedState {
  const shelf: Shelved[] = [];
  const all: Shelved[] = [];
  /** What is committed, for whoever looks into it. */
  const truth = openShelved();
  const { store } = truth;
  const tables = childrenFirst(store.database);
  const onlooker = createOnlooker(store.database);
  let server: StateServer | undefined;
  let now = (): number => 0;

  function openShelved(): Shelved {
    const opened = cacheStatements(openStoreImage(undefined, place, fresh));
    const names = childrenFirst(opened.database);
    const shelved = {
      store: opened,
      traffic: followRows(opened),
      clear: createEraser(() => opened, names),
      image: createImager(opened),
    };
    all.push(shelved);
    return shelved;
  }

  const make = (body: Buffer): Base => {
    const shelved = shelf.pop() ?? openShelved();
    shelved.clear();
    shelved.store.transaction(() => {
      shelved.traffic.replay(JSON.parse(body.toString()));
      shelved.traffic.recorder.take();
    });
    const base = createBase(shelved.store, shelved.traffic);
    let isClosed = false;
    return {
      ...base,
      get ledger() {
        if (isClosed) throw new Crash("This process is over.");
        return base.ledger;
      },
      image: shelved.image,
      close() {
        if (!isClosed) shelf.push(shelved);
        isClosed = true;
      },
    };
  };
  const reset = (isAtHome: boolean): void => server?.reset({ number: 0, body: truth.image() }, isAtHome);
  const clear = (): void => {
    truth.clear();
    reset(true);
  };
  /** What people commit beside the runs: their process is gone at once, and nobody is in their way. */
  const commitBeside: Ledger["commit"] = async (changes) => {
    if (server === undefined) throw new Error("There is no server yet.");
    const line: Line = {
      who: "somebody",
      leaseMs: 0,
      monotonic: () => 0,
      prolonged: () => undefined,
      fate: () => "fine",
      pass: () => undefined,
      isStill: () => false,
    };
    const turn = await server.connect(line).log.turn(0, []);
    try {
      const base = createBase(store, truth.traffic);
      truth.traffic.recorder.take();
      const transaction = base.begin();
      await base.ledger.commit(changes);
      const body = transaction.written();
      transaction.rollback();
      if (body !== undefined) await turn.append(body);
    } finally {
      await turn.end();
    }
  };

  return {
    replicas: {
      open(settings) {
        const { events } = settings;
        now = settings.now;
        server = createStateServer({
          ...settings,
          events: {
            ...events,
            committed(committed) {
              store.transaction(() => {
                truth.traffic.replay(JSON.parse(committed.entry.body.toString()));
                truth.traffic.recorder.take();
              });
              events.committed(committed);
            },
          },
        });
        reset(true);
        return server;
      },
      make,
      image: truth.image,
      isSame: (copy) => sortRows(copy.image()) === sortRows(truth.image()),
    },
    open: () => Object.assign(Object.create(createLedger(store)), { commit: commitBeside }),
    async onCopy(_life, work) {
      const { database } = store;
      database.exec("BEGIN");
      try {
        const ledger = createLedger(store);
        if (server?.isAtHome === false) await ledger.commit([{ kind: "declare-old", at: now() }]);
        return await work(ledger);
      } finally {
        database.exec("ROLLBACK");
      }
    },
    clear,
    copy: (stampedAt) => copyTables(store, tables, stampedAt),
    putBack(copy) {
      truth.clear();
      fillTables(store, tables, copy, false);
      reset(false);
    },
    // What was committed is there.
    cutPower: () => undefined,
    loosen: () => undefined,
    look: <Bound extends unknown[], Found>(sql: string) => {
      return (...bound: Bound): readonly Found[] => onlooker.all<Bound, Found>(sql, bound);
    },
    close() {
      for (const shelved of all) shelved.store.close();
    },
  };
}

/** Tables in the order in which they were made: one with triggers comes before those that they write to. */
function createImager({ database }: Store): () => Buffer {
  const names = database
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid",
    )
    .pluck()
    .all();
  const readers = names.map((table) => ({
    table,
    rows: database.prepare<[], (string | number | null)[]>(`SELECT * FROM ${table}`).raw(true),
  }));
  return () =>
    Buffer.from(JSON.stringify(readers.map(({ table, rows }) => ({ table, gone: [], put: rows.all() }))));
}

/** Rows are found in the order in which they were made, which is each copy's own. */
function sortRows(image: Buffer): string {
  const tables: readonly TableChanges[] = JSON.parse(image.toString());
  return JSON.stringify(
    tables.map(({ table, put }) => [table, put.map((row) => JSON.stringify(row)).toSorted()]),
  );
}
