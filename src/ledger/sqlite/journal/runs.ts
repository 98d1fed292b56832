import { z } from "zod";
import { dayMs } from "../../../model/time.ts";
import type { FoundRun, Runs, StoredRun } from "../../runs.ts";
import { stored } from "../../stored.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Plain } from "../file/plain.ts";
import { createSignReader } from "../file/sign.ts";
import type { Store } from "../file/store.ts";

interface RunColumns {
  run: number;
  startedAt: number;
  finishedAt: number;
  result: StoredRun["result"];
}

const readOffer = stored("meta.value", () => z.object({ print: z.string(), until: z.number() }));
/** Whoever shows a report looks at what it holds: another version may have written it. */
const readReport = stored("run_projects.report", () => z.looseObject({}));

/** Runs and signs of life. */
export function createRuns(
  store: Store,
  rewind: (now: number) => number,
): Plain<Runs> & Carrying<"finish-run" | "beat" | "offer-page"> {
  const insertRun = store.prepare<[number]>("INSERT INTO runs (started_at) VALUES (?)");
  const finishRun = store.prepare<[{ run: number; at: number; result: string }]>(
    "UPDATE runs SET finished_at = @at, result = @result WHERE number = @run AND finished_at IS NULL",
  );
  const insertReport = store.prepare<[{ run: number; position: number; project: string; report: string }]>(`
    INSERT INTO run_projects (run, position, project, report) VALUES (@run, @position, @project, @report)`);
  const columns = "runs.number AS run, started_at AS startedAt, finished_at AS finishedAt, result";
  const selectLast = store.prepare<[], RunColumns>(
    `SELECT ${columns} FROM runs WHERE finished_at IS NOT NULL ORDER BY runs.number DESC LIMIT 1`,
  );
  const selectReports = store.prepare<[number], { report: string }>(
    "SELECT report FROM run_projects WHERE run = ? ORDER BY position",
  );
  const selectLastOf = store.prepare<[string], RunColumns & { report: string }>(`
    SELECT ${columns}, report FROM run_projects JOIN runs ON runs.number = run_projects.run
    WHERE project = ? ORDER BY run_projects.run DESC LIMIT 1`);
  const selectRun = store.prepare<[number], RunColumns & Pick<FoundRun, "before" | "after">>(`
    SELECT ${columns},
      (SELECT MAX(number) FROM runs AS other WHERE other.number < runs.number AND other.finished_at IS NOT NULL) AS before,
      (SELECT MIN(number) FROM runs AS other WHERE other.number > runs.number AND other.finished_at IS NOT NULL) AS after
    FROM runs WHERE number = ? AND finished_at IS NOT NULL`);
  const selectProjects = store.prepare<[number], { project: string; report: string }>(
    "SELECT project, report FROM run_projects WHERE run = ? ORDER BY position",
  );
  const writeBeat = store.prepare<[string]>(
    "INSERT OR REPLACE INTO meta (key, value) VALUES ('heartbeat', ?)",
  );
  const writeOffer = store.prepare<[string]>("INSERT OR REPLACE INTO meta (key, value) VALUES ('page', ?)");
  const selectOffer = store.prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'page'");
  const deleteOffer = store.prepare<[]>("DELETE FROM meta WHERE key = 'page'");
  const forgetForms = store.prepare<[number]>("DELETE FROM used_forms WHERE until < ?");
  const insertForm = store.prepare<[string, number]>(
    "INSERT INTO used_forms (print, until) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );
  return {
    begin: (at) =>
      store.transaction(() => {
        const aheadMs = rewind(at);
        return { run: insertRun.insert(at), aheadMs };
      }),
    last: (project) =>
      store.read(() => {
        if (project !== undefined) {
          const found = selectLastOf.get(project);
          return found && { ...found, report: readReport(found.report) };
        }
        const found = selectLast.get();
        return (
          found && { ...found, report: selectReports.all(found.run).map(({ report }) => readReport(report)) }
        );
      }),
    find: (run) =>
      store.read(() => {
        const found = selectRun.get(run);
        return (
          found && {
            ...found,
            projects: selectProjects
              .all(run)
              .map(({ project, report }) => ({ project, report: readReport(report) })),
          }
        );
      }),
    takePage: (print, now) =>
      store.transaction(() => {
        const found = selectOffer.get();
        const offer = found && readOffer(found.value);
        if (offer?.print !== print) return false;
        deleteOffer.run();
        return now < offer.until;
      }),
    useForm: (print, until, now) =>
      store.transaction(() => {
        // A day later than need be: a clock may be set back.
        forgetForms.run(now - dayMs);
        return insertForm.run(print, until) === 1;
      }),
    heartbeat: createSignReader(store),
    replicas: () => [],
    changes: {
      "finish-run": ({ run, record: { finishedAt, result, projects } }) => {
        if (finishRun.run({ run, at: finishedAt, result }) === 0) throw new Error(`Run ${run} is not open.`);
        for (const [position, { project, report }] of projects.entries()) {
          insertReport.run({ run, position, project, report: JSON.stringify(report) });
        }
      },
      beat: ({ sign }) => {
        writeBeat.run(JSON.stringify(sign));
      },
      "offer-page": ({ print, until }) => {
        writeOffer.run(JSON.stringify({ print, until }));
      },
    },
  };
}
