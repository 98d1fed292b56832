import { writeFileSync } from "node:fs";
import Database from "better-sqlite3";

/**
 * Loaded into the process before the program (`node --import`): counts the commits of its databases. The address says what for:
 * `?at=7&when=after` is death by SIGKILL right after the seventh (or `before`, with all its rows written), `?report=FILE` writes
 * the count at the exit.
 */
const given = new URL(import.meta.url).searchParams;
const at = Number(given.get("at"));
const when = given.get("when");
const report = given.get("report");
let commits = 0;

if (report !== null) process.on("exit", () => writeFileSync(report, String(commits)));

/** A signal to oneself is there before the call returns. */
function dieIf(moment: "before" | "after"): void {
  if (commits === at && moment === when) process.kill(process.pid, "SIGKILL");
}

const { prepare } = Database.prototype;
/** Whether a transaction is open that was begun in order to write. */
let isWriting = false;

Database.prototype.prepare = function count(this: Database.Database, sql: string) {
  const statement: Database.Statement = prepare.call(this, sql);
  const run = statement.run.bind(statement);
  const isEnd = sql === "COMMIT";
  statement.run = (...bound: unknown[]) => {
    if (sql === "BEGIN IMMEDIATE") isWriting = true;
    if (sql === "ROLLBACK") isWriting = false;
    const isCommit = isEnd ? isWriting : !this.inTransaction && !isWriting && !statement.readonly;
    if (!isCommit) return run(...bound);
    isWriting = false;
    commits += 1;
    dieIf("before");
    const result = run(...bound);
    dieIf("after");
    return result;
  };
  return statement;
} as unknown as typeof prepare;
