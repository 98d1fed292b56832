import { acquireState } from "../../../src/ledger/sqlite/lock.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite.ts";
import { noon, paceWrite, sendIntent } from "../samples.ts";

/** A process of its own for the tests: `hold FILE` takes the state and stays; `send FILE` dies right after SENT. */
const [task = "", file = ""] = process.argv.slice(2);
const options = { now: noon, version: "1.2.3" };

if (task === "hold") {
  const lock = acquireState(file, `daemon, process ${process.pid} on box`, options);
  process.stdout.write("held\n");
  // A lock that nobody can release any more is collected, and lets go.
  setInterval(() => lock.release(), 1_000_000);
} else {
  await paceWrite(openLedger(file, options), {});
  await sendIntent(openLedger(file, options), { bodyHash: "abc" });
  process.kill(process.pid, "SIGKILL");
}
