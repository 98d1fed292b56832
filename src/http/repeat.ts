import { RemoteError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Clock, Random, ReadBounds } from "../model/surroundings.ts";

/** How reads that failed are repeated, and when. */
export interface Patience {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** How often a read is repeated at most. */
  readonly retries: number;
  /** The first pause is at most this, and each later one may be twice as long, up to half a minute. */
  readonly firstPauseMs: number;
  /** A longer time that is asked for is not waited for: the failure is reported with the time instead. Any by default. */
  readonly longestWaitMs?: number;
}

const longestPauseMs = 30_000;

/**
 * Repeats a read while what it comes to may pass: an attempt returns such a failure, and throws any other one. The pause is random
 * (see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/), and never shorter than what the other side asked
 * for, by a moment more, as clocks may wake up early. A pause that would pass the bounds is not begun: the failure is reported.
 *
 * @throws RemoteError the failure of the last attempt.
 */
export async function repeatRead<T>(
  attempt: () => Promise<T | RemoteError>,
  patience: Patience,
  bounds: ReadBounds,
): Promise<T> {
  const { clock, random, log, retries, firstPauseMs, longestWaitMs = Number.POSITIVE_INFINITY } = patience;
  for (let repeated = 0; ; repeated += 1) {
    const result = await attempt();
    if (!(result instanceof RemoteError)) return result;
    const now = clock.now();
    const askedMs = (result.retryAt ?? now) - now;
    const ownMs = Math.min(longestPauseMs, firstPauseMs * 2 ** repeated) * (0.5 + random() / 2);
    const pauseMs = askedMs > 0 ? Math.max(ownMs, askedMs + 50 + random() * 450) : ownMs;
    if (repeated >= retries || askedMs > longestWaitMs || now + pauseMs >= bounds.until) throw result;
    log.debug({ code: result.code, attempt: repeated + 1, pauseMs }, "A read is repeated");
    await clock.sleep(pauseMs, bounds.signal);
  }
}
