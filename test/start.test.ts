import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

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

/** Runs a command to its end; answers the packages of package.json that it has loaded, in the order of their names. */
function load(...args: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-start-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "boardsync.yaml"), config);
  const loaded = join(folder, "loaded");
  spawnSync(process.execPath, [`--import=${witness}`, main, ...args], {
    cwd: folder,
    env: {
      BOARDSYNC_CONFIG: "boardsync.yaml",
      BOARD_API_KEY: "a-key-of-the-board",
      GITHUB_TOKEN: "a-token-of-github",
      LOADED: loaded,
    },
  });
  const packages = readFileSync(loaded, "utf8").split(" ");
  return direct.filter((name) => packages.includes(name)).toSorted();
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

  it("loads for `sync` both sides, and neither the daemon's nor the sandbox's packages, nor those of a terminal", () => {
    expect(load("sync")).toEqual([
      "@octokit/rest",
      "better-sqlite3",
      "commander",
      "liquidjs",
      "pino",
      "undici",
      "yaml",
      "zod",
    ]);
  });
});
