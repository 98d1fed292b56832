import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, readSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { StateError } from "../../errors.ts";
import { remedy } from "./failure.ts";

/** Marks a SQLite file as a state of boardsync ("bsy1"). */
export const applicationId = 0x62737931;
/** The same of states as they were before that: "bsyn". `boardsync state copy` reads them. */
export const earlierApplicationId = 0x6273796e;

const privateMode = 0o600;
const othersBits = 0o077;

/**
 * Looks at what a path names, and changes nothing, not even a mode: a state, or nothing at all.
 *
 * Only before the first connection of this process to the file: closing it here drops every lock that the process has on it.
 * See https://www.sqlite.org/howtocorrupt.html, section 2.2.
 *
 * @throws StateError for a link, a folder, a device, and any file that is no state of ours for certain.
 */
export function refuseOtherFile(path: string, file: string): void {
  const size = refuseOtherKind(path, file);
  if (size === 0) return;
  const owner = readOwner(path);
  if (owner === "nobody")
    throw new StateError(`The state file ${file} is not a SQLite database: ${remedy}. It was left as it is.`);
  if (owner === "another")
    throw new StateError(
      `The file ${file} is a database of another program: name another file as \`state\` in the config.`,
    );
}

/**
 * The same, by the kind of file alone.
 *
 * @returns its size in bytes; 0 where there is none.
 */
export function refuseOtherKind(path: string, file: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.isFile() && found.nlink === 1)) return found?.size ?? 0;
  const kind = found.isFile()
    ? "a file with several names (hard links): keep one of them, as under two names two processes could hold one state"
    : found.isSymbolicLink()
      ? "a link: name the file that it leads to (under two names two processes could hold one state)"
      : found.isDirectory()
        ? `a folder: name a file, not a folder, such as ${join(file, "boardsync.db")}`
        : "a device, a pipe or a socket: name a file";
  throw new StateError(`${file} is ${kind}. It was left as it is.`);
}

/** Where the header of a database says what it is: https://www.sqlite.org/fileformat.html */
const header = { magic: "SQLite format 3\0", schemaCookieAt: 40, applicationIdAt: 68, length: 100 };

/**
 * Whose a file is. A database without a schema may be ours: its first log may lie beside it. One that was cut off within its
 * header says nothing, either.
 */
function readOwner(path: string): "nobody" | "another" | "maybe us" {
  const bytes = readHeader(path);
  const magic = Buffer.from(header.magic).subarray(0, bytes.length);
  if (!bytes.subarray(0, magic.length).equals(magic)) return "nobody";
  if (bytes.length < header.length) return "maybe us";
  const id = bytes.readUInt32BE(header.applicationIdAt);
  const hasSchema = bytes.readUInt32BE(header.schemaCookieAt) !== 0;
  const isOurs = id === applicationId || id === earlierApplicationId;
  return isOurs || (id === 0 && !hasSchema) ? "maybe us" : "another";
}

/** The header of a database, or what a file has of it. */
export function readHeader(path: string): Buffer {
  const bytes = Buffer.alloc(header.length);
  const descriptor = openSync(path, "r");
  try {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, header.length, 0));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Makes the folder of a file, readable by its owner alone, when it is missing and the folder around it is there.
 *
 * @throws StateError when it can't be made.
 */
export function createFolderOf(file: string): void {
  const folder = dirname(file);
  if (isFolder(folder)) return;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StateError(
      `The folder ${folder} can't be made (${reason}): make it, or name another file as \`state\` in the config.`,
      { cause: error },
    );
  }
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Creates an empty file with mode 0600, whatever the umask says, unless it is there. */
export function createPrivateFile(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) closeSync(openSync(file, "wx", privateMode));
}

/** Takes everybody else's rights from a database that is ours, and from the journal files beside it. SQLite gives these its mode. */
export function tightenFile(file: string): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & othersBits) !== 0) chmodSync(path, privateMode);
  }
}
