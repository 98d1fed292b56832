import { sum } from "../../select.ts";
import type {
  IssueDraft,
  PlannedAction,
  PlannedEntry,
  PlanReport,
  RunReport,
} from "../../sync/ground/reports.ts";

import { countVoters, describeNotified } from "../../sync/ground/voters.ts";
import type { RunResult } from "../../sync/run.ts";
import { describeState, endsOf } from "../../sync/tell/project-state.ts";
import type { Timed, ToldTimes } from "../../sync/tell/times.ts";
import { showOrDash } from "../../sync/tell/waiting-lines.ts";
import { beginSentence, count } from "../../sync/tell/words.ts";
import { type OtherConfig, printOtherConfigs } from "../open/other-config.ts";
import { type Block, printBlocks } from "../print/blocks.ts";
import type { CommonOptions, Output, Terminal } from "../print/terminal.ts";
import { harmless, oneLine, paint, printJson, printLine } from "../print/text.ts";
import { errorOf, printErrors } from "./run.ts";

/** A plan, as JSON or for a person; the report of the run which made it; and the file that it was saved in, if it was. */
export function printPlan(
  { out, times: now }: Pick<Terminal, "out"> & Timed,
  options: CommonOptions & { readonly full?: boolean },
  {
    plan: { projects },
    report,
    projectsAfter,
    otherConfigs,
  }: Pick<RunResult, "plan" | "report" | "projectsAfter"> & {
    readonly otherConfigs: readonly OtherConfig[];
  },
  saved: string | undefined,
): void {
  if (options.json === true) {
    printJson(out, {
      projects: toDocuments(projects),
      ...(otherConfigs.length > 0 && { otherConfigs }),
      ...errorOf(report.result, projects),
    });
  }
  if (options.json === true || options.quiet === true) return;
  const times = now();
  printOtherConfigs(out, times, otherConfigs);
  for (const { project, repo, actions, entries = [], errors } of projects) {
    if (actions.length + entries.length > 0) {
      printLine(out, "", paint(out, "bold", `${project} → ${repo}`));
      printActions(out, times, actions, options.full);
      for (const entry of entries) printEntry(out, times, entry);
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
  const entries = projects.flatMap((project) => project.entries ?? []);
  const isInStep = isWhole && projectsAfter.every(({ state }) => state.kind === "in-sync");
  printLine(out, "", sentenceOf(actions, entries, countAdopted(report), isInStep, saved));
}

/** A project without errors shows none, so that the document is what `config/docs/reference/json.md` promises. */
export function toDocuments(projects: PlanReport["projects"]): readonly object[] {
  return projects.map(({ actions, entries, errors, ...rest }) => ({
    ...rest,
    ...(entries && { entries: entries.map(({ body: _, ...entry }) => entry) }),
    actions: actions.map(({ title: _, before: __, ...action }) => action),
    ...(errors.length > 0 && { errors }),
  }));
}

const entryDoes = { create: "to make", update: "to change", publish: "to publish" } as const;
const entryVerbs = { create: "a new draft", update: "changes the draft", publish: "publishes it" } as const;

function printEntry(out: Output, times: ToldTimes, entry: PlannedEntry): void {
  const { kind, tag, title, posts, when, why } = entry;
  const until = why === undefined ? "" : ` (${when}: ${times.tell(why)})`;
  const does = `${entryVerbs[kind]}, "${title}", ${count(posts, "post")}`;
  printLine(out, "  ", oneLine(`changelog ${tag}: ${does}${until}`));
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
    const ends = endsOf(errors);
    if (ends.length > 0)
      printLine(out, "", `${project}: could not look until ${times.name(Math.max(...ends))}.`);
  }
  const missed = projectsAfter.filter(({ isRun }) => !isRun).map(({ project }) => project);
  if (missed.length > 0) printLine(out, "", oneLine(`Not looked at: ${missed.join(", ")}.`));
  if (failed.length > 0) printLine(out, "", "Not everything could be looked at, as said above.");
  return failed.length + missed.length === 0;
}

/** What is done at one time, and what waits for one reason, stands below the same heading. */
function printActions(
  out: Output,
  times: ToldTimes,
  actions: readonly PlannedAction[],
  isFull: boolean | undefined,
): void {
  for (const when of ["now", "later", "held"] as const) {
    const alike = Map.groupBy(
      actions.filter((action) => action.when === when),
      ({ held = "" }) => held,
    );
    for (const [why, all] of alike) {
      const sign = when === "held" ? paint(out, "yellow", "! ") : "";
      printLine(out, sign, oneLine(`${headings[when]}${times.tell(why)}:`));
      const blocks = all.map((action) => ({ ...toBlock(action, times), action }));
      // Alike is what is done in the same way, at the same time, and held for the same reason.
      const likenessOf = ({ action: { kind, held, fields } }: (typeof blocks)[number]): string =>
        JSON.stringify([kind, held, kind === "patch-post" ? fields : undefined]);
      printBlocks(out, blocks, likenessOf, isFull);
    }
  }
}

const headings: Readonly<Record<PlannedAction["when"], string>> = {
  now: "Now, by the next run",
  later: "Later, by itself",
  held: "Needs you: ",
};

function toBlock(action: PlannedAction, times: ToldTimes): Block {
  const { post, title, issue: place, notifies, notBefore, reason } = action;
  const at = notBefore === undefined ? "" : `${times.show(Date.parse(notBefore))}: `;
  return { post, title, place, what: describeWrite(action), notifies, why: `${at}${times.tell(reason)}` };
}

const made: Readonly<Partial<Record<PlannedAction["kind"], string>>> = {
  "create-issue": "opens an issue",
  "create-post": "makes a post",
};

/** What a write does, with what stands there now. */
export function describeWrite({ kind, title, fields, before }: PlannedAction): string {
  const written = Object.entries(fields).filter(
    ([field, value]) =>
      !(Array.isArray(value) && value.length === 0) &&
      !(made[kind] !== undefined && field === "title" && value === title),
  );
  const parts = written.map(([field, value]) => {
    const from = before[field];
    return `${field}: ${from === undefined ? "" : `${showOrDash(from)} → `}${showValue(value)}`;
  });
  const what = parts.join(", ");
  const makes = made[kind];
  if (makes === undefined) return what;
  return what === "" ? makes : `${makes} with ${what}`;
}

function showValue(value: unknown): string {
  return Array.isArray(value) ? value.join(" + ") : value === null ? "–" : String(value);
}

/** Issues that a run would link because they carry our mark. */
export function countAdopted({ projects }: RunReport): number {
  return sum(projects.map(({ adopted }) => adopted));
}

/** What it comes to, and who is notified when. */
function sentenceOf(
  actions: readonly PlannedAction[],
  entries: readonly PlannedEntry[],
  adopted: number,
  isInStep: boolean,
  saved: string | undefined,
): string {
  const free = actions.filter(({ when }) => when === "now");
  const later = actions.filter(({ when }) => when === "later");
  const held = actions.filter(({ when }) => when === "held");
  const drafts = entries.filter(({ when }) => when === "now");
  const kinds = [
    { kind: "create-issue", noun: "issue", does: "to open" },
    { kind: "update-issue", noun: "issue", does: "to edit" },
    { kind: "change-issue", noun: "issue", does: "to change" },
    { kind: "comment-issue", noun: "comment", does: "to make" },
    { kind: "patch-post", noun: "post", does: "to patch" },
    { kind: "create-post", noun: "post", does: "to make of issues" },
    { kind: "patch-note", noun: "internal note", does: "to change" },
  ].map(({ kind, noun, does }) => {
    const amount = free.filter((action) => action.kind === kind).length;
    return amount > 0 && `${count(amount, noun)} ${does}`;
  });
  const links = adopted > 0 && `${count(adopted, "issue")} to link by the mark in them`;
  const now = [links, ...kinds].filter((part) => part !== false);
  const parts = [
    now.length > 0 && `now ${now.join(", ")} (${notifiedBy(free)})`,
    ...Object.entries(entryDoes).map(([kind, does]) => {
      const amount = drafts.filter((entry) => entry.kind === kind).length;
      return amount > 0 && `${count(amount, "draft")} of the changelog ${does}`;
    }),
    later.length > 0 && `later, by themselves, ${count(later.length, "action")} (${notifiedBy(later)})`,
    held.length > 0 && `when a person lets them go, ${count(held.length, "action")} (${notifiedBy(held)})`,
  ].filter((part) => part !== false);
  if (parts.length === 0)
    return `${isInStep && entries.length === 0 ? "Both sides are in step. " : ""}Nothing was written.`;
  const counts = { free: free.length + adopted, drafts: drafts.length, later: later.length };
  const next = nextOf(counts, held, saved);
  return `${beginSentence(parts.join("; "))}. Nothing was written.${next}`;
}

/** What ends each kind of hold, in the order in which it is said. */
const ways: Readonly<Record<NonNullable<PlannedAction["letGoBy"]>, string>> = {
  approve: "`boardsync status` shows the ways out of what needs you",
  resume: "`boardsync resume POST` ends a pause",
  retry: "`boardsync retry POST` tries again what was refused",
  release: "`boardsync release POST` goes on with a post whose status flapped",
};

function nextOf(
  { free, drafts, later }: { readonly free: number; readonly drafts: number; readonly later: number },
  held: readonly PlannedAction[],
  saved: string | undefined,
): string {
  if (saved === undefined || free + held.length === 0) {
    const steps = [
      free + drafts > 0 && "`boardsync sync` does it",
      ...Object.entries(ways).map(([way, said]) => held.some(({ letGoBy }) => letGoBy === way) && said),
    ].filter((step) => step !== false);
    return steps.length === 0 ? "" : ` Next: ${steps.join("; ")}.`;
  }
  const also = held.length > 0 ? ", and what needs you" : "";
  const left = [
    later > 0 && `${count(later, "action")} that follow later`,
    drafts > 0 && "the changelog",
  ].filter((part) => part !== false);
  const rest = left.length > 0 ? ` Not in it: ${left.join(", and ")}.` : "";
  return ` Saved: \`boardsync apply ${saved}\` does exactly this${also}.${rest}`;
}

function notifiedBy(actions: readonly PlannedAction[]): string {
  return describeNotified(countVoters(actions.map(({ notifies }) => notifies))) || "no voter to notify";
}

/** A line of a plan with the issue that comes of it. */
export type DraftedAction = PlannedAction & { readonly draft: IssueDraft };

export function hasDraft(action: PlannedAction): action is DraftedAction {
  return action.draft !== undefined;
}

/** Prints an issue as it will be, to the letter. What people wrote stands behind a margin, so that none of it passes for ours. */
export function printDraft(out: Output, times: ToldTimes, { draft, ...action }: DraftedAction): void {
  const { kind, post, issue, reason, when, held, notBefore } = action;
  const does = kind === "create-issue" ? "a new issue in" : "what changes in the text of";
  printLine(out, "", paint(out, "bold", oneLine(`${post}: ${does} ${issue}`)));
  printLine(out, "  ", oneLine(`why: ${times.tell(reason)}`));
  const at = notBefore === undefined ? "" : `, ${times.show(Date.parse(notBefore))}`;
  const told = held === undefined ? `${when}${at}` : `needs you: ${times.tell(held)}`;
  printLine(out, "  ", oneLine(`when: ${told}`));
  const fields = { title: draft.title, type: draft.type, milestone: draft.milestone };
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) printLine(out, "  ", oneLine(`${name}: ${value}`));
  for (const name of ["labels", "assignees"] as const) {
    const values = draft[name] ?? [];
    if (values.length > 0) printLine(out, "  ", oneLine(`${name}: ${values.join(", ")}`));
  }
  if (draft.body === undefined) return;
  printLine(out, "  ", `text (${count(draft.body.length, "character")}):`);
  for (const line of draft.body.trimEnd().split("\n")) out.write(`${`  │ ${harmless(line)}`.trimEnd()}\n`);
}
