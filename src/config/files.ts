import { closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Reads a small text file by its absolute path. Throws what `node:fs` throws. */
export type ReadText = (path: string) => string;

const sizeLimit = 1024 * 1024;
/** How long the other end of a pipe may keep us waiting for its next bytes. */
const patienceMs = 10_000;
const lookEveryMs = 20;

/**
 * The `ReadText` of the real machine: UTF-8 without its byte order mark. A pipe is read as well, as in `--config <(make)`.
 *
 * @throws Error with a `code` when the file can't be read, is larger than 1 MiB, is a pipe out of which nothing comes, or is
 *   no UTF-8.
 */
export function readTextFile(path: string): string {
  // Opening a pipe that nobody writes to would wait for ever.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readAll(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

/** What a file says of its size is not asked: a device says 0 and never ends. */
function readAll(descriptor: number): Uint8Array {
  const bytes = new Uint8Array(sizeLimit + 1);
  let length = 0;
  for (;;) {
    const count = readWhenThere(descriptor, bytes.subarray(length));
    length += count;
    if (length > sizeLimit) throw Object.assign(new Error("too large"), { code: "EFBIG" });
    if (count === 0) return bytes.subarray(0, length);
  }
}

function readWhenThere(descriptor: number, into: Uint8Array): number {
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    try {
      return readSync(descriptor, into);
    } catch (error) {
      if (Object(error).code !== "EAGAIN" || waitedMs >= patienceMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookEveryMs);
    }
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EACCES: "this user may not read it",
  EPERM: "this user may not read it",
  EISDIR: "it is a directory",
  EFBIG: "it is larger than 1 MiB",
  EAGAIN: "it is a pipe or a terminal, and nothing came out of it for 10 seconds",
  ERR_ENCODING_INVALID_ENCODED_DATA: "it is not UTF-8 text",
};

/**
 * Why a file could not be read, in plain words and without its content.
 *
 * @param place - its name as it was given, and the absolute path: a relative one may lead elsewhere than a person thinks.
 */
export function explainReadFault(
  fault: unknown,
  place?: { readonly name: string; readonly path: string },
): string {
  const code = String(Object(fault).code);
  const reason = reasons[code] ?? `it can't be read (${code})`;
  return place === undefined || place.name === place.path || !isAbsent(fault)
    ? reason
    : `${reason} (${place.path})`;
}

/** Whether reading failed because nothing stands at the path. */
export function isAbsent(fault: unknown): boolean {
  return reasons[String(Object(fault).code)] === reasons["ENOENT"];
}

const othersMayRead = 0o004;
const othersMayEnter = 0o001;

/** Whether every user of the machine can read a file: its mode says so, and that of each folder on the way to it. */
export function isReadableByAll(path: string): boolean {
  if (!hasMode(path, othersMayRead)) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!hasMode(folder, othersMayEnter)) return false;
    if (folder === dirname(folder)) return true;
  }
}

function hasMode(path: string, bits: number): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & bits) !== 0;
}
