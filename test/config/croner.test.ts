/** @module-tag long */
import { Cron } from "croner";
import fc from "fast-check";
import { expect, it } from "vitest";
import { findCronFault, readCron } from "../../src/config/cron.ts";
import { createTimes } from "../../src/config/times.ts";

/** How many expressions are held against another program's reading of them; more by hand, for a long search. */
const expressionsTried = Number(process.env["BOARDSYNC_EXPRESSIONS"] ?? 2000);
const timesTried = 4;

const dayMs = 86_400_000;
const first = Date.parse("1970-01-03T00:00:00Z");
const last = Date.parse("2099-12-30T00:00:00Z");

/** Clocks that change at midnight, by half an hour, by two hours, late in the evening, around Ramadan, by a whole day. */
const oddZones = [
  "Africa/Cairo",
  "Africa/Casablanca",
  "Africa/Monrovia",
  "America/Havana",
  "America/New_York",
  "America/Nuuk",
  "America/Santiago",
  "America/St_Johns",
  "Antarctica/Casey",
  "Antarctica/Troll",
  "Asia/Beirut",
  "Asia/Kathmandu",
  "Asia/Tehran",
  "Australia/Lord_Howe",
  "Europe/Berlin",
  "Europe/Dublin",
  "Pacific/Apia",
  "Pacific/Chatham",
];

/** What the clocks of a zone show at a moment, as if it were UTC. */
function shownAt(format: Intl.DateTimeFormat, moment: number): number {
  const parts = format.formatToParts(moment);
  const read = (type: string): string =>
    parts.find((part) => part.type === type)?.value.padStart(2, "0") ?? "";
  const day = ["year", "month", "day"].map(read).join("-");
  return Date.parse(`${day}T${["hour", "minute", "second"].map(read).join(":")}Z`);
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const number = "numeric";
  return new Intl.DateTimeFormat("en", {
    timeZone,
    hourCycle: "h23",
    year: number,
    month: number,
    day: number,
    hour: number,
    minute: number,
    second: number,
  });
}

/** Days from 2008 to 2030 on which the clocks of a zone change. */
function changesOf(zone: string): readonly number[] {
  const clock = clockOf(zone);
  const offset = (at: number): number => shownAt(clock, at) - at;
  const found: number[] = [];
  const weekMs = 7 * dayMs;
  for (let at = Date.parse("2008-01-01"); at < Date.parse("2030-12-31"); at += weekMs) {
    if (offset(at) === offset(at + weekMs)) continue;
    for (let day = at; day < at + weekMs; day += dayMs)
      if (offset(day) !== offset(day + dayMs)) found.push(day);
  }
  return found;
}

function fieldOf(min: number, max: number, words: readonly string[]): fc.Arbitrary<string> {
  const number = fc.integer({ min, max });
  const range = fc.tuple(number, number).map((ends) => `${Math.min(...ends)}-${Math.max(...ends)}`);
  const step = fc.integer({ min: 1, max: Math.min(max, 12) });
  const term = fc.oneof(
    { weight: 4, arbitrary: fc.oneof(number.map(String), fc.constantFrom(...words)) },
    { weight: 2, arbitrary: range },
    fc.tuple(range, step).map((both) => both.join("/")),
    step.map((size) => `*/${size}`),
  );
  const list = fc.array(term, { minLength: 1, maxLength: 3 }).map((terms) => terms.join(","));
  return fc.oneof({ weight: 2, arbitrary: fc.constant("*") }, { weight: 3, arbitrary: list });
}

const days = fc.oneof(
  { weight: 3, arbitrary: fc.constant("* * *") },
  fc.tuple(fieldOf(1, 31, ["29", "31"]), fieldOf(1, 12, ["feb", "MAR", "oct-dec"]), fc.constant("*")),
  fc.tuple(fc.constant("*"), fieldOf(1, 12, ["Apr"]), fieldOf(0, 7, ["sun", "Sat", "7"])),
);
const expressions = fc
  .tuple(
    fc.oneof(fc.constant(""), fieldOf(0, 59, ["0"])),
    fieldOf(0, 59, ["0", "30"]),
    fieldOf(0, 23, ["0", "1", "2", "3", "1-3", "23"]),
    days,
  )
  .map((parts) => parts.flat().join(" ").trim())
  .filter((expression) => findCronFault(expression) === undefined);

