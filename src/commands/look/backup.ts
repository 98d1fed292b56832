import { resolve } from "node:path";
import { besideRuns } from "../open/beside.ts";
import { printJson } from "../print/json.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { printLine } from "../print/text.ts";

/**
 * `boardsync backup FILE`: a consistent copy of the state, while the daemon runs. It is stamped: put back, it is known for
 * one, and no voter hears again of what was told since.
 */
export function backup(terminal: Terminal, options: CommonOptions, name: string): Promise<number> {
  return besideRuns(terminal, options, async ({ ledger, now }) => {
    const file = resolve(terminal.cwd, name);
    await ledger.copyTo(file, now);
    if (options.json === true) printJson(terminal.out, { file });
    else if (options.quiet !== true) printLine(terminal.out, "", `The state is copied to ${file}.`);
    return exitCodes.ok;
  });
}
