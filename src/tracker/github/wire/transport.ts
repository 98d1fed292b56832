import { type NoAnswer, packingOf, type Sender } from "../../../http/send.ts";
import type { Clock } from "../../../model/surroundings.ts";
import { readInstant } from "../../../model/time.ts";

/** A header of ours in answers that came through a proxy of plain HTTP: what it is called. */
export const viaHeader = "boardsync-via";

/** What Octokit hands to its fetch; `signal` is the caller's, there for reads only. */
interface OctokitInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Carries a reply that is no answer through Octokit, which knows answers and errors alone. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
  readonly reply: NoAnswer;

  constructor(reply: NoAnswer) {
    super(reply.message);
    this.reply = reply;
  }
}

/** An answer that came, and is of no use. */
export function lost(message: string): NoAnswer {
  return { kind: "lost", message, status: 0, headers: {} };
}

/**
 * Octokit's requests by the one way over the wire. Never a redirect: the fetch standard turns a POST into a GET on 301, which
 * would answer 200 with a list while nothing was created. Given to Octokit as its fetch; it rejects with a `NoAnswerError` and
 * nothing else.
 *
 * @param serverClock - told the time of every answer.
 */
export function createOctokitFetch({ send }: Pick<Sender, "send">, serverClock: ServerClock) {
  return async (address: string, init: OctokitInit) => {
    const url = new URL(address);
    // A query of GraphQL is a POST that changes nothing.
    const isQuery = init.method === "POST" && url.pathname.endsWith("/graphql");
    const isRead = init.method === "GET" || isQuery;
    const { method, headers, body, signal } = init;
    const reply = await send({ url, isRead, method, headers, body, signal });
    serverClock.observe(reply.headers["date"]);
    if (reply.kind !== "answer") throw new NoAnswerError(reply);
    if (packingOf(reply) !== undefined)
      throw new NoAnswerError(lost("answered with a compressed body that was not asked for"));
    // Octokit hands nothing on of an answer but its headers.
    const via: [string, string][] = reply.via === undefined ? [] : [[viaHeader, reply.via]];
    return {
      url: address,
      status: reply.status,
      // What Octokit uses of an answer; the body has arrived completely.
      headers: new Map([...Object.entries(reply.headers), ...via]),
      text: () => Promise.resolve(new TextDecoder().decode(reply.body)),
      arrayBuffer: () => Promise.resolve(new Uint8Array(reply.body).buffer),
    };
  };
}

/**
 * The clock of the server, as its answers tell it: what it signs and accepts holds by its own time. A `Date` has whole seconds, so what
 * lies between the clocks is known to about one.
 */
export type ServerClock = ReturnType<typeof createServerClock>;

/** See `ServerClock`. */
export function createServerClock(clock: Pick<Clock, "now">) {
  let aheadMs = 0;
  return {
    /** Epoch ms; ours before the first answer. */
    now: () => clock.now() + aheadMs,
    /** Takes the time of an answer's `Date` header. */
    observe(date: string | number | undefined): void {
      const told = readInstant(date);
      if (!Number.isNaN(told)) aheadMs = told - clock.now();
    },
  };
}
