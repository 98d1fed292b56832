import { OutdatedError, type Side } from "../../../errors.ts";
import type { ProjectId } from "../../../model/post.ts";
import type { Backlog, Left, Pace } from "../../journal.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import type { Plain, Store } from "../store.ts";

interface PacedColumns {
  at: number;
  is_create: number;
  project: ProjectId | null;
}

/** How many writes the pace was reckoned from; null where it doesn't matter. */
interface SeenWrites {
  writes: number | null;
  since: number | null;
}

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
  const selectWrites = store.prepare<[string, number], PacedColumns>(
    `SELECT at, is_create, id AS project FROM pace INDEXED BY pace_of_budget
     LEFT JOIN board_projects ON board_projects.number = pace.project
     WHERE budget = ? AND at >= ? ORDER BY at, pace.number`,
  );
  const insertWrite = store.prepare<
    [{ at: number; isCreate: number; budget: string; project: number } & SeenWrites]
  >(`
    INSERT INTO pace (at, is_create, budget, project) SELECT @at, @isCreate, @budget, @project
    WHERE @writes IS NULL OR @writes =
      (SELECT count(*) FROM pace INDEXED BY pace_of_budget WHERE budget = @budget AND at >= @since)`);
  const selectLimit = store.prepare<[Side, string], { until: number }>(
    "SELECT until FROM limits WHERE side = ? AND budget = ?",
  );
  const writeLimit = store.prepare<[Side, string, number, number]>(`
    INSERT INTO limits (side, budget, until, at) VALUES (?, ?, ?, ?)
    ON CONFLICT (side, budget) DO UPDATE SET until = excluded.until, at = excluded.at`);
  return {
    *limit(side, budget) {
      return (yield* selectLimit.get(side, budget))?.until;
    },
    *writes(since, budget) {
      return (yield* selectWrites.all(budget, since)).map(({ at, is_create, project }) => ({
        at,
        isCreate: is_create === 1,
        project: project ?? undefined,
      }));
    },
    backlogs: () => selectBacklogs.all(),
    changes: {
      limit: ({ side, budget, until, at }) => writeLimit.run(side, budget, until, at),
      *"pace-write"({ at, isCreate, budget, project: id, seen }) {
        const project = yield* numbers.project(id);
        const { writes = null, since = null } = seen ?? {};
        const write = { at, isCreate: Number(isCreate), budget, project, writes, since };
        yield* insertWrite.some(() => new OutdatedError(`The pace of ${budget} is not what it was.`), write);
      },
      *"note-backlog"({ project: id, budget, left, at }) {
        const project = yield* numbers.project(id);
        if (left.creates + left.others > 0) yield* write.run({ budget, project, ...left, at });
        else yield* remove.run(budget, project);
      },
    },
  };
}
