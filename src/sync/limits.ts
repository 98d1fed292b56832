import { RemoteError, type Side } from "../errors.ts";
import type { World } from "./world.ts";

/** A later time than this was written down by a clock that was wrong: no answer is believed for longer. */
const longestLimitMs = 24 * 3_600_000;

/**
 * Writes down that a side wants no request before a time: the next process must not ask before it, either. Asking on while
 * limited can get an account banned.
 *
 * @param retryAt epoch ms; undefined where the answer named no time.
 */
export function noteLimit(world: World, side: Side, retryAt: number | undefined): void {
  if (retryAt === undefined) return;
  const known = limitOf(world, side);
  if (known === undefined || retryAt > known) world.ledger.memory.rememberLimit(side, retryAt);
}

/** The same, of a read that failed; an error that is no limit is none of its business. */
export function noteLimitOf(world: World, error: unknown): void {
  if (error instanceof RemoteError && error.fault === "limited") noteLimit(world, error.side, error.retryAt);
}

/**
 * Looks at what the sides named, in this process or an earlier one, before anything is asked.
 *
 * @throws RemoteError with the fault `limited` while one of them wants no request: its projects wait.
 */
export function checkLimits(world: World): void {
  for (const side of ["board", "tracker"] as const) {
    const retryAt = limitOf(world, side);
    if (retryAt === undefined) continue;
    const message = `The ${side} wants no request before ${new Date(retryAt).toISOString()}.`;
    throw new RemoteError(side, "limited", message, { retryAt });
  }
}

/** undefined once the time has passed. */
function limitOf({ ledger, clock }: World, side: Side): number | undefined {
  const until = ledger.memory.limit(side);
  const now = clock.now();
  return until !== undefined && until > now && until - now <= longestLimitMs ? until : undefined;
}
