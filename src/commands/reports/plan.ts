import type { PlannedAction, PlanReport, RunReport } from "../../sync/ground/reports.ts";
import type { RunResult } from "../../sync/run.ts";
import { countVoters, type Group, groupAlike, nameGroup, showVoters } from "../../sync/tell/alike.ts";
import { describeState } from "../../sync/tell/project-state.ts";
import type { Timed, ToldTimes } from "../../sync/tell/times.ts";
import { printJson } from "../print/json.ts";
import { type Column, printRecords } from "../print/table.ts";
import type { CommonOptions, Output, Terminal } from "../print/terminal.ts";
import { count, countNotified, oneLine, paint, printLine } from "../print/text.ts";
import { errorOf, printErrors } from "./run.ts";

/** A plan, as JSON or for a person; the report of the run which made it; and the file that it was saved in, if it was. */
export function printPlan(
  { out, times: now }: Pick<Terminal, "out"> & Timed,
  options: CommonOptions & { readonly full?: boolean },
  { plan: { projects }, report, projectsAfter }: Pick<RunResult, "plan" | "report" | "projectsAfter">,
  saved: string | undefined,
): void {
  if (options.json === true) {
    // A project without errors shows none, so that the document is what `config/docs/reference/json.md` promises.
    const shown = projects.map(({ errors, ...rest }) => ({ ...rest, ...(errors.length > 0 && { errors }) }));
    printJson(out, { projects: shown, ...errorOf(report.result, projects) });
  }
  if (options.json === true || options.quiet === true) return;
  const times = now();
  for (const { project, repo, actions, errors } of projects) {
    if (actions.length > 0) {
      printLine(out, "", paint(out, "bold", `${project} → ${repo}`));
      printRecords(out, columnsIn(times), groupAlike(actions, kindOf, options.full));
      printHeld(out, times, actions);
    } else if (errors.length === 0) {
      const state = projectsAfter.find((one) => one.project === project)?.state;
      const isCalm = state === undefined || state.kind === "in-sync";
      const stands = isCalm ? "nothing to do" : times.tell(describeState(state, times.name));
      printLine(out, "", oneLine(`${project}: ${stands}.`));
    }
  }
  printErrors(out, times, projects);
  const isWhole = printUnlooked(out, times, projects, projectsAfter);
  const actions = projects.flatMap((project) => project.actions);
  const isInStep = isWhole && projectsAfter.every(({ state }) => state.kind === "in-sync");
  printLine(out, "", sentenceOf(actions, countAdopted(report), isInStep, saved));
}

/** Says of what could not be looked at until when that is so. Returns whether all was looked at. */
function printUnlooked(
  out: Output,
  times: ToldTimes,
  projects: PlanReport["projects"],
  projectsAfter: RunResult["projectsAfter"],
): boolean {
  const failed = projects.filter(({ errors }) => errors.length > 0);
  for (const { project, errors } of failed) {
    const ends = errors.flatMap(({ until }) => (until === undefined ? [] : [Date.parse(until)]));
    if (ends.length > 0)
      printLine(out, "", `${project}: could not look until ${times.name(Math.max(...ends))}.`);
  }
  const missed = projectsAfter.filter(({ isRun }) => !isRun).map(({ project }) => project);
  if (missed.length > 0) printLine(out, "", oneLine(`Not looked at: ${missed.join(", ")}.`));
  if (failed.length > 0) printLine(out, "", "Not everything could be looked at, as said above.");
  return failed.length + missed.length === 0;
}

type Line = Group<PlannedAction>;

const columnsIn = (times: ToldTimes): readonly Column<Line>[] => [
  {
    title: "action",
    show: ({ first, all }) => (all.length > 1 ? `${all.length} × ${first.kind}` : first.kind),
  },
  { title: "post → issue", show: (line) => nameSides(line) },
  { title: "what", show: (line) => nameFields(line) },
  { title: "when", show: ({ first }) => showWhen(first, times) },
  { title: "why", show: (line) => (isGroup(line) ? "–" : times.tell(line.first.reason)) },
  { title: "voters", show: ({ all }) => showVoters(countVoters(all.map(({ notifies }) => notifies))) },
];

