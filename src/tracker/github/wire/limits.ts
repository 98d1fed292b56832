import { longestNamedMs, onOurClock, readRetryAfter } from "../../../http/headers.ts";
import { namesLimit, whoseRefusal } from "../../../http/refusal.ts";
import type { Clock } from "../../../model/surroundings.ts";
import { minuteMs } from "../../../model/time.ts";
import { hasNothingLeft, readRefusal, readSaid } from "./answers.ts";
import type { ClientAnswer } from "./client.ts";
import { isObject } from "./shapes.ts";

/** Without a time in the answer GitHub asks for a minute at least, and for longer after each further refusal. */
const firstWaitMs = minuteMs;
const longestUnnamedWaitMs = 15 * minuteMs;

/** Remembers the last limit answer, because asking on while limited can get an account banned. */
export interface Gate {
  /** Epoch ms before which nothing may be sent; undefined while the way is free. */
  closedUntil(): number | undefined;
  /** Looks at every answer; gives the time before which nothing may be sent when the answer names a limit. */
  observe(answer: ClientAnswer): number | undefined;
  /** Whether what closes it concerns queries of GraphQL alone, and other requests go on; left out where nothing does. */
  isOfQueries?(): boolean;
}

/**
 * Source of the rules: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api. One gate serves
 * all reads and writes of a credential; queries of GraphQL have a budget of their own, and with it `createQueryGate`.
 */
export function createGate(clock: Clock): Gate {
  let until = 0;
  let learntAt = 0;
  /** Limit answers in a row that named no time. */
  let unnamed = 0;
  return {
    closedUntil() {
      const now = clock.now();
      // The clock was set back: what it showed then was ahead by as much at least.
      const aheadMs = Math.max(0, learntAt - now);
      until -= aheadMs;
      learntAt -= aheadMs;
      return now < until ? until : undefined;
    },
    observe: (answer) => {
      if (!isLimit(answer)) {
        if (answer.status < 400) unnamed = 0;
        return undefined;
      }
      const now = clock.now();
      const named = readRetryAfter(answer.headers, now) ?? readReset(answer, now);
      if (named === undefined) unnamed += 1;
      const time = named ?? now + Math.min(firstWaitMs * 2 ** (unnamed - 1), longestUnnamedWaitMs);
      until = Math.max(until, Math.min(time, now + longestNamedMs));
      learntAt = now;
      return until;
    },
  };
}

/**
 * The gate of a credential's queries. Their primary limit is their own: what is gone of it leaves the REST API open. Any other
 * limit (a secondary one, or one that does not say which it is) concerns the whole credential, and is kept by its gate.
 */
export function createQueryGate(clock: Clock, whole: Gate): Gate {
  const own = createGate(clock);
  return {
    closedUntil: () => whole.closedUntil() ?? own.closedUntil(),
    observe(answer) {
      const until = own.observe(answer);
      return isPrimary(answer) ? until : whole.observe(answer);
    },
    isOfQueries: () => whole.closedUntil() === undefined && own.closedUntil() !== undefined,
  };
}

/** What a credential's budget of queries is called, beside that of all other requests. No owner's name is written so. */
export function budgetOfQueries(budget: string): string {
  return `${budget} GraphQL`.trimStart();
}

/** GraphQL says it in an error of a 200. Words count only where there is no data: beside data an error may quote anything. */
function isLimit(answer: ClientAnswer): boolean {
  if (answer.status !== 200) return whoseRefusal(readSaid(answer), "read") === "limit";
  const isRefused = !(isObject(answer.data) && isObject(answer.data["data"]));
  return readRefusal(answer).errors.some(
    ({ type, message = "" }) => type === "RATE_LIMITED" || (isRefused && namesLimit(message)),
  );
}

/** Whether the hour's own budget is used up: nothing is left of it, or its error says so. A secondary limit says what it is. */
function isPrimary(answer: ClientAnswer): boolean {
  const { words, hasNothingLeft } = readSaid(answer);
  if (!isLimit(answer) || words.some((text) => secondaryWords.test(text))) return false;
  return answer.status === 200 || hasNothingLeft || words.some((text) => /\bAPI rate limit/i.test(text));
}

const secondaryWords =
  /\b(?:secondary rate|abuse detection|submitted too quickly|blocked from content creation)/i;

/** The end of the hour's window; GitHub gives it in whole seconds, so one more is waited. */
function readReset(answer: ClientAnswer, now: number): number | undefined {
  if (!hasNothingLeft(answer)) return undefined;
  const seconds = Number(answer.headers["x-ratelimit-reset"]);
  const time = onOurClock((seconds + 1) * 1000, answer.headers, now);
  return time > now ? time : undefined;
}
