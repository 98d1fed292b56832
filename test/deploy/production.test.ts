/** @module-tag long */
import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type SandboxBoard, startSandboxBoard } from "../support/sandbox/board/board.ts";
import { type SandboxGitHub, startSandboxGitHub } from "../support/sandbox/github/github.ts";
import { until } from "../support/until.ts";
import { build, read, root, version } from "./files.ts";

/** The user who runs the program, when the test's own is root: nobody, who owns nothing here but the state. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
const place = mkdtempSync(join(tmpdir(), "boardsync-production-"));
const app = join(place, "app");
const node = join(place, "node");

/**
 * What the image's two stages do, in a folder: an install without scripts and without development dependencies, and a
 * fresh build. The Node.js that runs this test is copied, as another user may have no way to it.
 */
beforeAll(async () => {
  chmodSync(place, 0o755);
  mkdirSync(app);
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(root, name), join(app, name));
  copyFileSync(process.execPath, node);
  const install = ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  const { code, out, err } = await finish(spawn("npm", install, { cwd: app }));
  expect(code, `${out}${err}`).toBe(0);
  build(join(app, "dist"));
  await finish(spawn("chmod", ["-R", "a-w", app]));
});

afterAll(async () => {
  await finish(spawn("chmod", ["-R", "u+w", place]));
  rmSync(place, { recursive: true });
});

interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function finish(child: ChildProcess): Promise<Finished> {
  const texts = { out: "", err: "" };
  child.stdout?.on("data", (chunk) => {
    texts.out += String(chunk);
  });
  child.stderr?.on("data", (chunk) => {
    texts.err += String(chunk);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...texts }));
  });
}

type Environment = Readonly<Record<string, string>>;

/** Starts the installed program in a folder that it can't write to, with nothing in its environment but what is given. */
function start(args: readonly string[], env: Environment): ChildProcess {
  return spawn(node, [join(app, "dist/main.js"), ...args], { cwd: app, env, ...nobody });
}

/** A state's folder and a scratch folder that the program may write to, and the environment that names them. */
function givePlace(): { readonly data: string; readonly scratch: string; readonly env: Environment } {
  const home = mkdtempSync(join(place, "run-"));
  chmodSync(home, 0o755);
  const [data = "", scratch = ""] = ["data", "scratch"].map((name) => {
    const folder = join(home, name);
    mkdirSync(folder);
    if (nobody.uid !== undefined) chownSync(folder, nobody.uid, nobody.gid);
    return folder;
  });
  return { data, scratch, env: { BOARDSYNC_STATE: join(data, "boardsync.db"), TMPDIR: scratch } };
}

describe("the installed program", () => {
  it("says its version", async () => {
    expect(await finish(start(["--version"], {}))).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });

  it("shows its help", async () => {
    const { code, out } = await finish(start(["--help"], {}));
    expect(code).toBe(0);
    expect(out).toContain("Usage: node dist/main.js [options] [command]");
  });

  it("is not healthy where no daemon has ever run, and leaves nothing behind by saying so", async () => {
    const { env, data } = givePlace();
    expect((await finish(start(["health"], env))).code).toBe(1);
    expect(readdirSync(data)).toEqual([]);
  });

  it("plays the demo", async () => {
    const { env, scratch } = givePlace();
    const { code, err } = await finish(start(["demo", "--quiet"], env));
    expect(code, err).toBe(0);
    expect(readdirSync(scratch)).toEqual([]);
  });

  it("holds every package that the lock file names for production, and none of development", () => {
    const { packages } = JSON.parse(read("package-lock.json"));
    const entries = Object.entries<{ readonly dev?: boolean }>(packages);
    const isInstalled = (name: string): boolean => existsSync(join(app, name));
    const namesOf = (isDev: boolean): readonly string[] =>
      entries.filter(([name, entry]) => name !== "" && (entry.dev === true) === isDev).map(([name]) => name);
    expect(namesOf(true).filter(isInstalled)).toEqual([]);
    expect(namesOf(false).filter((name) => !isInstalled(name))).toEqual([]);
  });
});

describe("the installed daemon, as a user who may write nothing but its state", () => {
  it("syncs, is healthy, and ends with 0 at SIGTERM", async () => {
    const { daemon, github, env, data, scratch } = await startDaemon();
    const before = listFiles(place);
    const lines = readLines(daemon);
    const ended = finish(daemon);
    await until(() => messages(lines).includes("Project finished"));
    expect(github.issues("acme/app")).toHaveLength(1);

    const health = await finish(start(["health"], env));
    expect(health, health.err).toMatchObject({ code: 0 });
    const address = lines.map((line) => line["address"]).find((value) => value !== undefined);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);

    daemon.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0, out: "" });
    expect(daemon.signalCode).toBeNull();

    const written = listFiles(place).filter((name) => !before.includes(name));
    expect(written.filter((name) => !name.startsWith(data))).toEqual([]);
    expect(readdirSync(scratch)).toEqual([]);
    expect(existsSync(join(data, "boardsync.db"))).toBe(true);
    expect((await finish(start(["status"], env))).code).toBe(0);
  });

  it("ends with 0 at SIGTERM, even when GitHub never answers the write in hand", async () => {
    const { daemon, github } = await startDaemon();
    github.failNext({ method: "POST", path: "/issues", answer: { kind: "hang" } });
    const ended = finish(daemon);
    await until(() =>
      github.requests.some(({ method, path }) => method === "POST" && path.endsWith("/issues")),
    );
    daemon.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0 });
  });
});

/** A board with one post that belongs on GitHub, and a daemon that is about to see it. */
async function startDaemon(): Promise<
  { readonly daemon: ChildProcess; readonly github: SandboxGitHub } & ReturnType<typeof givePlace>
> {
  const board = await startSandboxBoard({ projects: [{ id: "acme-app" }] });
  const github = await startSandboxGitHub({ repositories: [{ name: "acme/app", private: true }] });
  board.addPost("acme-app", { title: "Dark mode", votes: 3 });
  const given = givePlace();
  const env = { ...given.env, ...environmentOf(board, github) };
  const daemon = start(["daemon"], env);
  onTestFinished(async () => {
    daemon.kill("SIGKILL");
    await board.close();
    await github.stop();
  });
  return { ...given, daemon, github, env };
}

function environmentOf(board: SandboxBoard, github: SandboxGitHub): Environment {
  const config = join(mkdtempSync(join(place, "config-")), "boardsync.yaml");
  chmodSync(join(config, ".."), 0o755);
  writeFileSync(
    config,
    `
board: { url: "${board.url}" }
tracker: { url: "${github.url}", pace: { minIntervalMs: 0 } }
http: { port: 0 }
projects:
  - { project: acme-app, repo: acme/app }
`,
  );
  return { BOARDSYNC_CONFIG: config, BOARD_API_KEY: board.key, GITHUB_TOKEN: github.token };
}

type Line = Readonly<Record<string, unknown>>;

/** The log as it comes; every line of it must be JSON, as there is no terminal. */
function readLines(child: ChildProcess): readonly Line[] {
  const lines: Line[] = [];
  if (child.stderr === null) throw new Error("the program has no stderr");
  createInterface({ input: child.stderr }).on("line", (line) => lines.push(JSON.parse(line)));
  return lines;
}

function messages(lines: readonly Line[]): readonly unknown[] {
  return lines.map(({ msg }) => msg);
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
