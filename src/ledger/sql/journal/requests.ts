import { type PersonRequest, type RequestId, type Requests, requestShape } from "../../orders.ts";
import { stored } from "../../stored.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import { insertInto } from "../schema.ts";
import type { Plain, Store } from "../store.ts";

export interface RequestColumns {
  id: RequestId;
  at: number;
  request: string;
}

export const readRequest = stored("requests.request", requestShape);

/** What people asked for and no run has finished yet. */
export function createRequests(
  store: Store,
  numbers: Numbers,
): Plain<Requests> & Carrying<"add-request" | "end-request"> {
  const insert = store.prepare<[{ project: number; at: number; request: string }]>(insertInto("requests"));
  const select = store.prepare<[number], RequestColumns>(
    "SELECT id, at, request FROM requests WHERE project = ? ORDER BY id",
  );
  const selectNewest = store.prepare<[], Pick<PersonRequest, "project" | "id" | "at">>(`
    SELECT board_projects.id AS project, requests.id AS id, requests.at AS at
    FROM requests JOIN board_projects ON board_projects.number = requests.project
    WHERE requests.id = (SELECT max(newest.id) FROM requests AS newest WHERE newest.project = requests.project)
    ORDER BY requests.project`);
  const remove = store.prepare<[number]>("DELETE FROM requests WHERE id = ?");
  return {
    *pending(project) {
      const found = yield* select.all(yield* numbers.findProject(project));
      return found.map(({ id, at, request }) => ({ ...readRequest(request), project, at, id }));
    },
    newest: () => selectNewest.all(),
    changes: {
      *"add-request"({ request: { project, at, ...request } }) {
        yield* insert.run({ project: yield* numbers.project(project), at, request: JSON.stringify(request) });
      },
      "end-request": ({ request }) => remove.run(request),
    },
  };
}
