import { command } from "../../sync/ground/remedy.ts";
import type { PutOff, RunReport } from "../../sync/ground/reports.ts";
import { describeEntry, type EntryLine } from "../../sync/tell/entries.ts";
import type { ToldTimes } from "../../sync/tell/times.ts";
import { describeTokenEnd } from "../../sync/tell/token-end.ts";
import { countNeeds, resultWords, type StateKind } from "../../sync/tell/words.ts";
import { type OtherConfig, printOtherConfigs } from "../open/other-config.ts";
import { type DatabaseStatus, describeDatabase } from "../open/status-database.ts";
import { type Column, printRecords } from "../print/table.ts";
import type { Output } from "../print/terminal.ts";
import { hintCommand, oneLine, paint, printLine } from "../print/text.ts";
import { printRemedy, printWait, printWaits, signs, type WaitingLine } from "./waits.ts";

/** What `status --json` prints. */
export interface StatusReport {
  /** The file. */
  readonly state: string;
  /** The last sign of life of a daemon; null when none has ever run on this state. */
  readonly daemon: { readonly alive: boolean; readonly lastBeat: string; readonly ageSeconds: number } | null;
  /** The daemons that share a state on PostgreSQL, and what each runs now; none where the state is a file. */
  readonly replicas: readonly ReplicaStatus[];
  /** Daemons at work by another config than the file holds now, and when they read theirs (ISO 8601). */
  readonly otherConfigs: readonly OtherConfig[];
  /** null while there is no state. */
  readonly database: DatabaseStatus | null;
  /** When the copy was made that was put back as this state, ISO 8601; null for an original, and once a run has dealt with it. */
  readonly copyOf: string | null;
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
  /** How many voters what needs a person would notify; null where the board shows no votes. */
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
  /** Since when the whole project is paused, or all are, ISO 8601; null where neither is. */
  readonly pausedSince: string | null;
  /** The command that ends that; null where there is nothing to end. */
  readonly resume: string | null;
  /** Linked posts that the board no longer lists; `waiting` names them. */
  readonly missing: number;
  /** Who was notified in the last 24 hours, in words, and by which run last, ISO 8601; null where nobody was. */
  readonly notified: {
    readonly who: string;
    readonly lastAt: string | null;
    readonly lastRun: number | null;
  } | null;
  /** Drafts of the changelog that wait for a person, and calls in doubt; the newest first. */
  readonly changelog: readonly EntryLine[];
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
  readonly result: RunReport["result"];
  readonly ageSeconds: number;
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

/**
 * The state in words and a table.
 *
 * @param isFull - whether each line is shown where many are alike.
 */
export function printStatus(
  out: Output,
  times: ToldTimes,
  { projects, daemon, replicas, database, copyOf, tokenEnds, otherConfigs }: StatusReport,
  isFull: boolean,
): void {
  printOtherConfigs(out, times, otherConfigs);
  printRecords(out, columnsIn(times), projects);
  if (copyOf !== null) {
    const made = `The state is a copy of ${times.show(Date.parse(copyOf))} that was put back, and knows nothing of what came after`;
    const next = "the next run takes both sides as they are, and notifies no voter of what differs";
    printLine(out, paint(out, "yellow", "! "), `${made}: ${next}.`);
    printRemedy(out, "boardsync help lost");
  }
  for (const { project, state, sentence, resume, notified } of projects) {
    const [sign, look] = signs[state];
    printLine(out, paint(out, look, sign), oneLine(`${project}: ${times.tell(sentence)}.`));
    if (resume !== null) printRemedy(out, resume);
    if (notified !== null) printLine(out, "  ", describeLast(out, times, notified));
  }
  printFailed(out, times, projects);
  for (const { project, import: under } of projects) {
    if (under === null) continue;
    const { done, total, doneAt } = under;
    const extent = `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
    const end = `the last one about ${times.name(Date.parse(doneAt))}`;
    printLine(out, "  ", `${project}: issues opened: ${extent}, ${end}.`);
  }
  for (const { project, hold, waiting, hasMore } of projects) {
    if (hold !== null) {
      printWait(out, `needs you: ${project}: ${times.tell(hold)}`);
      const look =
        "look at the board: is a filter, a permission or a part of it gone? Then it ends by itself";
      printLine(out, "  → ", look);
      printRemedy(out, command("approve", project));
    }
    printWaits(out, times, project, waiting, isFull);
    if (hasMore) printLine(out, "  ", `${project}: and more.`);
  }
  for (const { project, changelog } of projects)
    for (const entry of changelog) printEntry(out, times, project, entry);
  const end = describeTokenEnd(tokenEnds === null ? null : Date.parse(tokenEnds), times.now);
  if (end !== undefined) printLine(out, paint(out, "yellow", "! "), times.tell(end));
  if (database !== null) printLine(out, "", describeDatabase(database));
  if (replicas.length === 0) printLine(out, "", describeDaemon(times, daemon));
  for (const replica of replicas) printLine(out, "", describeReplica(times, replica));
}

function describeLast(
  out: Output,
  times: ToldTimes,
  { who, lastAt, lastRun }: NonNullable<ProjectStatus["notified"]>,
): string {
  const last = lastAt === null ? "" : `, last ${times.show(Date.parse(lastAt))} by run ${lastRun}`;
  return `notified within 24 hours: ${who}${last}: ${hintCommand(out, "boardsync history --since 24h")}`;
}

/** What failed, and each thing to do about it once. */
function printFailed(out: Output, times: ToldTimes, projects: readonly ProjectStatus[]): void {
  const advices = new Set<string | null>();
  for (const { project, lastRun, waiting } of projects) {
    const errors = (lastRun?.errors ?? []).filter((error) => !isSaidBelow(error, waiting));
    for (const { post, issue, code, message, advice } of errors) {
      const where = [project, post && `post ${post}`, issue].filter(Boolean).join(", ");
      printLine(out, paint(out, "red", "✗ "), oneLine(`failed: ${where}: ${times.tell(message)} [${code}]`));
      advices.add(advice);
    }
  }
  for (const advice of advices) if (advice !== null) printLine(out, "  → ", advice);
}

function printEntry(out: Output, times: ToldTimes, project: string, entry: EntryLine): void {
  const { state, command: typed } = entry;
  const sign =
    state === "approved" || state === "looked-up" || state === "retried" ? "  " : paint(out, "yellow", "! ");
  printLine(out, sign, oneLine(`${project}: ${times.tell(describeEntry(entry))}`));
  if (typed !== null) printRemedy(out, typed);
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
  // One column for all of them: side by side they are wider than a terminal.
  {
    title: "needs you",
    show: (project) => countNeeds(project).join(", ") || "–",
    isOptional: (project) => countNeeds(project).length > 0,
  },
  {
    title: "paused",
    show: ({ paused }) => (paused === 0 ? "–" : String(paused)),
    isOptional: ({ paused }) => paused > 0,
  },
];

function describeRun(times: ToldTimes, { result, at }: LastRun): string {
  return `${resultWords[result]}, ${times.show(Date.parse(at))}`;
}

function describeDaemon(times: ToldTimes, daemon: StatusReport["daemon"]): string {
  if (daemon === null) return "No daemon has run on this state.";
  const age = times.show(Date.parse(daemon.lastBeat));
  return daemon.alive
    ? `A daemon is running: last sign of life ${age}.`
    : `No daemon is running: the last one was seen ${age}.`;
}
