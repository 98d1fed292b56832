/** @module-tag long */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { compiled } from "./support/compiled.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Loaded before the program: says at its end which packages were loaded, in the file that stands in its environment. */
const witness = `data:text/javascript,${encodeURIComponent(`
  import { writeFileSync } from "node:fs";
  import { registerHooks } from "node:module";
  const found = new Set();
  registerHooks({
    load(url, context, next) {
      const path = url.split("/node_modules/").at(-1);
      if (path !== url) found.add(path.split("/").slice(0, path.startsWith("@") ? 2 : 1).join("/"));
      return next(url, context);
    },
  });
  process.on("exit", () => writeFileSync(process.env.LOADED, [...found].join(" ")));
`)}`;

/** What is loaded by a package of these is that package's business. */
const direct = Object.keys(
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).dependencies,
);

const config = `board: { url: "http://127.0.0.1:9/api/v1", retries: 0 }
tracker: { url: "http://127.0.0.1:9" }
projects: [{ project: acme-app, repo: acme/app }]
`;

/** A place to start commands in; the packages of package.json that one has loaded, in the order of their names. */
function givenPlace(settings = "") {
  const cwd = mkdtempSync(join(tmpdir(), "boardsync-start-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, "boardsync.yaml"), `${config}${settings}`);
  const loaded = join(cwd, "loaded");
  const env = {
    ...compiled,
    BOARDSYNC_CONFIG: "boardsync.yaml",
    BOARD_API_KEY: "a-key-of-the-board",
    GITHUB_TOKEN: "a-token-of-github",
    LOADED: loaded,
  };
  const read = (): readonly string[] => {
    const packages = readFileSync(loaded, "utf8").split(" ");
    return direct.filter((name) => packages.includes(name)).toSorted();
  };
  return { options: { cwd, env }, read };
}

/** Runs a command to its end. */
function load(...args: readonly string[]): readonly string[] {
  const { options, read } = givenPlace();
  spawnSync(process.execPath, [`--import=${witness}`, main, ...args], options);
  return read();
}

/** Runs the daemon until it has started. */
async function loadDaemon(settings: string): Promise<readonly string[]> {
  const { options, read } = givenPlace(settings);
  const daemon = spawn(process.execPath, [`--import=${witness}`, main, "daemon"], options);
  onTestFinished(() => void daemon.kill("SIGKILL"));
  for await (const line of createInterface({ input: daemon.stderr })) {
    if (line.includes("Daemon started")) break;
  }
  daemon.kill("SIGTERM");
  await once(daemon, "exit");
  return read();
}

describe("a start", () => {
  it.each([
    "--help",
    "--version",
    "help sync",
    "sync --help",
    "completion bash",
    "a-command-that-is-none",
    "sync --an-option-that-is-none",
  ])("loads the command line alone for `boardsync %s`", (line) => {
    expect(load(...line.split(" "))).toEqual(["commander"]);
  });

  it("loads for `health` what opens the state, and what reads YAML where the config has to name it", () => {
    expect(load("health")).toEqual(["better-sqlite3", "commander", "yaml"]);
  });

  it("loads for `status` what reads config and state, what tells the next run, and nothing that talks to others", () => {
    expect(load("status")).toEqual(["better-sqlite3", "commander", "liquidjs", "node-cron", "yaml", "zod"]);
  });

  it("loads for `sync` both sides, and neither the daemon's packages nor those of a terminal", () => {
    expect(load("sync")).toEqual([
      "@octokit/rest",
      "better-sqlite3",
      "commander",
      "liquidjs",
      "node-cron",
      "pino",
      "undici",
      "yaml",
      "zod",
    ]);
  });

  it("loads for `demo` what a sync needs, and nothing that only the daemon needs", () => {
    expect(load("demo", "--quiet")).toEqual(load("sync"));
  });

  it("loads for the daemon no server where it serves nothing, and what Apps and webhooks need only when they do", async () => {
    const silent = await loadDaemon("http: false\n");
    expect(silent).toEqual([
      "@octokit/rest",
      "better-sqlite3",
      "commander",
      "liquidjs",
      "node-cron",
      "pino",
      "prom-client",
      "undici",
      "yaml",
      "zod",
    ]);
    const serving = await loadDaemon("http: { port: 0 }\n");
    expect(serving.filter((name) => !silent.includes(name))).toEqual(["fastify"]);
  });
});
