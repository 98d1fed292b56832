import type { ProjectReport, ReportedError, RunReport } from "../../sync/ground/reports.ts";
import type { ProjectAfter } from "../../sync/run.ts";
import { type FailedWhere, groupFailures, listFailed, nameFailed } from "../../sync/tell/failures.ts";
import { describeState } from "../../sync/tell/project-state.ts";
import type { Timed, ToldTimes } from "../../sync/tell/times.ts";
import { count, countNeeds, stateWords } from "../../sync/tell/words.ts";
import { joinFailures } from "../print/failure.ts";
import { type Column, printRecords } from "../print/table.ts";
import { type CommonOptions, exitCodes, type Output, type Terminal } from "../print/terminal.ts";
import { oneLine, paint, printJson, printLine } from "../print/text.ts";

/** The exit code of a run's result. */
export function exitOfResult(result: RunReport["result"]): number {
  return {
    ok: exitCodes.ok,
    partial: exitCodes.partial,
    held: exitCodes.held,
    failed: exitCodes.unreachable,
  }[result];
}

/** A run, as JSON or for a person, who is also told how each project stands after it. */
export function printRun(
  { out, signal, times: now }: Pick<Terminal, "out" | "signal"> & Timed,
  options: CommonOptions,
  report: RunReport,
  projectsAfter: readonly ProjectAfter[],
): void {
  if (options.json === true) printJson(out, { ...report, ...errorOf(report.result, report.projects) });
  if (options.json === true || options.quiet === true) return;
  const times = now();
  printRecords(out, columns, report.projects);
  printErrors(out, times, report.projects);
  printMissing(out, report.projects);
  const head = `Run ${report.run}, ${(report.durationMs / 1000).toFixed(1)} s:`;
  if (signal.aborted) printLine(out, "", `${head} stopped by ${signal.reason}; the next run goes on.`);
  else printLine(out, "", projectsAfter.every(isInStep) ? `${head} in step.` : head);
  printNotInStep(out, times, projectsAfter);
}

/** Linked posts that the board no longer lists, or says that it does not know, by name. */
function printMissing(out: Output, projects: readonly ProjectReport[]): void {
  for (const { project, missing = 0, missingPosts = [] } of projects) {
    if (missingPosts.length === 0) continue;
    const names = missingPosts.map(({ post, title }) => (title === null ? post : `${post} “${title}”`));
    const more = missing - missingPosts.length;
    const all = `${names.join(", ")}${more > 0 ? ` and ${count(more, "other")}` : ""}`;
    printLine(out, paint(out, "cyan", "≠ "), oneLine(`${project}: not found on the board: ${all}`));
  }
}

/** A line for each project that is not in step, and one for all that are. */
export function printNotInStep(out: Output, times: ToldTimes, projectsAfter: readonly ProjectAfter[]): void {
  const [calm, others] = [projectsAfter.filter(isInStep), projectsAfter.filter((one) => !isInStep(one))];
  for (const { project, state, isRun } of others) {
    const left = isRun ? "" : "not looked at in this run; before it: ";
    printLine(out, "  ", oneLine(`${project}: ${left}${times.tell(describeState(state, times.name))}.`));
  }
  if (calm.length === 0 || others.length === 0) return;
  const names = calm.slice(0, mostNamed).map(({ project }) => project);
  const more = calm.length - names.length;
  const named = oneLine(`${names.join(", ")}${more > 0 ? ` and ${count(more, "other")}` : ""}`);
  printLine(out, "  ", `${named}: in step.`);
}

function isInStep({ state, isRun }: ProjectAfter): boolean {
  return isRun && state.kind === "in-sync";
}

/** So many projects that are in step are named. */
const mostNamed = 5;

/** The `error` that every document of exit 3 has. */
export function errorOf(
  result: RunReport["result"],
  projects: readonly { readonly errors: readonly ReportedError[] }[],
): object {
  return result === "failed" ? { error: joinFailures(projects.flatMap(({ errors }) => errors)) } : {};
}

const columns: readonly Column<ProjectReport>[] = [
  { title: "project", show: ({ project }) => project },
  { title: "posts", show: ({ posts }) => String(posts) },
  { title: "issues", show: ({ issues }) => String(issues) },
  { title: "opened", show: ({ created }) => String(created) },
  { title: "adopted", show: ({ adopted }) => String(adopted), isOptional: true },
  { title: "edited", show: ({ issueWrites }) => String(issueWrites), isOptional: true },
  { title: "patched", show: ({ postWrites }) => String(postWrites) },
  { title: "made", show: ({ made = 0 }) => String(made), isOptional: true },
  { title: "entries", show: ({ entryWrites = 0 }) => String(entryWrites), isOptional: true },
  { title: "voters", show: ({ voters = 0 }) => (voters === null ? "?" : voters.toLocaleString("en")) },
  {
    title: "not done",
    show: (project) => countNotDone(project) || "–",
    isOptional: (project) => countNotDone(project) !== "",
  },
];

/** One column for all of them: side by side they are wider than a terminal. */
function countNotDone({ waiting, held, parked, quarantined, failed }: ProjectReport): string {
  const parts = [
    ...countNeeds({ held, parked, quarantined }),
    failed > 0 && `${failed.toLocaleString("en")} failed`,
    waiting > 0 && `${waiting.toLocaleString("en")} ${stateWords.later}`,
  ];
  return parts.filter((part) => part !== false).join(", ");
}

/** A line for what is alike, or for each, and each thing to do about them once. */
export function printFailures(
  out: Output,
  times: ToldTimes,
  failures: readonly FailedWhere[],
  { begin = "", margin = "", isFull = false } = {},
): void {
  for (const group of isFull ? failures.flatMap((one) => groupFailures([one])) : groupFailures(failures)) {
    const names = listFailed(group);
    const said = `${begin}${nameFailed(group)}: ${times.tell(group.message)} [${group.first.code}]`;
    printLine(out, paint(out, "red", "✗ "), oneLine(names === "" ? said : `${said} (${names})`));
  }
  for (const advice of new Set(failures.map((failure) => failure.advice)))
    if (advice != null) printLine(out, `${margin}→ `, advice);
}

/** The errors of each project. */
export function printErrors(
  out: Output,
  times: ToldTimes,
  projects: readonly { readonly project: string; readonly errors: readonly ReportedError[] }[],
): void {
  const failures = projects.flatMap(({ project, errors }) => errors.map((error) => ({ ...error, project })));
  printFailures(out, times, failures);
}
