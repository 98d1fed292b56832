import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { type Ran, runCommand } from "../commands/stage.ts";
import { type SandboxBoard, startSandboxBoard } from "../support/sandbox/board/board.ts";
import type { BoardStyleOptions } from "../support/sandbox/board/style.ts";
import {
  type SandboxGitHub,
  type SandboxGitHubOptions,
  startSandboxGitHub,
} from "../support/sandbox/github/github.ts";
import { type Gate, isWrite, openGate } from "./gate.ts";
import { type ShownEntry, startBoardTools } from "./tools.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
/** Compiled code that the processes share: half of what a start costs. */
const cache = fileURLToPath(new URL("../../node_modules/.cache/boardsync-crash", import.meta.url));
const hook = new URL("./die-at-commit.ts", import.meta.url);
const stateFile = "state.db";

/** What a world is made of. */
export interface Setting {
  /** The config's `projects` and what else is not the same in all worlds, as the file would have it. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly repositories: NonNullable<SandboxGitHubOptions["repositories"]>;
  /** A GitHub in the place of the sandbox's, which nobody asks then, and what signs the program in there. */
  readonly tracker?: { readonly url: string; readonly env: Readonly<Record<string, string>> };
  readonly style?: BoardStyleOptions;
  /** The board has tools of its own: the config's `board.mcp.tools`. They make posts in the first project. */
  readonly tools?: Readonly<Record<string, unknown>>;
  /** Of the board; two without it. */
  readonly projects?: readonly string[];
  /** How long a request may take; the config's own without it. */
  readonly timeout?: string;
  /** What the processes have in their environment beside the keys. */
  readonly env?: Readonly<Record<string, string>>;
}

/** One real process of the program. */
export interface Process {
  readonly child: ChildProcess;
  /** Exit code and signal, when it is gone. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  readonly out: () => string;
  readonly err: () => string;
}

/** What the process does at its commits; nothing without it. */
export type AtCommit =
  | { readonly at: number; readonly when: "before" | "after" }
  /** Counts them, into this file. */
  | { readonly report: string };

/** A board, a GitHub, a gate before both, and a folder with config and state. */
export interface World {
  readonly board: SandboxBoard;
  readonly github: SandboxGitHub;
  /** Of the board's changelog. */
  readonly entries: readonly ShownEntry[];
  readonly gate: Gate;
  readonly folder: string;
  /** Changes the config's part that is not the same in all worlds. */
  reconfigure(config: Setting["config"]): void;
  /** Starts the program as a process of its own. */
  start(args: readonly string[], atCommit?: AtCommit): Process;
  /** Starts it and waits for its end, and for what it has sent. */
  run(args: readonly string[], atCommit?: AtCommit): Promise<Ended>;
  /** Runs it in this process: the same, and faster. */
  runHere(args: readonly string[]): Promise<Ran>;
  /** How many writing requests have come by since the last mark of the gate. */
  writes(): number;
  /** The state is gone, as if its disk were. */
  loseState(): void;
  /** What SQLite says of the state; `ok` is sound. */
  checkState(): unknown;
  close(): Promise<void>;
}

/** How a process ended, and what it said. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Two sides without posts, and a config for them without pace and waits. */
export async function openWorld(setting: Setting): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-crash-"));
  const board = await startSandboxBoard({
    projects: (setting.projects ?? ["acme-app", "acme-api"]).map((slug) => ({
      id: slug.replace("acme-", "prj_"),
      slug,
      name: slug,
    })),
    ...(setting.style !== undefined && { style: setting.style }),
  });
  // GitHub's times are whole seconds. Two seconds pass there after each run, so that no change of people's ever falls into the
  // second of one of ours: how often an issue is asked for again, and so how many commits there are, would be left to chance.
  let aheadMs = 0;
  const clock = { now: () => Date.now() + aheadMs };
  const github = await startSandboxGitHub({ repositories: setting.repositories, clock });
  const tracker = setting.tracker ?? { url: github.url, env: { GITHUB_TOKEN: github.token } };
  const tools = setting.tools && (await startBoardTools(board, "acme-app"));
  const gate = await openGate({
    board: new URL(board.url).origin,
    tracker: tracker.url,
    ...(tools && { tools: tools.origin }),
  });
  const env = {
    BOARD_API_KEY: board.key,
    BOARDSYNC_CONFIG: join(folder, "boardsync.yaml"),
    ...tracker.env,
    ...setting.env,
  };
  const children = new Set<Process>();
  const timeout = setting.timeout !== undefined && { timeout: setting.timeout };

