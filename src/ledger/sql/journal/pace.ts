import { OutdatedError, type Side } from "../../../errors.ts";
import type { Backlog, Left, Pace, PacedWrite } from "../../journal.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import { upsert } from "../schema.ts";
import { type Columns, fromColumns, type Plain, type Store } from "../store.ts";

/** A line for each limit, each write of the last time, and each project and budget with something left. */
export function createPace(
  store: Store,
  numbers: Numbers,
): Plain<Pace> & Carrying<"limit" | "pace-write" | "note-backlog"> {
  const selectBacklogs = store.prepare<[], Backlog>(
    `SELECT budget, board_projects.id AS project, creates, others, created, at FROM backlogs
     JOIN board_projects ON board_projects.number = backlogs.project ORDER BY budget, backlogs.project`,
  );
  const write = store.prepare<[Left & { budget: string; project: number; at: number }]>(`
    INSERT INTO backlogs (budget, project, creates, others, created, since, at)
    VALUES (@budget, @project, @creates, @others, @created, @at, @at)
    ON CONFLICT (budget, project) DO UPDATE SET creates = excluded.creates, others = excluded.others,
      created = backlogs.created + excluded.created, at = excluded.at`);
  const remove = store.prepare<[string, number]>("DELETE FROM backlogs WHERE budget = ? AND project = ?");
  const selectWrites = store.prepare<[string, number], Columns<PacedWrite>>(
    `SELECT at, is_create AS "isCreate", id AS project FROM pace INDEXED BY pace_of_budget
     LEFT JOIN board_projects ON board_projects.number = pace.project
     WHERE budget = ? AND at >= ? ORDER BY at, pace.number`,
  );
  const insertWrite = store.prepare<
    [
      {
        at: number;
        isCreate: number;
        budget: string;
        project: number;
        /** How many writes the pace was reckoned from; undefined where it doesn't matter. */
        writes: number | undefined;
        since: number | undefined;
      },
    ]
  >(`
    INSERT INTO pace (at, is_create, budget, project) SELECT @at, @isCreate, @budget, @project
    WHERE @writes IS NULL OR @writes =
      (SELECT count(*) FROM pace INDEXED BY pace_of_budget WHERE budget = @budget AND at >= @since)`);
  const selectLimit = store.prepare<[Side, string], { until: number }>(
    "SELECT until FROM limits WHERE side = ? AND budget = ?",
  );
  const writeLimit = store.prepare<[{ side: Side; budget: string; until: number; at: number }]>(
    upsert("limits", ["side", "budget"]),
  );
  return {
    *limit(side, budget) {
      return (yield* selectLimit.get(side, budget))?.until;
    },
    *writes(since, budget) {
      return (yield* selectWrites.all(budget, since)).map(fromColumns);
    },
    backlogs: () => selectBacklogs.all(),
    changes: {
      limit: (change) => writeLimit.run(change),
      *"pace-write"({ at, isCreate, budget, project: id, seen }) {
        const project = yield* numbers.project(id);
        yield* insertWrite.some(() => new OutdatedError(`The pace of ${budget} is not what it was.`), {
          ...{ at, isCreate: Number(isCreate), budget, project },
          ...{ writes: seen?.writes, since: seen?.since },
        });
      },
      *"note-backlog"({ project: id, budget, left, at }) {
        const project = yield* numbers.project(id);
        if (left.creates + left.others > 0) yield* write.run({ budget, project, ...left, at });
        else yield* remove.run(budget, project);
      },
    },
  };
}
