import { readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FloorJob, FloorKnowledge } from "./floor.ts";
import { type Measured, measure } from "./measure.ts";
import { category, type Stage, workLabel } from "./stage.ts";

/** One of the two that are compared. It keeps what it knows from one run to the next. */
export interface Program {
  readonly name: ProgramName;
  /** The repository that it works with. */
  readonly repo: string;
  /** Forgets everything; the next run imports into this repository, which is empty. */
  startOver(repo: string): void;
  /** One run, from the start of the process to its end. */
  run(): Promise<Measured>;
}

/** Both programs; each has the board's project of its name. */
export const programNames = ["boardsync", "floor"] as const;
export type ProgramName = (typeof programNames)[number];

const root = fileURLToPath(new URL("../..", import.meta.url));

/** boardsync as users run it: `script` is its `main`, and `folder` gets its config and its state. */
export function createBoardsync(stage: Stage, script: string, folder: string): Program {
  const config = join(folder, "boardsync.yaml");
  let repo = "";
  return {
    name: "boardsync",
    get repo() {
      return repo;
    },
    startOver(next) {
      repo = next;
      const state = join(folder, `${repo.replace("/", "-")}.db`);
      writeFileSync(config, configOf(stage, repo, state));
    },
    run: () =>
      measure({
        args: [script, "sync", "--json", "--config", config],
        cwd: folder,
        env: { BOARD_API_KEY: stage.boardKey, GITHUB_TOKEN: stage.githubToken },
      }),
  };
}

/** The floor, as plain JavaScript in one argument: what Node needs to strip types would count for it. */
export function createFloor(stage: Stage, folder: string): Program {
  const source = readFileSync(new URL("floor.ts", import.meta.url), "utf8");
  const script = stripTypeScriptTypes(source);
  const file = join(folder, "floor.json");
  let repo = "";
  let known: FloorKnowledge | undefined;
  return {
    name: "floor",
    get repo() {
      return repo;
    },
    startOver(next) {
      repo = next;
      known = undefined;
    },
    async run() {
      const job: FloorJob = {
        isImport: known === undefined,
        board: stage.board,
        boardKey: stage.boardKey,
        project: "floor",
        category,
        repository: `${stage.github}/repos/${repo}`,
        githubToken: stage.githubToken,
        githubLogin: stage.githubLogin,
        workLabel,
        known: known ?? {},
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
function configOf(stage: Stage, repo: string, state: string): string {
  return `board:
  url: ${stage.board}
tracker:
  url: ${stage.github}
  pace: { minIntervalMs: 0, createsPerMinute: 100000, createsPerHour: 100000, writesPerHour: 100000 }
state: ${JSON.stringify(state)}
guard: { issues: 1000000, statuses: 1000000, flips: 1000 }
budget: 12h
projects:
  - project: boardsync
    repo: ${repo}
    select: { categories: [${category}] }
    issue: { labels: [feedback] }
    rules:
      - when: { state: closed, reason: completed }
        set: { status: completed, roadmapColumn: COMPLETED }
      - when: { labels: [${workLabel}] }
        set: { status: in_progress, roadmapColumn: IN_PROGRESS }
      - when: { state: open }
        set: { status: planned, roadmapColumn: PLANNED }
`;
}
