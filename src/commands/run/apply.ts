import { buildWorld } from "../../app.ts";
import { ConfigError } from "../../errors.ts";
import type { CarriedAction, RunReport } from "../../sync/ground/reports.ts";
import { refusePlan } from "../../sync/orders/plan-file.ts";
import { type RunResult, runProjects } from "../../sync/run.ts";
import { exitOf, inSession } from "../open/session.ts";
import { placeOfState, withState } from "../open/state.ts";
import { printJson } from "../print/json.ts";
import type { CommonOptions, Output, Terminal } from "../print/terminal.ts";
import { count, printLine } from "../print/text.ts";
import { errorOf, exitOfResult, printRun } from "../reports/run.ts";
import { loadPlan } from "./plan-file.ts";

/**
 * `boardsync apply FILE`: carries out exactly what `plan --out` has saved, as one run. What has moved since is refused, action
 * by action. Needs the state for itself.
 */
export function apply(terminal: Terminal, options: CommonOptions, file: string): Promise<number> {
  return inSession(terminal, options, (session) => {
    const { config, machine, sides, projects, terminal: safe, clean } = session;
    const plan = loadPlan(terminal, file);
    return withState(
      terminal,
      machine.log,
      "apply",
      placeOfState(terminal, config),
      projects,
      async (ledger) => {
        const world = buildWorld(config, sides, ledger, machine);
        const { version: program } = terminal;
        const { identity: state } = ledger;
        refuse(file, refusePlan(plan, { program, board: world.policy.boardHash, state, projects }));
        const planned = projects.filter(({ key }) => plan.projects.some(({ project }) => project === key));
        const result = await runProjects(planned, world, { kind: "apply", plan }, terminal.signal);
        printApplied(safe, options, clean(withActions(result)), result.projectsAfter);
        return exitOf(terminal, exitOfResult(result.report.result));
      },
    );
  });
}

function refuse(file: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new ConfigError(
    problems.map((problem) => `${file} is not applied, and nothing was written. ${problem}`),
  );
}

/** What `apply --json` prints: the run, with what became of each action. */
interface AppliedReport extends RunReport {
  readonly projects: readonly (RunReport["projects"][number] & {
    readonly actions: readonly CarriedAction[];
  })[];
}

function withActions({ report, carried }: RunResult): AppliedReport {
  const projects = report.projects.map((project) => ({
    ...project,
    actions: carried.get(project.project) ?? [],
  }));
  return { ...report, projects };
}

function printApplied(
  terminal: Pick<Terminal, "out" | "signal">,
  options: CommonOptions,
  report: AppliedReport,
  projectsAfter: RunResult["projectsAfter"],
): void {
  const { out } = terminal;
  if (options.json === true) printJson(out, { ...report, ...errorOf(report.result, report.projects) });
  if (options.json === true || options.quiet === true) return;
  printRun(terminal, options, report, projectsAfter);
  printOutcomes(
    out,
    report.projects.flatMap(({ actions }) => actions),
  );
}

const words: readonly (readonly [CarriedAction["outcome"], string])[] = [
  ["done", "done"],
  ["already", "done before"],
  ["refused", "refused"],
  ["waiting", "put off: apply the plan again, or let the next sync decide"],
  ["failed", "failed"],
];

function printOutcomes(out: Output, actions: readonly CarriedAction[]): void {
  const parts = words.flatMap(([outcome, said]) => {
    const amount = actions.filter((action) => action.outcome === outcome).length;
    return amount === 0 ? [] : [`${amount} ${said}`];
  });
  printLine(
    out,
    "",
    `Of ${count(actions.length, "action")} of the plan: ${parts.join(", ") || "nothing to do"}.`,
  );
}