const anywhere = fc.integer({ min: first, max: last });
const aroundChanges = fc
  .constantFrom(...oddZones.map((zone) => ({ zone, changes: changesOf(zone) })))
  .chain(({ zone, changes }) =>
    fc.record({
      zone: fc.constant(zone),
      moment: fc
        .tuple(fc.constantFrom(...changes, first), fc.integer({ min: -dayMs, max: 2 * dayMs }))
        .map(([day, by]) => day + by),
    }),
  );
const places = fc.oneof(
  { weight: 2, arbitrary: aroundChanges },
  fc.record({ zone: fc.constantFrom(...Intl.supportedValuesOf("timeZone")), moment: anywhere }),
);

/** The seconds, minutes and hours as lists: croner takes a range with a step, and `*` for the seconds, for a rhythm. */
function writtenOut(expression: string): string {
  const { isFixed, seconds, minutes, hours } = readCron(expression);
  return isFixed ? [seconds, minutes, hours, ...expression.split(" ").slice(-3)].join(" ") : expression;
}

function cronerOf(expression: string, timezone: string): (after: number) => number {
  const cron = new Cron(expression, { timezone, paused: true, fixedTimeRule: "no-wildcard" });
  return (after) => cron.nextRun(new Date(after))?.getTime() ?? Number.POSITIVE_INFINITY;
}

/** The clocks go ahead at a moment, past a midnight. */
function isGapPastMidnight(zone: string, moment: number): boolean {
  const clock = clockOf(zone);
  const dayShown = (at: number): number => Math.floor(shownAt(clock, at) / dayMs);
  const gap = shownAt(clock, moment) - shownAt(clock, moment - 1000);
  return gap > 1000 && dayShown(moment) !== dayShown(moment - 1000);
}

it("the times of a schedule are those of croner, but for fixed times in a gap past midnight, which it leaves out", () => {
  fc.assert(
    fc.property(expressions, places, (expression, { zone, moment }) => {
      const times = createTimes(expression, zone);
      const cronerNext = cronerOf(writtenOut(expression), zone);
      for (let at = moment, count = 0; count < timesTried; count += 1) {
        const after = at;
        at = times.next(after);
        if (readCron(expression).isFixed && isGapPastMidnight(zone, at)) continue;
        expect({ after, next: at }).toEqual({ after, next: cronerNext(after) });
      }
    }),
    { numRuns: expressionsTried },
  );
});

it.each([
  {
    why: "a range with a step names times of the day, too: what occurs twice comes once",
    expression: "0-30/30 2 * * *",
    zone: "Europe/Berlin",
    after: "2026-10-25T00:40:00Z",
    ours: "2026-10-26T01:00:00Z",
    croners: "2026-10-25T01:00:00Z",
  },
  {
    why: "the same of every second of one minute",
    expression: "* 30 2 * * *",
    zone: "Europe/Berlin",
    after: "2026-10-25T00:31:00Z",
    ours: "2026-10-26T01:30:00Z",
    croners: "2026-10-25T01:30:00Z",
  },
  {
    why: "a fixed time in a gap comes right after it, on the next day, too",
    expression: "30 23 * * *",
    zone: "America/Nuuk",
    after: "2026-03-28T12:00:00Z",
    ours: "2026-03-29T01:00:00Z",
    croners: "2026-03-30T00:30:00Z",
  },
  {
    why: "the same where a whole day is left out",
    expression: "0 9 30 12 *",
    zone: "Pacific/Apia",
    after: "2011-12-29T12:00:00Z",
    ours: "2011-12-30T10:00:00Z",
    croners: "2012-12-29T19:00:00Z",
  },
])(
  "on purpose, croner's next time is another than ours: $why",
  ({ expression, zone, after, ours, croners }) => {
    const at = Date.parse(after);
    expect(createTimes(expression, zone).next(at)).toBe(Date.parse(ours));
    expect(cronerOf(expression, zone)(at)).toBe(Date.parse(croners));
  },
);
