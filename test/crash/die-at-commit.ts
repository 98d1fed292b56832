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

function commit<T>(write: () => T): T {
  const result = write();
  dieIf("after");
  return result;
}

const { transaction, prepare } = Database.prototype;

Database.prototype.transaction = function count(this: Database.Database, work: () => unknown) {
  const isOutermost = (): boolean => !this.inTransaction;
  const plain = transaction.call(this, work);
  const counted = transaction.call(this, () => {
    const result = work();
    commits += 1;
    dieIf("before");
    return result;
  });
  // The program opens its write transactions with `immediate`; all others read.
  const immediate = (): unknown => (isOutermost() ? commit(() => counted.immediate()) : plain.immediate());
  return Object.assign(() => plain(), { deferred: plain.deferred, immediate });
} as unknown as typeof transaction;

Database.prototype.prepare = function count(this: Database.Database, sql: string) {
  const statement: Database.Statement = prepare.call(this, sql);
  const run = statement.run.bind(statement);
  statement.run = (...bound: unknown[]) => {
    if (this.inTransaction || statement.readonly) return run(...bound);
    commits += 1;
    dieIf("before");
    return commit(() => run(...bound));
  };
  return statement;
} as unknown as typeof prepare;
