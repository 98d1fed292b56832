import type { ProjectReport, ReportedError, RunReport } from "../sync/world.ts";
import { joinFailures } from "./failure.ts";
import { printJson } from "./json.ts";
import { type Column, printRecords } from "./table.ts";
import { type CommonOptions, exitCodes, type Output, type Terminal } from "./terminal.ts";
import { count, oneLine, paint, printLine } from "./text.ts";

/** The exit code of a run's result. */
export function exitOfResult(result: RunReport["result"]): number {
  return {
    ok: exitCodes.ok,
    partial: exitCodes.partial,
    held: exitCodes.held,
    failed: exitCodes.unreachable,
  }[result];
}

/** A run, as JSON or for a person. */
export function printRun(
  { out, signal }: Pick<Terminal, "out" | "signal">,
  options: CommonOptions,
  report: RunReport,
): void {
  if (options.json === true) printJson(out, { ...report, ...errorOf(report.result, report.projects) });
  if (options.json === true || options.quiet === true) return;
  printRecords(out, columns, report.projects);
  printErrors(out, report.projects);
  printLine(out, "", sentenceOf(report, signal));
}

/** The `error` that every document of exit 3 has. */
export function errorOf(
  result: RunReport["result"],
  projects: readonly { readonly errors: readonly ReportedError[] }[],
): object {
  return result === "failed" ? { error: joinFailures(projects.flatMap(({ errors }) => errors)) } : {};
}

/** What the columns of the table mean, for who sees it for the first time. */
export const runLegend: readonly (readonly [title: string, meaning: string])[] = [
  ["posts", "seen on the board"],
  ["issues", "linked to posts"],
  ["opened", "issues opened by this run"],
  ["edited", "issues whose title or text followed an edit of the post"],
  ["patched", "posts written to"],
  ["told", "posts whose voters were told of a new status"],
];

const columns: readonly Column<ProjectReport>[] = [
  { title: "project", show: ({ project }) => project },
  { title: "posts", show: ({ posts }) => String(posts) },
  { title: "issues", show: ({ issues }) => String(issues) },
  { title: "opened", show: ({ created }) => String(created) },
  { title: "adopted", show: ({ adopted }) => String(adopted), isOptional: true },
  { title: "edited", show: ({ issueWrites }) => String(issueWrites) },
  { title: "patched", show: ({ postWrites }) => String(postWrites) },
  { title: "told", show: ({ statusWrites }) => String(statusWrites) },
  { title: "waiting", show: ({ waiting }) => String(waiting), isOptional: true },
  { title: "held", show: ({ held }) => String(held), isOptional: true },
  { title: "parked", show: ({ parked }) => String(parked), isOptional: true },
  { title: "quarantined", show: ({ quarantined }) => String(quarantined), isOptional: true },
  { title: "failed", show: ({ failed }) => String(failed), isOptional: true },
];

/** The errors of each project, and each thing to do about them once. */
export function printErrors(
  out: Output,
  projects: readonly { readonly project: string; readonly errors: readonly ReportedError[] }[],
): void {
  for (const { project, errors } of projects) {
    for (const { post, issue, code, message } of errors) {
      const where = [project, post && `post ${post}`, issue].filter(Boolean).join(", ");
      printLine(out, paint(out, "red", "✗ "), oneLine(`${where}: ${message} [${code}]`));
    }
  }
  for (const advice of new Set(projects.flatMap(({ errors }) => errors.map((error) => error.advice)))) {
    if (advice !== undefined) printLine(out, "→ ", advice);
  }
}

const results: Readonly<Record<RunReport["result"], string>> = {
  ok: "in step",
  partial: "done in part; what failed is said above, and is tried again in the next run",
  held: "done; something waits for a person, and `boardsync status` says what",
  failed: "nothing done, because a side could not be reached or refused to let us in",
};

function sentenceOf({ run, durationMs, result, projects }: RunReport, signal: AbortSignal): string {
  const waiting = projects.reduce((sum, project) => sum + project.waiting, 0);
  const end = signal.aborted ? `stopped by ${signal.reason}; the next run goes on` : results[result];
  const later = waiting === 0 ? "" : ` ${count(waiting, "change")} will follow without your doing.`;
  return `Run ${run}, ${(durationMs / 1000).toFixed(1)} s: ${end}.${signal.aborted ? "" : later}`;
}
