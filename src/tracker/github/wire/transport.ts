import { ProxyError } from "../../../errors.ts";
import { type Clock, startDeadline, type Traffic } from "../../../model/surroundings.ts";
import { readInstant } from "../../../model/time.ts";
import { describeNetworkError, TransportFailure } from "./network.ts";

/** What is asked of the `fetch` that carries the requests. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly redirect: "manual";
  readonly signal: AbortSignal;
}

/** What is used of its answer; the fetch of Node.js and that of undici both give more. */
export interface FetchAnswer {
  readonly status: number;
  readonly headers: Iterable<[string, string]> & { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
  /** The proxy that may have answered in GitHub's place. */
  readonly via?: string;
}

/** A header of ours in answers that came through a proxy of plain HTTP: what it is called. */
export const viaHeader = "boardsync-via";

/** Sends one request. It follows no redirect, ends with the signal, and takes care of proxies. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

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
  readonly headers: FetchAnswer["headers"];
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

export interface Transport extends Traffic {
  /** Given to Octokit as its fetch. Rejects with a `TransportFailure` and nothing else. */
  send(url: string, init: OctokitInit): Promise<BufferedAnswer>;
  /** Requests sent so far. */
  readonly requests: number;
}

export interface TransportOptions {
  readonly fetch: Fetch;
  /** From the first byte sent to the last one read. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly bodyLimitBytes: number;
  /** Told the time of every answer. */
  readonly serverClock: ServerClock;
}

/**
 * One request, one deadline over head and body, a limit on the body, and never a redirect: the fetch standard turns a
 * POST into a GET on 301, which would answer 200 with a list while nothing was created.
 */
export function createTransport(options: TransportOptions): Transport {
  let requests = 0;
  const answers = new Map<string, number>();
  return {
    async send(url, init) {
      requests += 1;
      let code = "none";
      try {
        return await sendOnce(options, url, init, (status) => {
          code = String(status);
        });
      } finally {
        answers.set(code, (answers.get(code) ?? 0) + 1);
      }
    },
    get requests() {
      return requests;
    },
    answers,
  };
}

/** @param noteStatus - told it as soon as it is there, also of an answer whose body never ends. */
async function sendOnce(
  options: TransportOptions,
  url: string,
  init: OctokitInit,
  noteStatus: (status: number) => void,
): Promise<BufferedAnswer> {
  const { clock, timeoutMs } = options;
  // A controller of its own for each request leaves nothing behind on the run's signal, as AbortSignal.any() may.
  const controller = new AbortController();
  const onAbort = () => controller.abort(new TransportFailure("aborted", "the run was stopped"));
  const callOff = startDeadline(clock, timeoutMs, () =>
    controller.abort(new TransportFailure("timeout", `no answer within ${timeoutMs} ms`)),
  );
  init.signal?.addEventListener("abort", onAbort, { once: true });
  if (init.signal?.aborted) onAbort();
  try {
    const answer = await options.fetch(url, {
      method: init.method,
      headers: init.headers,
      ...(init.body === undefined ? {} : { body: init.body }),
      redirect: "manual",
      signal: controller.signal,
    });
    noteStatus(answer.status);
    options.serverClock.observe(answer.headers.get("date") ?? undefined);
    const bytes = await readBody(answer.body, options.bodyLimitBytes);
    return {
      url,
      status: answer.status,
      // Octokit hands nothing on of an answer but its headers.
      headers:
        answer.via === undefined ? answer.headers : new Headers([...answer.headers, [viaHeader, answer.via]]),
      text: () => Promise.resolve(new TextDecoder().decode(bytes)),
      arrayBuffer: () => Promise.resolve(bytes.buffer),
    };
  } catch (error) {
    const { reason } = controller.signal;
    if (reason instanceof TransportFailure && error instanceof ProxyError && reason.kind === "timeout")
      throw new TransportFailure("timeout", `${reason.message}, on the way through ${error.message}`);
    if (reason instanceof TransportFailure) throw reason;
    throw error instanceof TransportFailure ? error : describeNetworkError(error);
  } finally {
    callOff();
    init.signal?.removeEventListener("abort", onAbort);
  }
}

async function readBody(body: FetchAnswer["body"], limitBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream, so that the rest is never read.
    if (size > limitBytes) {
      throw new TransportFailure("oversized", `the answer is larger than ${limitBytes} bytes`);
    }
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
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
