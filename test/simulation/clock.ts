import type { Clock } from "../../src/model/surroundings.ts";

/** The one true time of a history. Nobody waits: who sleeps moves it. */
export interface Time {
  /** Epoch milliseconds. */
  now(): number;
  /** Moves on, and lets happen what was put off until then, in its order. */
  advance(ms: number): void;
  /** Something that takes effect later, whatever becomes of the process that asked for it. */
  at(time: number, happen: () => void): void;
  /** How many such things are still to come. */
  readonly pending: number;
}

interface Event {
  readonly time: number;
  readonly happen: () => void;
}

/** Starts at a time that is the same in every history. */
export function createTime(start: number): Time {
  let now = start;
  let events: Event[] = [];
  return {
    now: () => now,
    advance(ms) {
      const until = now + ms;
      while (events.length > 0) {
        const [first] = events;
        if (first === undefined || first.time > until) break;
        events = events.slice(1);
        now = Math.max(now, first.time);
        first.happen();
      }
      now = Math.max(now, until);
    },
    at(time, happen) {
      const after = events.findIndex((event) => event.time > time);
      events.splice(after === -1 ? events.length : after, 0, { time, happen });
    },
    get pending() {
      return events.length;
    },
  };
}

/** The program's clock: it goes as the true time does, and may be wrong by a constant. */
export function createSkewedClock(time: Time, skewMs: () => number, beforeSleep: () => void): Clock {
  return {
    now: () => time.now() + skewMs(),
    sleep(ms, signal) {
      beforeSleep();
      // A timer waits for whole milliseconds.
      if (signal?.aborted !== true) time.advance(Math.ceil(ms));
      return Promise.resolve();
    },
  };
}
