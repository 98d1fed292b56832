import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { nameBreak, StateError } from "../../../src/errors.ts";
import { stateFailure } from "../../../src/ledger/sqlite/failure.ts";

const fileError = (code: string): Error => Object.assign(new Error(`${code}: no`), { code, syscall: "open" });

describe("a failure of the state", () => {
  it.each([
    ["SQLITE_NOTADB", "is not a SQLite database: restore a backup"],
    ["SQLITE_CORRUPT", "is damaged (oh no): restore a backup"],
    ["SQLITE_CORRUPT_INDEX", "is damaged (oh no): restore a backup"],
    ["SQLITE_FULL", "is full: free some space"],
    ["SQLITE_IOERR_SHMSIZE", "is full: free some space"],
    ["SQLITE_READONLY_DBMOVED", "can't be written: give this user"],
    ["SQLITE_PERM", "can't be written: give this user"],
    ["SQLITE_IOERR_FSYNC", "can't be read or written (SQLITE_IOERR_FSYNC): check the disk"],
    ["SQLITE_CANTOPEN_ISDIR", "can't be opened (oh no): this user needs the right"],
    ["SQLITE_BUSY_SNAPSHOT", "has been locked by another process for too long"],
  ])("by %s is one sentence that names the file and what to do", (code, message) => {
    const cause = new Database.SqliteError("oh no", code);
    const failure = stateFailure("data/state.db", cause);
    expect(failure).toBeInstanceOf(StateError);
    expect(failure).toMatchObject({ cause, message: expect.stringContaining(message) });
    expect(failure).toMatchObject({ message: expect.stringContaining("data/state.db") });
  });

  it.each([
    ["SQLITE_FULL", "state.unusable: its disk is full"],
    ["SQLITE_READONLY_DBMOVED", "state.unusable: it can't be written"],
    ["SQLITE_CANTOPEN_ISDIR", "state.unusable"],
    ["SQLITE_ERROR", "internal"],
  ])("by %s is named without the file where anybody may ask", (code, word) => {
    expect(nameBreak(stateFailure("data/state.db", new Database.SqliteError("oh no", code)))).toBe(word);
  });

  it("is a sentence where a statement finds JSON that is none, and a bug where a statement is wrong", () => {
    const of = (message: string) => new Database.SqliteError(message, "SQLITE_ERROR");
    expect(stateFailure("data/state.db", of("malformed JSON"))).toMatchObject({
      message: expect.stringMatching(/data\/state\.db holds .*\(malformed JSON\): restore a backup/),
    });
    const wrong = of("no such column: x");
    expect(stateFailure("data/state.db", wrong)).toBe(wrong);
  });

  it.each([
    ["ENOSPC", "is full"],
    ["EDQUOT", "is full"],
    ["EACCES", "can't be written"],
    ["EROFS", "can't be written"],
    ["EISDIR", "can't be opened"],
    ["ENAMETOOLONG", "can't be used (ENAMETOOLONG: no): check its path"],
  ])("by %s of the file system is one, too", (code, message) => {
    expect(stateFailure("data/state.db", fileError(code))).toMatchObject({
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ["a broken constraint", new Database.SqliteError("UNIQUE", "SQLITE_CONSTRAINT_UNIQUE")],
    ["a bug", new TypeError("undefined is not a function")],
    ["a failure that was said already", new StateError("said")],
    ["an error with a code of its own", Object.assign(new Error("x"), { code: "ERR_INVALID_ARG_TYPE" })],
    ["an error whose code is a number", Object.assign(new Error("x"), { code: 5, syscall: "open" })],
    ["no error at all", "text"],
  ])("is not %s: it stays what it is", (_, error) => {
    expect(stateFailure("data/state.db", error)).toBe(error);
  });
});
