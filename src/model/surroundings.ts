/** What code would otherwise take from the machine, as arguments, so that a test or a simulation can be the machine. */

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal is (or gets) aborted; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
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
