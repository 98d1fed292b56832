import type { Reason } from "../../model/causes.ts";
import { dayMs, describeLength, hourMs, readInstant } from "../../model/time.ts";
import { isAllowed } from "../../plan/ground/obstacle.ts";
import { type GuardHolds, guard } from "../../plan/guard.ts";
import { isApproved, type PulledCycle } from "../ground/cycle-state.ts";
import { type Hold, type Judged, type Verdict, type Wanted, writesHold } from "../ground/verdict.ts";

/** Voters count as notified by one burst for this long. */
const guardWindowMs = hourMs;

/**
 * Gives every action its verdict. What a person approved goes. What was held before stays held until a person approves it,
 * even if the guard has room by now. The guard counts neither of the two: it measures new actions only, and none of a post that
 * is paused, which nothing lets go but the end of the pause.
 */
export async function judge(cycle: PulledCycle, wanted: readonly Wanted[]): Promise<readonly Judged[]> {
  const { world, memory, settings, pull } = cycle;
  const since = world.clock.now() - guardWindowMs;
  const letGo = new Set(wanted.filter(({ post, kind }) => isApproved(cycle, post, kind)));
  const news = wanted.filter(
    (action) => heldFor(action) === undefined && action.pause === undefined && !letGo.has(action),
  );
  const patchesStop = isAllowed({ kind: "patch-post" }, settings) ? undefined : writesHold(settings);
  const { holdIssues, holdStatuses } = guard(
    news,
    { statusWrites: await world.ledger.journal.statusWrites(memory.id, since) },
    settings.guard,
  );
  const closed = describeClosings(news.flatMap(({ closings }) => closings));
  const guarded = {
    holdIssues,
    holdStatuses:
      closed === undefined || holdStatuses === undefined ? holdStatuses : `${closed}; ${holdStatuses}`,
  };
  const shrunk = pull.hold === undefined ? undefined : ({ cause: "shrank", why: pull.hold } as const);
  return wanted.map((one): Judged => {
    const { page: _, ...action } = one;
    if (action.pause !== undefined)
      return {
        ...action,
        verdict: { kind: "pause", ...action.pause },
        followUp: undefined,
      };
    const isGoing = letGo.has(one);
    const { holdIssues: issues, holdStatuses: statuses } = isGoing ? nothingHeld : guarded;
    const isPatch = action.kind === "patch-post";
    const status = action.isNotifying ? statuses : undefined;
    const before = isGoing ? undefined : heldFor(action);
    const own = before && approvable(before);
    const held = own ?? holdBy(isPatch ? status : issues);
    // `writes` and a board that shrank hold all actions, and no approval ends that.
    const whole = isAllowed(action, settings) ? shrunk : writesHold(settings);
    return {
      ...action,
      // While all actions are held, only what a person has to let go anyway can be approved.
      verdict: (whole === undefined ? held : stop(whole, own)) ?? goes,
      followUp: isPatch ? undefined : patchesStop === undefined ? holdBy(status) : stop(patchesStop),
    };
  });
}

const goes: Verdict = { kind: "go" };

function heldFor({ hold, heldBefore }: Pick<Wanted, "hold" | "heldBefore">): Hold | undefined {
  return hold ?? heldBefore;
}

/** A hold that no approval ends; one that it lies over stays approvable. */
function stop(reason: Reason, own?: Hold): Hold {
  return { kind: "hold", ...reason, ...(own?.isApprovable && { cause: own.cause, isApprovable: true }) };
}

function approvable(hold: Hold): Hold {
  return { ...hold, isApprovable: true };
}

function holdBy(why: string | undefined): Hold | undefined {
  return why === undefined ? undefined : { kind: "hold", cause: "guard", why, isApprovable: true };
}

const nothingHeld: GuardHolds = { holdIssues: undefined, holdStatuses: undefined };

/**
 * What many issues that were closed in one go have in common: "40 issues were closed within 2 minutes, all by @dana". undefined for
 * fewer than two, and for what has gathered over more than a day.
 */
export function describeClosings(closings: Wanted["closings"]): string | undefined {
  const times = closings.map(({ at }) => readInstant(at));
  const length = times.reduce(most, 0) - times.reduce(least, Number.POSITIVE_INFINITY);
  if (closings.length < 2 || !(length <= dayMs)) return undefined;
  const accounts = new Set(closings.map(({ by }) => by));
  const [first] = accounts;
  const isOne = accounts.size === 1 && typeof first === "string";
  const by = isOne ? `, all by @${first}` : accounts.has(null) ? "" : `, by ${accounts.size} accounts`;
  const when = length < 1000 ? "in the same second" : `within ${describeLength(Math.max(length, 2000))}`;
  return `${closings.length.toLocaleString("en")} issues were closed ${when}${by}`;
}

const most = (one: number, other: number): number => Math.max(one, other);
const least = (one: number, other: number): number => Math.min(one, other);
