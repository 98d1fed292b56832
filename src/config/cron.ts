import { parse, validateDetailed } from "node-cron";

/** One field of a cron expression: what its message says, and what node-cron doesn't tell. */
interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names that may stand for its numbers, from `min` on. */
  readonly words: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const cronFields: readonly CronField[] = [
  { name: "second", min: 0, max: 59, words: [] },
  { name: "minute", min: 0, max: 59, words: [] },
  { name: "hour", min: 0, max: 23, words: [] },
  { name: "day of the month", min: 1, max: 31, words: [] },
  { name: "month", min: 1, max: 12, words: months },
  { name: "day of the week", min: 0, max: 7, words: weekdays },
];

/** The numbers that the fields of an expression stand for, each in order. Sunday is 0. */
export type CronTimes = ReturnType<typeof readCron>;

/** Reads an expression that {@link findCronFault} finds nothing wrong with. */
export function readCron(expression: string) {
  const parts = splitCron(expression);
  const read = parse(parts.join(" "));
  const ascending = (values: readonly (number | string)[]): readonly number[] =>
    [...new Set(values.map(Number))].sort((one, other) => one - other);
  return {
    seconds: ascending(read.second),
    minutes: ascending(read.minute),
    hours: ascending(read.hour),
    days: ascending(read.dayOfMonth),
    months: ascending(read.month),
    weekdays: ascending(read.dayOfWeek),
    /** Neither minute nor hour has a `*`: it names times of the day, not a rhythm. */
    isFixed: !`${parts[1]}${parts[2]}`.includes("*"),
  };
}

/**
 * What is wrong with a cron expression, as the end of a sentence that begins with the setting; undefined when it is fine.
 * node-cron knows the numbers. It also takes what other cron programs don't (`@daily`, `L`, `15W`, `5#2`, `22-2`), and what
 * nobody means (`1*` is 10 to 59 to it, `jan1` is November): here only the part that all of them agree about.
 */
export function findCronFault(expression: string): string | undefined {
  const parts = splitCron(expression);
  if (parts.length !== cronFields.length) {
    return `must be a cron expression of five fields (minute hour day month weekday), or six with seconds first, such as \`*/5 * * * *\``;
  }
  for (const [index, field] of cronFields.entries()) {
    for (const term of String(parts[index]).split(",")) {
      const fault = findTermFault(term, field);
      if (fault !== undefined) return fault;
    }
  }
  const [day, month, weekday] = parts.slice(3);
  if (day !== "*" && weekday !== "*") {
    return `has both \`${day}\` as day of the month and \`${weekday}\` as day of the week, about which cron programs disagree: write \`*\` for one of the two`;
  }
  // Each term has been tried by itself: a day that none of the months has is all that can be wrong with the whole.
  if (validateDetailed(parts.join(" ")).valid) return undefined;
  return `has \`${day}\` as day of the month, which \`${month}\` never has`;
}

/** Its parts, with the seconds that five of them leave out. */
function splitCron(expression: string): readonly string[] {
  const parts = expression.trim().split(/\s+/);
  return parts.length === cronFields.length - 1 ? ["0", ...parts] : parts;
}

function findTermFault(term: string, field: CronField): string | undefined {
  const { name, min, max, words } = field;
  const match = /^(?:\*|(\d{1,2}|[a-z]{3})(?:-(\d{1,2}|[a-z]{3}))?)(?:\/(\d+))?$/i.exec(term);
  const [, first = "*", last = first, step = "1"] = match ?? [];
  if (Number(step) < 1 || Number(step) > max) {
    return `has \`${term}\` as ${name}: the step must be from 1 to ${max}`;
  }
  const isKnown = (value: string): boolean =>
    validateDetailed(cronFields.map((one) => (one === field ? value : "1")).join(" ")).valid;
  // The ends by themselves, too: to node-cron `20-24/5` is 20.
  if (match === null || ![term, first, last].every(isKnown)) {
    return `has \`${term}\` as ${name}: write \`*\`, \`*/2\`, or numbers from ${min} to ${max} such as \`1\`, \`1,3\` or \`1-5\``;
  }
  const numberOf = (word: string): number => {
    const place = words.indexOf(word.toLowerCase());
    return place === -1 ? Number(word) : min + place;
  };
  if (numberOf(first) > numberOf(last)) return `has \`${term}\` as ${name}: the range ends before it begins`;
  return undefined;
}
