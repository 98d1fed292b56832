import { type CronTimes, readCron } from "./cron.ts";

/** So many coming times show the rhythm of an expression, a weekend between two working days included. */
const timesLookedAt = 8;

const never = Number.POSITIVE_INFINITY;
/** Beyond it no date can be reckoned with, epoch ms: the year 9000. */
const lastMoment = 221_845_392_000_000;

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** No place's clock is further from UTC than this. */
const farthestMs = 16 * hourMs;
/** From one 29 February to the next it is eight years at most: around 2100, for example. */
const daysSearched = 8 * 366;

/** The times of a cron expression; computed, however far they lie away. All are epoch ms. */
export type Times = ReturnType<typeof createTimes>;

/**
 * A cron expression in a time zone; a field of seconds is allowed. Where the clocks change it is as Vixie cron has it: `*` in
 * the minute or hour goes on by elapsed time; a fixed time that is skipped comes right after the gap, one that occurs twice
 * comes once.
 */
export function createTimes(expression: string, timezone: string) {
  const cron = readCron(expression);
  const offsetAt = createOffsets(timezone);
  const next = (after: number): number =>
    Math.abs(after) > lastMoment ? never : findNext(cron, offsetAt, after);
  return {
    /** The first one after a moment; infinite where there is none. */
    next,
    /**
     * Milliseconds between two of them: the shortest distance among those that come next, so that it hardly depends on when it
     * is asked where an expression is uneven (working days, `0,5 * * * *`). Infinite where there are no two.
     */
    periodMs(now: number): number {
      let last = next(now);
      let shortest = Number.POSITIVE_INFINITY;
      for (let count = 1; count < timesLookedAt; count += 1) {
        const later = next(last);
        if (later === never) break;
        shortest = Math.min(shortest, later - last);
        last = later;
      }
      return shortest;
    },
  };
}

/** The next time of an expression, epoch ms; undefined when it has none. */
export function nextTime(expression: string, timezone: string, now: number): number | undefined {
  const at = createTimes(expression, timezone).next(now);
  return at === never ? undefined : at;
}

/** How far the clocks of a place are ahead of UTC at a moment, in ms. */
type OffsetAt = (moment: number) => number;

function createOffsets(timeZone: string): OffsetAt {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  return (moment) => {
    const written = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(format.format(moment));
    const [, sign, hours = 0, minutes = 0, seconds = 0] = written ?? [];
    const offset = Number(hours) * hourMs + Number(minutes) * minuteMs + Number(seconds) * secondMs;
    return sign === "-" ? -offset : offset;
  };
}

/**
 * Goes through the days of the place's calendar, and asks for its clocks only on a day that the expression names. Such a day
 * begins up to `farthestMs` before or after the day of UTC that has its date. Where the clocks are set back around midnight,
 * times of the next day may come before one of this day.
 */
function findNext(cron: CronTimes, offsetAt: OffsetAt, after: number): number {
  const firstDay = Math.floor((after - farthestMs) / dayMs);
  let found = never;
  for (let day = firstDay; day <= firstDay + daysSearched; day += 1) {
    if (day * dayMs - farthestMs > found) break;
    if (hasDay(cron, new Date(day * dayMs))) {
      found = Math.min(found, findOnDay(cron, offsetAt, day * dayMs, after));
    }
  }
  return found;
}

function hasDay({ days, months, weekdays }: CronTimes, date: Date): boolean {
  return (
    months.includes(date.getUTCMonth() + 1) &&
    days.includes(date.getUTCDate()) &&
    weekdays.includes(date.getUTCDay())
  );
}

/** The first time on a day of the calendar, given by its midnight in UTC. No place changes its clocks twice around one day. */
function findOnDay(cron: CronTimes, offsetAt: OffsetAt, midnight: number, after: number): number {
  const from = midnight - farthestMs;
  const to = midnight + dayMs + farthestMs;
  const before = offsetAt(from);
  const since = offsetAt(to);
  const change = before === since ? to : findChange(offsetAt, from, to);
  /** By clocks with one offset, after a moment and before another. */
  const first = (offset: number, start: number, end: number): number => {
    const at = midnight + firstTimeOfDay(cron, start + offset - midnight) - offset;
    return at < end ? at : never;
  };
  const usual = first(before, after, change);
  // Clocks that are set back show some times once more: a fixed time has been then.
  const repeatedMs = cron.isFixed ? Math.max(0, before - since) : 0;
  const changed = first(since, Math.max(after, change + repeatedMs - 1), to);
  // Clocks that are set ahead leave some times out: by the clocks of before they would have come now.
  const isSkipped =
    cron.isFixed && change > after && first(before, change - 1, change + since - before) !== never;
  return Math.min(usual, changed, isSkipped ? change : never);
}

/** The moment from which on the clocks have the offset of `to`. */
function findChange(offsetAt: OffsetAt, from: number, to: number): number {
  const before = offsetAt(from);
  let [last, first] = [from, to];
  while (first - last > secondMs) {
    const middle = last + Math.floor((first - last) / (2 * secondMs)) * secondMs;
    if (offsetAt(middle) === before) last = middle;
    else first = middle;
  }
  return first;
}

/** The first time of a day, in ms since its midnight, after such a time; infinite when none is left. */
function firstTimeOfDay({ hours, minutes, seconds }: CronTimes, after: number): number {
  for (const hour of hours) {
    if ((hour + 1) * hourMs <= after) continue;
    for (const minute of minutes) {
      const start = hour * hourMs + minute * minuteMs;
      const second = seconds.find((one) => start + one * secondMs > after);
      if (second !== undefined) return start + second * secondMs;
    }
  }
  return never;
}
