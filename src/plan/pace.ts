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
export function timesOf(sent: readonly { readonly at: number; readonly isCreate: boolean }[]): {
  readonly all: number[];
  readonly creates: number[];
} {
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

/** What a project has had of an hour, and what it has left to write; `left` is infinite where nobody knows. */
export interface Claim {
  readonly used: number;
  readonly left: number;
}

/**
 * Whether a project that has used so much of a window may use more, when others share the window: up to a fair share, by
 * max-min fairness (what one does not need is shared by the others), and beyond it while nobody who waits has had less.
 */
export function mayTake(used: number, others: readonly Claim[], limit: number): boolean {
  const waiting = others.filter(({ left }) => left > 0);
  if (waiting.length === 0) return true;
  const share = Math.floor(fairShare(others, limit));
  return used < share || waiting.every((other) => other.used >= used);
}

/** The level up to which everybody may go so that the window is used up: those who claim less take only that. */
function fairShare(others: readonly Claim[], limit: number): number {
  const claims = others.map(({ used, left }) => used + left).toSorted((one, other) => one - other);
  let sharers = claims.length + 1;
  let rest = limit;
  for (const claim of claims) {
    if (claim * sharers >= rest) break;
    rest -= claim;
    sharers -= 1;
  }
  return rest / sharers;
}

/**
 * When so many issues will have been opened, if each goes out as soon as the pace allows it. Once the hour's limit has been
 * used up the same times come again an hour later, so no more than an hour is played through.
 *
 * @returns epoch ms of the last one; `now` where there is none.
 */
export function estimateEnd(recent: RecentWrites, creates: number, pace: PaceLimits, now: number): number {
  if (creates <= 0) return now;
  const perHour = Math.min(pace.createsPerHour, pace.writesPerHour);
  const all = [...recent.all];
  const opened = [...recent.creates];
  const steps = Math.min(creates, perHour);
  const last = (creates - 1) % perHour;
  let at = now;
  let end = now;
  for (let step = 0; step < steps; step += 1) {
    ({ at } = nextWriteAt({ all, creates: opened }, "create", pace, at));
    all.push(at);
    opened.push(at);
    if (step === last) end = at;
  }
  return end + Math.floor((creates - 1) / perHour) * hourMs;
}

/** When a window has room again: one length after the write that would be too many in it. */
function freeAt(times: readonly number[], limit: number, windowMs: number): number {
  const oldest = times[times.length - limit];
  return oldest === undefined ? Number.NEGATIVE_INFINITY : oldest + windowMs;
}
