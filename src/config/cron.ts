/** One field of a cron expression: its name, its range, and the names that may stand for its numbers. */
interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** In the order of a six-field expression; with five fields the seconds are left out. */
const cronFields: readonly CronField[] = [
  { name: "second", min: 0, max: 59, names: [] },
  { name: "minute", min: 0, max: 59, names: [] },
  { name: "hour", min: 0, max: 23, names: [] },
  { name: "day of the month", min: 1, max: 31, names: [] },
  { name: "month", min: 1, max: 12, names: months },
  { name: "day of the week", min: 0, max: 7, names: weekdays },
];

/**
 * What is wrong with a cron expression, as the end of a sentence that begins with the setting; undefined when it is fine.
 * Knows `*`, numbers, ranges, lists, steps, and the English names of months and weekdays in three letters: the part of
 * cron that every scheduler agrees about.
 */
export function findCronFault(expression: string): string | undefined {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== 5 && parts.length !== 6) {
    return `must be a cron expression of five fields (minute hour day month weekday), or six with seconds first, such as \`*/5 * * * *\``;
  }
  const fields = cronFields.slice(cronFields.length - parts.length);
  for (const [index, field] of fields.entries()) {
    for (const term of String(parts[index]).split(",")) {
      const fault = findTermFault(term, field);
      if (fault !== undefined) return fault;
    }
  }
  const [days = "", names = ""] = parts.slice(-3);
  return findDayFault(days, names);
}

/** The days that each month has at most. */
const longest = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A day that none of the months has would never come. Every term is known to be well-formed here. */
function findDayFault(days: string, names: string): string | undefined {
  const earliest = Math.min(
    ...days.split(",").map((term) => (term.startsWith("*") ? 1 : Number.parseInt(term, 10))),
  );
  const longestMonth = Math.max(
    ...names
      .split(",")
      .flatMap(monthsOf)
      .map((month) => longest[month - 1] ?? 0),
  );
  if (earliest <= longestMonth) return undefined;
  return `has \`${days}\` as day of the month, which \`${names}\` never has`;
}

function monthsOf(term: string): readonly number[] {
  const [range = "", step = "1"] = term.split("/");
  const read = (word: string): number => months.indexOf(word.toLowerCase()) + 1 || Number(word);
  const [first = "", last = first] = range === "*" ? ["1", "12"] : range.split("-");
  const count = Math.floor((read(last) - read(first)) / Number(step)) + 1;
  return Array.from({ length: count }, (_, index) => read(first) + index * Number(step));
}

function findTermFault(term: string, field: CronField): string | undefined {
  const match = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d+))?$/i.exec(term);
  const [, first = "", last, step] = match ?? [];
  const from = first === "*" ? field.min : readNumber(first, field);
  const to = last === undefined ? from : readNumber(last, field);
  // A step needs something to step through, and cron programs disagree about `5/10`.
  const isSteppable = first === "*" || last !== undefined;
  if (
    from === undefined ||
    to === undefined ||
    (first === "*" && last !== undefined) ||
    (step !== undefined && !isSteppable)
  ) {
    return `has \`${term}\` as ${field.name}: write \`*\`, \`*/2\`, or numbers from ${field.min} to ${field.max} such as \`1\`, \`1,3\` or \`1-5\``;
  }
  if (from > to) return `has \`${term}\` as ${field.name}: the range ends before it begins`;
  if (step !== undefined && (Number(step) < 1 || Number(step) > field.max)) {
    return `has \`${term}\` as ${field.name}: the step must be from 1 to ${field.max}`;
  }
  return undefined;
}

/** The number that a word of the field stands for; undefined when it stands for none in the field's range. */
function readNumber(word: string, field: CronField): number | undefined {
  const named = field.names.indexOf(word.toLowerCase());
  if (named !== -1) return named + field.min;
  if (!/^\d{1,2}$/.test(word)) return undefined;
  const number = Number(word);
  return number >= field.min && number <= field.max ? number : undefined;
}
