import { inSession } from "../open/session.ts";
import type { ProjectOptions, Terminal } from "../print/terminal.ts";
import { exitOfResult, printRun } from "../reports/run.ts";
import { carryOut, type WaitOptions } from "./carry-out.ts";

/** `boardsync sync`: one run. A daemon that has the state makes it. */
export async function sync(
  terminal: Terminal,
  options: WaitOptions & ProjectOptions & { readonly adopt?: boolean },
): Promise<number> {
  return inSession(terminal, options, (session) => {
    const { projects } = session;
    const order = { kind: options.adopt === true ? "adopt" : "sync" } as const;
    return carryOut(session, { command: "sync", projects, order }, ({ report, projectsAfter }) => {
      printRun(session.terminal, options, session.clean(report), projectsAfter);
      return exitOfResult(report.result);
    });
  });
}
