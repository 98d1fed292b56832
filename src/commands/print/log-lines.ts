import { type FailedWhere, groupFailures, listFailed, nameFailed } from "../../sync/tell/failures.ts";
import { count, needWords, stateWords } from "../../sync/tell/words.ts";
import type { Output } from "./terminal.ts";
import { hint, oneLine, paint, type TextStyle, tellByMachine } from "./text.ts";

/** A line of the log, as pino writes it: every text in it is without secrets, and harmless to a terminal. */
interface LogLine {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/**
 * Tells the log to a person at a terminal: one sentence an event, with its cause in it. Failures that come in one go are told
 * by what they say, not by where.
 *
 * @param isReported - failures of single posts are left out: a report that follows on the same screen lists them.
 * @returns what takes the lines, as JSON.
 */
export function createLogLines(err: Output, isReported = false): (json: string) => void {
  let failures: (LogLine & FailedWhere)[] = [];
  const print = ({ level, time }: LogLine, text: string): void =>
    err.write(`${startOf(err, level, time)}${hint(err, text)}\n`);
  const tellFailures = (): void => {
    const [first] = failures;
    const groups = groupFailures(failures);
    failures = [];
    if (first === undefined) return;
    for (const group of groups) {
      const names = listFailed(group);
      const which = names === "" ? "" : ` (${names})`;
      print(
        first,
        oneLine(`${nameFailed(group)}: ${tellByMachine(group.message)} [${group.first.code}]${which}`),
      );
    }
    for (const advice of new Set(groups.map((group) => group.first.advice)))
      if (advice != null) print({ ...first, level: "advice" }, `→ ${oneLine(advice)}`);
  };
  return (json) => {
    // The log's own line.
    const line: LogLine = JSON.parse(json);
    if (isFailure(line)) {
      if (isReported) return;
      if (failures.length === 0) queueMicrotask(tellFailures);
      failures.push(line);
      return;
    }
    tellFailures();
    print(line, tellLine(line));
  };
}

function isFailure(line: LogLine): line is LogLine & FailedWhere {
  return line.msg === "Failed" && typeof line["code"] === "string" && typeof line["message"] === "string";
}

const looks: Readonly<Record<string, TextStyle>> = { fatal: "red", error: "red", warn: "yellow" };

/** The machine's clock, and the level where it is one to look up for. */
function startOf(err: Output, level: string, time: string): string {
  const clock = paint(err, "dim", new Date(time).toTimeString().slice(0, 8));
  const look = looks[level];
  return look === undefined ? `${clock} ` : `${clock} ${paint(err, look, level.toUpperCase())} `;
}

/** Fields that say where, in this order; the others say what. */
const places = ["project", "post", "issue", "repo"] as const;
/** What is told by the sentence itself, or means nothing to a person. */
const untold: ReadonlySet<string> = new Set([...places, "level", "time", "msg", "run", "code", "err"]);
/** What led to it. */
const causes = ["reason", "message", "problems"] as const;

function tellLine(line: LogLine): string {
  const where = places.flatMap((name) => nameOf(name, line)).join(", ");
  const known = hasSentence(line) ? sentences[line.msg]?.(line) : undefined;
  const said = oneLine(`${where === "" ? "" : `${where}: `}${tellByMachine(known ?? describe(line))}`);
  return `${said}${traceOf(line["err"])}`;
}

/** A message may be anything, also the name of what every object has. */
function hasSentence({ msg }: LogLine): boolean {
  return Object.hasOwn(sentences, msg);
}

function nameOf(name: (typeof places)[number], line: LogLine): readonly string[] {
  const value = line[name];
  if (typeof value !== "string" || value === "") return [];
  // An issue's name begins with its repository's.
  if (name === "repo" && (typeof line["issue"] === "string" || hasSentence(line))) return [];
  return [name === "post" ? `post ${value}` : value];
}

/** The message, its cause, and what else is known, in words. */
function describe(line: LogLine): string {
  const cause = causes.flatMap((name) => listOf(line[name])).join("; ") || errorOf(line["err"]);
  const rest = Object.entries(line)
    .filter(([name]) => !untold.has(name) && !causes.some((one) => one === name))
    .map(([name, value]) => `${nameField(name)} ${showValue(name, value)}`)
    .join(", ");
  return [line.msg, cause !== "" && `: ${cause}`, rest !== "" && ` (${rest})`].filter(Boolean).join("");
}

function listOf(value: unknown): readonly string[] {
  const values = value === undefined || value === null ? [] : [value].flat();
  return values.map((one) => showValue("", one));
}

/** `copiedAt` is "copied at", `aheadMs` "ahead". */
function nameField(name: string): string {
  return name.replace(/Ms$/, "").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function showValue(name: string, value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (Array.isArray(value)) return nameSome(value.map((one) => showValue("", one)));
  if (typeof value === "object")
    return Object.entries(value)
      .map(([inner, one]) => `${inner} ${showValue(inner, one)}`)
      .join(", ");
  if (typeof value === "number")
    return name.endsWith("Ms") ? `${(value / 1000).toLocaleString("en")} s` : value.toLocaleString("en");
  return String(value);
}

/** Of our own errors the sentence is enough; whatever else was thrown is worth its stack. */
const ownErrors = /^(?:Config|Remote|Project|State|Outdated|Order|StateHeld)Error$/;

/** The message of an error, or of what is told like one. */
function errorOf(err: unknown): string {
  const message: unknown = Object(err).message;
  return typeof message === "string" ? message : "";
}

function traceOf(err: unknown): string {
  const { type, stack, cause } = Object(err);
  if (ownErrors.test(type) || typeof stack !== "string") return "";
  const own = stack.split("\n").map((frame) => `\n  ${oneLine(frame)}`);
  return `${own.join("")}${traceOf(cause)}`;
}

/** What a daemon, and a run of a project, are told by; the other events by their message and their fields. */
const sentences: Readonly<Record<string, (line: LogLine) => string>> = {
  "Daemon started": ({ version, projects, config, state, isNew }) => {
    const what = showValue("", projects) || "no project";
    return `boardsync ${showValue("", version)} runs ${what}. Config ${showValue("", config)}, state ${showValue("", state)}${isNew === true ? ", which is new" : ""}.`;
  },
  "Project finished": (line) => {
    const done = tellCounts(line, doneCounts);
    const left = tellCounts(line, leftCounts);
    const what = done === "" ? "nothing was written" : done;
    const why = [line["putOff"]].flat().map((one) => errorOf(one).replace(/\.$/, ""));
    const parts = [what, left, ...why].filter((part) => part !== "");
    return `Run ${showValue("", line["run"])} has ended: ${parts.join("; ")}.`;
  },
};

/** So many are named in one line. */
const mostNamed = 10;

function nameSome(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return more > 0 ? `${names.slice(0, mostNamed).join(", ")} and ${more} more` : names.join(", ");
}

type Counts = readonly (readonly [field: string, tell: (number: number) => string])[];

const doneCounts: Counts = [
  ["created", (number) => `${count(number, "issue")} opened`],
  ["adopted", (number) => `${count(number, "issue")} adopted`],
  ["issueWrites", (number) => `${count(number, "issue")} changed`],
  ["postWrites", (number) => `${count(number, "post")} changed`],
  ["statusWrites", (number) => `${number.toLocaleString("en")} of them with a new status`],
  ["voters", (number) => `${count(number, "voter")} notified`],
  ["made", (number) => `${count(number, "post")} made of issues`],
  ["entryWrites", (number) => `${count(number, "write")} to the changelog`],
];

const leftCounts: Counts = Object.entries({ failed: "failed", ...needWords, waiting: stateWords.later }).map(
  ([name, word]) => [name, (number) => `${number.toLocaleString("en")} ${word}`],
);

function tellCounts(line: LogLine, counts: Counts): string {
  return counts
    .flatMap(([field, tell]) => {
      const number = line[field];
      return typeof number === "number" && number > 0 ? [tell(number)] : [];
    })
    .join(", ");
}
