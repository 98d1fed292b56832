import { once } from "node:events";
import { noon } from "../samples.ts";
import { openShared } from "./open.ts";

/** A process that works with the state at its first argument, and has nothing more to do once its input ends. */
const ledger = await openShared(process.argv[2] ?? "");
await ledger.commit([{ kind: "say", notices: [{ cause: "one", state: "", at: noon }], forgetBefore: 0 }]);
process.stdout.write("ready\n");
process.stdin.resume();
await once(process.stdin, "end");
void ledger.notices.said().catch(() => undefined);
ledger.close();
