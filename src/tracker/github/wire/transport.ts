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

/** What Octokit uses of the answer of its fetch. The body has arrived completely. */
interface BufferedAnswer {
  readonly url: string;
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
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

/** Given to Octokit as its fetch. Rejects with a `NoAnswerError` and nothing else. */
export type OctokitFetch = (url: string, init: OctokitInit) => Promise<BufferedAnswer>;

/**
 * Octokit's requests by the one way over the wire. Never a redirect: the fetch standard turns a POST into a GET on 301, which
 * would answer 200 with a list while nothing was created.
 *
 * @param serverClock - told the time of every answer.
 */
export function createOctokitFetch({ send }: Pick<Sender, "send">, serverClock: ServerClock): OctokitFetch {
  return async (address, init) => {
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
      headers: new Map([...Object.entries(reply.headers), ...via]),
      text: () => Promise.resolve(new TextDecoder().decode(reply.body)),
      arrayBuffer: () => Promise.resolve(new Uint8Array(reply.body).buffer),
    };
  };
}

/** The clock of the server, as its answers tell it: what it signs and accepts holds by its own time. */
export interface ServerClock {
  /** Epoch ms; ours before the first answer. */
  now(): number;
  /** Takes the time of an answer's `Date` header. */
  observe(date: string | number | undefined): void;
}

/** See `ServerClock`. A `Date` has whole seconds, so what lies between the clocks is known to about one. */
export function createServerClock(clock: Pick<Clock, "now">): ServerClock {
  let aheadMs = 0;
  return {
    now: () => clock.now() + aheadMs,
    observe(date) {
      const told = readInstant(date);
      if (!Number.isNaN(told)) aheadMs = told - clock.now();
    },
  };
}
