import type { Clock } from "../../../model/surroundings.ts";

/** The clock of the server, as its answers tell it: what it signs and accepts holds by its own time. */
export interface ServerClock {
  /** Epoch ms; ours before the first answer. */
  now(): number;
  /** Takes the time of an answer's `Date` header. */
  observe(date: string | number | undefined): void;
}

/** See `ServerClock`. A `Date` has whole seconds, so what lies between the clocks is known to about one. */
export function createServerClock(clock: Pick<Clock, "now">): ServerClock {
  let aheadMs = 0;
  return {
    now: () => clock.now() + aheadMs,
    observe(date) {
      const told = Date.parse(String(date ?? ""));
      if (!Number.isNaN(told)) aheadMs = told - clock.now();
    },
  };
}
