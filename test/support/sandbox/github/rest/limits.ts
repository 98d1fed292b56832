import type { Clock } from "../../../../../src/model/surroundings.ts";
import type { Answer } from "../../loopback/loopback.ts";
import { refuse } from "./answer.ts";

/** GitHub's limits on one account. */
export interface SandboxLimits {
  /** Primary limit. `Infinity` sends no headers, as an Enterprise Server without limits. */
  readonly requestsPerHour: number;
  /** Primary limit of GraphQL, which has its own; the same number without it. */
  readonly queriesPerHour?: number;
  /** Secondary limits on what notifies people: issues and comments created. */
  readonly contentPerMinute: number;
  readonly contentPerHour: number;
  /** What an exceeded limit answers; GitHub documents both. */
  readonly status: 403 | 429;
  /** Whether an exceeded secondary limit names a time in `retry-after`. */
  readonly hasRetryAfter: boolean;
}

/** Counts requests. */
export interface LimitCounter {
  /** The refusal of a request that is beyond a limit; one that is not is counted. */
  refuse(isContent: boolean): Answer | undefined;
  /** Takes one request back: a 304 is free. */
  giveBack(): void;
  /** `x-ratelimit-*` as they stand. */
  headers(): Readonly<Record<string, string>>;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const secondaryMessage =
  "You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please retry your request again later.";

/** A counter that knows time only by the clock. `limits` is asked each time, so that a test can tighten them. */
export function createLimitCounter(clock: Pick<Clock, "now">, limits: () => SandboxLimits): LimitCounter {
  let used = 0;
  let resetAt = 0;
  let content: number[] = [];

  function refuseContent(): Answer | undefined {
    const now = clock.now();
    const { contentPerMinute, contentPerHour, status, hasRetryAfter } = limits();
    content = content.filter((at) => at > now - hourMs);
    const lastMinute = content.filter((at) => at > now - minuteMs);
    const isMinuteFull = lastMinute.length >= contentPerMinute;
    if (!isMinuteFull && content.length < contentPerHour) {
      content.push(now);
      return undefined;
    }
    const freeAt = isMinuteFull ? (lastMinute[0] ?? now) + minuteMs : (content[0] ?? now) + hourMs;
    const answer = refuse(status, secondaryMessage);
    if (!hasRetryAfter) return answer;
    return { ...answer, headers: { "retry-after": String(Math.ceil((freeAt - now) / 1000)) } };
  }

  return {
    refuse(isContent) {
      if (clock.now() >= resetAt) {
        used = 0;
        resetAt = clock.now() + hourMs;
      }
      const { requestsPerHour, status } = limits();
      if (used >= requestsPerHour) return refuse(status, "API rate limit exceeded for user ID 1001.");
      used += 1;
      return isContent ? refuseContent() : undefined;
    },
    giveBack() {
      used -= 1;
    },
    headers() {
      const { requestsPerHour } = limits();
      if (!Number.isFinite(requestsPerHour)) return {};
      return {
        "x-ratelimit-limit": String(requestsPerHour),
        "x-ratelimit-remaining": String(Math.max(0, requestsPerHour - used)),
        "x-ratelimit-used": String(used),
        "x-ratelimit-reset": String(Math.ceil(resetAt / 1000)),
        "x-ratelimit-resource": "core",
      };
    },
  };
}
