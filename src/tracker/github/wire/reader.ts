import { RemoteError } from "../../../errors.ts";
import { readRetryAfter } from "../../../http/headers.ts";
import { type Patience, repeatRead } from "../../../http/repeat.ts";
import type { NoAnswer } from "../../../http/send.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import { minuteMs } from "../../../model/time.ts";
import { isPage, refuseAnswer } from "./answers.ts";
import { at, type ClientAnswer, type Endpoint, type Send } from "./client.ts";
import { budgetOfQueries, type Gate } from "./limits.ts";
import type { Quote } from "./words.ts";

const redirects: ReadonlySet<number> = new Set([301, 302, 307, 308]);
const redirectLimit = 3;
/** A longer wait is better spent by ending the run and coming back. */
const patience = { firstPauseMs: 1_000, longestWaitMs: minuteMs };

/** What is read, and what it is called in a message. */
export interface ReadRequest {
  readonly endpoint: Endpoint;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Such as `acme/app`. */
  readonly subject: string;
  /** Less of it can be asked for: what is too heavy is not repeated as it is, but left to the caller. */
  readonly isDivisible?: boolean;
}

/** GitHub did not get done with what was asked for at once (502, 504, no answer in time): it may with less. */
export class TooHeavyError extends RemoteError {}

/** An answer that is neither a redirect nor a limit nor a failure of the server, and how it was reached. */
export interface ReadAnswer extends ClientAnswer {
  readonly isRedirected: boolean;
  /** Whose limits it counted against. */
  readonly budget: string;
}

/**
 * Sends a GET, or a query of GraphQL, again where it failed for the moment, and follows redirects on the same origin.
 *
 * @throws RemoteError when there is no answer below 500.
 */
export type Read = (request: ReadRequest) => Promise<ReadAnswer>;

export interface ReaderOptions extends Omit<Patience, keyof typeof patience> {
  readonly send: Send;
  readonly gate: Gate;
  readonly quote: Quote;
  /** Whose limits hold here. */
  readonly budget: string;
}

/** See `Read`; what is read goes by the bounds. */
export function createReader(options: ReaderOptions): (bounds: ReadBounds) => Read {
  const { send, gate, quote, budget, clock, log } = options;
  const limited = (retryAt: number): RemoteError => {
    const isOfQueries = gate.isOfQueries?.() === true;
    const which = isOfQueries ? "limit for GraphQL" : "limit";
    const message = `GitHub's ${which} is reached; nothing is asked before ${new Date(retryAt).toISOString()}.`;
    const of = isOfQueries ? budgetOfQueries(budget) : budget;
    return new RemoteError("tracker", "limited", message, { retryAt, budget: of });
  };
  const refuseToStart = (subject: string, { signal, until }: ReadBounds): void => {
    if (signal.aborted) throw stopped(subject);
    if (clock.now() >= until)
      throw new RemoteError("tracker", "aborted", `No time is left in this run to read ${subject}.`);
    const retryAt = gate.closedUntil();
    if (retryAt !== undefined) throw limited(retryAt);
  };
  /** Returns the error where another attempt may help, and throws it where none can. */
  const attemptRead = async (
    { subject, isDivisible: _, ...rest }: ReadRequest,
    signal: AbortSignal,
  ): Promise<ClientAnswer | RemoteError> => {
    // Without a token nothing was asked; one that could not be had for the moment may come with the next attempt.
    const answer = await send({ ...rest, signal, isRead: true }).catch((error: unknown) => {
      if (error instanceof RemoteError && error.fault === "unreachable") return error;
      throw error;
    });
    if (answer instanceof RemoteError) return answer;
    if ("kind" in answer) return failRead(answer, subject);
    const limitedUntil = gate.observe(answer);
    if (limitedUntil !== undefined) return limited(limitedUntil);
    if (answer.status < 300 && isPage(answer)) throw refuseAnswer(answer, subject, quote);
    if (answer.status < 500) return answer;
    const retryAt = readRetryAfter(answer.headers, clock.now());
    const error = refuseAnswer(answer, subject, quote, retryAt);
    // One that asks for a pause is not about how much was asked for.
    return heavyStatuses.has(answer.status) && retryAt === undefined ? tooHeavy(error) : error;
  };
  const readWithRetries = async (request: ReadRequest, bounds: ReadBounds): Promise<ClientAnswer> => {
    let heavy: TooHeavyError | undefined;
    const attempt = async (): Promise<ClientAnswer | RemoteError> => {
      if (heavy !== undefined) throw heavy;
      refuseToStart(request.subject, bounds);
      const result = await attemptRead(request, bounds.signal);
      if (request.isDivisible === true && result instanceof TooHeavyError) heavy = result;
      return result;
    };
    return repeatRead(attempt, { ...options, ...patience }, bounds);
  };
  return (bounds) => async (request) => {
    let answer = await readWithRetries(request, bounds);
    let hops = 0;
    for (; redirects.has(answer.status); hops += 1) {
      if (hops === redirectLimit) {
        throw new RemoteError("tracker", "unreadable", `GitHub redirects ${request.subject} in circles.`);
      }
      const address = resolveOnOrigin(String(answer.headers["location"] || "//"), answer.url, quote);
      log.info(
        { from: quote(answer.url), to: quote(address) },
        "GitHub redirects a read: something was renamed or transferred",
      );
      answer = await readWithRetries({ ...request, ...addressed(address) }, bounds);
    }
    return { ...answer, isRedirected: hops > 0, budget };
  };
}

