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
  /** A timer, until it is stopped. */
  repeat(everyMs: number, happen: () => void): () => void;
}

interface Event {
  readonly time: number;
  readonly happen: () => void;
}

interface Timer {
  time: number;
  readonly everyMs: number;
  readonly happen: () => void;
}

/** Starts at a time that is the same in every history. */
export function createTime(start: number): Time {
  let now = start;
  let events: Event[] = [];
  const timers = new Set<Timer>();
  const nextTimer = (): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers) if (next === undefined || timer.time < next.time) next = timer;
    return next;
  };
  return {
    now: () => now,
    advance(ms) {
      const until = now + ms;
      for (;;) {
        const timer = timers.size === 0 ? undefined : nextTimer();
        const [event] = events;
        const isEvent = event !== undefined && event.time <= (timer?.time ?? until);
        const first = isEvent ? event : timer;
        if (first === undefined || first.time > until) break;
        now = Math.max(now, first.time);
        if (isEvent) events = events.slice(1);
        else if (timer !== undefined) timer.time += timer.everyMs;
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
    repeat(everyMs, happen) {
      // A timer waits for whole milliseconds.
      const wholeMs = Math.ceil(everyMs);
      const timer: Timer = { time: now + wholeMs, everyMs: wholeMs, happen };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
}

/** The program's clock: it goes as the true time does, and may be wrong by a constant. */
export function createSkewedClock(
  time: Time,
  skewMs: () => number,
  beforeSleep: () => void,
  afterSleep: () => Promise<void> | undefined,
): Clock {
  return {
    now: () => time.now() + skewMs(),
    sleep(ms, signal) {
      beforeSleep();
      // A timer waits for whole milliseconds.
      if (signal?.aborted !== true) time.advance(Math.ceil(ms));
      return afterSleep() ?? Promise.resolve();
    },
  };
}
