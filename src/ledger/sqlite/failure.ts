import Database from "better-sqlite3";
import { StateError } from "../../errors.ts";

/**
 * Turns what SQLite or the file system says about the state into one sentence that names the file, what is wrong and what
 * to do. Anything else is a bug and stays what it is.
 */
export function stateFailure(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StateError) return error;
  const code = codeOf(error);
  const sentence = code === undefined ? undefined : sentenceFor(file, code, error.message);
  if (code === undefined || sentence === undefined) return error;
  return new StateError(sentence, { cause: error, brief: briefs[plainly(code)] });
}

/** SQLite's extended codes begin with the plain one: SQLITE_IOERR_WRITE, SQLITE_READONLY_DIRECTORY. */
function plainly(code: string): string {
  // On a full disk a reader has no room for the journal's index. https://www.sqlite.org/rescode.html#ioerr_shmsize
  if (code === "SQLITE_IOERR_SHMSIZE") return "SQLITE_FULL";
  return /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code;
}

const [full, readonly] = ["its disk is full", "it can't be written"];
/** Of what may come while a daemon runs. */
const briefs: Readonly<Record<string, string>> = {
  SQLITE_FULL: full,
  ENOSPC: full,
  EDQUOT: full,
  SQLITE_READONLY: readonly,
  SQLITE_PERM: readonly,
  EACCES: readonly,
  EPERM: readonly,
  EROFS: readonly,
  SQLITE_IOERR: "its disk fails",
  SQLITE_CORRUPT: "it is damaged",
  SQLITE_BUSY: "another process has locked it",
};

/** Runs `work`, and throws a `StateError` where the state itself is to blame. */
export function withStateFailure<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw stateFailure(file, error);
  }
}

/** What to do about a state that can't be read any more. */
export const remedy = "restore a backup, or move the file away and run `boardsync rebuild`";

function codeOf(error: Error): string | undefined {
  if (error instanceof Database.SqliteError) return error.code;
  return "code" in error && typeof error.code === "string" && "syscall" in error ? error.code : undefined;
}

function sentenceFor(file: string, code: string, message: string): string | undefined {
  const plain = plainly(code);
  switch (plain) {
    case "SQLITE_NOTADB":
      return `The state file ${file} is not a SQLite database: ${remedy}.`;
    case "SQLITE_CORRUPT":
      return `The state file ${file} is damaged (${message}): ${remedy}.`;
    case "SQLITE_FULL":
    case "ENOSPC":
    case "EDQUOT":
      return `The disk of the state file ${file} is full: free some space; nothing can be sent before.`;
    case "SQLITE_READONLY":
    case "SQLITE_PERM":
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return `The state file ${file} can't be written: give this user the right to write it and its folder.`;
    case "SQLITE_IOERR":
      return `The state file ${file} can't be read or written (${code}): check the disk that it is on.`;
    case "SQLITE_CANTOPEN":
      return `The state file ${file} can't be opened (${message}): this user needs the right to read and write it and its folder, on a disk that can be written.`;
    case "EISDIR":
    case "ENOTDIR":
      return `The state file ${file} can't be opened (${message}): name a file, not a folder, that this user may read and write, in a folder where it may write, too.`;
    case "SQLITE_BUSY":
      return `The state file ${file} has been locked by another process for too long: end that process, then try again.`;
    case "SQLITE_ERROR":
      // What a statement looks into, beside what we read ourselves.
      return message === "malformed JSON"
        ? `The state file ${file} holds something that boardsync does not write (${message}): ${remedy}.`
        : undefined;
    default:
      return plain.startsWith("SQLITE_")
        ? undefined
        : `The state file ${file} can't be used (${message}): check its path.`;
  }
}
