import { resolve } from "node:path";
import Database from "better-sqlite3";
import { StateHeldError } from "../../errors.ts";
import type { StateLock } from "../ledger.ts";
import { createMeta } from "../sql/journal/meta.ts";
import type { SqliteStore } from "./database.ts";
import { stateFailure, withStateFailure } from "./failure.ts";
import {
  createFolderOf,
  createPrivateFile,
  refuseOtherFile,
  refuseOtherKind,
  tightenFile,
} from "./private-file.ts";
import { openStore, openStoreReadOnly, type StateOptions } from "./store.ts";

/** Two that come at the same time must not both fail. */
const lockTimeoutMs = 500;

/**
 * Takes the state for the only process that may send writes: an exclusive transaction on `<file>.lock`, a database of its
 * own that stays empty. The lock is the operating system's: it is gone with the process, however that ends, and a stopped
 * process keeps it, for as long as it keeps what is returned: a lock that is collected lets go. On local disks only. Makes the state, or brings its schema up to date, so that the holder stands in it.
 *
 * @param who - the command, its process and its host, as the middle of a sentence: `daemon, process 4711 on host box`.
 * @throws StateHeldError when another process has it, with who and since when.
 * @throws StateError when the file can't be used.
 */
export function acquireState(file: string, who: string, options: StateOptions): StateLock {
  const lockFile = `${file}.lock`;
  const path = resolve(lockFile);
  withStateFailure(file, () => refuseOtherFile(resolve(file), file));
  const lock = withStateFailure(lockFile, () => {
    refuseOtherKind(path, lockFile);
    createFolderOf(path);
    createPrivateFile(path);
    tightenFile(path);
    return new Database(path, { timeout: lockTimeoutMs });
  });
  let copy: string | undefined;
  try {
    lock.exec("BEGIN EXCLUSIVE");
    copy = writeHolder(file, who, options);
  } catch (error) {
    lock.close();
    if (error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY")) {
      throw new StateHeldError(`The state file ${file} is held by ${readHolder(file)}.`, { cause: error });
    }
    throw stateFailure(lockFile, error);
  }
  return { copy, release: () => lock.close() };
}

/** Returns the copy that was made of a state whose schema was older. */
function writeHolder(file: string, who: string, options: StateOptions): string | undefined {
  const store = openStore(file, options, true);
  try {
    store.carry(createMeta(store).write("holder", JSON.stringify({ who, since: options.now })));
    return store.copy;
  } finally {
    store.close();
  }
}

/**
 * The last holder that was written down: the lock's file itself can't be read while it is held. That somebody holds the
 * state is certain; a state that can't be read must not hide it.
 */
function readHolder(file: string): string {
  let store: SqliteStore | undefined;
  try {
    store = openStoreReadOnly(file);
    const found = store?.carry(createMeta(store).read("holder"));
    if (found === undefined) return "another process";
    const { who, since }: { who: string; since: number } = JSON.parse(found);
    return `${who}, since ${new Date(since).toISOString()}`;
  } catch {
    return "another process";
  } finally {
    store?.close();
  }
}
