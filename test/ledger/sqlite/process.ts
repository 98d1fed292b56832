import { acquireState } from "../../../src/ledger/sqlite/lock.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite.ts";
import { createIntent, noon, project } from "../samples.ts";

/** A process of its own for the tests: `hold FILE` takes the state and stays; `send FILE` dies right after SENT. */
const [task = "", file = ""] = process.argv.slice(2);
const options = { now: noon, version: "1.2.3" };

if (task === "hold") {
  const lock = acquireState(file, `daemon, process ${process.pid} on box`, options);
  process.stdout.write("held\n");
  // A lock that nobody can release any more is collected, and lets go.
  setInterval(() => lock.release(), 1_000_000);
} else {
  const { journal } = openLedger(file, options);
  await openLedger(file, options).commit([
    { kind: "pace-write", at: noon, isCreate: true, budget: "", project },
  ]);
  await openLedger(file, options).commit([
    { kind: "mark-sent", intent: await journal.prepare(createIntent({ bodyHash: "abc" })), at: noon },
  ]);
  process.kill(process.pid, "SIGKILL");
}
