import { createLedger } from "../../src/ledger/sqlite/sqlite.ts";
import { openMemoryStore } from "../../src/ledger/sqlite/store.ts";
import { copyTables, fillTables } from "./copies.ts";
import { cacheStatements, childrenFirst, createEraser, createOnlooker, type State } from "./state.ts";
import { createStateServer, type ServerSettings, type StateServer } from "./state-server.ts";

/** A state on a server in memory. Opening a database costs more than a history does, so it stays open. */
export interface ReplicatedState extends State {
  readonly replicas: Replicas;
}

export interface Replicas {
  /** The server of one history. */
  open(settings: ServerSettings): StateServer;
}

export function createReplicatedState(): ReplicatedState {
  /** What is committed. */
  const store = cacheStatements(openMemoryStore({ now: 0, version: "simulation" }));
  const tables = childrenFirst(store.database);
  const onlooker = createOnlooker(store.database);
  const erase = createEraser(() => store, tables);
  let server: StateServer | undefined;
  let now = (): number => 0;
  return {
    replicas: {
      open(settings) {
        now = settings.now;
        server = createStateServer(store, settings);
        return server;
      },
    },
    // People's process is gone at once, and nobody is in their way.
    open: () => createLedger(store),
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
    clear() {
      erase();
      server?.reset(true);
    },
    copy: (stampedAt) => copyTables(store, tables, stampedAt),
    putBack(copy) {
      erase();
      fillTables(store, tables, copy, false);
      server?.reset(false);
    },
    // What was committed is there.
    cutPower: () => undefined,
    loosen: () => undefined,
    look: <Bound extends unknown[], Found>(sql: string) => {
      return (...bound: Bound): readonly Found[] => onlooker.all<Bound, Found>(sql, bound);
    },
    close: () => store.close(),
  };
}
