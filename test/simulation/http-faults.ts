import type { RemoteError, Side } from "../../src/errors.ts";
import type { Answer, Reply } from "../support/sandbox/loopback/loopback.ts";
import type { PatchFate } from "./board.ts";
import type { Fate } from "./github.ts";
import type { Random } from "./random.ts";
import type { Surroundings } from "./sides.ts";

/** What the faults of the wire look like over HTTP. Which of several faces one has is the seed's choice. */

export function whole(answer: Answer): Reply {
  return { kind: "whole", answer };
}

/** An error in the words of a side. */
export function refuse(side: Side, status: number, message: string, more: object = {}): Answer {
  return { status, body: side === "board" ? { error: { message } } : { message, ...more } };
}

/** The face of a read that failed. `right` is what would have been the answer. */
export function showReadFault(surroundings: Surroundings, error: RemoteError, right: () => Answer): Reply {
  const { random } = surroundings.wire.weather;
  switch (error.fault) {
    case "unreachable":
      return random.pick(brokenReplies);
    case "unreadable":
      return random.pick<() => Reply>([
        () => ({ kind: "cut", answer: withBody(right()) }),
        () => ({ kind: "half", answer: withBody(right()) }),
        () => whole(page(200, "Welcome to the portal")),
      ])();
    case "unauthorized":
      return whole(refuse(error.side, 401, "Bad credentials"));
    case "limited":
      return whole(limit(surroundings, error.side, error.retryAt ?? 0));
    case "aborted":
    case "missing":
    case "refused":
      return { kind: "reset" };
  }
}

/** The face of a write whose outcome nobody is told. `right` is what would have been the answer of one that took effect. */
export function showLostWrite(fate: Fate | PatchFate, random: Random, right: () => Answer): Reply {
  const broken = (): Reply => random.pick(brokenReplies);
  if (fate === "late") return random.pick<Reply>([{ kind: "reset" }, whole(page(504, "Gateway Time-out"))]);
  if (fate !== "answer lost") return broken();
  return random.pick<() => Reply>([
    broken,
    () => ({ kind: "cut", answer: withBody(right()) }),
    () => ({ kind: "half", answer: withBody(right()) }),
  ])();
}

const brokenReplies: readonly Reply[] = [
  { kind: "reset" },
  { kind: "reset" },
  whole(page(502, "Bad Gateway")),
  whole(page(500, "Internal Server Error")),
  whole({ status: 503, body: { message: "Service Unavailable" } }),
];

/** What a proxy says in the place of the server. */
function page(status: number, title: string): Answer {
  return { status, body: `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>` };
}

/** An answer without content can't be cut: a page stands for what a proxy made of it. */
function withBody(answer: Answer): Answer {
  return answer.body === undefined ? page(200, "Welcome to the portal") : answer;
}

/**
 * A limit that ends at `retryAt`, epoch ms of the program's clock. GitHub has several ways to say so, in several statuses; the reset
 * of the primary limit is a time on the server's own clock, which its `Date` shows. In a 422 only the words tell it from a refusal.
 */
export function limit({ wire, scenario }: Surroundings, side: Side, retryAt: number): Answer {
  const now = wire.time.now();
  const seconds = String(Math.max(1, Math.ceil((retryAt - scenario.skewMs - now) / 1_000)));
  if (side === "board") {
    const status = wire.weather.random.pick([429, 429, 422, 400]);
    return { ...refuse(side, status, "Too many requests."), headers: { "retry-after": seconds } };
  }
  const secondary = "You have exceeded a secondary rate limit.";
  const reset = String(Math.ceil((retryAt - scenario.skewMs) / 1_000));
  const headers = {
    date: new Date(now).toUTCString(),
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": reset,
  };
  const tooQuickly = { resource: "Issue", code: "custom", message: "was submitted too quickly" };
  return wire.weather.random.pick<Answer>([
    { ...refuse(side, 403, secondary), headers: { "retry-after": seconds } },
    { ...refuse(side, 429, secondary), headers: { "retry-after": seconds } },
    { ...refuse(side, 403, "API rate limit exceeded."), headers },
    { ...refuse(side, 422, "API rate limit exceeded."), headers },
    { ...refuse(side, 422, "Validation Failed", { errors: [tooQuickly] }), headers },
    {
      ...refuse(side, 422, "Validation Failed", { errors: [{ resource: "Issue", code: "abuse" }] }),
      headers,
    },
  ]);
}
