/** What code would otherwise take from the machine, as arguments, so that a test or a simulation can be the machine. */

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal is (or gets) aborted; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `end` after `ms`, unless the function that it returns is called before. Without it the machine's timers are used. */
  after?(ms: number, end: () => void): () => void;
  /**
   * While `work` goes on, `now` never goes back: where the clock is set back meanwhile, it goes on from what it showed. A run
   * would else wait as long as the clock was ahead, for times that it has reckoned itself.
   */
  steadily?<T>(work: () => Promise<T>): Promise<T>;
}

/** The deadline of a request, by the clock's timers or the machine's. Returns what calls it off. */
export function startDeadline(clock: Clock, ms: number, end: () => void): () => void {
  if (clock.after !== undefined) return clock.after(ms, end);
  const timer = setTimeout(end, ms);
  return () => clearTimeout(timer);
}

/** A number in [0, 1). */
export type Random = () => number;

/** How long a read may take: no attempt starts after `until` (epoch ms), and none goes on after the signal. */
export interface ReadBounds {
  readonly until: number;
  readonly signal: AbortSignal;
}

/** What an adapter has asked for over HTTP so far. */
export interface Traffic {
  /** Requests that have ended, by the status of their answer, `none` where not even that arrived. */
  readonly answers: ReadonlyMap<string, number>;
}
