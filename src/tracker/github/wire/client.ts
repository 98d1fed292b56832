import { Octokit } from "@octokit/rest";
import type { NoAnswer, Sender } from "../../../http/send.ts";
import type { Log } from "../../../log.ts";
import type { Clock } from "../../../model/surroundings.ts";
import { readInstant } from "../../../model/time.ts";
import { isObject } from "./shapes.ts";
import { createOctokitFetch, lost, NoAnswerError, type ServerClock } from "./transport.ts";
import type { Quote } from "./words.ts";

type Answering = ReturnType<Octokit["request"]>;

/** What is asked of GitHub: a method of Octokit's, such as `({ rest }) => rest.issues.create`. */
export type Endpoint = (octokit: Octokit) => (parameters: never) => Answering;

/** A method of Octokit's with the parameters that GitHub describes for it. */
export function call<Parameters>(
  endpoint: (octokit: Octokit) => (parameters?: Parameters) => Answering,
  parameters: { readonly [Name in keyof Parameters]: Parameters[Name] | undefined },
): { readonly endpoint: Endpoint; readonly parameters: Readonly<Record<string, unknown>> } {
  return { endpoint, parameters };
}

/** Method and URL template of what Octokit has no method for, such as addresses by a repository's id. */
export function at(route: string): Endpoint {
  return (octokit) => (parameters: Readonly<Record<string, unknown>>) => octokit.request(route, parameters);
}

/** An answer of any status. Header names are in lower case. */
export interface ClientAnswer {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: unknown;
  /** Of a 401: after how many milliseconds another attempt may be accepted, by another token; undefined where none is. */
  readonly againAfterMs?: number;
}

/** One request. */
export interface ClientRequest {
  readonly endpoint: Endpoint;
  /** Those of its address; the others are query or body. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** It changes nothing: where its token is refused, it is sent again with the next one. */
  readonly isRead?: boolean;
}

/**
 * Sends a request once. Where there is no answer, it says what is known.
 *
 * @throws RemoteError when there is nothing to sign it with: then it has not left.
 */
export type Send = (request: ClientRequest) => Promise<ClientAnswer | NoAnswer>;

/** How often a read is sent again because its token was refused: once for a new one, once for one that is not known everywhere yet. */
const refusalLimit = 2;

/** What leads to a server, whoever signs. */
export interface ConnectionOptions {
  readonly url: string;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly serverClock: ServerClock;
  readonly version: ApiVersion;
  readonly log: Log;
  readonly quote: Quote;
}

/**
 * Octokit without a plugin that repeats or delays: https://github.com/octokit/plugin-retry.js sends a POST four times
 * on a 502. An answer of any status is a value here, and the library's errors end here: they hold the request.
 */
export function createClient(options: ConnectionOptions, credential: Credential): Send {
  const octokit = createOctokit(options);
  const sendOnce = async ({ endpoint, parameters, headers, signal }: ClientRequest) => {
    const authorization = await credential.authorize(signal);
    const answer = await ask(() =>
      // They fit: `call` has looked.
      endpoint(octokit)({
        ...parameters,
        headers: {
          accept: "application/vnd.github+json",
          ...options.version.headers(),
          ...headers,
          authorization,
        },
        request: signal === undefined ? {} : { signal },
      } as never),
    );
    if ("kind" in answer) return answer;
    credential.note?.(answer);
    if (answer.status !== 401) return answer;
    const againAfterMs = credential.refuse(authorization);
    return againAfterMs === undefined ? answer : { ...answer, againAfterMs };
  };
  return async (request) => {
    for (let refusals = 0; ; refusals += 1) {
      const answer = await sendOnce(request);
      if (request.isRead !== true || refusals === refusalLimit || "kind" in answer) return answer;
      if (options.version.isRefusedBy(answer)) continue;
      if (answer.againAfterMs === undefined) return answer;
      await options.clock.sleep(answer.againAfterMs, request.signal);
    }
  };
}

/** Octokit on our way over the wire, which knows no one: what a request is signed with is a header of its own. */
export function createOctokit(options: ConnectionOptions): Octokit {
  const log = createOctokitLog(options.log, options.quote);
  return new Octokit({
    baseUrl: options.url,
    userAgent: "boardsync",
    log,
    // The request library has a log of its own, which is the console unless it is named here.
    request: { fetch: createOctokitFetch(options.sender, options.serverClock), log },
  });
}

