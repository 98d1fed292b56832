import { remedyOfAll, type Waited, type Way, waysOf } from "../../sync/ground/remedy.ts";
import type { ToldTimes } from "../../sync/tell/times.ts";
import {
  type Alike,
  describePlanned,
  describeWritten,
  groupWaiting,
  isNotifying,
  joinFields,
  nameTitled,
} from "../../sync/tell/waiting-lines.ts";
import { type StateKind, stateKinds, stateOfWait, stateWords } from "../../sync/tell/words.ts";
import type { WaitingLine } from "../open/status.ts";
import type { Output } from "../print/terminal.ts";
import { hintCommand, oneLine, paint, printLine, type TextStyle } from "../print/text.ts";

/** What waits in a project: what it would do, why it waits, who would be notified, and the ways out. */
export function printWaits(
  out: Output,
  times: ToldTimes,
  project: string,
  waiting: readonly WaitingLine[],
  isFull: boolean,
): void {
  // What needs a person comes first; the sort keeps the oldest of each kind on top.
  const urgencyOf = (line: WaitingLine): number => stateKinds.indexOf(stateOfWait(line));
  const lines = waiting.toSorted((one, other) => urgencyOf(one) - urgencyOf(other));
  for (const alike of groupWaiting(joinFields(lines), isFull)) printAlike({ out, times, project }, alike);
}

/** Where it is printed, how times are told there, and of which project it is. */
interface Place {
  readonly out: Output;
  readonly times: ToldTimes;
  readonly project: string;
}

export const signs: Readonly<Record<StateKind, readonly [sign: string, look: TextStyle]>> = {
  failing: ["✗ ", "red"],
  "needs-you": ["! ", "yellow"],
  later: ["… ", "cyan"],
  differs: ["≠ ", "cyan"],
  "in-sync": ["✓ ", "green"],
};

/** More posts than these are not named in one command. */
const mostNamed = 5;

function printAlike(place: Place, alike: Alike<WaitingLine>): void {
  const { out, times, project } = place;
  const { lines, shown, isGroup } = alike;
  const [first] = shown;
  if (first === undefined) return;
  const hasWays = waysOf(toWaited(first), project, []).length > 0;
  if (isGroup || (hasWays && lines.length > 1)) printTogether(place, alike, first);
  else
    for (const line of shown) {
      printWait(out, `${wordOf(line)}: ${nameShown(place, line)}`, stateOfWait(line));
      printUnder(out, describePlanned(line.planned, true));
      printUnder(out, whyOf(times, line));
      printWays(out, line, waysOf(toWaited(line), project, [line.post]));
    }
}

/** What many wait for, once; and the ways out for all of them. */
function printTogether(
  place: Place,
  { lines, shown, isGroup, notified }: Alike<WaitingLine>,
  first: WaitingLine,
): void {
  const { out, times, project } = place;
  const counted = `${lines.length} alike${notified === "" ? "" : `; ${notified}`}`;
  printWait(out, `${wordOf(first)}: ${project}: ${counted}`, stateOfWait(first));
  printUnder(out, whyOf(times, first));
  if (isGroup) {
    const names = shown.map(nameTitled).join(", ");
    const what = first.planned === null ? "" : describeWritten(first.planned, false);
    printUnder(
      out,
      `for example ${names}${what === "" ? "" : `: ${what}`}; \`boardsync status --full\` lists each`,
    );
  } else
    for (const line of shown)
      printUnder(out, `${nameShown(place, line)}: ${describePlanned(line.planned, true)}`);
  const posts = lines.length > mostNamed ? [] : lines.map(({ post }) => post);
  const ways = waysOf(toWaited(first), project, posts);
  printWays(out, first, ways.length > 0 ? ways : waysOfAll(project, first));
}

/** Others may wait for the same in other words: the command takes them, too. */
function waysOfAll(project: string, first: WaitingLine): readonly Way[] {
  const typed = remedyOfAll(first, project);
  const does = `all of ${project}${first.code === null ? "" : " with this code"}`;
  return typed === undefined ? [] : [{ does, typed }];
}

/** How a person calls it; `--json` has the names of the kinds. */
function wordOf(wait: WaitingLine): string {
  return wait.kind === "paused" ? wait.kind : stateWords[stateOfWait(wait)];
}

function whyOf(times: ToldTimes, { message, code }: WaitingLine): string {
  return `${times.tell(message)}${code === null ? "" : ` [${code}]`}`;
}

/** A hold without a command is one that nothing of its own lets go. */
function toWaited({ cause, command: typed, planned }: WaitingLine): Waited {
  return { cause, isStopped: typed === null, isNotifying: isNotifying(planned) };
}

/** The ways out, the dangerous one last; else the one command that there is. */
function printWays(out: Output, { command: typed }: WaitingLine, ways: readonly Way[]): void {
  if (ways.length === 0 && typed !== null) printRemedy(out, typed);
  for (const way of ways) {
    const text = way.typed === undefined ? way.does : `${way.does}: ${hintCommand(out, way.typed)}`;
    printLine(out, "  → ", oneLine(text));
  }
}

export function printWait(out: Output, text: string, state: StateKind = "needs-you"): void {
  const [sign, look] = signs[state];
  printLine(out, paint(out, look, sign), oneLine(text));
}

function printUnder(out: Output, text: string): void {
  if (text !== "") printLine(out, "    ", oneLine(text));
}

export function printRemedy(out: Output, typed: string): void {
  printLine(out, "  → ", hintCommand(out, oneLine(typed)));
}

function nameShown({ times, project }: Place, line: WaitingLine): string {
  const { issues, since } = line;
  const linked = issues.length === 0 ? "" : ` (${issues.join(", ")})`;
  return `${project}/${nameTitled(line)}${linked}, since ${times.name(Date.parse(since))}`;
}
