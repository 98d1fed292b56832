import type { Clock } from "../../model/surroundings.ts";

/** Milliseconds since the process was started: a clock that nobody can set. */
export function monotonic(): number {
  return performance.now();
}

let aheadMs = 0;

/** From now on the clock goes as one that is so far ahead: several machines that work on one state have one time. */
export function followClock(ms: number): void {
  aheadMs = ms;
}

/** The machine's clock. Its sleep ends early, and quietly, when the signal is aborted. */
export const systemClock: Clock = {
  now: () => Date.now() + aheadMs,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener("abort", end, { once: true });
    }),
};
