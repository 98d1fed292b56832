import { RemoteError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Clock, Random, ReadBounds } from "../model/surroundings.ts";
import { dayMs, readInstant } from "../model/time.ts";

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

type Headers = Readonly<Record<string, string | number | undefined>>;

/** A longer time than this is taken as this, whatever names it: no header may put boardsync to sleep for good. */
export const longestNamedMs = dayMs;

/**
 * When the other side wants to be asked again, in epoch ms. `Retry-After` is a number of seconds or an HTTP date (RFC 9110, section
 * 10.2.3); some servers put a time since 1970 there. Anything else, and a time in the past, counts as no time.
 */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  const text = String(headers["retry-after"] ?? "").trim();
  const isSeconds = /^\d+$/.test(text) && !/^\d{10,14}$/.test(text);
  const at = isSeconds ? now + Number(text) * 1000 : onOurClock(readInstant(text), headers, now);
  return at > now ? Math.min(at, now + longestNamedMs) : undefined;
}

/**
 * A time of the server's clock on ours: what lies between the two counts, by the answer's own `Date`. A clock that is a
 * minute ahead would otherwise ask a minute too early, while a limit still holds.
 */
export function onOurClock(time: number, headers: Headers, now: number): number {
  const told = readInstant(headers["date"]);
  return Number.isNaN(told) ? time : now + time - told;
}
