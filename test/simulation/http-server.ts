import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { listen, stop } from "../../src/demo/loopback.ts";
import { parseBody, type Reply, sendReply } from "../support/sandbox/loopback/loopback.ts";

/** A request as it arrived. */
export interface Request {
  readonly method: string;
  /** Below the base address, as it was sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  /** The parsed JSON; undefined without a body. */
  readonly body: unknown;
  /** What the client showed as its key or token: every process has its own. */
  readonly secret: string;
}

export interface Server {
  /** `http://127.0.0.1:…`, with the base path. */
  readonly url: string;
  /** Ends the connections over which a process spoke: it is over, and so are they. */
  hangUp(secret: string): void;
  /** Ends every connection. */
  close(): Promise<void>;
}

/**
 * A server on loopback. It never gives up on a connection by itself: what happens depends on the history alone, however
 * busy the machine is.
 */
export async function startServer(
  basePath: string,
  respond: (request: Request) => Promise<Reply>,
): Promise<Server> {
  const callers = new Map<string, Set<IncomingMessage["socket"]>>();
  const limits = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 };
  const server = createServer(limits, (incoming, response) => {
    void serve(incoming, response);
  });
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await readRequest(incoming, basePath);
    const sockets = callers.get(request.secret) ?? new Set();
    const { socket } = incoming;
    if (!sockets.has(socket)) socket.once("close", () => sockets.delete(socket));
    callers.set(request.secret, sockets.add(socket));
    const reply = await respond(request);
    // The machine's own time has no place in a history.
    response.sendDate = false;
    sendReply(response, reply, "application/json; charset=utf-8");
  };
  const origin = await listen(server);
  return {
    url: `${origin}${basePath}`,
    hangUp(secret) {
      for (const socket of callers.get(secret) ?? []) socket.destroy();
      callers.delete(secret);
    },
    close: () => stop(server),
  };
}

async function readRequest(incoming: IncomingMessage, basePath: string): Promise<Request> {
  const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://loopback");
  return {
    method: incoming.method ?? "",
    path: pathname.slice(basePath.length) || "/",
    query: searchParams,
    headers: incoming.headers,
    body: parseBody(await readText(incoming)),
    secret: /^(?:bearer|token) (\S+)$/i.exec(incoming.headers.authorization ?? "")?.[1] ?? "",
  };
}
