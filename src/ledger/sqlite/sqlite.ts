import { statSync } from "node:fs";
import type { Ledger } from "../ledger.ts";
import { createMeta } from "../sql/journal/meta.ts";
import { createHeld, createLedger as createPort, type Engine } from "../sql/ledger.ts";
import { answer } from "../sql/store.ts";
import { copyDatabase } from "./copy.ts";
import type { SqliteStore } from "./database.ts";
import {
  busyTimeoutMs,
  journalLimitBytes,
  openMemoryStore,
  openStore,
  openStoreCopy,
  openStoreReadOnly,
  type StateOptions,
} from "./store.ts";

/**
 * Opens the state for writing, and makes it when it is missing.
 *
 * @throws StateError when the file can't be used, in one sentence that says what to do.
 */
export function openLedger(file: string, options: StateOptions): Ledger {
  return createLedger(openStore(file, options));
}

/**
 * Opens the state beside the process that writes it; undefined where there is none yet. Methods that write throw
 * `StateError`.
 *
 * @throws StateError when the file can't be read.
 */
export function openLedgerReadOnly(file: string): Ledger | undefined {
  const store = openStoreReadOnly(file);
  return store && createLedger(store);
}

/** An empty state in memory, where there is none yet: no file is made. */
export function openEmptyLedger(options: StateOptions): Ledger {
  return createLedger(openMemoryStore(options));
}

/** A ledger of its own over the state as it is: what is written to it reaches nobody. */
export interface LedgerCopy {
  readonly ledger: Ledger;
  /** Whether there is a state to copy; else the ledger is empty. */
  readonly isKnown: boolean;
}

/**
 * A copy of the state in memory, also of an older version's, made beside the process that writes it.
 *
 * @throws StateError when the file can't be read.
 */
export function openLedgerCopy(file: string, options: StateOptions): LedgerCopy {
  const { store, isKnown } = openStoreCopy(file, options);
  return { ledger: createLedger(store), isKnown };
}

/**
 * The bytes of a state in a file, brought up to date.
 *
 * @throws StateError when the file can't be read.
 */
export function readImage(file: string, options: StateOptions): Buffer {
  const { store } = openStoreCopy(file, options);
  try {
    return store.database.serialize();
  } finally {
    store.close();
  }
}

/**
 * Puts such bytes into a new file.
 *
 * @throws StateError when the file is there already, or can't be written.
 */
export async function writeImage(image: Buffer, file: string, options: StateOptions): Promise<void> {
  const store = openMemoryStore(options, image);
  try {
    await copyDatabase(store.database, file, undefined);
  } finally {
    store.close();
  }
}

/** The ledger over an open database. Whatever is asked of it is answered at once. */
export function createLedger(store: SqliteStore): Ledger {
  const { ledger, relearn } = createPort(engineOf(store), createHeld(store));
  store.carry(relearn());
  return ledger;
}

function engineOf(store: SqliteStore): Engine {
  const { database } = store;
  const pragma = (name: string): number => Number(database.pragma(name, { simple: true }));
  const journalBytes = (): number => statSync(`${database.name}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return {
    store,
    carry: async (work) => store.carry(work()),
    // Another process may have written it, beside runs.
    stamp: () => store.carry(createMeta(store).stamp()),
    assertDurable: store.assertDurable,
    size: () =>
      answer(() => ({
        bytes: pragma("page_count") * pragma("page_size"),
        freeBytes: pragma("freelist_count") * pragma("page_size"),
        journalBytes: journalBytes(),
      })),
    trimJournal: () =>
      answer(() => {
        if (journalBytes() <= journalLimitBytes) return journalBytes();
        // Nobody is waited for: whoever reads now is gone by the next time, or it is said.
        database.pragma("busy_timeout = 0");
        try {
          database.pragma("wal_checkpoint(TRUNCATE)");
        } finally {
          database.pragma(`busy_timeout = ${busyTimeoutMs}`);
        }
        return journalBytes();
      }),
    copyTo: (file, stampedAt) => copyDatabase(database, file, stampedAt),
    // The operating system's lock is this process's for as long as it lives.
    assertHeld: async () => undefined,
    close: store.close,
  };
}
