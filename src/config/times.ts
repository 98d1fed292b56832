import { Cron } from "croner";
import { ConfigError } from "../errors.ts";

/** So many coming times show the rhythm of an expression, a weekend between two working days included. */
const timesLookedAt = 8;

const never = Number.POSITIVE_INFINITY;
/** Beyond it no date can be reckoned with, epoch ms: the year 9000. */
const lastMoment = 221_845_392_000_000;

/** The times of a cron expression; computed, however far they lie away. All are epoch ms. */
export interface Times {
  /** The first one after a moment; infinite where there is none. */
  next(after: number): number;
  /**
   * Milliseconds between two of them: the shortest distance among those that come next, so that it hardly depends on when it
   * is asked where an expression is uneven (working days, `0,5 * * * *`). Infinite where there are no two.
   */
  periodMs(now: number): number;
}

/**
 * A cron expression in a time zone; a field of seconds is allowed. Where the clocks change it is as Vixie cron has it: `*` in
 * the minute or hour goes on by elapsed time; a fixed time that is skipped comes right after the gap, one that occurs twice
 * comes once. Day of the month and weekday both given: either.
 *
 * @throws ConfigError when the expression has no time at all, such as the 30th of February.
 */
export function createTimes(expression: string, timezone: string): Times {
  const cron = new Cron(expression, { timezone, paused: true });
  const next = (after: number): number =>
    Math.abs(after) > lastMoment ? never : (cron.nextRun(new Date(after))?.getTime() ?? never);
  if (next(0) === never) {
    throw new ConfigError([
      `The schedule \`${expression}\` can't be kept: it names a time that never comes.`,
    ]);
  }
  return {
    next,
    periodMs(now) {
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
