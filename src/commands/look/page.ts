import { codeMs, createCode } from "../../daemon/page/gate.ts";
import { ConfigError } from "../../errors.ts";
import { besideRuns } from "../open/beside.ts";
import { readHeartbeat } from "../open/heartbeat.ts";
import { type CommandCall, exitCodes } from "../print/terminal.ts";
import { printJson } from "../print/text.ts";

/** `boardsync page`: an address that opens the status page of the daemon that runs on this state, once and for a minute. */
export function page(called: CommandCall): Promise<number> {
  return besideRuns(called, async ({ terminal, options, config, ledger, now }) => {
    const beat = await readHeartbeat(ledger);
    if (beat?.isAlive !== true)
      throw new ConfigError([
        "No daemon runs on this state, so there is no page. `boardsync status` shows how the projects stand.",
      ]);
    if (beat.address === undefined)
      throw new ConfigError(["The daemon serves no page: the config has `http: false`."]);
    const { code, print } = createCode(ledger.pageKey);
    await ledger.commit([{ kind: "offer-page", print, until: now + codeMs }]);
    const shown = (config.http !== false && config.http.url) || reachable(beat.address);
    const address = `${shown}/?code=${code}`;
    if (options.json === true)
      printJson(terminal.out, { address, until: new Date(now + codeMs).toISOString() });
    else terminal.out.write(`${address}\n`);
    return exitCodes.ok;
  });
}

/** What listens on every address of the machine is found at its own. */
function reachable(address: string): string {
  return address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}
