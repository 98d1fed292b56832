import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

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

/** An answer. A body that is text goes out as a web page, anything else as JSON; without one there is no content. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * What the client gets. `cut`: the head and half of the body, then the connection ends. `half`: the same with a length that
 * fits, so that only its text shows it. `reset`: not a byte.
 */
export type Reply =
  | { readonly kind: "whole" | "cut" | "half"; readonly answer: Answer }
  | { readonly kind: "reset" };

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
    send(response, await respond(request));
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${basePath}`,
    hangUp(secret) {
      for (const socket of callers.get(secret) ?? []) socket.destroy();
      callers.delete(secret);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readRequest(incoming: IncomingMessage, basePath: string): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://loopback");
  return {
    method: incoming.method ?? "",
    path: pathname.slice(basePath.length) || "/",
    query: searchParams,
    headers: incoming.headers,
    body: text === "" ? undefined : JSON.parse(text),
    secret: /^(?:bearer|token) (\S+)$/i.exec(incoming.headers.authorization ?? "")?.[1] ?? "",
  };
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply.kind === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  const { status, headers, body } = reply.answer;
  // The machine's own time has no place in a history.
  response.sendDate = false;
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const isPage = typeof body === "string";
  const bytes = Buffer.from(isPage ? body : JSON.stringify(body));
  const sent = reply.kind === "whole" ? bytes : bytes.subarray(0, bytes.length >> 1);
  const length = reply.kind === "cut" ? bytes.length : sent.length;
  const type = isPage ? "text/html; charset=utf-8" : "application/json; charset=utf-8";
  response.writeHead(status, { "content-type": type, ...headers, "content-length": length });
  // What is cut ends with the connection, in order and behind the bytes: a reset may overtake them.
  if (reply.kind === "cut") response.write(sent, () => response.destroy());
  else response.end(sent);
}
