import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../model/surroundings.ts";

/** Milliseconds since the process was started: a clock that nobody can set. */
export function monotonic(): number {
  return performance.now();
}

const ownWall = (): number => Date.now();
let wall = ownWall;

/** The clock goes by this one, until what is returned is called: several machines that work on one state have one time. */
export function followClock(now: () => number): () => void {
  wall = now;
  return () => {
    if (wall === now) wall = ownWall;
  };
}

/**
 * A clock that goes by both of a machine, in ms: the one that people and programs set, and the one that nobody can set. Its sleep ends
 * early, and quietly, when the signal is aborted.
 */
export function createMachineClock(
  times: Record<"wall" | "monotonic", () => number>,
): Clock & Pick<Required<Clock>, "steadily"> {
  let steady = 0;
  /** What lies between the two clocks. While a run goes on it may grow, and never shrinks. */
  let lead = Number.NEGATIVE_INFINITY;
  return {
    now() {
      const since = times.monotonic();
      const found = times.wall() - since;
      lead = steady > 0 ? Math.max(lead, found) : found;
      return Math.round(since + lead);
    },
    async steadily(work) {
      if (steady === 0) lead = times.wall() - times.monotonic();
      steady += 1;
      try {
        return await work();
      } finally {
        steady -= 1;
      }
    },
    sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
  };
}

/** The machine's clock. */
export const systemClock = createMachineClock({ wall: () => wall(), monotonic });
