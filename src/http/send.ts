import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Dispatcher } from "undici";
import { type Clock, startDeadline, type Traffic } from "../model/surroundings.ts";
import { blameProxy, openConnections, type ProxySettings, type Way } from "./connections.ts";

export interface Call {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** It changes nothing, whatever its method; left out, only a GET is a read. */
  readonly isRead?: boolean;
  readonly signal?: AbortSignal | undefined;
  /**
   * Asked with each piece of a body as it comes, unpacked or not: whether the answer is whole with it, though the server has not ended
   * it. Nothing more is read then.
   */
  readonly isWhole?: ((headers: Head["headers"], piece: Uint8Array) => boolean) | undefined;
}

/** How an answer begins; header names are in lower case. The status is 0 while not even this has arrived. */
interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A whole answer. Its body is unpacked, unless it came in a coding that was not asked for: then the headers still name that. */
export interface Answer extends Head {
  readonly kind: "answer";
  readonly body: Uint8Array;
  /** The proxy that may have answered in the server's place. */
  readonly via?: string;
}

/** Why there is no whole answer. */
export interface NoAnswer extends Head {
  readonly kind:
    | "unsent" // no byte left, and none will: no connection, no name, no TLS, or the deadline came first
    | "lost" // it left, and no whole answer came back, or one that can't be unpacked
    | "oversized" // the answer is larger than the limit; the rest was not read
    | "aborted"; // the caller's signal ended it
  /**
   * What went wrong, to follow a word for who was asked, such as "did not answer within 50 ms". It is made of our words and an error
   * code: the text of a library's error may quote what it was given.
   */
  readonly message: string;
  /** Set where the deadline ended it, and where a proxy did not let it through. */
  readonly detail?: "slow" | "proxy";
}

/** What became of one request. The difference that matters is whether any byte of it can have left. */
export type Reply = Answer | NoAnswer;

/** Sends one request once and waits for the end of its answer. Never rejects, follows no redirect, repeats nothing. */
export type Send = (call: Call) => Promise<Reply>;

export interface Sender extends Traffic {
  readonly send: Send;
  /** How often `send` was called. */
  readonly requests: number;
}

export interface SenderOptions {
  readonly proxy: ProxySettings;
  /** Deadline of one request, from the look-up of the name to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Bytes of one body, before and after it is unpacked; 32 MiB by default. */
  readonly bodyBytes?: number;
}

const mebibyte = 1024 * 1024;

/** Makes the one way over the wire. @throws ConfigError where a proxy has no address. */
export function createSender(options: SenderOptions): Sender {
  const { proxy, timeoutMs, clock, bodyBytes = 32 * mebibyte } = options;
  const connections = openConnections(proxy, timeoutMs);
  let requests = 0;
  const answers = new Map<string, number>();
  return {
    async send(call) {
      requests += 1;
      const way = connections(call.url, call.isRead ?? call.method === "GET");
      const reply = await unpack(await sendOnce(way, call, { timeoutMs, clock, bodyBytes }), bodyBytes);
      const code = reply.status === 0 ? "none" : String(reply.status);
      answers.set(code, (answers.get(code) ?? 0) + 1);
      return reply;
    },
    get requests() {
      return requests;
    },
    answers,
  };
}

function sendOnce(
  { dispatcher, proxy }: Way,
  call: Call,
  { timeoutMs, clock, bodyBytes }: Required<Omit<SenderOptions, "proxy">>,
): Promise<Reply> {
  const on = proxy === undefined ? "" : `, on the way through ${proxy}`;
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
    const fail = (kind: NoAnswer["kind"], message: string, detail?: NoAnswer["detail"]) =>
      finish({ kind, message, ...(detail && { detail }), ...head });
    const finishWhole = () => {
      const via = call.url.protocol === "http:" && proxy !== undefined && { via: proxy };
      finish({ kind: "answer", ...head, body: Buffer.concat(chunks), ...via });
    };
    const kindNow = () => (controller === undefined ? "unsent" : "lost");
    const stop = () => controller?.abort(new Error("boardsync ended this request"));
    const abort = () => {
      fail("aborted", "gave no answer before boardsync was stopped");
      stop();
    };
    const callOff = startDeadline(clock, timeoutMs, () => {
      const late = head.status === 0 ? "did not answer" : "did not end its answer";
      fail(kindNow(), `${late} within ${timeoutMs} ms${on}`, "slow");
      stop();
    });
    call.signal?.addEventListener("abort", abort, { once: true });

    const { origin, pathname, search } = call.url;
    const { method, body = null } = call;
    dispatcher.dispatch(
      {
        origin,
        path: `${pathname}${search}`,
        method,
        body,
        headers: { "accept-encoding": "gzip, identity", ...call.headers },
      },
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
          if (received > bodyBytes) {
            fail("oversized", describeOversize(bodyBytes));
            stop();
            return;
          }
          chunks.push(chunk);
          if (call.isWhole?.(head.headers, chunk) !== true) return;
          finishWhole();
          stop();
        },
        onResponseEnd: finishWhole,
        onResponseError(_controller, error) {
          const blame = proxy === undefined ? undefined : blameProxy(error, call.url.host);
          if (blame === undefined) fail(kindNow(), `${describeFailure(error, head.status !== 0)}${on}`);
          else fail("unsent", `could not be asked: ${proxy} ${blame}`, "proxy");
        },
      },
    );
    if (call.signal?.aborted === true) abort();
  });
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
  UND_ERR_HEADERS_OVERFLOW: "answered with more headers than are read",
  ERR_SSL_WRONG_VERSION_NUMBER: "speaks no TLS there",
  ERR_TLS_CERT_ALTNAME_INVALID: "has a certificate of another name",
  CERT_HAS_EXPIRED: "has a certificate that has expired by this machine's clock",
};

function describeFailure(error: Error, hasBegun: boolean): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  // The server's own alerts, which are called ERR_SSL_…, may be about a certificate of ours.
  const untrusted =
    /^(?!ERR_SSL_).*(CERT|VERIFY)/.test(code) && "has a certificate that this machine does not trust";
  const unread = error.name === "HTTPParserError" && "answered with what is no HTTP";
  const other = untrusted || unread || "could not be reached";
  const what = hasBegun ? "cut its answer off" : (failures[code] ?? other);
  return `${what} (${code})`;
}

function describeOversize(bytes: number): string {
  const size = bytes < mebibyte ? `${Math.floor(bytes / 1024)} KiB` : `${bytes / mebibyte} MiB`;
  return `answered with a body of more than ${size}`;
}

/** The coding that a body is still packed in. */
export function packingOf({ headers, body }: Answer): string | undefined {
  const coding = (headers["content-encoding"] ?? "identity").trim().toLowerCase();
  return body.length === 0 || coding === "identity" || coding === "" ? undefined : coding;
}

const unzip = promisify(gunzip);

/** The limit holds for what comes out, so a zip bomb stops at it. */
async function unpack(reply: Reply, bodyBytes: number): Promise<Reply> {
  if (reply.kind !== "answer" || !/^(?:x-)?gzip$/.test(packingOf(reply) ?? "")) return reply;
  const { "content-encoding": _, ...headers } = reply.headers;
  try {
    return { ...reply, headers, body: await unzip(reply.body, { maxOutputLength: bodyBytes }) };
  } catch (error) {
    const isOversized = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    const [kind, message] = isOversized
      ? (["oversized", describeOversize(bodyBytes)] as const)
      : (["lost", "answered with a gzip body that is broken or cut off"] as const);
    return { kind, message, status: reply.status, headers };
  }
}
