import type { ServerResponse } from "node:http";

/** HTTP on loopback, as both sides of the sandbox speak it. */

/** What is sent back. A body that is text goes out as a web page, anything else as JSON; without one there is no content. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * What the client gets. `cut`: the head and half of the body, then the connection ends. `half`: the same with a length that
 * fits, so that only its text shows it. `reset`: not a byte. `hang`: nothing, until the connection ends.
 */
export type Reply =
  | { readonly kind: "whole" | "cut" | "half"; readonly answer: Answer }
  | { readonly kind: "reset" }
  | { readonly kind: "hang" };

/** A body as it was meant: the text as it came where that is no JSON; undefined without one. */
export function parseBody(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Sends a reply; `jsonType` is how the side calls its JSON. */
export function sendReply(response: ServerResponse, reply: Reply, jsonType: string): void {
  if (reply.kind === "hang") return;
  if (reply.kind === "reset") return void response.socket?.resetAndDestroy();
  const { status, headers, body } = reply.answer;
  const isText = typeof body === "string";
  const text = isText ? body : JSON.stringify(body ?? null);
  const type = { "content-type": isText ? "text/html; charset=utf-8" : jsonType };
  if (reply.kind === "whole") {
    response.writeHead(status, body === undefined ? headers : { ...type, ...headers });
    response.end(body === undefined ? undefined : text);
    return;
  }
  const bytes = Buffer.from(text);
  const half = bytes.subarray(0, bytes.length >> 1);
  const length = reply.kind === "cut" ? bytes.length : half.length;
  response.writeHead(status, { ...type, ...headers, "content-length": String(length) });
  // What is cut ends with the connection, in order and behind the bytes: a reset may overtake them.
  if (reply.kind === "cut") response.write(half, () => response.destroy());
  else response.end(half);
}
