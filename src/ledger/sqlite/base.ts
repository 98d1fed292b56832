import { z } from "zod";
import type { Ledger } from "../ledger.ts";
import { later, stored } from "../stored.ts";
import { copyDatabase } from "./file/copy.ts";
import {
  createReplay,
  type Recorder,
  type ReplayRows,
  recordRows,
  type TableChanges,
} from "./file/row-changes.ts";
import {
  knownSchema,
  migrateStore,
  openStoreCopy,
  openStoreImage,
  type StateOptions,
  type Store,
} from "./file/store.ts";
import { createFollowing } from "./sqlite.ts";

export { knownSchema };

/** The state as one process has it in memory: it follows a log that others write to, too. */
export interface Base {
  readonly ledger: Ledger;
  /** Makes what others have committed, in their order. */
  replay(bodies: readonly Buffer[]): void;
  /** What is written from now on is one transaction, which is committed or rolled back by what is returned. */
  begin(): Transaction;
  /** The whole of it. */
  image(): Buffer;
  close(): void;
}

export interface Transaction {
  /** What it has written; undefined where it has written nothing. */
  written(): Buffer | undefined;
  commit(): void;
  rollback(): void;
}

/** @param place what messages call the state. */
export function openBase(image: Buffer, place: string, options: StateOptions): Base {
  const store = openStoreImage(image, place, options);
  return createBase(store, followRows(store));
}

const rowsShape = later(() => z.array(z.array(z.union([z.string(), z.number(), z.null()]))));

/** An entry of the log that several processes share. */
const readChanges: (text: string) => readonly TableChanges[] = stored("entries.body", () =>
  z.array(z.object({ table: z.string(), gone: rowsShape(), put: rowsShape() })),
);

/** What notes the rows that are written, and what makes those of others; once for a database. */
export interface RowTraffic {
  readonly replay: ReplayRows;
  readonly recorder: Recorder;
}

export function followRows({ database }: Store): RowTraffic {
  return { replay: createReplay(database), recorder: recordRows(database) };
}

/** The base over a database that nobody else writes to. */
export function createBase(store: Store, { replay, recorder }: RowTraffic): Base {
  const { database } = store;
  const { ledger, relearn, forget } = createFollowing(store);
  return {
    ledger,
    replay(bodies) {
      if (bodies.length === 0) return;
      const tables = new Set<string>();
      const posts = new Set<number>();
      const transaction = store.begin();
      try {
        for (const body of bodies) {
          const changes = readChanges(body.toString());
          replay(changes);
          for (const { table, put } of changes) {
            tables.add(table);
            if (table === "posts") for (const [number] of put) posts.add(Number(number));
          }
        }
        recorder.forget();
        transaction.commit();
      } catch (error) {
        transaction.rollback();
        throw error;
      }
      relearn(tables, posts);
    },
    begin() {
      const transaction = store.begin();
      return {
        written() {
          const changes = recorder.take();
          return changes.length === 0 ? undefined : Buffer.from(JSON.stringify(changes));
        },
        commit: transaction.commit,
        rollback() {
          transaction.rollback();
          forget();
        },
      };
    },
    image: () => database.serialize(),
    close: () => store.close(),
  };
}

/** The image of a state that holds nothing yet. */
export function freshImage(place: string, options: StateOptions): Buffer {
  const store = openStoreImage(undefined, place, options);
  try {
    return store.database.serialize();
  } finally {
    store.close();
  }
}

/**
 * The image of a state in a file, brought up to date.
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
 * Puts an image into a new file.
 *
 * @throws StateError when the file is there already, or can't be written.
 */
export async function writeImage(image: Buffer, file: string, options: StateOptions): Promise<void> {
  const store = openStoreImage(image, file, options);
  try {
    await copyDatabase(store.database, file, undefined);
  } finally {
    store.close();
  }
}

/** The image of an older version's state with all that came after it, brought up to date. */
export function migrateImage(
  image: Buffer,
  entries: readonly Buffer[],
  place: string,
  options: StateOptions,
): Buffer {
  const store = openStoreImage(image, place, options);
  try {
    const replay = createReplay(store.database);
    for (const entry of entries) store.transaction(() => replay(readChanges(entry.toString())));
    migrateStore(store, options);
    return store.database.serialize();
  } finally {
    store.close();
  }
}
