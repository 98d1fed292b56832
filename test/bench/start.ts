import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { measure } from "./measure.ts";
import { category, type Stage, startStage } from "./stage.ts";

/** By then the daemon has given back what it does not need. */
const restMs = 500;

/** What `--help` costs beside a Node.js that does nothing: medians, in ms of CPU. */
export interface HelpCost {
  readonly helpMs: number;
  readonly emptyMs: number;
}

/** Runs both in turn. `script` is boardsync's `main`. */
export async function measureHelp(script: string, runs: number): Promise<HelpCost> {
  const costs: Record<"help" | "empty", number[]> = { help: [], empty: [] };
  const cwd = tmpdir();
  for (let run = 0; run < runs; run += 1) {
    costs.empty.push((await measure({ args: ["-e", "0"], cwd, env: {} })).cpuMs);
    costs.help.push((await measure({ args: [script, "--help"], cwd, env: {} })).cpuMs);
  }
  return { helpMs: medianOf(costs.help), emptyMs: medianOf(costs.empty) };
}

/** An idle daemon's memory, in MB, as Linux tells it. */
export interface IdleMemory {
  /** `VmRSS`, and its two parts: what is the process's own, and what is mapped from files. */
  readonly rssMb: number;
  readonly ownMb: number;
  readonly filesMb: number;
  /** `VmHWM`. */
  readonly peakMb: number;
}

export interface DaemonOptions {
  readonly script: string;
  readonly posts: number;
  /** Share of the posts that is linked. */
  readonly share: number;
  /** Idle runs, one a second, before it is looked at. */
  readonly runs: number;
  /** Further arguments of Node.js, such as `--lite-mode`. */
  readonly flags?: readonly string[];
}

/** Imports, starts the daemon with its HTTP server, page, metrics and webhooks, and looks at it after its idle runs. */
export async function measureIdleDaemon(options: DaemonOptions): Promise<IdleMemory> {
  const { script, posts, share, runs, flags = [] } = options;
  const folder = mkdtempSync(join(tmpdir(), "boardsync-bench-"));
  const stage = await startStage({ posts, share, projects: 1, hasValidators: false });
  try {
    await stage.openRepository("bench/daemon");
    const config = join(folder, "boardsync.yaml");
    writeFileSync(config, configOf(stage, join(folder, "boardsync.db")));
    const env = {
      BOARD_API_KEY: stage.boardKey,
      GITHUB_TOKEN: stage.githubToken,
      GITHUB_WEBHOOK_SECRET: "a-secret-of-the-bench",
      BOARDSYNC_HTTP_TOKEN: "a-token-of-the-bench-0123",
    };
    await measure({ args: [script, "sync", "--quiet", "--config", config], cwd: folder, env });
    const args = [...flags, script, "daemon", "--config", config];
    const daemon = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
    let ended = 0;
    for await (const line of createInterface({ input: daemon.stderr })) {
      if (line.includes('"Project finished"')) ended += 1;
      if (ended === runs) break;
    }
    await sleep(restMs);
    const found = readMemory(Number(daemon.pid));
    daemon.stderr.resume();
    daemon.kill();
    await once(daemon, "exit");
    return found;
  } finally {
    await stage.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function readMemory(pid: number): IdleMemory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const read = (name: string): number =>
    Number(new RegExp(`^${name}:\\s*(\\d+)`, "m").exec(status)?.[1]) / 1024;
  return {
    rssMb: read("VmRSS"),
    ownMb: read("RssAnon"),
    filesMb: read("RssFile"),
    peakMb: read("VmHWM"),
  };
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function configOf({ board, github, projects }: Stage, state: string): string {
  return `board: { url: "${board}" }
tracker:
  url: ${github}
  pace: { minIntervalMs: 0, createsPerMinute: 100000, createsPerHour: 100000, writesPerHour: 100000 }
state: ${JSON.stringify(state)}
guard: { issues: 1000000, statuses: 1000000, flips: 1000 }
schedule: "* * * * * *"
http: { host: 127.0.0.1, port: 0 }
projects:
  - project: ${projects.boardsync[0]}
    repo: bench/daemon
    select: { categories: [${category}] }
`;
}
