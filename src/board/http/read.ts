import { RemoteError } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { Clock, Random, ReadBounds } from "../../model/surroundings.ts";
import { type BodyLimits, describeOversize, readBody } from "./body.ts";
import { explainRefusal, quoteAnswer } from "./refusal.ts";
import type { Answer, Reply, Transport } from "./transport.ts";
import { type Excerpt, placeOf } from "./wording.ts";

export interface JsonAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly value: unknown;
}

/** Reads of the board. Every failure is a `RemoteError`; the ones that may pass are tried again inside the bounds. */
export interface Reader {
  /** Asks for an address and takes any 2xx, whatever its body. */
  ask(url: URL, bounds: ReadBounds): Promise<Answer>;
  /** Asks for an address and takes a 2xx with a JSON body. */
  askJson(url: URL, bounds: ReadBounds): Promise<JsonAnswer>;
}

export interface ReaderOptions {
  readonly transport: Transport;
  /** How often a read is repeated at most. */
  readonly retries: number;
  readonly limits: BodyLimits;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly excerpt: Excerpt;
}

/** The first pause is below this, and each later one may be twice as long. */
const firstPauseMs = 500;
const longestPauseMs = 30_000;

/** Makes the reader: transport, retries and the meaning of every status in one place. */
export function createReader(options: ReaderOptions): Reader {
  return {
    ask: (url, bounds) => askPatiently(url, bounds, options),
    async askJson(url, bounds) {
      const answer = await askPatiently(url, bounds, options);
      const body = await readBody(answer, options.limits, options.excerpt);
      if (body.kind === "json") return { headers: answer.headers, value: body.value };
      const what = body.kind === "empty" ? "an empty body" : body.reason;
      throw new RemoteError("board", "unreadable", `${placeOf(url)} answered with ${what}.`);
    },
  };
}

/**
 * Repeats while the failure may pass. The pause is random between nothing and a bound that doubles ("full jitter", see
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/), and never shorter than what the board
 * asked for. A pause that would pass the bounds is not begun: the failure is reported with the time instead.
 */
async function askPatiently(url: URL, bounds: ReadBounds, options: ReaderOptions): Promise<Answer> {
  const { clock, random, retries, transport, log } = options;
  for (let attempt = 0; ; attempt += 1) {
    if (bounds.signal.aborted) throw new RemoteError("board", "aborted", "The run was ended.");
    if (clock.now() >= bounds.until) {
      throw new RemoteError("board", "aborted", "The time of this run was over before the board was asked.");
    }
    const reply = await transport.send({ method: "GET", url, signal: bounds.signal });
    if (reply.kind === "answer" && reply.status >= 200 && reply.status < 300) return reply;

    const failure = await explainFailure(reply, url, options);
    if (attempt >= retries || !mayPass(failure, reply)) throw failure;
    const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** attempt) * random();
    const pauseMs = Math.max(pause, (failure.retryAt ?? 0) - clock.now());
    if (clock.now() + pauseMs >= bounds.until) throw failure;
    log.debug({ attempt: attempt + 1, pauseMs, code: failure.code }, "A read of the board is repeated");
    await clock.sleep(pauseMs, bounds.signal);
  }
}

/** 429, 5xx and whatever the network does may pass; a definite no and an answer that is too large won't. */
function mayPass(failure: RemoteError, reply: Reply): boolean {
  const isCutOff = failure.fault === "unreadable" && reply.kind === "lost";
  return failure.fault === "unreachable" || failure.fault === "limited" || isCutOff;
}

async function explainFailure(reply: Reply, url: URL, options: ReaderOptions): Promise<RemoteError> {
  const { limits, excerpt, clock } = options;
  if (reply.kind === "aborted") return new RemoteError("board", "aborted", "The run was ended.");
  if (reply.kind === "unsent" || (reply.kind === "lost" && reply.status === 0)) {
    return new RemoteError("board", "unreachable", `${reply.message}.`, { cause: reply.cause });
  }
  const { status, headers } = reply;
  if (reply.kind === "answer") {
    const said = quoteAnswer(await readBody(reply, limits, excerpt), excerpt);
    return explainRefusal({ url, status, headers, said, now: clock.now() }, excerpt);
  }
  if (status >= 300) {
    const said = "its explanation could not be read";
    return explainRefusal({ url, status, headers, said, now: clock.now() }, excerpt);
  }
  return reply.kind === "lost"
    ? new RemoteError("board", "unreadable", `${reply.message}.`, {
        cause: reply.cause,
      })
    : new RemoteError("board", "unreadable", `${placeOf(url)} answered with ${describeOversize(limits)}.`);
}
