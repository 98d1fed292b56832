import { resolve } from "node:path";
import { besideRuns } from "../open/beside.ts";
import { type CommandCall, exitCodes } from "../print/terminal.ts";
import { printJson, printLine } from "../print/text.ts";

/**
 * `boardsync backup FILE`: a consistent copy of the state, while the daemon runs. It is stamped: put back, it is known for
 * one, and no voter is notified again of what was written since.
 */
export function backup(called: CommandCall): Promise<number> {
  const { terminal, options } = called;
  const [name = ""] = called.args;
  return besideRuns(called, async ({ ledger, now }) => {
    const file = resolve(terminal.cwd, name);
    await ledger.copyTo(file, now);
    if (options.json === true) printJson(terminal.out, { file });
    else if (options.quiet !== true) printLine(terminal.out, "", `The state is copied to ${file}.`);
    return exitCodes.ok;
  });
}
