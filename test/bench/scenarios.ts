import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBoardsync, createFloor, type Program, type Scenario, scenarios } from "./programs.ts";
import { type ProgramName, type Stage, startStage } from "./stage.ts";

/** One run of one program. */
export interface Sample {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakRssMb: number;
  readonly requests: number;
  readonly bytes: number;
  /** The requests by side, method and kind of path. */
  readonly asked: Readonly<Record<string, number>>;
}

/** All runs of both programs in one scenario, in the order of the rounds. */
export interface Series {
  readonly scenario: Scenario;
  /** Posts of each program, and how many projects they are spread over. */
  readonly posts: number;
  readonly projects: number;
  readonly hasValidators: boolean;
  /** Posts that are selected, and linked after the import. */
  readonly selected: number;
  readonly samples: Readonly<Record<ProgramName, readonly Sample[]>>;
}

export interface SeriesOptions {
  readonly posts: number;
  readonly projects: number;
  /** Whether the board's pages are asked for conditionally. */
  readonly hasValidators: boolean;
  /** Share of the posts that is selected. */
  readonly share: number;
  /** How often each program runs in each scenario. */
  readonly runs: number;
  readonly scenarios: readonly Scenario[];
  /** boardsync's `main`, as a file. */
  readonly script: string;
  /** What boardsync's processes get beside its secrets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Hears of each run. */
  readonly tell: (text: string) => void;
}

/** Measures one size: each round runs both programs, one after the other, on worlds of their own that are alike. */
export async function measureSize(options: SeriesOptions): Promise<readonly Series[]> {
  const { posts, projects, hasValidators, share, script, env } = options;
  const folder = mkdtempSync(join(tmpdir(), "boardsync-bench-"));
  const stage = await startStage({ posts, projects, hasValidators, share });
  try {
    const programs = [createBoardsync(stage, { script, env }, folder), createFloor(stage, folder)];
    const found: Series[] = [];
    for (const scenario of scenarios) {
      const isWanted = options.scenarios.includes(scenario);
      // What is not wanted is left out, but the others need one import.
      if (!isWanted && scenario !== "import") continue;
      const series = await measureSeries(
        isWanted ? options : { ...options, runs: 1 },
        stage,
        programs,
        scenario,
      );
      if (isWanted) found.push(series);
      if (scenario === "import") await settle(programs);
    }
    return found;
  } finally {
    await stage.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureSeries(
  { posts, projects, hasValidators, runs, tell }: SeriesOptions,
  stage: Stage,
  programs: readonly Program[],
  scenario: Scenario,
): Promise<Series> {
  const samples: Record<ProgramName, Sample[]> = { boardsync: [], floor: [] };
  // A first round is not counted: it moves the programs' cursors away from the hundreds of issues of the import's last second.
  for (let round = scenario === "changed" ? 0 : 1; round <= runs; round += 1) {
    for (const program of programs) {
      await prepare(stage, program, scenario, round, posts);
      const sample = await measureRun(stage, program, scenario);
      if (round === 0) continue;
      samples[program.name].push(sample);
      tell(
        `${posts} posts in ${projects}, ${scenario}, ${round} of ${runs}, ${program.name}: ${sample.requests} requests, ${Math.round(sample.wallMs)} ms`,
      );
    }
    requireSameWrites(scenario, samples.boardsync.at(-1), samples.floor.at(-1));
  }
  return { scenario, posts, projects, hasValidators, selected: stage.selected, samples };
}

/** Makes what the scenario's run shall find. */
async function prepare(
  stage: Stage,
  program: Program,
  scenario: Scenario,
  round: number,
  posts: number,
): Promise<void> {
  switch (scenario) {
    case "import":
      program.startOver(`bench/${program.name}-${round}`);
      return stage.openRepository(program.repo);
    case "idle":
      return;
    case "changed": {
      const issues = Math.max(1, Math.min(stage.selected, Math.round(posts / 100)));
      return stage.work(program.repo, round * issues, issues);
    }
    case "adoption":
    case "rebuild":
      return program.startOver(program.repo);
  }
}

/** After an import the own writes are seen once more; idle begins when a run has read them. */
async function settle(programs: readonly Program[]): Promise<void> {
  for (const program of programs) {
    await program.run("idle");
    await program.run("idle");
  }
}

async function measureRun(stage: Stage, program: Program, scenario: Scenario): Promise<Sample> {
  await stage.takeTraffic();
  const { wallMs, cpuMs, peakRssMb } = await program.run(scenario);
  const { requests: asked, bytes } = await stage.takeTraffic();
  const requests = Object.values(asked).reduce((sum, count) => sum + count, 0);
  return { wallMs, cpuMs, peakRssMb, requests, bytes, asked };
}

/** Kinds of request that change something for people. */
const writes = ["tracker POST /repo/issues", "tracker PATCH /repo/issues/*", "board PATCH /feedback/*"];

/** Two programs that do different work are not compared. */
function requireSameWrites(scenario: Scenario, one: Sample | undefined, other: Sample | undefined): void {
  for (const kind of writes) {
    const [ours = 0, floor = 0] = [one?.asked[kind], other?.asked[kind]];
    if (ours === floor) continue;
    throw new Error(`In "${scenario}" boardsync sent ${ours} × ${kind}, and the floor ${floor}.`);
  }
}
