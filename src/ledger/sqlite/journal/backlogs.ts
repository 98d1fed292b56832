import type { ProjectId } from "../../../model/post.ts";
import type { Backlog, Backlogs } from "../../backlogs.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import type { Store } from "../file/store.ts";

interface NewColumns {
  budget: string;
  project: number;
  creates: number;
  others: number;
  created: number;
  at: number;
}

/** A line for each project and budget with something left. */
export function createBacklogs(store: Store, numbers: Numbers): Backlogs & Carrying<"note-backlog"> {
  const columns = `budget, board_projects.id AS project, creates, others, created, since, at`;
  const joined = "backlogs JOIN board_projects ON board_projects.number = backlogs.project";
  const selectOfBudget = store.prepare<[string], Backlog>(
    `SELECT ${columns} FROM ${joined} WHERE budget = ? ORDER BY backlogs.project`,
  );
  const selectOfProject = store.prepare<[ProjectId], Backlog>(
    `SELECT ${columns} FROM ${joined} WHERE board_projects.id = ? ORDER BY budget`,
  );
  const write = store.prepare<[NewColumns]>(`
    INSERT INTO backlogs (budget, project, creates, others, created, since, at)
    VALUES (@budget, @project, @creates, @others, @created, @at, @at)
    ON CONFLICT (budget, project) DO UPDATE SET creates = excluded.creates, others = excluded.others,
      created = created + excluded.created, at = excluded.at`);
  const remove = store.prepare<[string, number]>("DELETE FROM backlogs WHERE budget = ? AND project = ?");
  return {
    of: (whose) =>
      "budget" in whose ? selectOfBudget.all(whose.budget) : selectOfProject.all(whose.project),
    changes: {
      "note-backlog": ({ project: id, budget, left, at }) => {
        const project = numbers.project(id);
        if (left.creates + left.others > 0) write.run({ budget, project, ...left, at });
        else remove.run(budget, project);
      },
    },
  };
}
