import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from "fastify";
import { ConfigError, describeUnread, StateError } from "../errors.ts";
import type { Log } from "../log.ts";

/** The daemon's HTTP server, listening. */
export type HttpServer = Awaited<ReturnType<typeof serveHttp>>;

type Server = FastifyInstance["server"];

/** Where to listen. */
export interface HttpPlace {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** The setting that has the port; `http.port` where nobody says. */
  readonly setting?: "http.port" | "http.webhooksPort";
}

/** A part of what is served: adds its routes, and sees to it by itself who may use them. */
export type HttpPart = (server: FastifyInstance) => void;

/** By then a request has arrived, or its connection is cut. */
const requestTimeoutMs = 10_000;
const keepAliveTimeoutMs = 5000;
/** Enough for every monitor, proxy and person there is, and what one of them may have of it. */
const maxConnections = 256;
const maxConnectionsOfAddress = 128;
/** Whoever sends more over one connection comes again with a new one. */
const maxRequestsOfConnection = 100;

/**
 * The faults that are answered here. Node.js has such a table, too; but whoever imports `node:http` gets a second undici
 * with it, which takes 10 MB for as long as the daemon lives.
 */
const faults: Readonly<Record<number, string>> = {
  400: "bad request",
  404: "not found",
  405: "method not allowed",
  408: "request timeout",
  413: "payload too large",
  414: "uri too long",
  415: "unsupported media type",
  500: "internal server error",
};

/** What every answer carries, unless a part says otherwise. */
const usualHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/**
 * Serves the parts. What no part knows is answered with 404, and with 405 where another method would be right.
 *
 * @throws ConfigError when the address can't be listened on.
 */
export async function serveHttp(where: HttpPlace, log: Log, parts: readonly HttpPart[]) {
  const server = fastify({
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    forceCloseConnections: true,
    maxRequestsPerSocket: maxRequestsOfConnection,
    // Node.js looks for late requests every 30 s only.
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: 500 },
    frameworkErrors: answerNoRequest,
  });
  boundConnections(server.server);
  server.addHook("onRequest", (_request, reply, done) => {
    reply.headers(usualHeaders);
    done();
  });
  answerFaults(server, log);
  for (const part of parts) part(server);
  try {
    await server.listen({ host: where.host, port: where.port });
    return {
      /** `http://host:port`. */
      address: addressOf(server.server.address(), where),
      /** Stops listening and cuts every connection: one that a monitor keeps open must not hold up the end of the process. */
      close: (): Promise<void> => server.close(),
    };
  } catch (error) {
    await server.close();
    throw new ConfigError([explainListenFault(where, error)]);
  }
}

/** Where it listens: fastify would call every address of the machine its loopback. */
function addressOf(bound: ReturnType<Server["address"]>, { host, port }: HttpPlace): string {
  const at = typeof bound === "object" && bound !== null ? bound : { address: host, port };
  return `http://${at.address.includes(":") ? `[${at.address}]` : at.address}:${at.port}`;
}

/** One address must not take all connections, nor one connection all of the process's time. */
function boundConnections(server: Server): void {
  const open = new Map<string, number>();
  server.maxConnections = maxConnections;
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once("close", () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
    if (count > maxConnectionsOfAddress) socket.destroy();
  });
  server.on("dropRequest", (_request, socket) => socket.destroy());
}

/** An address that is none, and its like: no route, and no hook, has seen it. */
function answerNoRequest(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  const status = statusOf(error);
  void reply.code(status).headers(usualHeaders).send(describeStatus(status));
}

function answerFaults(server: FastifyInstance, log: Log): void {
  server.setNotFoundHandler((request, reply) => {
    const url = request.url.replace(/\?.*$/s, "");
    const allowed = (["GET", "HEAD", "POST"] as const).filter((method) => server.hasRoute({ method, url }));
    if (allowed.length === 0) return reply.code(404).send(describeStatus(404));
    return reply.code(405).header("allow", allowed.join(", ")).send(describeStatus(405));
  });
  server.setErrorHandler((error, request, reply) => {
    const status = statusOf(error);
    // The words of an error may hold anything: they are for the log.
    if (status >= 500)
      log.error({ route: request.routeOptions.url, err: error }, "A request could not be answered");
    if (error instanceof StateError) return reply.code(503).send({ status: describeUnread(error) });
    return reply.code(status).send(describeStatus(status));
  });
}

function statusOf(error: unknown): number {
  const status: unknown = Object(error).statusCode;
  return typeof status === "number" && status >= 400 && status < 500 ? status : 500;
}

/** `{ "status": "not found" }`. */
function describeStatus(status: number): object {
  return { status: faults[status] ?? String(status) };
}

function explainListenFault({ host, port, setting = "http.port" }: HttpPlace, error: unknown): string {
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  const remedy =
    code === "EADDRINUSE"
      ? `Another program has it: set ${setting} to a free one`
      : `Set http.host (or BOARDSYNC_HTTP_HOST) to an address of this machine, and ${setting} to a port that this user may open`;
  return `The daemon can't listen on ${place} (${code}). ${remedy}, or http: false.`;
}
