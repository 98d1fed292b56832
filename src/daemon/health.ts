import type { HttpPart } from "./http.ts";
import type { Late } from "./readiness.ts";

/**
 * `GET /healthz` answers 200 while the loop is alive, `GET /readyz` once no project is late. Neither holds anything private.
 *
 * @param findLate - as of now.
 */
export function healthPart(findLate: () => readonly Late[]): HttpPart {
  return (server) => {
    server.get("/healthz", (_request, reply) => reply.send({ status: "ok" }));
    server.get("/readyz", (_request, reply) => {
      const reasons = findLate();
      if (reasons.length === 0) return reply.send({ status: "ready" });
      return reply.code(503).send({ status: "not ready", reasons });
    });
  };
}
