import { buildWorld } from "../../app.ts";
import type { PlanReport, RunReport } from "../../sync/ground/reports.ts";
import { writePlan } from "../../sync/orders/plan-file.ts";
import { runProjects } from "../../sync/run.ts";
import { exitOf, inSession } from "../open/session.ts";
import { placeOfState, withPrivateCopy } from "../open/state.ts";
import { type CommonOptions, exitCodes, type ProjectOptions, type Terminal } from "../print/terminal.ts";
import { countAdopted, printPlan } from "../reports/plan.ts";
import { exitOfResult } from "../reports/run.ts";
import { refusePlanFile, savePlan } from "./plan-file.ts";

/**
 * `boardsync plan`: pulls and decides on a private copy of the state, so that it needs no lock and leaves no trace. `--out`
 * saves it for `apply`, unless nothing could be looked at.
 */
export async function plan(
  terminal: Terminal,
  options: CommonOptions &
    ProjectOptions & { readonly detailedExitcode?: boolean; readonly out?: string; readonly full?: boolean },
): Promise<number> {
  return inSession(terminal, options, (session) =>
    withPrivateCopy(terminal, placeOfState(terminal, session.config), async (ledger, isKnown) => {
      if (options.out !== undefined) refusePlanFile(terminal, options.out);
      const world = buildWorld(session.config, session.sides, ledger, session.machine);
      const madeAt = world.clock.now();
      const result = await runProjects(session.projects, world, { kind: "plan" }, terminal.signal);
      const { plan: made, report, saved, projectsAfter } = result;
      const { out } = options;
      const isSaved = out !== undefined && report.result !== "failed" && !terminal.signal.aborted;
      if (isSaved) {
        const origin = { program: terminal.version, board: world.policy.boardHash, madeAt };
        const state = isKnown ? ledger.identity : null;
        savePlan(terminal, out, writePlan(session.clean({ ...origin, state, projects: saved })));
      }
      const shown = { plan: session.clean(made), report, projectsAfter };
      printPlan(session.terminal, options, shown, isSaved ? out : undefined);
      return exitOf(terminal, exitOfPlan(report, made, options.detailedExitcode === true));
    }),
  );
}

/** What waits for a person is no failure of a plan, which writes nothing. */
function exitOfPlan(report: RunReport, { projects }: PlanReport, isDetailed: boolean): number {
  const code = exitOfResult(report.result);
  if (code !== exitCodes.ok && code !== exitCodes.held) return code;
  const hasWork = countAdopted(report) > 0 || projects.some(({ actions }) => actions.length > 0);
  return isDetailed && hasWork ? exitCodes.changes : exitCodes.ok;
}