function showWhen({ when, notBefore }: PlannedAction, times: ToldTimes): string {
  return notBefore === undefined ? when : times.show(Date.parse(notBefore));
}

/** Alike is what is done in the same way, at the same time, and held for the same reason. */
function kindOf({ kind, when, held, fields }: PlannedAction): string {
  return JSON.stringify([kind, when, held, kind === "patch-post" ? fields : undefined]);
}

function isGroup({ all }: Line): boolean {
  return all.length > 1;
}

/** Of a group what all of them have in common. */
function nameFields({ first, all }: Line): string {
  const common = Object.entries(first.fields).filter(([name, value]) =>
    all.every((line) => JSON.stringify(line.fields[name]) === JSON.stringify(value)),
  );
  return showFields(Object.fromEntries(common));
}

/** One column for both: beside each other they leave no room for what is to be written. */
function nameSides(line: Line): string {
  if (isGroup(line)) return nameGroup(line, ({ post }) => post);
  const { post, issue } = line.first;
  return issue === null ? post : `${post} → ${issue}`;
}

/** Why something is held, once for all that are held for it. */
function printHeld(out: Output, times: ToldTimes, actions: readonly PlannedAction[]): void {
  const held = actions.filter((action) => action.held !== undefined);
  for (const [why = "", all] of Map.groupBy(held, (action) => action.held)) {
    printLine(out, paint(out, "yellow", "! "), oneLine(`${all.length} held: ${times.tell(why)}`));
  }
}

/** The fields of an action with their values; empty lists are left out. */
export function showFields(fields: PlannedAction["fields"]): string {
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
  isInStep: boolean,
  saved: string | undefined,
): string {
  const free = actions.filter(({ when }) => when === "now");
  const later = actions.filter(({ when }) => when === "later");
  const held = actions.filter(({ when }) => when === "held");
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
    { amount: later.length, said: `${count(later.length, "action")} later, by themselves${toVoters(later)}` },
    { amount: held.length, said: `${count(held.length, "action")} held${toVoters(held)}` },
  ].filter((part) => part.amount > 0);
  if (parts.length === 0) return `${isInStep ? "Both sides are in step. " : ""}Nothing was written.`;
  const next = nextOf(free.length + adopted, held, later.length, saved);
  return `${parts.map(({ said }) => said).join(", ")}; ${sayVoters(free)} Nothing was written.${next}`;
}

/** What ends each kind of hold, in the order in which it is said. */
const ways: Readonly<Record<NonNullable<PlannedAction["letGoBy"]>, string>> = {
  approve: "`boardsync approve PROJECT` lets go what is held",
  resume: "`boardsync resume POST` ends a pause",
  retry: "`boardsync retry POST` tries again what was refused",
  release: "`boardsync release POST` ends a quarantine",
};

function nextOf(
  free: number,
  held: readonly PlannedAction[],
  later: number,
  saved: string | undefined,
): string {
  if (saved === undefined || free + held.length === 0) {
    const steps = [
      ...(free > 0 ? ["`boardsync sync` does it"] : []),
      ...Object.entries(ways).flatMap(([way, said]) =>
        held.some(({ letGoBy }) => letGoBy === way) ? [said] : [],
      ),
    ];
    return steps.length === 0 ? "" : ` Next: ${steps.join("; ")}.`;
  }
  const also = held.length > 0 ? ", what is held as well" : "";
  const rest = later > 0 ? ` ${count(later, "action")} that follow later are not in it.` : "";
  return ` Saved: \`boardsync apply ${saved}\` does exactly this${also}.${rest}`;
}

/** Who would hear of what the next run does not send. */
function toVoters(actions: readonly PlannedAction[]): string {
  const voters = countVoters(actions.map(({ notifies }) => notifies));
  return voters.known + voters.unknown === 0 ? "" : ` (voters: ${showVoters(voters)})`;
}

function sayVoters(actions: readonly PlannedAction[]): string {
  const voters = countVoters(actions.map(({ notifies }) => notifies));
  if (voters.known + voters.unknown === 0) return "no voter would be notified.";
  return `${countNotified(voters, "would be notified")}.`;
}
