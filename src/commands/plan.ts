import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildWorld } from "../app.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { copyLedger } from "../ledger/sqlite/sqlite.ts";
import { runProjects } from "../sync/run.ts";
import type { PlanReport, RunReport } from "../sync/world.ts";
import { countAdopted, printPlan } from "./plan-report.ts";
import { exitOfResult } from "./run-report.ts";
import { exitOf, inSession } from "./session.ts";
import { openPrivateState } from "./state.ts";
import { type CommonOptions, exitCodes, type ProjectOptions, type Terminal } from "./terminal.ts";

/** `boardsync plan`: pulls and decides on a private copy of the state, so that it needs no lock and leaves no trace. */
export async function plan(
  terminal: Terminal,
  options: CommonOptions & ProjectOptions & { readonly detailedExitcode?: boolean },
): Promise<number> {
  return inSession(terminal, options, (session) =>
    withPrivateCopy(terminal, resolve(terminal.cwd, session.config.state), async (ledger) => {
      const world = buildWorld(session.config, session.sides, ledger, session.machine);
      const { plan: made, report } = await runProjects(session.projects, world, "plan", terminal.signal);
      printPlan(session.terminal, options, session.clean(made), report);
      return exitOf(terminal, exitOfPlan(report, made, options.detailedExitcode === true));
    }),
  );
}

async function withPrivateCopy<T>(
  terminal: Terminal,
  state: string,
  work: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-plan-"));
  try {
    const copy = join(folder, "state.db");
    await copyLedger(state, copy);
    const ledger = openPrivateState(terminal, copy);
    try {
      return await work(ledger);
    } finally {
      ledger.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What waits for a person is no failure of a plan, which writes nothing. */
function exitOfPlan(report: RunReport, { projects }: PlanReport, isDetailed: boolean): number {
  const code = exitOfResult(report.result);
  if (code !== exitCodes.ok && code !== exitCodes.held) return code;
  const hasWork = countAdopted(report) > 0 || projects.some(({ actions }) => actions.length > 0);
  return isDetailed && hasWork ? exitCodes.changes : exitCodes.ok;
}
