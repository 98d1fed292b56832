import { OutdatedError } from "../../../errors.ts";
import type { Backlog, Pace, PacedWrite } from "../../journal.ts";
import type { Carrying, Queries } from "../columns/numbers.ts";
import { into } from "../statements.ts";
import type { Plain } from "../store.ts";

/** A line for each limit, each write of the last time, and each project and budget with something left. */
export function createPace(on: Queries) {
  const { run, some, get, all, upsert, numbers } = on;
  return {
    *limit(side, budget) {
      const found = yield* get<{ until: number }>`
        SELECT until FROM limits WHERE side = ${side} AND budget = ${budget}`;
      return found?.until;
    },
    writes: (since, budget) => all<PacedWrite>`
      SELECT at, is_create, id AS project FROM pace INDEXED BY pace_of_budget
      LEFT JOIN board_projects ON board_projects.number = pace.project
      WHERE budget = ${budget} AND at >= ${since} ORDER BY at, pace.number`,
    backlogs: () => all<Backlog>`
      SELECT budget, board_projects.id AS project, creates, others, created, at FROM backlogs
      JOIN board_projects ON board_projects.number = backlogs.project ORDER BY budget, backlogs.project`,
    changes: {
      limit: ({ side, budget, until, at }) =>
        upsert("limits", ["side", "budget"], { side, budget, until, at }),
      *"pace-write"({ at, isCreate, budget, project: id, seen }) {
        const project = yield* numbers.project(id);
        yield* some(() => new OutdatedError(`The pace of ${budget} is not what it was.`))`
          INSERT INTO pace (at, is_create, budget, project) SELECT ${at}, ${isCreate}, ${budget}, ${project}
          WHERE ${seen?.writes} IS NULL OR ${seen?.writes} =
            (SELECT count(*) FROM pace INDEXED BY pace_of_budget WHERE budget = ${budget} AND at >= ${seen?.since})`;
      },
      *"note-backlog"({ project: id, budget, left: { creates, others, created }, at }) {
        const project = yield* numbers.project(id);
        if (creates + others === 0)
          return yield* run`DELETE FROM backlogs WHERE budget = ${budget} AND project = ${project}`;
        yield* run`
          ${into("backlogs", { budget, project, creates, others, created, since: at, at })}
          ON CONFLICT (budget, project) DO UPDATE SET creates = excluded.creates, others = excluded.others,
            created = backlogs.created + excluded.created, at = excluded.at`;
      },
    },
  } satisfies Plain<Pace> & Carrying;
}
