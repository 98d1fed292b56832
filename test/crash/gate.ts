import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Stands between the program and both sides, numbers every request, and can stop the world at any of them. */

export type Side = "board" | "tracker";

/** A request as it came by. */
export interface Passed {
  readonly side: Side;
  readonly method: string;
  /** Without query. */
  readonly path: string;
}

/** Where the world stops: when a request has come in whole, or when its answer is about to go out. */
export interface Stop {
  /** Which requests count; without it all do. */
  readonly of?: (request: Passed) => boolean;
  /** The how-manieth of them, from 1. */
  readonly at: number;
  readonly when: "before" | "after";
  /** What happens meanwhile. Then the request goes on, or is dropped where the answer is `drop`. */
  readonly act: () => Promise<"drop" | "pass">;
}

export interface Gate {
  /** Where the program reaches each side: the origin. */
  readonly origins: Readonly<Record<Side, string>>;
  /** Every request since the last `mark`, oldest first. */
  readonly passed: readonly Passed[];
  /** Forgets the requests so far. */
  mark(): void;
  /** Stops once; requests are counted from now. */
  stopAt(stop: Stop): void;
  /** Resolves once no request is on its way: what the dead have sent has arrived. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

/** Whether a request may change something: the program asks GraphQL for facts only. */
export function isWrite({ method, path }: Passed): boolean {
  return method !== "GET" && path !== "/graphql";
}

const toolsPath = "/api/mcp";

/** Opens a gate before the two sides, given by their origins. `tools`: of the board's own tools, which stand on its origin for the program. */
export async function openGate(upstream: Readonly<Record<Side, string> & { tools?: string }>): Promise<Gate> {
  const passed: Passed[] = [];
  const underWay = new Set<Promise<void>>();
  let armed: { readonly stop: Stop; seen: number } | undefined;

  const meets = (request: Passed): Stop | undefined => {
    if (armed === undefined || armed.stop.of?.(request) === false) return undefined;
    armed.seen += 1;
    if (armed.seen !== armed.stop.at) return undefined;
    const { stop } = armed;
    armed = undefined;
    return stop;
  };

  const pass = async (side: Side, incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = await readBody(incoming);
    const { method = "", url = "" } = incoming;
    const request = { side, method, path: url.split("?", 1)[0] ?? "" };
    passed.push(request);
    const stop = meets(request);
    if (stop?.when === "before" && (await stop.act()) === "drop") return void response.destroy();
    const origin = request.path === toolsPath ? upstream.tools : undefined;
    const answer = await forward(`${origin ?? upstream[side]}${url}`, incoming, sent);
    if (stop?.when === "after" && (await stop.act()) === "drop") return void response.destroy();
    const text = answer.body.toString().replaceAll(upstream[side], origins[side]);
    const { "content-length": _, "transfer-encoding": __, ...headers } = answer.headers;
    for (const name of ["link", "location"] as const) {
      if (headers[name] === undefined) continue;
      headers[name] = String(headers[name]).replaceAll(upstream[side], origins[side]);
    }
    response.writeHead(answer.status, headers).end(text);
  };

  const servers = (["board", "tracker"] as const).map((side) => {
    const server = createServer((incoming, response) => {
      const passing = pass(side, incoming, response).catch(() => void response.destroy());
      underWay.add(passing);
      void passing.finally(() => underWay.delete(passing));
    });
    return { side, server };
  });
  for (const { server } of servers) {
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  }
  const [board = "", tracker = ""] = servers.map(
    // A server that listens on a TCP port has no other kind of address.
    ({ server }) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
  const origins = { board, tracker };

  return {
    origins,
    passed,
    mark() {
      passed.length = 0;
    },
    stopAt(stop) {
      armed = { stop, seen: 0 };
    },
    async quiet() {
      // What a dead process has sent may still lie in a socket: one turn of the event loop reads it.
      for (let turn = 0; turn < 2; turn += 1) await nextTurn();
      while (underWay.size > 0) await Promise.all(underWay);
    },
    async close() {
      for (const { server } of servers) {
        const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
        server.closeAllConnections();
        await closed;
      }
    },
  };
}

/** All of a request or an answer. */
export async function readBody(from: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of from) chunks.push(chunk);
  return Buffer.concat(chunks);
}

interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** Sends a request on as it came, and resolves to the answer. */
export function forward(
  url: string,
  { method, headers }: Pick<IncomingMessage, "method" | "headers">,
  body: Buffer | string,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = sendRequest(url, { method, headers }, (answer) => {
      readBody(answer).then(
        (read) => resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: read }),
        reject,
      );
    });
    sent.once("error", reject);
    sent.end(body);
  });
}
