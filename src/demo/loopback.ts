import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

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

/** How a side is served. */
export interface ServeOptions {
  /** Epoch ms. A server's times are of one clock, so each answer's date is, too. */
  readonly now: () => number;
  /** A port, where a stable address matters; any free one where it is undefined. */
  readonly port: number | undefined;
  /** What a request gets; undefined leaves it without an answer for as long as it waits. */
  readonly answer: (asked: DemoRequest) => DemoAnswer | undefined;
}

/** Serves one side on 127.0.0.1; `origin` is `http://127.0.0.1:PORT`. */
export async function serve({ now, port, answer }: ServeOptions) {
  const server = createServer((incoming, response) => {
    text(incoming)
      .then((body) => {
        const given = answerTo(incoming, body, answer);
        if (given === undefined) return;
        const { status, headers } = given;
        const type = given.body === undefined ? {} : { "content-type": "application/json; charset=utf-8" };
        response.writeHead(status, { date: new Date(now()).toUTCString(), ...type, ...headers });
        response.end(given.body === undefined ? undefined : JSON.stringify(given.body));
      })
      .catch(() => response.destroy());
  });
  const origin = await listen(server, port);
  return { origin, close: () => stop(server) };
}

function answerTo(
  { method = "", url = "/", headers }: IncomingMessage,
  given: string,
  answer: ServeOptions["answer"],
): DemoAnswer | undefined {
  const [path = "", search] = url.split("?", 2);
  const body = parseObject(given);
  if (body === undefined) return { status: 400, body: { message: "Problems parsing JSON" } };
  return answer({ method, path, query: new URLSearchParams(search), headers, body });
}

function parseObject(given: string): DemoRequest["body"] | undefined {
  try {
    const parsed: unknown = JSON.parse(given || "{}");
    return typeof parsed === "object" && !Array.isArray(parsed) ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
}

/** Lets a server listen on 127.0.0.1, on any free port without one, and resolves to its origin. */
export async function listen(server: Server, port = 0): Promise<string> {
  await once(server.listen(port, "127.0.0.1"), "listening");
  // A server that listens on a host and port always has an address with a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends a server and every connection, those left hanging included. */
export async function stop(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
