import { inSession } from "../open/session.ts";
import type { CommandCall, ProjectOptions } from "../print/terminal.ts";
import { exitOfResult, printRun } from "../reports/run.ts";
import { carryOut, type WaitOptions } from "./carry-out.ts";

type SyncOptions = WaitOptions & ProjectOptions & { readonly adopt?: boolean; readonly dryRun?: boolean };

/** `boardsync sync`: one run. A daemon that has the state makes it. */
export async function sync(called: CommandCall<SyncOptions>): Promise<number> {
  if (called.options.dryRun === true) return (await import("./plan.ts")).plan(called);
  return inSession(called, (session) => {
    const { terminal, options, projects } = session;
    const order = { kind: options.adopt === true ? "adopt" : "sync" } as const;
    return carryOut(session, { command: "sync", projects, order }, ({ report, projectsAfter }) => {
      printRun(terminal, options, session.clean(report), projectsAfter);
      return exitOfResult(report.result);
    });
  });
}