  const reconfigure = (config: Setting["config"]): void => {
    const whole = {
      board: {
        url: `${gate.origins.board}/api/v1`,
        ...timeout,
        ...(setting.tools && { mcp: { tools: setting.tools } }),
      },
      tracker: { url: gate.origins.tracker, ...timeout, pace: { minIntervalMs: 0, createsPerMinute: 1000 } },
      state: stateFile,
      waits: { create: "0s", patch: "0s" },
      http: false,
      ...config,
    };
    writeFileSync(env.BOARDSYNC_CONFIG, JSON.stringify(whole));
  };
  reconfigure(setting.config);

  const start = (args: readonly string[], atCommit?: AtCommit): Process => {
    const loaded = atCommit === undefined ? [] : ["--import", addressOf(atCommit)];
    const child = spawn(process.execPath, [...loaded, main, ...args], {
      cwd: folder,
      env: { ...env, NODE_COMPILE_CACHE: cache },
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    const ended: Process["ended"] = new Promise((resolve) => {
      child.on("close", (code, signal) => resolve({ code, signal }));
    });
    const started = { child, ended, out: () => out, err: () => err };
    children.add(started);
    void ended.then(() => children.delete(started));
    return started;
  };

  return {
    board,
    github,
    entries: tools?.entries ?? [],
    gate,
    folder,
    reconfigure,
    start,
    async run(args, atCommit) {
      const { ended, out, err } = start(args, atCommit);
      const end = await ended;
      await gate.quiet();
      aheadMs += 2_000;
      return { ...end, out: out(), err: err() };
    },
    async runHere(args) {
      const ran = await runCommand(args, { env, cwd: folder });
      aheadMs += 2_000;
      return ran;
    },
    writes: () => gate.passed.filter(isWrite).length,
    loseState() {
      for (const name of readdirSync(folder)) if (name.startsWith(stateFile)) rmSync(join(folder, name));
    },
    checkState() {
      const database = new Database(join(folder, stateFile), { fileMustExist: true });
      try {
        return database.pragma("quick_check", { simple: true });
      } finally {
        database.close();
      }
    },
    async close() {
      for (const { child } of children) child.kill("SIGKILL");
      await Promise.all([...children].map(({ ended }) => ended));
      await Promise.all([gate.close(), board.close(), github.stop(), tools?.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function addressOf(atCommit: AtCommit): string {
  const address = new URL(hook);
  for (const [name, value] of Object.entries(atCommit)) address.searchParams.set(name, String(value));
  return address.href;
}

/** Counts the commits of a whole run. */
export async function countCommits(world: World, args: readonly string[]): Promise<number> {
  const report = join(world.folder, "commits");
  await world.run(args, { report });
  return Number(readFileSync(report, "utf8"));
}

/** Both sides as people see them, without what differs from world to world: times and addresses. */
export interface View {
  readonly posts: readonly unknown[];
  readonly issues: readonly { readonly title: string }[];
  readonly entries: readonly unknown[];
  /** Each mail to the voters of a post. */
  readonly mails: readonly string[];
}

/** Looks at both sides. */
export function view({ board, github, entries }: World): View {
  const posts = ["acme-app", "acme-api"].flatMap((project) =>
    board.posts(project).map(({ createdAt: _, updatedAt: __, description, ...post }) => {
      return { ...post, description: sameEverywhere(String(description ?? "")) };
    }),
  );
  const issues = github.repositories.flatMap((repository) =>
    github.issues(repository as `${string}/${string}`).map((issue) => {
      const { id: _, number, createdAt: __, updatedAt: ___, closedAt: ____, body, ...shown } = issue;
      const comments = github.comments(repository as `${string}/${string}`, number);
      return { ...shown, repository, body: sameEverywhere(body ?? ""), comments };
    }),
  );
  const mails = board.notifications.map(
    ({ post, from, to, voters }) => `${post}: ${from} → ${to} (${voters})`,
  );
  return {
    posts,
    entries: [...entries],
    issues: issues.toSorted((a, b) => (a.body < b.body ? -1 : 1)),
    mails: mails.toSorted(),
  };
}

/** A body without the board's address: neither its port, nor its hash in the marker. */
function sameEverywhere(body: string): string {
  return body.replaceAll(/127\.0\.0\.1:\d+/g, "board").replace(/board=[0-9a-f]{16}/, "board=hash");
}
