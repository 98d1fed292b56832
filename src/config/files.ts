import { readFileSync, statSync } from "node:fs";

/** Reads a small text file by its absolute path. Throws what `node:fs` throws. */
export type ReadText = (path: string) => string;

const sizeLimit = 1024 * 1024;

/**
 * The `ReadText` of the real machine: UTF-8 without its byte order mark.
 *
 * @throws Error with a `code` when the file can't be read, is larger than 1 MiB, or is no UTF-8.
 */
export function readTextFile(path: string): string {
  if (statSync(path).size > sizeLimit) throw Object.assign(new Error("too large"), { code: "EFBIG" });
  return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EACCES: "this user may not read it",
  EPERM: "this user may not read it",
  EISDIR: "it is a directory",
  EFBIG: "it is larger than 1 MiB",
  ERR_ENCODING_INVALID_ENCODED_DATA: "it is not UTF-8 text",
};

/** Why a file could not be read, in plain words and without its content. */
export function explainReadFault(fault: unknown): string {
  const code = String(Object(fault).code);
  return reasons[code] ?? `it can't be read (${code})`;
}

/** Whether reading failed because nothing stands at the path. */
export function isAbsent(fault: unknown): boolean {
  return reasons[String(Object(fault).code)] === reasons["ENOENT"];
}
