import { createTask, validate } from "node-cron";
import { ConfigError } from "../errors.ts";

/** So many coming times show the rhythm of an expression, a weekend between two working days included. */
const timesLookedAt = 8;

/** The times at which something is to be done. */
export interface Schedule {
  /** Starts calling `fire` at the times of the expression. Called once. */
  start(fire: () => void): void;
  /** Ends it: `fire` is not called any more, and nothing keeps the process alive. */
  stop(): void;
  /**
   * Milliseconds between two times: the shortest distance among those that come next, so that it hardly depends on when it
   * is asked where an expression is uneven (working days, `0,5 * * * *`). Infinite when there are no two.
   */
  periodMs(): number;
}

/**
 * A cron expression in a time zone; a field of seconds is allowed. What happens at its times is the caller's business.
 *
 * @throws ConfigError when the expression has no time at all, such as the 30th of February.
 */
export function createSchedule(expression: string, timezone: string): Schedule {
  if (!validate(expression)) {
    throw new ConfigError([
      `The schedule \`${expression}\` can't be kept: it names a time that never comes.`,
    ]);
  }
  let onTime = (): void => undefined;
  const task = createTask(expression, () => onTime(), {
    timezone,
    // A time that passed while the process was busy or suspended is made up for, once, instead of being left out.
    missedExecutionTolerance: Number.POSITIVE_INFINITY,
    suppressMissedWarning: true,
  });
  return {
    start(fire) {
      onTime = fire;
      void task.start();
    },
    stop() {
      void task.destroy();
    },
    periodMs() {
      const times = task.getNextRuns(timesLookedAt).map((time) => time.getTime());
      const later = times.slice(1);
      return Math.min(...later.map((time, index) => time - Number(times[index])));
    },
  };
}

/** The next time of an expression, epoch ms by the machine's clock; undefined when it has none. */
export function nextTime(expression: string, timezone: string): number | undefined {
  if (!validate(expression)) return undefined;
  const task = createTask(expression, () => undefined, { timezone });
  try {
    return task.getNextRuns(1)[0]?.getTime();
  } finally {
    void task.destroy();
  }
}
