import { fastify } from "fastify";
import { ConfigError } from "../errors.ts";

/** The daemon's HTTP server, listening. */
export interface HttpServer {
  /** `http://host:port`. */
  readonly address: string;
  /** Stops listening and cuts every connection: one that a monitor keeps open must not hold up the end of the process. */
  close(): Promise<void>;
}

/** Where to listen. */
export interface HttpPlace {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/**
 * The daemon's HTTP: `GET /healthz` answers 200 while the loop is alive, and holds nothing private.
 *
 * @throws ConfigError when the address can't be listened on.
 */
export async function serveHttp(where: HttpPlace): Promise<HttpServer> {
  const server = fastify({ bodyLimit: 1024 * 1024, requestTimeout: 10_000, forceCloseConnections: true });
  server.get("/healthz", (_request, reply) =>
    reply.header("cache-control", "no-store").send({ status: "ok" }),
  );
  server.setNotFoundHandler((_request, reply) => reply.code(404).send({ status: "not found" }));
  try {
    const address = await server.listen({ host: where.host, port: where.port });
    return { address, close: () => server.close() };
  } catch (error) {
    await server.close();
    throw new ConfigError([explainListenFault(where, error)]);
  }
}

function explainListenFault({ host, port }: HttpPlace, error: unknown): string {
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  const remedy =
    code === "EADDRINUSE"
      ? "Another program has it: set http.port to a free one"
      : "Set http.host (or BOARDSYNC_HTTP_HOST) to an address of this machine, and http.port to a port that this user may open";
  return `The daemon can't listen on ${place} (${code}). ${remedy}, or http: false.`;
}
