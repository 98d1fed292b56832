import { fastify } from "fastify";
import { ConfigError } from "../errors.ts";

export interface HttpServer {
  /** `http://host:port`. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * The daemon's HTTP: `GET /healthz` answers 200 while the loop is alive, and holds nothing private.
 *
 * @throws ConfigError when the address can't be listened on.
 */
export async function serveHttp(where: {
  readonly host: string;
  readonly port: number;
}): Promise<HttpServer> {
  const server = fastify({ bodyLimit: 1024 * 1024, requestTimeout: 10_000 });
  server.get("/healthz", () => ({ status: "ok" }));
  try {
    const address = await server.listen(where);
    return { address, close: () => server.close() };
  } catch (error) {
    await server.close();
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new ConfigError([
      `The daemon can't listen on ${where.host}:${where.port} (${reason}). Set http.port to a free one, or http: false.`,
    ]);
  }
}
