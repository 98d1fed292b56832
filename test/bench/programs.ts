import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FloorJob, FloorKnowledge } from "./floor.ts";
import { type Measured, measure } from "./measure.ts";
import { category, type ProgramName, type Stage, workLabel } from "./stage.ts";

/**
 * What a run finds: an empty repository, nothing new, work on as many issues as 1 % of the posts, or a lost state beside
 * issues that carry the marks, which a run or `rebuild` finds again.
 */
export const scenarios = ["import", "idle", "changed", "adoption", "rebuild"] as const;
export type Scenario = (typeof scenarios)[number];

/** One of the two that are compared. It keeps what it knows from one run to the next. */
export interface Program {
  readonly name: ProgramName;
  /** The repository that it works with. */
  readonly repo: string;
  /** Goes on with this repository, of which it knows nothing yet. */
  startOver(repo: string): void;
  /** One run, from the start of the process to its end. */
  run(scenario: Scenario): Promise<Measured>;
}

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Where boardsync has its state, if that is no file. */
export interface StateServer {
  /** Of a database in which there is nothing yet. */
  freshUrl(): Promise<string>;
}

/** How its processes are started. */
export interface Started {
  /** Its `main`, as a file. */
  readonly script: string;
  /** What they get beside its secrets. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/**
 * boardsync as users run it: `folder` gets its config and its state.
 *
 * @param server where its state is, in the place of a file.
 * @param name whose projects it works with.
 */
export function createBoardsync(
  stage: Stage,
  { script, env = {} }: Started,
  folder: string,
  server?: StateServer,
  name: ProgramName = "boardsync",
): Program {
  const config = join(folder, `${name}.yaml`);
  let repo = "";
  let url: Promise<string> | undefined;
  return {
    name,
    get repo() {
      return repo;
    },
    startOver(next) {
      repo = next;
      const state = join(folder, `${repo.replace("/", "-")}.db`);
      for (const end of ["", "-wal", "-shm", ".lock"]) rmSync(`${state}${end}`, { force: true });
      url = server?.freshUrl();
      writeFileSync(config, configOf(stage, stage.projects[name], repo, state));
    },
    async run(scenario) {
      const place = await url;
      return measure({
        args: [script, scenario === "rebuild" ? "rebuild" : "sync", "--json", "--config", config],
        cwd: folder,
        env: {
          ...env,
          BOARD_API_KEY: stage.boardKey,
          GITHUB_TOKEN: stage.githubToken,
          ...(place !== undefined && { BOARDSYNC_STATE_URL: place }),
        },
      });
    },
  };
}

/** The floor, as plain JavaScript in one argument: what Node needs to strip types would count for it. */
export function createFloor(stage: Stage, folder: string): Program {
  const source = readFileSync(new URL("floor.ts", import.meta.url), "utf8");
  const script = stripTypeScriptTypes(source);
  const file = join(folder, "floor.json");
  let repo = "";
  let known: FloorKnowledge = {};
  return {
    name: "floor",
    get repo() {
      return repo;
    },
    startOver(next) {
      repo = next;
      known = {};
    },
    async run(scenario) {
      const job: FloorJob = {
        scenario,
        board: stage.board,
        boardKey: stage.boardKey,
        projects: stage.projects.floor,
        category,
        repository: `${stage.github}/repos/${repo}`,
        githubToken: stage.githubToken,
        githubLogin: stage.githubLogin,
        workLabel,
        known,
      };
      writeFileSync(file, JSON.stringify(job));
      const args = ["--input-type=module", "--eval", script, "--", file];
      const measured = await measure({ args, cwd: root, env: {} });
      known = JSON.parse(measured.output);
      return measured;
    },
  };
}

/** No limit slows the bench down, and nothing is held. */
export function configOf(stage: Stage, names: readonly string[], repo: string, state: string): string {
  const projects = names.map(
    (project) => `
  - project: ${project}
    repo: ${repo}
    select: { categories: [${category}] }
    issue: { labels: [feedback] }
    rules:
      - when: { state: closed, reason: completed }
        set: { status: completed, roadmapColumn: COMPLETED }
      - when: { labels: [${workLabel}] }
        set: { status: in_progress, roadmapColumn: IN_PROGRESS }
      - when: { state: open }
        set: { status: planned, roadmapColumn: PLANNED }`,
  );
  return `board:
  url: ${stage.board}
tracker:
  url: ${stage.github}
  pace: { minIntervalMs: 0, createsPerMinute: 100000, createsPerHour: 100000, writesPerHour: 100000 }
state: ${JSON.stringify(state)}
guard: { issues: 1000000, statuses: 1000000, flips: 1000 }
budget: 12h
projects:${projects.join("")}
`;
}
