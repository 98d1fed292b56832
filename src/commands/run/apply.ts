import { ConfigError } from "../../errors.ts";
import type { Carried } from "../../sync/handed.ts";
import { count } from "../../sync/tell/words.ts";
import { inSession } from "../open/session.ts";
import type { CommandCall } from "../print/terminal.ts";
import { printLine } from "../print/text.ts";
import { exitOfResult, printRun } from "../reports/run.ts";
import { countOutcomes, type OutcomeWords } from "../reports/undo.ts";
import { carryOut, type WaitOptions } from "./carry-out.ts";
import { loadPlan } from "./plan-file.ts";

/**
 * `boardsync apply FILE`: carries out exactly what `plan --out` has saved, as one run. What has moved since is refused, action
 * by action. A daemon that has the state makes it.
 */
export function apply(called: CommandCall<WaitOptions>): Promise<number> {
  const [file = ""] = called.args;
  return inSession(called, async (session) => {
    const { terminal, options } = session;
    const plan = loadPlan(terminal, file);
    const projects = session.projects.filter(({ key }) =>
      plan.projects.some(({ project }) => project === key),
    );
    const asked = { command: "apply", projects, order: { kind: "apply", plan } } as const;
    try {
      return await carryOut(session, asked, (carried) => {
        const report = session.clean(withActions(carried));
        printRun(terminal, options, report, carried.projectsAfter);
        const actions = report.projects.flatMap((project) => project.actions);
        const outcomes = countOutcomes(actions, words) || "nothing to do";
        if (options.json !== true && options.quiet !== true)
          printLine(terminal.out, "", `Of ${count(actions.length, "action")} of the plan: ${outcomes}.`);
        return exitOfResult(carried.report.result);
      });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const head = `${file} is not applied, and nothing was written.`;
      throw new ConfigError(error.problems.map((problem) => `${head} ${problem}`));
    }
  });
}

/** What `apply --json` prints: the run, with what became of each action. */
function withActions({ report, carried }: Carried) {
  const projects = report.projects.map((one) => ({ ...one, actions: carried.get(one.project) ?? [] }));
  return { ...report, projects };
}

const words: OutcomeWords = {
  done: "done",
  already: "done before",
  refused: "refused",
  waiting: "put off: apply the plan again, or let the next sync decide",
  failed: "failed",
};
