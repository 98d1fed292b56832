import type { PlannedAction, PlannedEntry } from "../../src/sync/ground/reports.ts";
import type { RunResult } from "../../src/sync/run.ts";
import { namePart } from "./invariants.ts";
import { placesOf } from "./places.ts";
import { findSignalLimit } from "./refusals.ts";
import type { Stage } from "./stage.ts";
import { calm } from "./wire.ts";

/** I15: `plan`, and right after it a run that sees the same; the one says what the other does. */
export async function planThenSync(stage: Stage): Promise<string> {
  const { time, watch } = stage;
  if (!isCalm(stage)) return "no calm moment for a plan";
  const late = lateIssues(stage);
  watch.events.runBegins();
  const planned = await stage.look(calm());
  const done = await stage.run(calm());
  if (planned === undefined || done === undefined) return "the run ended early";
  const actions = planned.plan.projects.flatMap((project) => project.actions);
  const wanted = actions.filter(({ when }) => when === "now");
  // What the pace puts off to a time goes in a run that has come to it, and sooner where a write that is not needed after all
  // leaves its turn.
  const ended = time.now() + stage.scenario.skewMs;
  // Which of two projects has the next turn of the pace that they share, a plan does not foresee; nor what a refusal leaves of it.
  const isLoose = placesOf(stage.scenario).length > 1 || hasTrouble(done);
  const coming = actions.filter(
    ({ when, notBefore }) =>
      when === "later" && (late.size > 0 || isLoose || Date.parse(notBefore ?? "") <= ended),
  );
  const entries = planned.plan.projects.flatMap(({ entries: all = [] }) => all);
  compare(stage, entries, wanted, coming, late, done);
  return `planned ${wanted.length}, sent ${watch.sent.length}`;
}

/** Whether a run sees what a look on a copy has seen right before it. */
export function isCalm({ time, wire, board, hub, crew }: Stage): boolean {
  const isChanging = time.pending > 0 || board.posts.some(({ hiddenFor }) => hiddenFor > 0);
  // What a look learns of a limit is forgotten with its copy: the run would have to find it anew.
  const isRefused =
    wire.outage("board") !== undefined ||
    wire.outage("tracker") !== undefined ||
    findSignalLimit(hub, time.now()) !== undefined;
  return (crew?.isFree() ?? true) && !isChanging && !isRefused;
}

/**
 * Issues that the lists show as they were, or that were deleted, transferred or switched off, and their posts: a run that waits for
 * its pace, or reads an issue before it changes it, sees what no plan could see.
 */
function lateIssues({ hub }: Stage): ReadonlySet<string> {
  const late = hub.repositories.flatMap(({ name, issues, left, hasIssues }) => {
    const changed = issues.filter((issue) => issue.isDeleted || !hasIssues || !hub.isShown(issue));
    const numbers = [...changed.map(({ number }) => number), ...left.keys()];
    return [
      ...numbers.map((number) => `${name}#${number}`),
      ...changed.flatMap(({ openedFor }) => openedFor),
    ];
  });
  return new Set(late);
}

function compare(
  { watch, hub }: Stage,
  entries: readonly PlannedEntry[],
  wanted: readonly PlannedAction[],
  coming: readonly PlannedAction[],
  late: ReadonlySet<string>,
  done: RunResult,
): void {
  const named = (action: PlannedAction): readonly string[] =>
    namesOf({ ...action, issue: nameNow(hub, action.issue) });
  const rest = wanted.flatMap(named);
  // An entry that is there already is not made again: that shows only when the list of entries is asked for.
  const allowed = [...coming.flatMap(named), ...entries.map(nameEntry)];
  const isOpen = (name: string): boolean => {
    const [, subject] = /^(?:change-issue|comment-issue|create-post|patch-post) (\S+) /.exec(name) ?? [];
    return (subject !== undefined && late.has(subject)) || namesFormer(hub, name);
  };
  const sent = new Set<string>();
  for (const write of watch.sent) {
    const target = write.kind === "create-post" ? nameNow(hub, write.target) : write.target;
    const name = `${write.kind} ${target} ${write.fields}`;
    const index = rest.indexOf(name);
    // What is refused to one post of an issue is asked for by the next, for whom it would have been done.
    const isRepeated = sent.has(name) && hasTrouble(done);
    sent.add(name);
    if (index === -1 && (isRepeated || isOpen(name) || allowed.includes(name))) continue;
    if (index === -1) watch.violate("I15", `the run sends ${name}, which the plan did not list`);
    else rest.splice(index, 1);
  }
  // What pace, budget or an issue that people edited puts off is said, and stays for the next run.
  if (hasTrouble(done)) return;
  // Of a post that has just moved, the old place may change the issue first: then the new one asks for nothing more there.
  const fieldOf = (name: string): string => name.slice(0, name.indexOf(" = "));
  const changed = new Set([...sent].filter((name) => name.startsWith("change-issue")).map(fieldOf));
  const left = rest.filter(
    (name) => !name.startsWith("update-issue") && !isOpen(name) && !changed.has(fieldOf(name)),
  );
  if (left.length > 0) watch.violate("I15", `the plan lists ${left.join(", ")}, which the run does not send`);
}

/** A run that finds out that a repository has another name by now leaves the line of a note to the next one. */
function namesFormer({ repositories }: Stage["hub"], name: string): boolean {
  const formers = repositories.flatMap(({ formerNames }) => formerNames);
  return name.startsWith("patch-note ") && formers.some((former) => name.includes(` ${former}#`));
}

/** The program may call a repository by a name that it had. */
export function nameNow({ repositories }: Stage["hub"], issue: string | null): string | null {
  const [name, number] = issue?.split("#") ?? [];
  const renamed = repositories.find(({ formerNames }) => formerNames.some((former) => former === name));
  return renamed === undefined ? issue : [renamed.name, ...(number === undefined ? [] : [number])].join("#");
}

/** What an action sends, part by part: a change of an issue takes a request for each of its labels. */
export function namesOf({ kind, post, issue, fields }: PlannedAction): readonly string[] {
  const parts = Object.entries(fields).map(([field, value]) => `${issue} ${namePart(field, value)}`);
  const written: Record<PlannedAction["kind"], readonly string[]> = {
    "create-issue": [`${issue} ${String(fields["title"])}`],
    "update-issue": [`${issue} `],
    "change-issue": parts,
    "comment-issue": [`${issue} ${String(fields["comment"])}`],
    "patch-post": [`${post} ${JSON.stringify(fields)}`],
    "patch-note": [`${post} ${JSON.stringify(fields)}`],
    "create-post": [`${issue} `],
  };
  return written[kind].map((name) => `${kind} ${name}`);
}

function nameEntry({ kind, tag }: PlannedEntry): string {
  return `entry ${tag} changelog${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}

function hasTrouble({ report }: RunResult): boolean {
  return report.projects.some(({ waiting, failed }) => waiting + failed > 0);
}