/** The parts of a request that asks for a whole URL as it is. Octokit would take a colon or a brace in a bare URL for a placeholder. */
export function addressed(address: string): Pick<ReadRequest, "endpoint" | "parameters"> {
  return { endpoint: at("GET {+address}"), parameters: { address } };
}

/**
 * Resolves an address that an answer named, and refuses one on another origin: the token must not travel.
 *
 * @throws RemoteError `refused`, or `unreadable` for what is no address.
 */
export function resolveOnOrigin(address: string, base: string, quote: Quote): string {
  if (!URL.canParse(address, base)) {
    throw new RemoteError("tracker", "unreadable", "GitHub names a next page whose address can't be read.");
  }
  const url = new URL(address, base);
  if (url.origin === new URL(base).origin && url.username === "" && url.password === "") return url.href;
  throw new RemoteError(
    "tracker",
    "refused",
    `GitHub's answer leads to another server (${quote(url.host)}); it is not followed, so that the token stays here.`,
  );
}

/** Gives the answer back if it is a 200. @throws RemoteError */
export function requireOk(answer: ReadAnswer, { subject }: ReadRequest, quote: Quote): ReadAnswer {
  if (answer.status !== 200) throw refuseAnswer(answer, subject, quote);
  return answer;
}

/** GitHub ends what takes longer than ten seconds with one of these. */
const heavyStatuses: ReadonlySet<number> = new Set([502, 504]);

/** The same error, as one that asking for less may end. */
export function tooHeavy({ side, fault, message, cause, detail }: RemoteError): TooHeavyError {
  return new TooHeavyError(side, fault, message, { cause, detail });
}

/** @throws RemoteError when another attempt can't help. */
function failRead(reply: NoAnswer, subject: string): RemoteError {
  if (reply.kind === "aborted") throw stopped(subject);
  const message = `GitHub could not be read (${subject}): it ${reply.message}.`;
  if (reply.kind === "oversized") throw new RemoteError("tracker", "unreadable", message);
  const error = new RemoteError("tracker", "unreachable", message, {
    detail: reply.detail,
    // What gets no answer, or half of one, may be this request alone.
    concerns: reply.kind === "unsent" ? "all" : "asked",
  });
  return reply.kind === "lost" && reply.detail === "slow" ? tooHeavy(error) : error;
}

function stopped(subject: string): RemoteError {
  return new RemoteError("tracker", "aborted", `The run was stopped while reading ${subject}.`);
}
