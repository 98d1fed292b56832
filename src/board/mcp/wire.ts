import type { FetchLike } from "@modelcontextprotocol/client";
import type { Answer, Call, Reply, Sender } from "../../http/send.ts";
import { isObject, readKey } from "../http/answer/access.ts";
import { type Body, readBody } from "../http/answer/body.ts";
import type { Excerpt } from "../http/answer/wording.ts";

/** What is under way, and how it may be sent. */
export interface Operation {
  /** It changes nothing: the connection may be an old one, and the signal ends it. */
  readonly isRead: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The last exchange that brought no message for us. */
export interface Failure {
  readonly reply: Reply;
  readonly body: Body;
}

/** The protocol's way over the wire: what its client takes for `fetch`. One operation at a time. */
export type Wire = ReturnType<typeof createWire>;

interface WireOptions {
  readonly url: URL;
  /** What every request says of who asks: the key is among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sender: Sender;
  readonly excerpt: Excerpt;
}

/**
 * Carries what the client says, each message once and by our own sender: its deadline, its limit of size, no redirect, and the key
 * for no other origin. Of an answer the client gets the one message that answers its own, as plain JSON: it has no stream to wait
 * for or to take up again, and an answer to anything else is no answer. A tool that writes is called once, whatever the client wants.
 */
export function createWire({ url: server, headers, sender, excerpt }: WireOptions) {
  let operation: Operation = { isRead: true };
  let failure: Failure | undefined;
  let calls = 0;
  const carry = async (url: URL, init: RequestInit): Promise<Response> => {
    // A stream for what the server might want to tell by itself: nobody listens.
    if ((init.method ?? "GET") !== "POST") return new Response(null, { status: 405 });
    if (url.href !== server.href) throw new Error("Only the address of the config is asked.");
    const body = String(init.body);
    const message: unknown = JSON.parse(body);
    if (readKey(message, "method") === "tools/call") calls += 1;
    if (!operation.isRead && calls > 1) throw new Error("A tool that writes is called once.");
    const { isRead, signal } = operation;
    const own = Object.fromEntries(new Headers(init.headers));
    const id = readKey(message, "id");
    const reply = await sender.send({
      method: "POST",
      url,
      // What is packed can't be looked at before its end.
      headers: { "accept-encoding": "identity", ...own, ...headers },
      body,
      isRead,
      signal,
      isWhole: findEnd(id, excerpt),
    });
    const read = readReply(reply, id, excerpt);
    if ("response" in read) return read.response;
    failure = { reply, body: read.body };
    // Of a refusal the client looks at the status: an older server refuses the newer handshake.
    if (reply.kind === "answer" && reply.status >= 400)
      return new Response(read.body.kind === "json" ? JSON.stringify(read.body.value) : "", {
        status: reply.status,
      });
    throw new Error("There was no answer that could be used.");
  };
  const fetch: FetchLike = (url, init = {}) => carry(new URL(url), init);
  return {
    fetch,
    /** Forgets the failure of the one before. */
    begin(begun: Operation): void {
      operation = begun;
      failure = undefined;
      calls = 0;
    },
    /** Why the operation that was begun last has failed, where that was an exchange. */
    failure: (): Failure | undefined => failure,
  };
}

function readReply(
  reply: Reply,
  id: unknown,
  excerpt: Excerpt,
): { readonly response: Response } | { readonly body: Body } {
  if (reply.kind !== "answer") return { body: { kind: "empty" } };
  const session = reply.headers["mcp-session-id"];
  const headers = session === undefined ? {} : { "mcp-session-id": session };
  const isDone = reply.status >= 200 && reply.status < 300;
  if (isDone && id === undefined) return { response: new Response(null, { status: 202, headers }) };
  const bodies = bodiesOf(reply, excerpt);
  for (const body of isDone ? bodies : []) {
    const message = findMessage(body, id);
    if (message !== undefined) return { response: Response.json(message, { headers }) };
  }
  return { body: bodies[0] ?? { kind: "empty" } };
}

/** The message that answers ours. An error that names no message answers the only one that was sent. */
function findMessage(body: Body, id: unknown): unknown {
  const value = body.kind === "json" ? body.value : undefined;
  for (const message of Array.isArray(value) ? value : [value]) {
    if (!isObject(message) || readKey(message, "method") !== undefined) continue;
    if (message["id"] === id) return message;
    if (isObject(message["error"]) && (message["id"] ?? null) === null) return { ...message, id };
  }
  return undefined;
}

/** The messages of an answer: its body, or what each event of a stream holds. */
function bodiesOf(answer: Answer, excerpt: Excerpt): readonly Body[] {
  if (!isStream(answer.headers)) return [readBody(answer, excerpt)];
  const events = new TextDecoder().decode(answer.body).split(betweenEvents);
  return events.slice(0, mostEvents).flatMap((event) => readEvent(event, answer, excerpt));
}

function isStream(headers: Answer["headers"]): boolean {
  return /^text\/event-stream/i.test(headers["content-type"] ?? "");
}

const betweenEvents = /(?:\r\n|\r(?!\n)|\n){2}/;
/** What a server may say before its answer. */
const mostEvents = 1000;

/** Nothing where it is a comment. */
function readEvent(event: string, answer: Answer, excerpt: Excerpt): readonly Body[] {
  const lines = event.split(/\r\n|\r|\n/).flatMap((line) => /^data: ?(.*)$/s.exec(line)?.[1] ?? []);
  if (lines.length === 0) return [];
  return [readBody({ ...answer, body: Buffer.from(lines.join("\n")) }, excerpt)];
}

/**
 * Finds the event that answers a message. A server should end its stream after it, and need not:
 * https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#sending-messages-to-the-server
 */
function findEnd(id: unknown, excerpt: Excerpt): Call["isWhole"] {
  const decoder = new TextDecoder();
  let rest = "";
  return (headers, piece) => {
    if (!isStream(headers)) return false;
    const text = decoder.decode(piece, { stream: true });
    // A long event comes in many pieces: only what is new is looked at.
    const isOpen = !betweenEvents.test(`${rest.slice(-3)}${text}`);
    rest += text;
    if (isOpen) return false;
    const events = rest.split(betweenEvents);
    rest = events.pop() ?? "";
    const answer = { kind: "answer", status: 200, headers, body: piece } as const;
    const bodies = events.flatMap((event) => readEvent(event, answer, excerpt));
    return bodies.some((body) => findMessage(body, id) !== undefined);
  };
}
