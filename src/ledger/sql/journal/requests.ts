import { type PersonRequest, type RequestId, type Requests, requestShape } from "../../orders.ts";
import { stored } from "../../stored.ts";
import type { Carrying, Queries } from "../columns/numbers.ts";
import { into, projectOf } from "../statements.ts";
import type { Plain } from "../store.ts";

export interface RequestColumns {
  id: RequestId;
  at: number;
  request: string;
}

export const readRequest = stored("requests.request", requestShape);

/** What people asked for and no run has finished yet. */
export function createRequests(on: Queries) {
  const { run, all, numbers } = on;
  return {
    *pending(project) {
      const found = yield* all<RequestColumns>`
        SELECT id, at, request FROM requests WHERE project = ${projectOf(project)} ORDER BY id`;
      return found.map(({ id, at, request }) => ({ ...readRequest(request), project, at, id }));
    },
    newest: () => all<Pick<PersonRequest, "project" | "id" | "at">>`
      SELECT board_projects.id AS project, requests.id AS id, requests.at AS at
      FROM requests JOIN board_projects ON board_projects.number = requests.project
      WHERE requests.id = (SELECT max(newest.id) FROM requests AS newest WHERE newest.project = requests.project)
      ORDER BY requests.project`,
    changes: {
      *"add-request"({ request: { project: id, at, ...request } }) {
        const project = yield* numbers.project(id);
        yield* run`${into("requests", { project, at, request })}`;
      },
      "end-request": ({ request }) => run`DELETE FROM requests WHERE id = ${request}`,
    },
  } satisfies Plain<Requests> & Carrying;
}
