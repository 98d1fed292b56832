import { RemoteError } from "../../../errors.ts";
import type { Log } from "../../../log.ts";
import type { Clock, Random, ReadBounds } from "../../../model/surroundings.ts";
import { isPage, refuseAnswer } from "./answers.ts";
import type { Answer, Send } from "./client.ts";
import { at, type Endpoint } from "./endpoints.ts";
import { budgetOfQueries, type Gate, readRetryAfter } from "./limits.ts";
import { resolveOnOrigin } from "./links.ts";
import { TransportFailure } from "./network.ts";
import type { Quote } from "./words.ts";

const redirectLimit = 3;
const firstDelayMs = 1_000;
/** A longer wait is better spent by ending the run and coming back. */
const longestWaitMs = 60_000;

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
export interface ReadAnswer extends Answer {
  readonly isRedirected: boolean;
  /** Whose limits it counted against. */
  readonly budget: string;
}

/**
 * Sends a GET, or a query of GraphQL, again where it failed for the moment, and follows redirects on the same origin.
 *
 * @throws RemoteError when there is no answer below 500.
 */
export type Read = (request: ReadRequest, bounds: ReadBounds) => Promise<ReadAnswer>;

export interface ReaderOptions {
  readonly send: Send;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly quote: Quote;
  /** How often a read is repeated. */
  readonly retries: number;
  /** Whose limits hold here. */
  readonly budget: string;
}

/** See `Read`. */
export function createReader(options: ReaderOptions): Read {
  return async (request, bounds) => {
    let answer = await readWithRetries(options, request, bounds);
    for (let hops = 0; isRedirect(answer); hops += 1) {
      if (hops === redirectLimit) {
        throw new RemoteError("tracker", "unreadable", `GitHub redirects ${request.subject} in circles.`);
      }
      const address = resolveOnOrigin(String(answer.headers["location"] || "//"), answer.url, options.quote);
      options.log.info(
        { from: options.quote(answer.url), to: options.quote(address) },
        "GitHub redirects a read: something was renamed or transferred",
      );
      answer = await readWithRetries(options, { ...request, ...addressed(address) }, bounds);
      answer = { ...answer, isRedirected: true };
    }
    return answer;
  };
}

/** The parts of a request that asks for a whole URL as it is. Octokit would take a colon or a brace in a bare URL for a placeholder. */
export function addressed(address: string): Pick<ReadRequest, "endpoint" | "parameters"> {
  return { endpoint: at("GET {+address}"), parameters: { address } };
}

/** What one attempt came to, when it is worth another one: the error if there is none, and when it makes sense. */
interface Setback {
  readonly error: RemoteError | TooHeavyError;
  readonly notBefore: number | undefined;
}

async function readWithRetries(
  options: ReaderOptions,
  request: ReadRequest,
  bounds: ReadBounds,
): Promise<ReadAnswer> {
  const { clock, random, retries } = options;
  for (let attempt = 0; ; attempt += 1) {
    refuseToStart(options, request, bounds);
    const result = await attemptRead(options, request, bounds);
    if (!("error" in result)) return { ...result, isRedirected: false, budget: options.budget };
    const isLeft = request.isDivisible === true && result.error instanceof TooHeavyError;
    const now = clock.now();
    const jittered = firstDelayMs * 2 ** attempt * (0.5 + random() / 2);
    // A named time is never undercut: clocks that wake up early would break it, so a moment is added.
    const delayMs = result.notBefore === undefined ? jittered : result.notBefore - now + 50 + random() * 450;
    const isTooLong = (result.notBefore ?? now) - now > longestWaitMs;
    if (attempt >= retries || isTooLong || now + delayMs >= bounds.until) throw result.error;
    await clock.sleep(delayMs, bounds.signal);
    if (isLeft) throw result.error;
  }
}

async function attemptRead(
  options: ReaderOptions,
  request: ReadRequest,
  bounds: ReadBounds,
): Promise<Answer | Setback> {
  const { gate, quote, clock } = options;
  const { subject, isDivisible: _, ...rest } = request;
  const answer = await options
    .send({ ...rest, signal: bounds.signal, isRead: true })
    .catch((error: unknown) => failSignIn(error));
  if ("error" in answer) return answer;
  if (answer instanceof TransportFailure) return failRead(answer, subject);
  const retryAt = gate.observe(answer);
  if (retryAt !== undefined) {
    return { error: limited(options, retryAt), notBefore: retryAt };
  }
  if (answer.status < 300 && isPage(answer)) throw refuseAnswer(answer, subject, quote);
  if (answer.status < 500) return answer;
  const notBefore = readRetryAfter(answer, clock.now());
  const error = refuseAnswer(answer, subject, quote, notBefore);
  // One that asks for a pause is not about how much was asked for.
  const isHeavy = heavyStatuses.has(answer.status) && notBefore === undefined;
  return { error: isHeavy ? tooHeavy(error) : error, notBefore };
}

/** GitHub ends what takes longer than ten seconds with one of these. */
const heavyStatuses: ReadonlySet<number> = new Set([502, 504]);

/** The same error, as one that asking for less may end. */
export function tooHeavy({ side, fault, message, cause, detail }: RemoteError): TooHeavyError {
  return new TooHeavyError(side, fault, message, { cause, detail });
}

/** @throws RemoteError when another attempt can't help. */
function failRead(failure: TransportFailure, subject: string): Setback {
  if (failure.kind === "aborted") throw stopped(subject, failure);
  const message = `GitHub could not be read (${subject}): ${failure.message}.`;
  if (failure.kind === "oversized")
    throw new RemoteError("tracker", "unreadable", message, { cause: failure });
  const error = new RemoteError("tracker", "unreachable", message, {
    cause: failure,
    detail: failure.kind === "timeout" ? "slow" : failure.isOfProxy ? "proxy" : undefined,
    // What gets no answer, or half of one, may be this request alone.
    concerns: failure.kind === "unsent" ? "all" : "asked",
  });
  return { error: failure.kind === "timeout" ? tooHeavy(error) : error, notBefore: undefined };
}

/** Without a token nothing was asked; one that could not be had for the moment may come with the next attempt. */
function failSignIn(error: unknown): Setback {
  if (error instanceof RemoteError && error.fault === "unreachable") return { error, notBefore: undefined };
  throw error;
}

function refuseToStart(options: ReaderOptions, request: ReadRequest, bounds: ReadBounds): void {
  if (bounds.signal.aborted) throw stopped(request.subject);
  if (options.clock.now() >= bounds.until) {
    throw new RemoteError("tracker", "aborted", `No time is left in this run to read ${request.subject}.`);
  }
  const retryAt = options.gate.closedUntil();
  if (retryAt !== undefined) throw limited(options, retryAt);
}

function stopped(subject: string, cause?: TransportFailure): RemoteError {
  return new RemoteError("tracker", "aborted", `The run was stopped while reading ${subject}.`, { cause });
}

function limited({ gate, budget }: ReaderOptions, retryAt: number): RemoteError {
  const isOfQueries = gate.isOfQueries?.() === true;
  const which = isOfQueries ? "limit for GraphQL" : "limit";
  const time = new Date(retryAt).toISOString();
  return new RemoteError(
    "tracker",
    "limited",
    `GitHub's ${which} is reached; nothing is asked before ${time}.`,
    { retryAt, budget: isOfQueries ? budgetOfQueries(budget) : budget },
  );
}

function isRedirect(answer: Answer): boolean {
  return [301, 302, 307, 308].includes(answer.status);
}
