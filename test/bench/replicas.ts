/**
 * What a state on PostgreSQL costs beside one in a file, and what several replicas make of many projects. The server runs on the
 * same machine, and has its part of its cores.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startPostgres, type TestServer } from "../support/postgres.ts";
import { openProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import { type Measured, measure } from "./measure.ts";
import { configOf, createBoardsync, type Program, type Scenario } from "./programs.ts";
import { type Stage, startStage } from "./stage.ts";

const runs = 5;
const root = fileURLToPath(new URL("../..", import.meta.url));
const script = join(root, "dist/main.js");

const server = await startPostgres();
const proxy = await openProxy(server.port);
try {
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "src"], { cwd: root });
  print("| scenario | state | wall, ms | CPU, ms | peak RSS, MB | messages to the server |");
  print("|---|---|---|---|---|---|");
  await compare(1_000, "import");
  await compare(10_000, "idle");
  print(
    "",
    "| replicas | 200 projects, 1,000 issues to open: wall, s | CPU of all, s | issues |",
    "|---|---|---|---|",
  );
  for (const replicas of [1, 2, 4]) await spread(replicas);
} finally {
  await proxy.close();
  await server.end();
}

/** The same scenario by turns on a file and on the server. */
async function compare(posts: number, scenario: Scenario): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-bench-"));
  const stage = await startStage({ posts, share: 0.1, projects: 1, hasValidators: false });
  try {
    const freshUrl = () => through(server, proxy);
    const programs = [
      createBoardsync(stage, { script }, folder),
      createBoardsync(stage, { script }, folder, { freshUrl }, "floor"),
    ];
    const found = programs.map((): (Measured & { messages: number })[] => []);
    for (let round = 1; round <= runs; round += 1) {
      for (const [at, program] of programs.entries()) {
        if (scenario === "import" || round === 1) await startOver(stage, program, round);
        if (scenario === "idle" && round === 1)
          for (let run = 0; run < 3; run += 1) await program.run("import");
        const before = proxy.messages;
        const measured = await program.run(scenario);
        found[at]?.push({ ...measured, messages: proxy.messages - before });
      }
    }
    for (const [at, state] of ["file", "PostgreSQL"].entries()) {
      const of = (pick: (one: Measured & { messages: number }) => number): number =>
        median((found[at] ?? []).map(pick));
      const cells = [of((one) => one.wallMs), of((one) => one.cpuMs), of((one) => one.peakRssMb)];
      print(
        `| ${scenario}, ${posts} posts | ${state} | ${cells.map(Math.round).join(" | ")} | ${of((one) => one.messages)} |`,
      );
    }
  } finally {
    await stage.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startOver(stage: Stage, program: Program, round: number): Promise<void> {
  program.startOver(`bench/${program.name}-${round}`);
  await stage.openRepository(program.repo);
}

/** So many daemons on one state, until all issues are opened. */
async function spread(replicas: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-bench-"));
  const stage = await startStage({ posts: 10_000, share: 0.1, projects: 200, hasValidators: false });
  try {
    await stage.openRepository("bench/replicas");
    const config = join(folder, "boardsync.yaml");
    const text = configOf(stage, stage.projects.boardsync, "bench/replicas", join(folder, "state.db"));
    writeFileSync(config, `${text}http: false\nschedule: "0 0 1 1 *"\n`);
    const env = {
      BOARD_API_KEY: stage.boardKey,
      GITHUB_TOKEN: stage.githubToken,
      BOARDSYNC_STATE_URL: await server.freshDatabase(),
    };
    const beganAt = performance.now();
    let issues = 0;
    let wallMs = 0;
    const opened = async (): Promise<void> => {
      while (issues < stage.selected) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        issues += (await stage.takeTraffic()).requests["tracker POST /repo/issues"] ?? 0;
      }
      wallMs = performance.now() - beganAt;
    };
    const isDone = opened();
    const args = [script, "daemon", "--log-level", "error", "--config", config];
    const used = await Promise.all(
      Array.from({ length: replicas }, () => measure({ args, cwd: folder, env }, isDone)),
    );
    const more = (await stage.takeTraffic()).requests["tracker POST /repo/issues"] ?? 0;
    const cpuS = used.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1000;
    print(`| ${replicas} | ${(wallMs / 1000).toFixed(1)} | ${cpuS.toFixed(1)} | ${issues + more} |`);
  } finally {
    await stage.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The URL of a new database, by the way that counts. */
async function through(of: TestServer, by: TcpProxy): Promise<string> {
  const url = await of.freshDatabase();
  return of.urlOf(new URL(url).pathname.slice(1), by.port);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function print(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}