async function ask(work: () => Answering): Promise<ClientAnswer | NoAnswer> {
  try {
    return await work();
  } catch (error) {
    return readFailure(error);
  }
}

/** The answer inside Octokit's error, which it throws from 304 and 400 on; without one what is known instead. */
export function readFailure(error: unknown): ClientAnswer | NoAnswer {
  if (error instanceof Error && "response" in error && isObject(error.response)) {
    // Octokit's RequestError keeps the answer as its request function would have returned it.
    return error.response as unknown as ClientAnswer;
  }
  if (error instanceof Error && error.cause instanceof NoAnswerError) return error.cause.reply;
  // Octokit itself failed, on a Content-Type or a body that it can't take; the answer is lost with it.
  return lost("gave an answer that could not be read");
}

/** Octokit's own log lines hold request bodies, so nothing passes but the first deprecation notice. */
function createOctokitLog(log: Log, quote: Quote) {
  let isSaid = false;
  const drop = () => {};
  const warn = (message: string) => {
    if (!isSaid) log.warn({ notice: quote(message) }, "GitHub announces that an endpoint will go away");
    isSaid = true;
  };
  return { debug: drop, info: drop, warn, error: drop };
}

/** What requests are signed with. One client has one; an App has one for itself and one for each installation. */
export interface Credential {
  /**
   * What `authorization` says in the request that leaves next.
   *
   * @throws RemoteError when there is nothing to sign with; the request has not left then, for certain.
   */
  authorize(signal: AbortSignal | undefined): Promise<string>;
  /**
   * The server did not accept it (401, so nothing was done). Gives the milliseconds after which the next one may be another,
   * or may be known everywhere; undefined where asking again makes no sense.
   */
  refuse(authorization: string): number | undefined;
  /** Whether issues may be written, where the credential itself tells; undefined, or left out, where only the repository does. */
  mayWriteIssues?(): boolean | undefined;
  /** What no text may show. */
  secrets(): readonly string[];
  /** Looks at every answer. Left out where nothing of it concerns the credential. */
  note?(answer: ClientAnswer): void;
  /** See `Tracker.credentialEnds`; left out where it is renewed by itself. */
  ends?(): number | null | undefined;
}

/** A personal access token: there is one, and it stays until it ends. */
export function createTokenCredential(token: string): Credential {
  let endsAt: number | null | undefined;
  return {
    note(answer) {
      // Of a refused token, and of an answer that is another server's, nothing is told.
      if (answer.status < 400) endsAt = readEnd(answer) ?? (endsAt === undefined ? null : endsAt);
    },
    ends: () => endsAt,
    authorize: () => Promise.resolve(`token ${token}`),
    refuse: () => undefined,
    secrets: () => [token],
  };
}

/**
 * When the token ends, as GitHub's header has it: `2026-12-01 10:00:00 UTC`, or with `+0200` in place of the name.
 * https://docs.github.com/en/rest/authentication/token-expiration-and-revocation
 */
function readEnd({ headers }: ClientAnswer): number | undefined {
  const at = readInstant(headers["github-authentication-token-expiration"]);
  return Number.isNaN(at) ? undefined : at;
}

const version = "2022-11-28";

/** Which version of the API is asked for. An unversioned client would be moved to another one the day this is retired. */
export type ApiVersion = ReturnType<typeof createApiVersion>;

/** See `ApiVersion`. An Enterprise Server may know other versions than github.com. */
export function createApiVersion(log: Log) {
  let isKnown = true;
  return {
    headers: (): Record<string, string> => (isKnown ? { "x-github-api-version": version } : {}),
    /** Looks at an answer; true when the server does not know the version, so that it is asked for no more. */
    isRefusedBy({ status, data }: ClientAnswer): boolean {
      const words = isObject(data) ? String(data["message"]) : "";
      if (!isKnown || status !== 400 || !/\bapi version\b/i.test(words)) return false;
      isKnown = false;
      const message = "The server does not know this version of GitHub's API; it is asked without naming one";
      log.warn({ version }, message);
      return true;
    },
  };
}
