import { loadConfig } from "../../config/load.ts";
import { openEmptyLedger } from "../../ledger/sqlite/sqlite.ts";
import { command } from "../../sync/ground/remedy.ts";
import { describeEntry, type EntryLine } from "../../sync/tell/entries.ts";
import { describeTokenEnd } from "../../sync/tell/stored-report.ts";
import { type ToldTimes, tellTimes } from "../../sync/tell/times.ts";
import { countNeeds, resultWords } from "../../sync/tell/words.ts";
import { systemClock } from "../open/clock.ts";
import { configSource } from "../open/config-source.ts";
import { printOtherConfigs } from "../open/other-config.ts";
import { closing, describeNone, placeOfState, readState, stateOptions } from "../open/state.ts";
import {
  type DatabaseStatus,
  type LastRun,
  type ProjectStatus,
  readStatus,
  type StatusReport,
  type WaitingLine,
} from "../open/status.ts";
import { type Column, printRecords } from "../print/table.ts";
import { type CommandCall, type CommonOptions, exitCodes, type Output } from "../print/terminal.ts";
import { hintCommand, oneLine, paint, printJson, printLine } from "../print/text.ts";
import { printFailures } from "../reports/run.ts";
import { printRemedy, printWait, printWaits, signs } from "../reports/waits.ts";

interface StatusOptions extends CommonOptions {
  readonly full?: boolean;
}

/** `boardsync status`: what the state says. Works beside a running daemon, and needs no secret and no network. */
export async function status({ terminal, options }: CommandCall<StatusOptions>): Promise<number> {
  const { config } = loadConfig(configSource(terminal, options));
  const place = placeOfState(terminal, config);
  const found = await readState(place);
  return closing(found ?? openEmptyLedger(stateOptions(terminal)), async (ledger) => {
    const report = await readStatus(config, place.name, ledger, found !== undefined);
    if (options.json === true) printJson(terminal.out, report);
    else if (options.quiet === true) return exitCodes.ok;
    else if (found === undefined) printLine(terminal.out, "", describeNone(place.name));
    else {
      const times = tellTimes(systemClock.now(), config.timezone);
      printStatus(terminal.out, times, report, options.full === true);
    }
    return exitCodes.ok;
  });
}

/** The state in words and a table. @param isFull - whether each line is shown where many are alike. */
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
  printFailed(out, times, projects, isFull);
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
function printFailed(
  out: Output,
  times: ToldTimes,
  projects: readonly ProjectStatus[],
  isFull: boolean,
): void {
  const failures = projects.flatMap(({ project, lastRun, waiting }) =>
    (lastRun?.errors ?? [])
      .filter((error) => !isSaidBelow(error, waiting))
      .map((error) => ({ ...error, project })),
  );
  printFailures(out, times, failures, { begin: "failed: ", margin: "  ", isFull });
}

function printEntry(out: Output, times: ToldTimes, project: string, entry: EntryLine): void {
  const { state, command: typed } = entry;
  const sign =
    state === "approved" || state === "looked-up" || state === "retried" ? "  " : paint(out, "yellow", "! ");
  printLine(out, sign, oneLine(`${project}: ${times.tell(describeEntry(entry))}`));
  if (typed !== null) printRemedy(out, typed);
}

function describeReplica(
  times: ToldTimes,
  { who, lastBeat, projects }: StatusReport["replicas"][number],
): string {
  const work = projects.length === 0 ? "runs nothing now" : `runs ${projects.join(", ")}`;
  return oneLine(`Replica (${who}): last sign of life ${times.show(Date.parse(lastBeat))}, ${work}.`);
}

/** What is parked, and what is being looked up, is said among what waits. */
function isSaidBelow({ post, code }: LastRun["errors"][number], waiting: readonly WaitingLine[]): boolean {
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

/** One sentence about the size. */
export function describeDatabase({ bytes, freeBytes, journalBytes }: DatabaseStatus): string {
  const free = freeBytes === 0 ? "" : `; ${describeBytes(freeBytes)} of it is used again before it grows`;
  return `The state takes ${describeBytes(bytes + journalBytes)}${free}.`;
}

const units = ["bytes", "kB", "MB", "GB"] as const;

/** Three digits are enough to see how it grows. */
export function describeBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const number = bytes / 1000 ** power;
  return `${number.toLocaleString("en", { maximumSignificantDigits: 3 })} ${units[power]}`;
}
