import { escapeControls } from "../log.ts";
import type { PlannedAction, PlanReport, ProjectReport, ReportedError, RunReport } from "../sync/world.ts";
import { printTable } from "./table.ts";
import { type CommonOptions, exitCodes, type Output, type Terminal } from "./terminal.ts";

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
export function printRun(terminal: Terminal, options: CommonOptions, report: RunReport): void {
  if (options.json === true) {
    printJson(terminal.out, report);
    return;
  }
  if (options.quiet === true) return;
  const head = [
    "project",
    "posts",
    "issues",
    "opened",
    "adopted",
    "changed",
    "patched",
    "mailed",
    "waiting",
    "held",
    "failed",
  ];
  printTable(terminal.out, head, report.projects.map(runRow));
  for (const project of report.projects) printErrors(terminal.out, project.errors);
  terminal.out.write(`${sentenceOf(report)}\n`);
}

function runRow(report: ProjectReport): readonly string[] {
  const waitsForPerson = report.held + report.parked + report.quarantined;
  const numbers = [
    report.posts,
    report.issues,
    report.created,
    report.adopted,
    report.issueWrites,
    report.postWrites,
    report.statusWrites,
    report.waiting,
    waitsForPerson,
    report.failed,
  ];
  return [report.project, ...numbers.map(String)];
}

function sentenceOf(report: RunReport): string {
  const words: Readonly<Record<RunReport["result"], string>> = {
    ok: "in step",
    partial: "done in part; the errors above say what failed",
    held: "done; something waits for a person (`boardsync status` says what)",
    failed: "nothing done: a side could not be reached, or refused our key",
  };
  return `Run ${report.run}, ${(report.durationMs / 1000).toFixed(1)} s: ${words[report.result]}.`;
}

/** A plan, as JSON or for a person. */
export function printPlan(terminal: Terminal, options: CommonOptions, report: PlanReport): void {
  if (options.json === true) {
    printJson(terminal.out, report);
    return;
  }
  if (options.quiet === true) return;
  for (const project of report.projects) {
    printErrors(terminal.out, project.errors);
    if (project.actions.length === 0) {
      terminal.out.write(`${project.project}: nothing to do.\n`);
      continue;
    }
    terminal.out.write(`${project.project} → ${project.repo}\n`);
    const head = ["action", "post", "issue", "what", "why", "voters"];
    printTable(terminal.out, head, project.actions.map(planRow));
  }
  const actions = report.projects.flatMap((project) => project.actions);
  terminal.out.write(`${planSentence(actions)}\n`);
}

function planRow(action: PlannedAction): readonly string[] {
  const what = Object.entries(action.fields)
    .filter(([, value]) => !(Array.isArray(value) && value.length === 0))
    .map(([field, value]) => `${field}: ${Array.isArray(value) ? value.join(", ") : String(value)}`)
    .join("; ");
  const why = action.held === undefined ? action.reason : `HELD: ${action.held}`;
  return [
    action.kind,
    action.post,
    action.issue ?? "–",
    what,
    why,
    action.notifies === null ? "?" : String(action.notifies),
  ];
}

function planSentence(actions: readonly PlannedAction[]): string {
  const count = (kind: PlannedAction["kind"]): number =>
    actions.filter((action) => action.kind === kind).length;
  const known = actions.reduce((sum, { notifies }) => sum + (notifies ?? 0), 0);
  const unknown = actions.filter(({ notifies }) => notifies === null).length;
  const voters =
    unknown === 0
      ? `${known} voters`
      : `${known} voters, and those of ${unknown} posts whose votes the board does not show,`;
  return `${plural(count("create-issue"), "issue")} to open, ${plural(count("update-issue"), "issue")} to change, ${plural(count("patch-post"), "post")} to patch; ${voters} would be notified. Nothing was written.`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function printErrors(output: Output, errors: readonly ReportedError[]): void {
  for (const { post, issue, code, message } of errors) {
    const where = [post && `post ${post}`, issue].filter(Boolean).join(", ");
    output.write(`${escapeControls(`✗ ${where === "" ? "" : `${where}: `}${message} [${code}]`)}\n`);
  }
}

/** One JSON document on stdout. */
export function printJson(output: Output, document: object): void {
  output.write(`${JSON.stringify(document, null, 2)}\n`);
}
