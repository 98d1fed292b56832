import { namesLimit, whoseRefusal } from "../../../http/refusal.ts";
import type { Clock } from "../../../model/surroundings.ts";
import { hasNothingLeft, readSaid } from "./answers.ts";
import type { Answer } from "./client.ts";
import { isObject } from "./shapes.ts";

/** Without a time in the answer GitHub asks for a minute at least, and for longer after each further refusal. */
const firstWaitMs = 60_000;
const longestUnnamedWaitMs = 15 * 60_000;
/** No limit of GitHub's lasts longer than an hour; a longer time is a fault or a hostile answer. */
const longestWaitMs = 24 * 60 * 60_000;

/** Remembers the last limit answer, because asking on while limited can get an account banned. */
export interface Gate {
  /** Epoch ms before which nothing may be sent; undefined while the way is free. */
  closedUntil(): number | undefined;
  /** Looks at every answer; gives the time before which nothing may be sent when the answer names a limit. */
  observe(answer: Answer): number | undefined;
}

/**
 * Source of the rules: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api. One gate serves
 * all reads and writes of a credential: GraphQL has a budget of its own, but what is asked on meanwhile counts against us.
 */
export function createGate(clock: Clock): Gate {
  let until = 0;
  /** Limit answers in a row that named no time. */
  let unnamed = 0;
  return {
    closedUntil: () => (clock.now() < until ? until : undefined),
    observe: (answer) => {
      if (!isLimit(answer)) {
        if (answer.status < 400) unnamed = 0;
        return undefined;
      }
      const now = clock.now();
      const named = readRetryAfter(answer, now) ?? readReset(answer, now);
      if (named === undefined) unnamed += 1;
      const time = named ?? now + Math.min(firstWaitMs * 2 ** (unnamed - 1), longestUnnamedWaitMs);
      until = Math.max(until, Math.min(time, now + longestWaitMs));
      return until;
    },
  };
}

/**
 * The time that a `Retry-After` header names (seconds, or a date as proxies send it), in epoch ms. A time in the past
 * counts as none.
 */
export function readRetryAfter(answer: Answer, now: number): number | undefined {
  const value = String(answer.headers["retry-after"] ?? "").trim();
  const time = /^\d{1,9}$/.test(value)
    ? now + Number(value) * 1000
    : onOurClock(Date.parse(value), answer, now);
  return time > now ? time : undefined;
}

/** GraphQL says it in an error of a 200. */
function isLimit(answer: Answer): boolean {
  if (answer.status === 200) return isGraphQLLimit(answer.data);
  return whoseRefusal(readSaid(answer), "read") === "limit";
}

/** Words count only where there is no data: beside data an error may quote anything. */
function isGraphQLLimit(body: unknown): boolean {
  if (!isObject(body) || !Array.isArray(body["errors"])) return false;
  const errors: readonly unknown[] = body["errors"];
  const isRefused = !isObject(body["data"]);
  return errors.some(
    (error) =>
      isObject(error) &&
      (error["type"] === "RATE_LIMITED" || (isRefused && namesLimit(String(error["message"])))),
  );
}

/** The end of the hour's window; GitHub gives it in whole seconds, so one more is waited. */
function readReset(answer: Answer, now: number): number | undefined {
  if (!hasNothingLeft(answer)) return undefined;
  const seconds = Number(answer.headers["x-ratelimit-reset"]);
  const time = onOurClock((seconds + 1) * 1000, answer, now);
  return time > now ? time : undefined;
}

/**
 * A time of the server's clock on ours: what lies between the two counts, by the answer's own `Date`. A clock that is a
 * minute ahead would otherwise ask a minute too early, while the limit still holds.
 */
function onOurClock(time: number, answer: Answer, now: number): number {
  const told = Date.parse(String(answer.headers["date"] ?? ""));
  return Number.isNaN(told) ? time : now + time - told;
}

/** Which of GitHub's budgets an answer speaks of, such as `core` or `graphql`; undefined where it does not say. */
export function readResource(answer: Answer): string | undefined {
  const resource = answer.headers["x-ratelimit-resource"];
  return typeof resource === "string" && /^\w{1,40}$/.test(resource) ? resource : undefined;
}
