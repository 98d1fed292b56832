import { RemoteError, type Side } from "../../errors.ts";
import type { RepositoryName } from "../../model/issue.ts";
import { boardLane, type Lane, laneOf } from "./lane.ts";
import type { World } from "./world.ts";
import { nameNow } from "./world.ts";

/** A later time than this was written down by a clock that was wrong: no answer is believed for longer. */
const longestLimitMs = 24 * 3_600_000;

/**
 * Writes down that a lane wants no request before a time: the next process must not ask before it, either. Asking on while
 * limited can get an account banned.
 *
 * @param retryAt epoch ms; undefined where the answer named no time.
 */
export async function noteLimit(world: World, lane: Lane, retryAt: number | undefined): Promise<void> {
  if (retryAt === undefined) return;
  const known = await limitOf(world, lane);
  if (known !== undefined && retryAt <= known) return;
  await world.ledger.commit([{ kind: "limit", side: lane.side, budget: lane.budget, until: retryAt }]);
}

/** The same, of a read that failed; an error that is no limit is none of its business. */
export async function noteLimitOf(world: World, error: unknown): Promise<void> {
  if (error instanceof RemoteError && error.fault === "limited") await noteLimit(world, error, error.retryAt);
}

/**
 * Looks at what the sides named, in this process or an earlier one, before a project asks anything. Of the tracker only the
 * budgets of the project's own repositories count: one that is used up stops nobody else.
 *
 * @throws RemoteError with the fault `limited` while one of them wants no request: the project waits.
 */
export async function checkLimits(world: World, repositories: readonly RepositoryName[]): Promise<void> {
  const names = repositories.map((name) => nameNow(world, name));
  for (const lane of [boardLane, ...names.map((name) => laneOf(world, name))]) {
    const retryAt = await limitOf(world, lane);
    if (retryAt === undefined) continue;
    const { side, budget } = lane;
    throw new RemoteError(side, "limited", `${sayLimit(side, retryAt)}.`, { retryAt, budget });
  }
}

/** Who wants no request, and until when, as a sentence without its full stop. */
export function sayLimit(side: Side, retryAt: number | undefined): string {
  const who = side === "board" ? "the board" : "GitHub";
  if (retryAt === undefined) return `${who} limits requests, and names no end`;
  return `${who} wants no request before ${new Date(retryAt).toISOString()}`;
}

/** undefined once the time has passed. */
async function limitOf({ ledger, clock }: World, { side, budget }: Lane): Promise<number | undefined> {
  const until = await ledger.pace.limit(side, budget);
  const now = clock.now();
  return until !== undefined && until > now && until - now <= longestLimitMs ? until : undefined;
}
