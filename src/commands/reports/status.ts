import type { WaitingRow } from "../../ledger/rows.ts";
import type { PlannedChange } from "../../model/link.ts";
import { command } from "../../sync/ground/remedy.ts";
import type { PutOff } from "../../sync/ground/reports.ts";
import { type StateKind, stateKinds } from "../../sync/tell/project-state.ts";
import type { ToldTimes } from "../../sync/tell/times.ts";
import { describeTokenEnd } from "../../sync/tell/token-end.ts";
import { type Alike, describePlanned, groupWaiting } from "../../sync/tell/waiting-lines.ts";
import { type DatabaseStatus, describeDatabase } from "../open/status-database.ts";
import { type Column, printRecords } from "../print/table.ts";
import type { Output } from "../print/terminal.ts";
import { hintCommand, oneLine, paint, printLine, type TextStyle } from "../print/text.ts";

/** What `status --json` prints. */
export interface StatusReport {
  /** The file. */
  readonly state: string;
  /** The last sign of life of a daemon; null when none has ever run on this state. */
  readonly daemon: { readonly alive: boolean; readonly lastBeat: string; readonly ageSeconds: number } | null;
  /** The daemons that share a state on PostgreSQL, and what each runs now; none where the state is a file. */
  readonly replicas: readonly ReplicaStatus[];
  /** null while there is no state. */
  readonly database: DatabaseStatus | null;
  /** When the token for the tracker ends, as the last run was told; null where it was told no end. */
  readonly tokenEnds: string | null;
  readonly projects: readonly ProjectStatus[];
}

/** One of several daemons on one state. */
export interface ReplicaStatus {
  readonly who: string;
  readonly lastBeat: string;
  readonly ageSeconds: number;
  /** The projects that it runs now. */
  readonly projects: readonly string[];
}

/** One project, as the state knows it. */
export interface ProjectStatus {
  readonly project: string;
  readonly repo: string;
  readonly posts: number;
  readonly issues: number;
  /** How it stands: the most urgent of what is true. */
  readonly state: StateKind;
  /** How many voters would hear of what needs a person; null where the board shows no votes. */
  readonly voters: number | null;
  /** How it stands, and what else is true, as a sentence without its capital and full stop. */
  readonly sentence: string;
  readonly lastRun: LastRun | null;
  /** The last run without an error; null when there was none. */
  readonly lastSuccess: string | null;
  /** Seconds since then: how far the two sides may be out of step. */
  readonly lagSeconds: number | null;
  /** When the daemon runs it next; null while none is running. */
  readonly nextRun: string | null;
  /** Why the last run held the whole project; null where it didn't. */
  readonly hold: string | null;
  /** Why the last run left something to a later one. */
  readonly putOff: readonly PutOff[];
  /** How far the opening of issues is, as the last run left it; null where none is left to be opened. */
  readonly import: ImportStatus | null;
  readonly held: number;
  readonly parked: number;
  readonly quarantined: number;
  /** Posts that people have paused; they are in none of the three before. */
  readonly paused: number;
  /** Linked posts that the board no longer lists; `waiting` names them. */
  readonly missing: number;
  /** What waits for a person or a time, oldest first. */
  readonly waiting: readonly WaitingLine[];
  /** Whether there is more than `waiting` shows. */
  readonly hasMore: boolean;
}

/** Issues that the pace leaves to later runs. */
interface ImportStatus {
  /** Opened since there was more than one run could open. */
  readonly done: number;
  readonly total: number;
  /** When the last one will be opened if the pace holds. */
  readonly doneAt: string;
}

/** The last run that a project had a part in. */
export interface LastRun {
  readonly run: number;
  readonly at: string;
  readonly result: string;
  readonly ageSeconds: number;
  /** What failed in it. */
  readonly errors: readonly FailedLine[];
}

/** One thing that failed in a run. */
export interface FailedLine {
  readonly post: string | null;
  readonly issue: string | null;
  readonly code: string;
  readonly message: string;
  /** What a person may do about it; null where the message says it. */
  readonly advice: string | null;
  /** Until when the other side asks for a pause, ISO 8601; null where it names no time. */
  readonly until: string | null;
}

