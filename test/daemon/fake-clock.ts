import type { Clock } from "../../src/model/surroundings.ts";

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /** Moves on, waking every sleeper at its own time and letting it do its work before the next. */
  advance(ms: number): Promise<void>;
  /** Sets what the clock shows; who sleeps does not sleep longer or shorter for it. */
  leap(ms: number): void;
  /** Milliseconds that have passed, however the clock was set. */
  elapsed(): number;
  /** How many sleep now. */
  sleepers(): number;
}

interface Sleeper {
  readonly until: number;
  wake(): void;
}

export function createFakeClock(start: number): FakeClock {
  let now = start;
  let leapt = 0;
  const sleeping = new Set<Sleeper>();
  const nextBefore = (end: number): Sleeper | undefined =>
    [...sleeping].filter(({ until }) => until <= end).sort((one, other) => one.until - other.until)[0];
  return {
    now: () => now + leapt,
    leap(ms) {
      leapt += ms;
    },
    elapsed: () => now - start,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper = {
          until: now + ms,
          wake: () => {
            sleeping.delete(sleeper);
            resolve();
          },
        };
        sleeping.add(sleeper);
        if (signal?.aborted === true) sleeper.wake();
        else signal?.addEventListener("abort", () => sleeper.wake(), { once: true });
      }),
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (let next = nextBefore(end); next !== undefined; next = nextBefore(end)) {
        now = next.until;
        next.wake();
        await settle();
      }
      now = end;
    },
    sleepers: () => sleeping.size,
  };
}

/** Lets everything that needs no time happen. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A piece of work that ends when the test says so. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
  fail(error: unknown): void;
}

export function createGate(): Gate {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve(), fail: reject };
}
