import { describeUnread, StateError } from "../errors.ts";
import { describeState, type ReadProject } from "../sync/tell/project-state.ts";
import { beginSentence } from "../sync/tell/words.ts";
import type { HttpPart } from "./http.ts";
import type { MeasuredProject } from "./metrics.ts";
import { share } from "./share.ts";

/** A project that is late, and how it stands. */
export type LateProject = Pick<MeasuredProject, "key"> & Pick<ReadProject, "state">;

/**
 * `GET /healthz` answers 200 while the loop is alive, `GET /readyz` answers 200 once no project is late, else 503 with how
 * each late one stands, or that the state can't be read. Neither holds anything private.
 *
 * @param findLate - as of now.
 */
export function healthPart(findLate: () => Promise<readonly LateProject[]>): HttpPart {
  const findLateOnce = share(findLate);
  const findReasons = async (): Promise<readonly object[]> => {
    try {
      return (await findLateOnce()).map(({ key: project, state }) => {
        return { project, reason: `${beginSentence(describeState(state))}. \`boardsync status\` says more.` };
      });
    } catch (error) {
      if (error instanceof StateError) return [{ reason: `${describeUnread(error)}.` }];
      throw error;
    }
  };
  return (server) => {
    server.get("/healthz", (_request, reply) => reply.send({ status: "ok" }));
    server.get("/readyz", async (_request, reply) => {
      const reasons = await findReasons();
      if (reasons.length === 0) return reply.send({ status: "ready" });
      return reply.code(503).send({ status: "not ready", reasons });
    });
  };
}