/** One thing that waits. */
export interface WaitingLine {
  readonly post: string;
  readonly issues: readonly string[];
  readonly kind: WaitingRow["kind"];
  readonly code: string | null;
  readonly message: string;
  /** Of the post; null where the board shows none. */
  readonly title: string | null;
  /** What would be written, from what to what, and how many voters would hear of it; null where that is not recorded. */
  readonly planned: PlannedChange | null;
  /** When it follows by itself at the earliest, ISO 8601; null where that is not known. */
  readonly until: string | null;
  readonly since: string;
  /** The command that ends it; null for what ends by itself, or by a change on either side. */
  readonly command: string | null;
}

/**
 * The state in words and a table.
 *
 * @param isFull - whether each line is shown where many are alike.
 */
export function printStatus(
  out: Output,
  times: ToldTimes,
  { projects, daemon, replicas, database, tokenEnds }: StatusReport,
  isFull: boolean,
): void {
  printRecords(out, columnsIn(times), projects);
  for (const { project, state, sentence } of projects) {
    const [sign, look] = signs[state];
    printLine(out, paint(out, look, sign), oneLine(`${project}: ${times.tell(sentence)}.`));
  }
  for (const { project, lastRun, waiting } of projects) {
    const errors = (lastRun?.errors ?? []).filter((error) => !isSaidBelow(error, waiting));
    for (const { post, issue, code, message } of errors) {
      const where = [project, post && `post ${post}`, issue].filter(Boolean).join(", ");
      printLine(out, paint(out, "red", "✗ "), oneLine(`failed: ${where}: ${times.tell(message)} [${code}]`));
    }
    for (const advice of new Set(errors.map((error) => error.advice)))
      if (advice !== null) printLine(out, "  → ", advice);
  }
  for (const { project, import: under } of projects) {
    if (under === null) continue;
    const { done, total, doneAt } = under;
    const extent = `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
    const end = `the last one about ${times.name(Date.parse(doneAt))}`;
    printLine(out, "  ", `${project}: issues opened: ${extent}, ${end}.`);
  }
  for (const { project, hold, waiting, hasMore } of projects) {
    if (hold !== null) printWait(out, `held: ${project}: ${times.tell(hold)}`, command("approve", project));
    // What needs a person comes first; the sort keeps the oldest of each kind on top.
    const lines = waiting.toSorted((one, other) => urgencyOf(one) - urgencyOf(other));
    for (const alike of groupWaiting(lines.map(toWaiting), isFull)) printAlike(out, times, project, alike);
    if (hasMore) printLine(out, "  ", `${project}: and more.`);
  }
  const end = describeTokenEnd(tokenEnds === null ? null : Date.parse(tokenEnds), times.now);
  if (end !== undefined) printLine(out, paint(out, "yellow", "! "), times.tell(end));
  if (database !== null) printLine(out, "", describeDatabase(database));
  if (replicas.length === 0) printLine(out, "", describeDaemon(times, daemon));
  for (const replica of replicas) printLine(out, "", describeReplica(times, replica));
}

function describeReplica(times: ToldTimes, { who, lastBeat, projects }: ReplicaStatus): string {
  const work = projects.length === 0 ? "runs nothing now" : `runs ${projects.join(", ")}`;
  return oneLine(`Replica (${who}): last sign of life ${times.show(Date.parse(lastBeat))}, ${work}.`);
}

/** What is parked, and what is being looked up, is said among what waits. */
function isSaidBelow({ post, code }: FailedLine, waiting: readonly WaitingLine[]): boolean {
  return waiting.some(
    (line) =>
      line.post === post &&
      (line.kind === "parked" ? line.code === code : line.kind === "intent" && code.endsWith(".unknown")),
  );
}

const signs: Readonly<Record<StateKind, readonly [sign: string, look: TextStyle]>> = {
  failing: ["✗ ", "red"],
  "needs-you": ["! ", "yellow"],
  later: ["… ", "cyan"],
  differs: ["≠ ", "cyan"],
  "in-sync": ["✓ ", "green"],
};

type ShownWait = Omit<WaitingLine, "planned"> & { readonly planned: PlannedChange | undefined };

function toWaiting(line: WaitingLine): ShownWait {
  return { ...line, planned: line.planned ?? undefined };
}

function printAlike(
  out: Output,
  times: ToldTimes,
  project: string,
  { lines, shown, isGroup, heard }: Alike<ShownWait>,
): void {
  const [first] = shown;
  if (first === undefined) return;
  if (!isGroup) {
    for (const line of shown)
      printWait(out, describeShown(times, project, line), line.command, stateKindOf(line));
    return;
  }
  const names = shown.map((line) => namePost(line)).join(", ");
  const parts = [`${lines.length} alike`, heard, `for example ${names}`].filter((part) => part !== "");
  const text = `${kindWords[first.kind] ?? first.kind}: ${project}: ${parts.join("; ")}: ${times.tell(first.message)}`;
  const isHeld = first.kind === "held" && first.command !== null;
  const remedy = isHeld ? command("approve", project) : first.command;
  printWait(out, text, remedy, stateKindOf(first));
  printLine(out, "  ", "`boardsync status --full` lists each.");
}

function namePost({ post, title }: Pick<WaitingLine, "post" | "title">): string {
  return title === null || title === "" ? post : `${post} “${title}”`;
}

function printWait(out: Output, text: string, remedy: string | null, state: StateKind = "needs-you"): void {
  const [sign, look] = signs[state];
  printLine(out, paint(out, look, sign), oneLine(text));
  if (remedy !== null) printLine(out, "  → ", hintCommand(out, oneLine(remedy)));
}

const columnsIn = (times: ToldTimes): readonly Column<ProjectStatus>[] => [
  { title: "project", show: ({ project }) => project },
  { title: "repository", show: ({ repo }) => repo },
  { title: "posts", show: ({ posts }) => String(posts) },
  { title: "issues", show: ({ issues }) => String(issues) },
  { title: "last run", show: ({ lastRun }) => (lastRun === null ? "never" : describeRun(times, lastRun)) },
  {
    title: "last without a failure",
    show: ({ lastSuccess }) => (lastSuccess === null ? "never" : times.show(Date.parse(lastSuccess))),
    isOptional: ({ lastRun }) => lastRun !== null && lastRun.errors.length > 0,
  },
  {
    title: "next run",
    show: ({ nextRun }) => (nextRun === null ? "–" : times.show(Date.parse(nextRun))),
    isOptional: ({ nextRun }) => nextRun !== null,
  },
  {
    title: "needs you",
    show: (project) => countNeeds(project) || "–",
    isOptional: (project) => countNeeds(project) !== "",
  },
  {
    title: "paused",
    show: ({ paused }) => (paused === 0 ? "–" : String(paused)),
    isOptional: ({ paused }) => paused > 0,
  },
];

function describeRun(times: ToldTimes, { result, at }: LastRun): string {
  return `${result}, ${times.show(Date.parse(at))}`;
}

/** One column for all of them: side by side they are wider than a terminal. */
function countNeeds({ held, parked, quarantined }: ProjectStatus): string {
  const parts = Object.entries({ held, parked, quarantined });
  return parts.flatMap(([name, number]) => (number > 0 ? [`${number} ${name}`] : [])).join(", ");
}

/** Of which state of its project a line is a part. */
function stateKindOf({ kind }: Pick<WaitingLine, "kind">): StateKind {
  switch (kind) {
    case "settling":
    case "waiting":
    case "intent":
      return "later";
    case "disagreement":
    case "did-not-stick":
    case "paused":
    case "missing":
      return "differs";
    case "undecided":
      return "failing";
    case "held":
    case "parked":
    case "quarantined":
      return "needs-you";
  }
}

function urgencyOf(line: WaitingLine): number {
  return stateKinds.indexOf(stateKindOf(line));
}

/** How a person calls it; `--json` has the names of the kinds. */
const kindWords: Readonly<Partial<Record<WaitingRow["kind"], string>>> = {
  settling: "synced later",
  waiting: "synced later",
  intent: "synced later",
  disagreement: "differs and stays so",
  "did-not-stick": "differs and stays so",
  missing: "no longer listed",
};

function describeShown(times: ToldTimes, project: string, line: ShownWait): string {
  const { kind, issues, since, code, planned } = line;
  const message = times.tell(line.message);
  const linked = issues.length === 0 ? "" : ` (${issues.join(", ")})`;
  const end = code === null ? "" : ` [${code}]`;
  const what = describePlanned(planned, true);
  const said = what === "" ? message : `${what}. ${message.charAt(0).toUpperCase()}${message.slice(1)}`;
  return `${kindWords[kind] ?? kind}: ${project}/${namePost(line)}${linked}, since ${times.name(Date.parse(since))}: ${said}${end}`;
}

function describeDaemon(times: ToldTimes, daemon: StatusReport["daemon"]): string {
  if (daemon === null) return "No daemon has run on this state.";
  const age = times.show(Date.parse(daemon.lastBeat));
  return daemon.alive
    ? `A daemon is running: last sign of life ${age}.`
    : `No daemon is running: the last one was seen ${age}.`;
}
