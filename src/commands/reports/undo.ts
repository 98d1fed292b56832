import type { CarriedAction, RunReport, SavedAction } from "../../sync/ground/reports.ts";
import { countVoters, describeNotified } from "../../sync/ground/voters.ts";
import type { RunResult } from "../../sync/run.ts";
import type { Timed } from "../../sync/tell/times.ts";
import { count } from "../../sync/tell/words.ts";
import { printBlocks } from "../print/blocks.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { printJson, printLine } from "../print/text.ts";
import { describeWrite } from "./plan.ts";
import { errorOf, printErrors, printNotInStep } from "./run.ts";

/** What an undo would do, and what it leaves as it is, before anybody agrees to it. */
export function printLook(
  { out, times }: Pick<Terminal, "out"> & Timed,
  actions: readonly SavedAction[],
  report: RunReport,
): void {
  const lines = actions.flatMap((action) => action.lines);
  const blocks = lines.map((line) => ({ ...line, place: line.issue, what: describeWrite(line), why: "" }));
  printBlocks(out, blocks, describeWrite);
  printErrors(out, times(), report.projects);
  const notified = describeNotified(countVoters(lines.map(({ notifies }) => notifies)));
  printLine(out, "", `${count(lines.length, "write")} to undo; ${notified || "no voter to notify"}.`);
}

/** What `undo --json` prints. @param isLook - there was nothing to write: the undo has no number of its own. */
export function reportUndo(
  undone: number,
  { report, carried }: Pick<RunResult, "report" | "carried">,
  isLook: boolean,
) {
  const { run, result, startedAt, durationMs } = report;
  const projects = report.projects.map(({ project, repo, requests, errors }) => {
    return { project, repo, actions: carried.get(project) ?? [], requests, errors };
  });
  return { run: isLook ? null : run, undone, result, startedAt, durationMs, projects };
}

/** What was undone, as JSON or for a person. */
export function printUndone(
  { out, times }: Pick<Terminal, "out"> & Timed,
  options: CommonOptions,
  report: ReturnType<typeof reportUndo>,
  projectsAfter: RunResult["projectsAfter"],
): void {
  const { run, undone, result, projects } = report;
  if (options.json === true) printJson(out, { ...report, ...errorOf(result, projects) });
  if (options.json === true || options.quiet === true) return;
  printErrors(out, times(), projects);
  const actions = projects.flatMap((project) => project.actions);
  const made = run === null ? "" : ` This was run ${run}.`;
  const isWhole = projects.every(({ errors }) => errors.length === 0);
  const nothing = isWhole ? "nothing to undo" : "nothing was undone";
  printLine(out, "", `Undo of run ${undone}: ${countOutcomes(actions, words) || nothing}.${made}`);
  printNotInStep(out, times(), projectsAfter);
}

/** Where there was nothing to do, or nobody agreed. */
export function sayNothing(
  { out, times }: Pick<Terminal, "out"> & Timed,
  options: CommonOptions,
  undone: number,
  message: string,
): number {
  if (options.json === true) printJson(out, { run: null, undone, result: "ok", projects: [], message });
  else if (options.quiet !== true) printLine(out, `Undo of run ${undone}: `, times().tell(message));
  return exitCodes.ok;
}

const words: OutcomeWords = {
  done: "undone",
  already: "not there any more",
  refused: "left as they are",
  failed: "failed",
};

/** What became of actions, by how many have each outcome: "2 done, 1 refused". */
export type OutcomeWords = Readonly<Partial<Record<CarriedAction["outcome"], string>>>;

/** In the order of the words; '' where none has any of these outcomes. */
export function countOutcomes(actions: readonly CarriedAction[], said: OutcomeWords): string {
  const parts = Object.entries(said).flatMap(([outcome, word]) => {
    const amount = actions.filter((action) => action.outcome === outcome).length;
    return amount === 0 ? [] : [`${amount} ${word}`];
  });
  return parts.join(", ");
}
