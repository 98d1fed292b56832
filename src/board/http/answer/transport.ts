import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { ConfigError } from "../../../errors.ts";
import { openConnections, type Way } from "../../../http/connections.ts";
import { blameProxy, type ProxySettings, showProxy } from "../../../http/proxies.ts";
import { type Clock, startDeadline, type Traffic } from "../../../model/surroundings.ts";
import { placeOf } from "./wording.ts";

export interface Call {
  readonly method: "GET" | "PATCH";
  readonly url: URL;
  /** JSON text of a PATCH. */
  readonly body?: string;
  /** Of a GET: the answer is wanted only if it is not what they name. */
  readonly conditions?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** How an answer begins; header names are in lower case. The status is 0 while not even this has arrived. */
interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A whole answer. */
export interface Answer extends Head {
  readonly kind: "answer";
  readonly body: Uint8Array;
  /** The proxy that may have answered in the board's place. */
  readonly via?: string;
}

/** Why there is no whole answer. */
interface Broken {
  readonly message: string;
  readonly cause?: unknown;
  /** Whether the deadline ended it. */
  readonly isLate?: boolean;
  /** Whether a proxy did not let it through. */
  readonly isOfProxy?: boolean;
}

/** What became of one request. The difference that matters is whether any byte of it can have left. */
export type Reply =
  | Answer
  /** No byte left: no connection, no name, no TLS, or the deadline came first. */
  | ({ readonly kind: "unsent" } & Broken)
  /** It left, and no whole answer came back. */
  | (Head & { readonly kind: "lost" } & Broken)
  /** The answer is larger than the limit; the rest was not read. */
  | (Head & { readonly kind: "oversized" })
  /** The caller's signal ended it. */
  | { readonly kind: "aborted" };

export interface Transport extends Traffic {
  /** Sends one request once and waits for the end of its answer. Never rejects, follows no redirect, repeats nothing. */
  send(call: Call): Promise<Reply>;
  /** How often `send` was called. */
  readonly requests: number;
}

export interface TransportOptions {
  readonly key: string;
  /** Version of boardsync, for the `User-Agent`. */
  readonly version: string;
  /** Deadline of one request, from the look-up of the name to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly proxy: ProxySettings;
  readonly bodyBytes: number;
}

/**
 * Makes the one place that talks to the board's network.
 *
 * @throws ConfigError when the key or a proxy can't be used at all.
 */
export function createTransport(options: TransportOptions): Transport {
  if (!/^[\x21-\x7e]+$/.test(options.key)) {
    throw new ConfigError(["The board's key is empty, or holds characters that an HTTP header can't carry."]);
  }
  const connections = openConnections(options.proxy, {
    // HTTP/1.1 only: a connection that carries several requests at once blurs which of them were sent.
    allowH2: false,
    // One overall deadline rules (see `sendOnce`); undici's own three would only blur it.
    connectTimeout: options.timeoutMs,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  let requests = 0;
  const answers = new Map<string, number>();
  return {
    async send(call) {
      requests += 1;
      const reply = await sendOnce(connections(call.url, call.method === "GET"), call, options);
      const code = "status" in reply && reply.status !== 0 ? String(reply.status) : "none";
      answers.set(code, (answers.get(code) ?? 0) + 1);
      return reply;
    },
    get requests() {
      return requests;
    },
    answers,
  };
}

function sendOnce({ dispatcher, proxy }: Way, call: Call, options: TransportOptions): Promise<Reply> {
  const shownProxy = proxy && showProxy(proxy);
  const on = shownProxy === undefined ? "" : `, on the way through ${shownProxy}`;
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let head: Head = { status: 0, headers: {} };
    const chunks: Buffer[] = [];
    let received = 0;

    const finish = (reply: Reply) => {
      if (isOver) return;
      isOver = true;
      callOff();
      call.signal?.removeEventListener("abort", abort);
      resolve(reply);
    };
    const fail = (message: string, isLate: boolean, cause?: unknown) => {
      if (controller === undefined) return finish({ kind: "unsent", message, isLate, cause });
      return finish({ kind: "lost", message, isLate, ...head, cause });
    };
    const stop = () => controller?.abort(new Error("boardsync ended this request"));
    const abort = () => {
      finish({ kind: "aborted" });
      stop();
    };
    const callOff = startDeadline(options.clock, options.timeoutMs, () => {
      const late = head.status === 0 ? "did not answer" : "did not end its answer";
      fail(`${placeOf(call.url)} ${late} within ${options.timeoutMs} ms${on}`, true);
      stop();
    });
    call.signal?.addEventListener("abort", abort, { once: true });

    const { origin, pathname, search } = call.url;
    const { method, body = null } = call;
    dispatcher.dispatch(
      { origin, path: `${pathname}${search}`, method, body, headers: headersOf(call, options) },
      {
        // Called with a connection in hand, right before the first byte is written. Until then nothing has left; after
        // the deadline nothing leaves any more; and nothing leaves a second time.
        onRequestStart(starting) {
          if (isOver || controller !== undefined) starting.abort(new Error("boardsync gave this request up"));
          controller = starting;
        },
        onResponseStart(_controller, status, headers) {
          head = { status, headers: flattenHeaders(headers) };
        },
        onResponseData(_controller, chunk) {
          received += chunk.length;
          if (received <= options.bodyBytes) {
            chunks.push(chunk);
          } else {
            finish({ kind: "oversized", ...head });
            stop();
          }
        },
        onResponseEnd() {
          const via = call.url.protocol === "http:" && shownProxy !== undefined && { via: shownProxy };
          finish({ kind: "answer", ...head, body: Buffer.concat(chunks), ...via });
        },
        onResponseError(_controller, error) {
          const blame = shownProxy === undefined ? undefined : blameProxy(error, call.url.host);
          if (blame === undefined)
            fail(`${describeFailure(call.url, error, head.status !== 0)}${on}`, false, error);
          else
            finish({
              kind: "unsent",
              message: `${placeOf(call.url)} could not be asked: ${shownProxy} ${blame}`,
              isOfProxy: true,
              cause: error,
            });
        },
      },
    );
    if (call.signal?.aborted === true) abort();
  });
}

function headersOf(call: Call, options: TransportOptions): Record<string, string> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${options.key}`,
    accept: "application/json",
    "accept-encoding": "gzip, identity",
    "user-agent": `boardsync/${options.version}`,
    ...call.conditions,
  };
  if (call.body !== undefined) headers["content-type"] = "application/json";
  return headers;
}

function flattenHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const flat: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat.push([name.toLowerCase(), Array.isArray(value) ? value.join(", ") : value]);
  }
  return Object.fromEntries(flat);
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused the connection",
  ENOTFOUND: "could not be found: the name is not known",
  EAI_AGAIN: "could not be found: the look-up of the name failed",
  ECONNRESET: "cut the connection",
  UND_ERR_SOCKET: "cut the connection",
};

/** One sentence about a failed connection, by its code: the text of a library's error may quote what it was given. */
function describeFailure(url: URL, error: Error, hasBegun: boolean): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const what = hasBegun ? "cut its answer off" : (failures[code] ?? "could not be reached");
  return `${placeOf(url)} ${what} (${code})`;
}
