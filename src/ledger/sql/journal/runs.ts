import { hash } from "node:crypto";
import { z } from "zod";
import { dayMs } from "../../../model/time.ts";
import type { FoundRun, Runs, StoredRun } from "../../orders.ts";
import { toSign } from "../../sign.ts";
import { stored } from "../../stored.ts";
import type { Carrying } from "../columns/numbers.ts";
import { into, type Statements, sql } from "../statements.ts";
import { type Asked, answer, numberOf, type Plain } from "../store.ts";
import type { Meta } from "./meta.ts";

type RunColumns = Omit<StoredRun, "report">;

const readOffer = stored("meta.value", () => z.object({ print: z.string(), until: z.number() }));
/** Whoever shows a report looks at what it holds: another version may have written it. */
const readReport = stored("run_projects.report", () => z.looseObject({}));

/** Runs and signs of life. */
export function createRuns(on: Statements, meta: Meta, rewind: (now: number) => Asked<number>) {
  const { run, some, count, get, all } = on;
  const columns = sql`runs.number AS run, started_at, finished_at, result`;
  return {
    begin: (at) =>
      on.transaction(function* () {
        const aheadMs = yield* rewind(at);
        const begun = yield* get<{ number: number }>`
          INSERT INTO runs (started_at) VALUES (${at}) RETURNING number`;
        return { run: numberOf(begun), aheadMs };
      }),
    *last(projects) {
      const wanted = [projects].flat();
      const found = yield* get<RunColumns & { report: string }>`
        SELECT ${columns}, report FROM runs JOIN run_projects ON run_projects.run = runs.number
        WHERE runs.number = (SELECT max((SELECT max(run) FROM run_projects WHERE project = one.value))
            FROM EACH TEXT ${wanted} AS one)
          AND project IN (SELECT one.value FROM EACH TEXT ${wanted} AS one)
        ORDER BY position LIMIT 1`;
      return found && { ...found, report: readReport(found.report) };
    },
    *firstAt(project) {
      const found = yield* get<{ at: number }>`
        SELECT started_at AS at FROM runs
        WHERE number = (SELECT min(run) FROM run_projects WHERE project = ${project})`;
      return found?.at;
    },
    *lastOfAll() {
      const found = yield* get<{ run: number }>`
        SELECT number AS run FROM runs WHERE finished_at IS NOT NULL ORDER BY number DESC LIMIT 1`;
      return found?.run;
    },
    find: (number) =>
      on.read(function* (): Asked<FoundRun | undefined> {
        const found = yield* get<RunColumns & { before?: number; after?: number }>`
          SELECT ${columns},
            (SELECT MAX(number) FROM runs AS other WHERE other.number < runs.number AND other.finished_at IS NOT NULL)
              AS before,
            (SELECT MIN(number) FROM runs AS other WHERE other.number > runs.number AND other.finished_at IS NOT NULL)
              AS after
          FROM runs WHERE number = ${number} AND finished_at IS NOT NULL`;
        if (found === undefined) return undefined;
        const reports = yield* all<{ project: string; report: string }>`
          SELECT project, report FROM run_projects WHERE run = ${number} ORDER BY position`;
        return {
          ...found,
          before: found.before ?? null,
          after: found.after ?? null,
          projects: reports.map(({ project, report }) => ({ project, report: readReport(report) })),
        };
      }),
    takePage: (print, now) =>
      on.transaction(function* () {
        const found = yield* meta.read("page");
        const offer = found === undefined ? undefined : readOffer(found);
        if (offer?.print !== print) return false;
        // Two may ask for it at once.
        return (yield* meta.remove("page", found)) && now < offer.until;
      }),
    useForm: (print, until, now) =>
      on.transaction(function* () {
        // A day later than need be: a clock may be set back.
        yield* run`DELETE FROM used_forms WHERE until < ${now - dayMs}`;
        const used = yield* count`
          INSERT INTO used_forms (print, until) VALUES (${print}, ${until}) ON CONFLICT DO NOTHING`;
        return used === 1;
      }),
    *heartbeat() {
      const found = yield* meta.read("heartbeat");
      return found === undefined ? undefined : toSign("meta.value", found);
    },
    replicas: () => answer(() => []),
    changes: {
      *"finish-run"({ run: number, record: { finishedAt, result, projects } }) {
        yield* some(() => new Error(`Run ${number} is not open.`))`
          UPDATE runs SET finished_at = ${finishedAt}, result = ${result}
          WHERE number = ${number} AND finished_at IS NULL`;
        for (const [position, { project, report }] of projects.entries()) {
          const { requests: _, ...said } = { requests: 0, ...report };
          yield* run`${into("run_projects", {
            run: number,
            position,
            project,
            report,
            said: hash("sha256", JSON.stringify(said), "base64"),
            writes: written.reduce((sum, field) => sum + countOf(report, field), 0),
            failures: countOf(report, "failed"),
          })}`;
        }
      },
      beat: ({ sign }) => meta.write("heartbeat", JSON.stringify(sign)),
      "offer-page": ({ print, until }) => meta.write("page", JSON.stringify({ print, until })),
    },
  } satisfies Plain<Runs> & Carrying;
}

const written = ["created", "issueWrites", "postWrites", "made", "entryWrites"];

/** A number of a report, which the ledger stores as it is. */
function countOf(report: object, name: string): number {
  const found: unknown = Object(report)[name];
  return typeof found === "number" ? found : 0;
}
