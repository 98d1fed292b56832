import type { Pool, ServerAnswer } from "./pool.ts";

/** The server's time as SQL: epoch ms. */
export const serverTime = "(extract(epoch FROM clock_timestamp()) * 1000)::float8";

/** A difference that is less than this is nobody's. */
export const passingMs = 1_000;

/**
 * The server's clock, carried on by the one that nobody can set: this machine's time may leap meanwhile. Whatever answer shows
 * the server's time puts it right, because a machine that sleeps may not count that.
 */
export interface ServerClock {
  /** Epoch ms. */
  now(): number;
  /** Milliseconds since some moment. */
  monotonic(): number;
  /**
   * An answer may show the time, as `now`.
   *
   * @param since when it was asked for, by the monotonic clock: so much is in doubt.
   */
  told(answer: ServerAnswer | undefined, since: number): void;
}

export function createServerClock(monotonic: () => number): ServerClock {
  let lead: number | undefined;
  return {
    monotonic,
    now: () => Math.round((lead ?? 0) + monotonic()),
    told(answer, since) {
      const shown = answer?.rows[0]?.["now"];
      if (shown === undefined) return;
      const doubt = (monotonic() - since) / 2;
      const found = Number(shown) - since - doubt;
      if (lead === undefined || Math.abs(found - lead) >= passingMs + doubt) lead = found;
    },
  };
}

/** Asks for nothing but the time. */
export async function askTime(pool: Pool, clock: ServerClock): Promise<void> {
  const since = clock.monotonic();
  const [found] = await pool.ask(`SELECT ${serverTime} AS now`);
  clock.told(found, since);
}

/** How far the server's clock is ahead of this one; half of the question's way is allowed for. */
export async function measureClock(
  pool: Pool,
  { now, monotonic }: { now(): number; monotonic(): number },
): Promise<number> {
  const clock = createServerClock(monotonic);
  await askTime(pool, clock);
  const ahead = Math.round(clock.now() - now());
  // Less than this is the way of the question.
  return Math.abs(ahead) < passingMs ? 0 : ahead;
}

/** Times of the server by this machine's clock, which is not set by it in a process that only looks. */
export function byThisClock<Timed extends { readonly at: number }>(timed: Timed, aheadMs: number): Timed {
  return { ...timed, at: timed.at - aheadMs };
}
