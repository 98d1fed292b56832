import { resolve } from "node:path";
import { isPostgresUrl } from "../../config/state-address.ts";
import { ConfigError } from "../../errors.ts";
import { showPlace } from "../../ledger/postgres/url.ts";
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
  return besideRuns(called, async ({ config, ledger, now }) => {
    const file = resolve(terminal.cwd, name);
    // The server's own tool knows how to copy it, and a dump that is put back is known for one without a stamp.
    if (isPostgresUrl(config.state))
      throw new ConfigError([
        `The state is on PostgreSQL, which has its own backups: \`pg_dump --format=custom --schema=boardsync --file=${file} ${showPlace(config.state)}\`, while the daemons run.`,
      ]);
    await ledger.copyTo(file, now);
    if (options.json === true) printJson(terminal.out, { file });
    else if (options.quiet !== true) printLine(terminal.out, "", `The state is copied to ${file}.`);
    return exitCodes.ok;
  });
}
