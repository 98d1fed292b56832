/** How fast the tracker may be written to. Limits are at least 1; every window slides. */
export interface PaceLimits {
  /** Milliseconds between two writes. */
  readonly minIntervalMs: number;
  readonly createsPerMinute: number;
  readonly createsPerHour: number;
  /** All writes, creates included. */
  readonly writesPerHour: number;
}

/** Times (epoch ms, oldest first) of requests that were sent, whatever came of them. */
export interface RecentWrites {
  /** All, creates included. */
  readonly all: readonly number[];
  readonly creates: readonly number[];
}

export interface NextWrite {
  /** Epoch ms; never before `now`. */
  readonly at: number;
  /** What the wait is for: a run sits out the interval and the minute, the hour ends it. */
  readonly limit: "interval" | "minute" | "hour" | "none";
}

const minuteMs = 60_000;
const hourMs = 3_600_000;

/** When the next write may leave, so that no window of a minute or an hour ever holds more than its limit. */
export function nextWriteAt(
  recent: RecentWrites,
  kind: "create" | "other",
  pace: PaceLimits,
  now: number,
): NextWrite {
  const waits: NextWrite[] = [
    { at: freeAt(recent.all, 1, pace.minIntervalMs), limit: "interval" },
    { at: freeAt(recent.all, pace.writesPerHour, hourMs), limit: "hour" },
  ];
  if (kind === "create") {
    waits.push(
      { at: freeAt(recent.creates, pace.createsPerMinute, minuteMs), limit: "minute" },
      { at: freeAt(recent.creates, pace.createsPerHour, hourMs), limit: "hour" },
    );
  }
  return waits.reduce((latest, wait) => (wait.at > latest.at ? wait : latest), { at: now, limit: "none" });
}

/** When a window has room again: one length after the write that would be too many in it. */
function freeAt(times: readonly number[], limit: number, windowMs: number): number {
  const oldest = times[times.length - limit];
  return oldest === undefined ? Number.NEGATIVE_INFINITY : oldest + windowMs;
}
