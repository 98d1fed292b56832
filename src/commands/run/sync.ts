import { buildWorld } from "../../app.ts";
import { announceRun } from "../../daemon/announce.ts";
import { runProjects } from "../../sync/run.ts";
import { exitOf, inSession } from "../open/session.ts";
import { placeOfState, withState } from "../open/state.ts";
import type { CommonOptions, ProjectOptions, Terminal } from "../print/terminal.ts";
import { exitOfResult, printRun } from "../reports/run.ts";
import { announceOptions } from "./announcing.ts";

/** `boardsync sync`: one run. Needs the state for itself. */
export async function sync(
  terminal: Terminal,
  options: CommonOptions & ProjectOptions & { readonly adopt?: boolean },
): Promise<number> {
  return inSession(terminal, options, (session) => {
    const { terminal: safe, clean, config, machine, sides, projects } = session;
    return withState(
      terminal,
      machine.log,
      "sync",
      placeOfState(terminal, config),
      projects,
      async (ledger) => {
        const world = buildWorld(config, sides, ledger, machine);
        const kind = options.adopt === true ? "adopt" : "sync";
        const { report, projectsAfter } = await runProjects(projects, world, { kind }, terminal.signal);
        printRun(safe, options, clean(report), projectsAfter);
        if (kind === "sync") await announceRun(report, announceOptions(session, ledger, terminal));
        return exitOf(terminal, exitOfResult(report.result));
      },
    );
  });
}
