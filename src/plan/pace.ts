import { hourMs, minuteMs } from "../model/time.ts";
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

/** Oldest first, as they are given. */
export function timesOf(sent: readonly { readonly at: number; readonly isCreate: boolean }[]) {
  const times = (some: typeof sent): number[] => some.map(({ at }) => at);
  return { all: times(sent), creates: times(sent.filter(({ isCreate }) => isCreate)) };
}

export interface NextWrite {
  /** Epoch ms; never before `now`. */
  readonly at: number;
  /** What the wait is for: a run sits out the interval and the minute, the hour ends it. */
  readonly limit: "interval" | "minute" | "hour" | "none";
}

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

/** Whether a run ends its writes instead of waiting so long: it sits out the interval, the minute, and the last of an hour. */
export function isTooFar({ at, limit }: NextWrite, now: number, until: number): boolean {
  return at > until || (limit === "hour" && at - now > hourPatienceMs);
}

/** A run that left these seconds to the next one would cost an import five minutes of every hour. */
const hourPatienceMs = 10_000;

/** What one of so many projects that share a pace may write of each hour. */
export function partOf(pace: PaceLimits, projects: number): PaceLimits {
  const part = (limit: number): number => Math.max(1, Math.floor(limit / projects));
  return { ...pace, createsPerHour: part(pace.createsPerHour), writesPerHour: part(pace.writesPerHour) };
}

/**
 * About when so many issues will have been opened: what the hour's limit puts off comes an hour after the one whose room it takes.
 *
 * @returns epoch ms of the last one; `now` where there is none.
 */
export function estimateEnd(recent: RecentWrites, creates: number, pace: PaceLimits, now: number): number {
  if (creates <= 0) return now;
  const perHour = Math.min(pace.createsPerHour, pace.writesPerHour);
  const stepMs = Math.max(pace.minIntervalMs, Math.ceil(minuteMs / pace.createsPerMinute));
  const used = recent.creates.length;
  const last = used + creates - 1;
  const first = recent.creates[last % perHour] ?? now + ((last % perHour) - used) * stepMs;
  const end = first + Math.floor(last / perHour) * hourMs;
  return Math.max(end, nextWriteAt(recent, "create", pace, now).at);
}

/** When a window has room again: one length after the write that would be too many in it. */
function freeAt(times: readonly number[], limit: number, windowMs: number): number {
  const oldest = times[times.length - limit];
  return oldest === undefined ? Number.NEGATIVE_INFINITY : oldest + windowMs;
}
