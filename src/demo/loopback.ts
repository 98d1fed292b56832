import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** HTTP on loopback, as both sides of the demo speak it. */

/** A request as it came in. */
export interface DemoRequest {
  readonly method: string;
  /** Still encoded, without query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The JSON object of the body; empty without one. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What is sent back. The body goes out as JSON; without one there is no content. */
export interface DemoAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A server that is up. */
export interface Served {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  close(): Promise<void>;
}

/** How a side is served. */
export interface ServeOptions {
  /** Epoch ms. A server's times are of one clock, so each answer's date is, too. */
  readonly now: () => number;
  /** A port, where a stable address matters; any free one where it is undefined. */
  readonly port: number | undefined;
  /** What a request gets; undefined leaves it without an answer for as long as it waits. */
  readonly answer: (asked: DemoRequest) => DemoAnswer | undefined;
}

/** Serves one side on 127.0.0.1. */
export async function serve({ now, port, answer }: ServeOptions): Promise<Served> {
  const server = createServer((incoming, response) => {
    readText(incoming)
      .then((text) => {
        const given = answerTo(incoming, text, answer);
        if (given === undefined) return;
        const { status, headers, body } = given;
        const type = body === undefined ? {} : { "content-type": "application/json; charset=utf-8" };
        response.writeHead(status, { date: new Date(now()).toUTCString(), ...type, ...headers });
        response.end(body === undefined ? undefined : JSON.stringify(body));
      })
      .catch(() => response.destroy());
  });
  const origin = await listen(server, port);
  return { origin, close: () => stop(server) };
}

function answerTo(
  incoming: IncomingMessage,
  text: string,
  answer: ServeOptions["answer"],
): DemoAnswer | undefined {
  const { method = "", url = "/", headers } = incoming;
  const [path = "", search] = url.split("?", 2);
  const body = parseObject(text);
  if (body === undefined) return { status: 400, body: { message: "Problems parsing JSON" } };
  return answer({ method, path, query: new URLSearchParams(search), headers, body });
}

function parseObject(text: string): DemoRequest["body"] | undefined {
  if (text === "") return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? { ...parsed }
      : undefined;
  } catch {
    return undefined;
  }
}

const maxRequestBytes = 4 * 1024 * 1024;

/** The body of a request. It throws for one that is larger than any of ours. */
export async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes > maxRequestBytes) throw new Error("The request is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Lets a server listen on 127.0.0.1, on any free port without one, and resolves to its origin. */
export function listen(server: Server, port = 0): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      // A server that listens on a host and port always has an address with a port.
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
  });
}

/** Ends a server and every connection, those left hanging included. */
export function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
