import { hash } from "node:crypto";
import { type FaultDetail, RemoteError } from "../../../errors.ts";
import type { Log } from "../../../log.ts";
import type { Clock, Random, ReadBounds } from "../../../model/surroundings.ts";
import { type Body, type BodyLimits, describeOversize, parseBody, readBody, unpackBody } from "./body.ts";
import { explainRefusal, isLimited, quoteAnswer } from "./refusal.ts";
import { signHeaders } from "./signs.ts";
import type { Answer, Reply, Transport } from "./transport.ts";
import { type Excerpt, placeOf } from "./wording.ts";

export interface JsonAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly value: unknown;
}

/** A page that was read before. */
export interface KnownAnswer {
  readonly digest: string;
  /** Headers by which the board says whether it has changed; none where it is not asked that. */
  readonly conditions: Readonly<Record<string, string>>;
}

/** A page. Its `digest` stands for all of the answer that anybody reads. */
export type PageAnswer =
  | { readonly kind: "unchanged"; readonly headers: Readonly<Record<string, string>>; readonly bytes: number }
  | (JsonAnswer & { readonly kind: "read"; readonly digest: string; readonly bytes: number });

/** Reads of the board. Every failure is a `RemoteError`; the ones that may pass are tried again inside the bounds. */
export interface Reader {
  /** Asks for an address and takes any 2xx, whatever its body. */
  ask(url: URL, bounds: ReadBounds): Promise<Answer>;
  /** Asks for an address and takes a 2xx with a JSON body. */
  askJson(url: URL, bounds: ReadBounds): Promise<JsonAnswer>;
  /**
   * The same for a page that was read before. It counts as unchanged where the board says so, or where it sends exactly the
   * same bytes.
   */
  askPage(url: URL, bounds: ReadBounds, known: KnownAnswer | undefined): Promise<PageAnswer>;
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
      return { headers: answer.headers, value: requireJson(url, body) };
    },
    async askPage(url, bounds, known) {
      const answer = await askPatiently(url, bounds, options, known?.conditions);
      const { headers } = answer;
      if (answer.status === notModified) return { kind: "unchanged", headers, bytes: 0 };
      const unpacked = await unpackBody(answer, options.limits);
      if (unpacked.kind === "unreadable") throw unreadable(url, unpacked);
      const digest = digestOf(unpacked.bytes, headers);
      const bytes = unpacked.bytes.length;
      if (digest === known?.digest) return { kind: "unchanged", headers, bytes };
      const body = parseBody(unpacked.bytes, options.limits, options.excerpt);
      return { kind: "read", headers, digest, bytes, value: requireJson(url, body) };
    },
  };
}

const notModified = 304;

/** Of what a page is read from: its body, and the headers that may say how the list goes on. */
function digestOf(bytes: Uint8Array, headers: Answer["headers"]): string {
  const digest = hash("sha256", bytes, "base64");
  const told = signHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  return told.length === 0 ? digest : `${digest} ${hash("sha256", JSON.stringify(told), "base64")}`;
}

function requireJson(url: URL, body: Body): unknown {
  if (body.kind === "json") return body.value;
  throw unreadable(url, body.kind === "empty" ? { reason: "an empty body", detail: "page" } : body);
}

function unreadable(
  url: URL,
  { reason, detail }: { readonly reason: string; readonly detail?: FaultDetail },
): RemoteError {
  const advice =
    detail === "told" ? " Let the board send smaller pages: board.paging.sizeParam and size." : "";
  const message = `${placeOf(url)} answered with ${reason}.${advice}`;
  return new RemoteError("board", "unreadable", message, { detail });
}

/**
 * Repeats while the failure may pass. The pause is random between nothing and a bound that doubles ("full jitter", see
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/), and never shorter than what the board
 * asked for. A pause that would pass the bounds is not begun: the failure is reported with the time instead.
 */
async function askPatiently(
  url: URL,
  bounds: ReadBounds,
  options: ReaderOptions,
  conditions: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { clock, random, retries, transport, log } = options;
  for (let attempt = 0; ; attempt += 1) {
    if (bounds.signal.aborted) throw new RemoteError("board", "aborted", "The run was ended.");
    if (clock.now() >= bounds.until) {
      throw new RemoteError(
        "board",
        "aborted",
        "The time of this run (budget) was over before the board was asked.",
      );
    }
    const reply = await transport.send({ method: "GET", url, conditions, signal: bounds.signal });
    if (reply.kind === "answer" && reply.status >= 200 && reply.status < 300) return reply;
    // Only who named something can be told that it is still the same.
    const isAwaited = Object.keys(conditions).length > 0;
    if (reply.kind === "answer" && reply.status === notModified && isAwaited) return reply;

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
    const { message, cause, isLate, isOfProxy } = reply;
    return new RemoteError("board", "unreachable", `${message}.`, {
      cause,
      detail: isLate === true ? "slow" : isOfProxy === true ? "proxy" : undefined,
    });
  }
  const { status, headers } = reply;
  if (reply.kind === "answer") {
    const body = await readBody(reply, limits, excerpt);
    const said = quoteAnswer(body, excerpt, reply.via);
    const isPage = body.kind === "unreadable" && body.detail === "page";
    const isLimit = isLimited(reply, body);
    return explainRefusal({ url, status, headers, said, isLimit, isPage, now: clock.now() }, excerpt);
  }
  if (status >= 300) {
    const said = "its explanation could not be read";
    const isLimit = isLimited(reply, { kind: "empty" });
    return explainRefusal({ url, status, headers, said, isLimit, isPage: false, now: clock.now() }, excerpt);
  }
  return reply.kind === "lost"
    ? new RemoteError("board", "unreadable", `${reply.message}.`, {
        cause: reply.cause,
        detail: reply.isLate === true ? "slow" : "cut",
      })
    : unreadable(url, { reason: describeOversize(limits), detail: "told" });
}
