import { lstatSync, renameSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import Database from "better-sqlite3";
import { StateError } from "../../errors.ts";
import { stampBackup, stampCopy } from "../sql/stamp.ts";
import { createStore } from "./database.ts";
import { stateFailure } from "./failure.ts";
import { createPrivateFile, isFolder, refuseOtherKind } from "./private-file.ts";

/**
 * Writes a consistent copy while others read and write. A time as `stamp` marks it as a copy, so that nobody takes it for
 * the present when it is put back.
 *
 * @throws StateError when the file is there already, or can't be written.
 */
export async function copyDatabase(
  database: Database.Database,
  file: string,
  stamp: number | undefined,
): Promise<void> {
  const path = resolve(file);
  const part = partOf(path);
  let isOurs = false;
  try {
    if (isFolder(dirname(path)) && lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
      throw new StateError(`The file ${file} is there already: name one for the copy that does not exist.`);
    }
    createPart(part);
    isOurs = true;
    await database.backup(part);
    finishCopy(part, path, stamp, stampBackup);
  } catch (error) {
    if (isOurs) rmSync(part, { force: true });
    throw stateFailure(file, error);
  }
}

/** The same at once, in place of an older copy of that name. */
export function copyNow(database: Database.Database, path: string, stamp: number): void {
  const part = partOf(path);
  createPart(part);
  database.prepare("VACUUM INTO ?").run(part);
  finishCopy(part, path, stamp, stampCopy);
}

function partOf(path: string): string {
  return `${path}.part`;
}

/** A copy gets its name only when it is whole and stamped; what a crash has left is of no use. */
function createPart(part: string): void {
  const folder = dirname(part);
  if (!isFolder(folder))
    throw new StateError(`The folder ${folder} is not there: make it, or name another one for the copy.`);
  refuseOtherKind(part, part);
  rmSync(part, { force: true });
  createPrivateFile(part);
}

function finishCopy(part: string, path: string, stamp: number | undefined, mark: typeof stampCopy): void {
  const copy = new Database(part);
  try {
    // One file that holds everything; opening it as a state turns WAL on again.
    copy.pragma("journal_mode = DELETE");
    copy.pragma("synchronous = FULL");
    if (stamp !== undefined) {
      const store = createStore(copy, path);
      store.carry(store.transaction(() => mark(store, stamp)));
    }
  } finally {
    copy.close();
  }
  renameSync(part, path);
}
