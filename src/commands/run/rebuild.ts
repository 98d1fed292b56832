import { buildWorld } from "../../app.ts";
import { rebuildProjects } from "../../story/rebuild/rebuild.ts";
import { exitOf, inSession } from "../open/session.ts";
import { placeOfState, withState } from "../open/state.ts";
import type { CommandCall, CommonOptions, ProjectOptions } from "../print/terminal.ts";
import { printRebuild } from "../reports/rebuild.ts";
import { exitOfResult } from "../reports/run.ts";

/**
 * `boardsync rebuild`: makes a lost or old state anew from the marks in the issues, and says what a person should look at.
 * Needs the state for itself; writes nothing to either side.
 */
export async function rebuild(called: CommandCall<CommonOptions & ProjectOptions>): Promise<number> {
  return inSession(called, ({ terminal, options, clean, config, machine, sides, projects }) =>
    withState(terminal, machine.log, "rebuild", placeOfState(terminal, config), projects, async (ledger) => {
      const world = buildWorld(config, sides, ledger, machine);
      const report = await rebuildProjects(projects, world, terminal.signal);
      printRebuild(terminal, options, clean(report));
      return exitOf(terminal, exitOfResult(report.result));
    }),
  );
}
