import type { PlannedAction, PlanReport, RunReport } from "../sync/world.ts";
import { printJson } from "./json.ts";
import { errorOf, printErrors } from "./run-report.ts";
import { type Column, printRecords } from "./table.ts";
import type { CommonOptions, Terminal } from "./terminal.ts";
import { count, paint, printLine } from "./text.ts";

/** A plan, as JSON or for a person; the report of the run which made it; and the file that it was saved in, if it was. */
export function printPlan(
  { out }: Pick<Terminal, "out">,
  options: CommonOptions,
  { projects }: PlanReport,
  report: RunReport,
  saved: string | undefined,
): void {
  if (options.json === true) {
    // A project without errors shows none, so that the document is what the README promises.
    const shown = projects.map(({ errors, ...rest }) => ({ ...rest, ...(errors.length > 0 && { errors }) }));
    printJson(out, { projects: shown, ...errorOf(report.result, projects) });
  }
  if (options.json === true || options.quiet === true) return;
  for (const { project, repo, actions, errors } of projects) {
    if (actions.length > 0) {
      out.write(`${paint(out, "bold", `${project} → ${repo}`)}\n`);
      printRecords(out, columns, actions);
    } else if (errors.length === 0) {
      out.write(`${project}: nothing to do.\n`);
    }
  }
  printErrors(out, projects);
  const actions = projects.flatMap((project) => project.actions);
  const hasErrors = projects.some(({ errors }) => errors.length > 0);
  if (hasErrors) printLine(out, "", "Not everything could be looked at, as said above.");
  printLine(out, "", sentenceOf(actions, countAdopted(report), hasErrors, saved));
}

const columns: readonly Column<PlannedAction>[] = [
  { title: "action", show: ({ kind }) => kind },
  { title: "post", show: ({ post }) => post },
  { title: "issue", show: ({ issue }) => issue ?? "–" },
  { title: "what", show: ({ fields }) => showFields(fields) },
  { title: "why", show: ({ reason, held }) => (held === undefined ? reason : `HELD: ${held} (${reason})`) },
  { title: "voters", show: ({ notifies }) => notifies?.toLocaleString("en") ?? "?" },
];

function showFields(fields: PlannedAction["fields"]): string {
  return Object.entries(fields)
    .filter(([, value]) => !(Array.isArray(value) && value.length === 0))
    .map(([field, value]) => `${field}: ${Array.isArray(value) ? value.join(", ") : String(value)}`)
    .join("; ");
}

/** Issues that a run would link because they carry our mark. */
export function countAdopted({ projects }: RunReport): number {
  return projects.reduce((sum, { adopted }) => sum + adopted, 0);
}

/** What it comes to; what is held will not be done, and so nobody hears of it, unless the plan is applied as it is. */
function sentenceOf(
  actions: readonly PlannedAction[],
  adopted: number,
  hasErrors: boolean,
  saved: string | undefined,
): string {
  const free = actions.filter(({ held }) => held === undefined);
  const held = actions.length - free.length;
  const amount = (kind: PlannedAction["kind"]): number =>
    free.filter((action) => action.kind === kind).length;
  const parts = [
    { amount: adopted, said: `${count(adopted, "issue")} to link by the mark in them` },
    { amount: amount("create-issue"), said: `${count(amount("create-issue"), "issue")} to open` },
    { amount: amount("update-issue"), said: `${count(amount("update-issue"), "issue")} to edit` },
    { amount: amount("change-issue"), said: `${count(amount("change-issue"), "issue")} to change` },
    { amount: amount("comment-issue"), said: `${count(amount("comment-issue"), "comment")} to make` },
    { amount: amount("patch-post"), said: `${count(amount("patch-post"), "post")} to patch` },
    { amount: amount("patch-note"), said: `${count(amount("patch-note"), "internal note")} to change` },
    { amount: held, said: `${count(held, "action")} held` },
  ].filter((part) => part.amount > 0);
  if (parts.length === 0) return `${hasErrors ? "" : "Both sides are in step. "}Nothing was written.`;
  const next = nextOf(free.length + adopted, actions.length + adopted, saved);
  return `${parts.map(({ said }) => said).join(", ")}; ${votersOf(free)} Nothing was written.${next}`;
}

function nextOf(free: number, all: number, saved: string | undefined): string {
  if (saved === undefined || all === 0) return free > 0 ? " Next: `boardsync sync` does it." : "";
  const held = all > free ? ", what is held as well" : "";
  return ` Saved: \`boardsync apply ${saved}\` does exactly this${held}.`;
}

function votersOf(actions: readonly PlannedAction[]): string {
  const known = actions.reduce((sum, { notifies }) => sum + (notifies ?? 0), 0);
  const unknown = actions.filter(({ notifies }) => notifies === null).length;
  if (unknown > 0) {
    return `${count(known, "voter")} would be notified, and those of ${count(unknown, "post")} whose votes the board does not show.`;
  }
  return known === 0 ? "no voter would be notified." : `${count(known, "voter")} would be notified.`;
}
