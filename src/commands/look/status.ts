import { loadConfig } from "../../config/load.ts";
import { tellTimes } from "../../sync/tell/times.ts";
import { systemClock } from "../open/clock.ts";
import { configSource } from "../open/config-source.ts";
import { describeNone, placeOfState, readState } from "../open/state.ts";
import { readStatus } from "../open/status.ts";
import { type CommandCall, type CommonOptions, exitCodes } from "../print/terminal.ts";
import { printJson, printLine } from "../print/text.ts";
import { printStatus } from "../reports/status.ts";

interface StatusOptions extends CommonOptions {
  readonly full?: boolean;
}

/** `boardsync status`: what the state says. Works beside a running daemon, and needs no secret and no network. */
export async function status({ terminal, options }: CommandCall<StatusOptions>): Promise<number> {
  const { config } = loadConfig(configSource(terminal, options));
  const place = placeOfState(terminal, config);
  const ledger = await readState(place);
  try {
    const report = await readStatus(config, place.name, ledger);
    if (options.json === true) printJson(terminal.out, report);
    else if (options.quiet === true) return exitCodes.ok;
    else if (ledger === undefined) printLine(terminal.out, "", describeNone(place.name));
    else {
      const times = tellTimes(systemClock.now(), config.timezone);
      printStatus(terminal.out, times, report, options.full === true);
    }
    return exitCodes.ok;
  } finally {
    ledger?.close();
  }
}
