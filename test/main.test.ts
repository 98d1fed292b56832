/** @module-tag long */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { compiled } from "./support/compiled.ts";
import { type Story, startStory } from "./support/sandbox/story.ts";
import { until } from "./support/until.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

interface Process {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  readonly ended: Promise<number | null>;
}

interface Place {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-main-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Node's arguments for a process in which what waits 8 s, the grace after a signal, waits as long as this. */
function giveGrace(ms: number): readonly string[] {
  const hook = join(makeFolder(), "grace.mjs");
  writeFileSync(
    hook,
    `const start = globalThis.setTimeout;
    globalThis.setTimeout = (act, ms, ...rest) => start(act, ms === 8000 ? ${ms} : ms, ...rest);`,
  );
  return ["--import", hook];
}

/** Node's arguments for a process whose requests, of a deadline of 60 s, have passed it when a signal has come. */
function passDeadlinesAtSignal(): readonly string[] {
  const hook = join(makeFolder(), "deadlines.mjs");
  writeFileSync(
    hook,
    `const start = globalThis.setTimeout;
    const ends = [];
    globalThis.setTimeout = (act, ms, ...rest) => {
      if (ms === 60000) ends.push(act);
      return start(act, ms, ...rest);
    };
    for (const signal of ["SIGINT", "SIGTERM"]) {
      process.once(signal, () => setImmediate(() => { for (const end of ends) end(); }));
    }`,
  );
  return ["--import", hook];
}

/** A real process; it does not outlive the test. */
function start(args: readonly string[], { folder, env }: Place, ofNode: readonly string[] = []): Process {
  const child = spawn(process.execPath, [...ofNode, main, ...args], {
    cwd: folder,
    env: { ...compiled, ...env },
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const ended = new Promise<number | null>((resolve) => void child.on("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, out: () => out, err: () => err, ended };
}

async function run(args: readonly string[], place: Place) {
  const { ended, out, err } = start(args, place);
  const code = await ended;
  return { code, out: out(), err: err() };
}

/** The story's two sides, with a config for processes. */
async function openStage(settings = ""): Promise<Place & { readonly story: Story }> {
  const story = await startStory({ now: Date.now });
  onTestFinished(() => story.close());
  const folder = makeFolder();
  const config = story.config.replace("tracker:\n", `tracker:\n  ${settings || "timeout: 20s"}\n`);
  writeFileSync(join(folder, "c.yaml"), `${config}state: state.db\nhttp: false\nwaits: { create: 0s }\n`);
  const env = {
    BOARD_API_KEY: story.board.key,
    GITHUB_TOKEN: story.github.token,
    BOARDSYNC_CONFIG: "c.yaml",
  };
  return { story, folder, env };
}

/** Starts a command whose first new issue gets no answer, and resolves when that request is under way. */
async function startHanging(
  command: string,
  stage: Awaited<ReturnType<typeof openStage>>,
  ofNode?: readonly string[],
): Promise<Process> {
  stage.story.github.failNext({ method: "POST", path: "/issues", applied: true, answer: { kind: "hang" } });
  const hanging = start([command], stage, ofNode);
  await until(() => countCreates(stage.story) === 1);
  return hanging;
}

function countCreates({ github }: Story): number {
  return github.requests.filter(({ method, path }) => method === "POST" && path.endsWith("/issues")).length;
}

const nowhere = (): Place => ({ folder: makeFolder(), env: {} });

it("prints the version of package.json", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(await run(["--version"], nowhere())).toEqual({ code: 0, out: `${version}\n`, err: "" });
});

it("exits 2 where it does not understand", async () => {
  const { code, out, err } = await run(["syc"], nowhere());
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain("Did you mean sync?");
});

it.runIf(process.platform === "linux")("says so where its working directory is gone", () => {
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" --version';
  const { status, stdout, stderr } = spawnSync("sh", ["-c", script, process.execPath, main], {
    cwd: makeFolder(),
    encoding: "utf8",
    env: { ...process.env, ...compiled },
  });
  expect([status, stdout, stderr]).toEqual([
    2,
    "",
    "The working directory of this process is gone: start it from another one.\n",
  ]);
});

it("exits with the code of the command, and writes JSON alone to stdout", async () => {
  const stage = await openStage();
  const { code, out, err } = await run(["sync", "--json"], stage);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ result: "ok" });
  for (const line of err.trimEnd().split("\n")) expect(JSON.parse(line)).toHaveProperty("msg");
  const refused = await run(["plan", "--json"], {
    ...stage,
    env: { ...stage.env, BOARD_API_KEY: "wrong-key-987" },
  });
  expect(refused.code).toBe(3);
  expect(JSON.parse(refused.out)).toMatchObject({ error: { code: "board.unauthorized" } });
});

it("`demo` kills another process of its own, and tells the story without a pause in a pipe", async () => {
  const place = nowhere();
  const { code, out, err } = await run(["demo"], { ...place, env: { TMPDIR: place.folder } });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain("  GitHub has opened 3 issues. boardsync has heard of 2: the last answer is lost.\n");
  expect(out).toContain("✓ 4 planned posts, 4 issues by 4 requests: none twice, none missing.\n");
  expect(out).not.toContain("Any key");
  expect(readdirSync(place.folder)).toEqual([]);
});

describe("a reader that goes away", () => {
  it("is no failure, and no reason to break off what is being done", async () => {
    const stage = await openStage();
    const { child, ended } = start(["sync"], stage);
    child.stdout?.destroy();
    child.stderr?.destroy();
    expect(await ended).toBe(0);
    expect(stage.story.github.issues("acme/app")).toHaveLength(4);
  });

  it.runIf(existsSync("/dev/full"))("is another thing than a full disk, which exits 1", () => {
    const full = openSync("/dev/full", "w");
    const { status, stderr } = spawnSync(process.execPath, [main, "schema"], {
      stdio: ["ignore", full, "pipe"],
    });
    expect(status).toBe(1);
    expect(String(stderr)).toBe("The output could not be written (ENOSPC).\n");
  });
});

it.skipIf(process.platform === "win32")(
  "the daemon's log goes on once there is room for it again, and says how much of it is lost",
  async () => {
    const stage = await openStage();
    const log = join(stage.folder, "log");
    // Blocks of 512 bytes. All that the process writes may be of this size, and its log is already.
    const blocks = 16_384;
    writeFileSync(log, Buffer.alloc(blocks * 512, "\n"));
    const child = spawn(
      "sh",
      ["-c", `ulimit -f ${blocks}; exec "$0" "$@" 2>>log`, process.execPath, main, "daemon"],
      { cwd: stage.folder, env: { ...compiled, ...stage.env }, stdio: "ignore" },
    );
    const ended = new Promise<number | null>((resolve) => void child.on("close", resolve));
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await ended;
    });
    await until(() => stage.story.github.issues("acme/app").length === 4);
    writeFileSync(join(stage.folder, "c.yaml"), "zebra: 1\n");
    truncateSync(log);
    await until(() => {
      child.kill("SIGHUP");
      return readFileSync(log, "utf8").includes("The new config is refused");
    });
    const lines = readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line !== "");
    expect(JSON.parse(String(lines[0]))).toMatchObject({ msg: "Lines of the log are lost", level: "warn" });
    expect(JSON.parse(String(lines[0])).lost).toBeGreaterThan(3);
    expect(lines.filter((line) => line.includes("are lost"))).toHaveLength(1);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  },
);

it("the daemon lives on after SIGHUP, whatever has become of its config, and another command does not", async () => {
  const stage = await openStage();
  const daemon = start(["daemon"], stage);
  await until(() => daemon.err().includes("Daemon started"));
  writeFileSync(join(stage.folder, "c.yaml"), "zebra: 1\n");
  daemon.child.kill("SIGHUP");
  await until(() => daemon.err().includes("The new config is refused"));
  daemon.child.kill("SIGTERM");
  expect(await daemon.ended).toBe(0);
  const other = await openStage();
  const hanging = await startHanging("sync", other);
  hanging.child.kill("SIGHUP");
  await hanging.ended;
  expect(hanging.child.signalCode).toBe("SIGHUP");
});

it("a SIGHUP ends no daemon that is about to start, and counts as soon as it has", async () => {
  const hook = join(makeFolder(), "early.mjs");
  writeFileSync(
    hook,
    `import { registerHooks } from "node:module";
    registerHooks({
      load(url, context, next) {
        if (url.endsWith("/commands/run/daemon.ts")) process.kill(process.pid, "SIGHUP");
        return next(url, context);
      },
    });`,
  );
  const daemon = start(["daemon"], await openStage(), ["--import", hook]);
  await until(() => daemon.err().includes("The config was read anew") || daemon.child.signalCode !== null);
  daemon.child.kill("SIGTERM");
  expect(await daemon.ended).toBe(0);
});

it("SIGUSR1 opens no inspector", async () => {
  const hanging = await startHanging("sync", await openStage(), giveGrace(500));
  hanging.child.kill("SIGUSR1");
  hanging.child.kill("SIGTERM");
  await hanging.ended;
  expect(hanging.err()).not.toContain("Debugger listening");
});

it("a plan that is killed leaves nothing of the state behind", async () => {
  const stage = await openStage();
  await run(["sync"], stage);
  const temporary = makeFolder();
  const { board } = stage.story;
  const [before, env] = [board.requests.length, { ...stage.env, TMPDIR: temporary }];
  board.failNext({ kind: "hang" });
  const plan = start(["plan"], { ...stage, env });
  await until(() => board.requests.length > before);
  plan.child.kill("SIGKILL");
  await plan.ended;
  expect(readdirSync(temporary)).toEqual([]);
});

describe("a signal", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s lets the write in hand end, starts nothing new, and exits %i", async (signal, code) => {
    const stage = await openStage("timeout: 60s");
    const { child, ended, out } = await startHanging("sync", stage, passDeadlinesAtSignal());
    child.kill(signal);
    expect(await ended).toBe(code);
    expect(out()).toContain(`stopped by ${signal}; the next run goes on.`);
    expect(countCreates(stage.story)).toBe(1);
    const next = await run(["sync", "--json"], stage);
    expect(next.code).toBe(0);
    expect(stage.story.github.issues("acme/app").map(({ title }) => title)).toHaveLength(4);
  });

  it("that comes twice at once, as from npm, counts once", async () => {
    const stage = await openStage("timeout: 60s");
    const { child, ended, out } = await startHanging("sync", stage, passDeadlinesAtSignal());
    child.kill("SIGINT");
    child.kill("SIGTERM");
    expect([130, 143]).toContain(await ended);
    expect(out()).toMatch(/stopped by SIG(?:INT|TERM); the next run goes on\./);
  });

  it.each([
    ["sync", 130],
    ["daemon", 0],
  ])("of a person who insists ends %s without waiting, and exits %i", async (command, code) => {
    const stage = await openStage("timeout: 60s");
    const { child, ended } = await startHanging(command, stage, giveGrace(1_000_000));
    // Two at once count as one, so a person goes on until it ends.
    const insisting = setInterval(() => child.kill("SIGINT"), 100);
    onTestFinished(() => clearInterval(insisting));
    expect(await ended).toBe(code);
  });

  it("leaves a write that gets no answer after a while; the daemon exits 0, and nothing is opened twice", async () => {
    const stage = await openStage("timeout: 60s");
    const { child, ended } = await startHanging("daemon", stage, giveGrace(100));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(await run(["sync"], stage)).toMatchObject({ code: 0 });
    const titles = stage.story.github.issues("acme/app").map(({ title }) => title);
    expect(new Set(titles).size).toBe(4);
    expect(titles).toHaveLength(4);
  });

  it("ends `demo`, and the process that it has started, and leaves nothing behind", async () => {
    const place = nowhere();
    const { child, ended, out } = start(["demo"], { ...place, env: { TMPDIR: place.folder } });
    await until(() => out().includes("kill -9"));
    child.kill("SIGTERM");
    expect(await ended).toBe(143);
    expect(readdirSync(place.folder)).toEqual([]);
  });

  it("ends `demo --serve`", async () => {
    const { child, ended, out } = start(["demo", "--serve", "--json"], nowhere());
    await until(() => out().endsWith("}\n"));
    expect(JSON.parse(out())).toHaveProperty("board");
    child.kill("SIGINT");
    expect(await ended).toBe(130);
  });
});

it("a second process is told who holds the state, and exits 5", async () => {
  const stage = await openStage("timeout: 60s");
  const { child } = await startHanging("sync", stage);
  const { code, out, err } = await run(["sync", "--json"], stage);
  expect(code).toBe(5);
  expect(JSON.parse(out)).toEqual({ error: { code: "state.held", message: expect.any(String) } });
  expect(err).toMatch(new RegExp(`held by sync, process ${child.pid} on \\S+, since \\d\\d:\\d\\d`));
  expect((await run(["status"], stage)).code).toBe(0);
});

const script = "/usr/bin/script";

describe.runIf(process.platform === "linux" && existsSync(script))("on a terminal", () => {
  it("keeps to its width, and has colours", () => {
    const command = `stty cols 70; "${process.execPath}" "${main}" demo`;
    const env = { ...compiled, PATH: process.env["PATH"] ?? "", TERM: "xterm", SHELL: "/bin/sh" };
    const { stdout, status } = spawnSync(script, ["-qec", command, "/dev/null"], {
      cwd: makeFolder(),
      env,
      encoding: "utf8",
    });
    expect(status).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is taken out.
    const lines = stdout.split("\r\n").map((line) => line.replaceAll(/\u001b\[\d+m/g, ""));
    expect(lines).toContain("  Any key goes on, Ctrl-C leaves.");
    // A command, which is to be copied, stays whole.
    const texts = lines.filter((line) => !line.startsWith("$ "));
    expect(Math.max(...texts.map((line) => line.length))).toBeLessThanOrEqual(70);
    expect(stdout).toContain("\u001b[1m1. Killed in the middle of a write");
  });

  /**
   * `demo`, then what the shell's `stty` says of the terminal. Each text of the answers is waited for before it is given. One that is no
   * text is done with the terminal.
   */
  const play = async (
    own: Readonly<Record<string, string>>,
    ...answers: readonly (readonly [shown: string, typed: string | ((terminal: string) => void)])[]
  ) => {
    const { folder } = nowhere();
    const command = `tty; "${process.execPath}" "${main}" demo; echo "exit $?"; stty -a`;
    const env = {
      ...compiled,
      ...own,
      TMPDIR: folder,
      PATH: process.env["PATH"] ?? "",
      TERM: "xterm",
      SHELL: "/bin/sh",
    };
    const child = spawn(script, ["-qfec", command, "/dev/null"], { cwd: folder, env });
    onTestFinished(() => void child.kill("SIGKILL"));
    const left = [...answers];
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const [next] = left;
      if (next === undefined || !text.includes(next[0])) return;
      left.shift();
      if (typeof next[1] === "string") child.stdin.write(next[1]);
      else next[1](text.split("\r\n")[0] ?? "");
    });
    await new Promise((resolve) => child.on("close", resolve));
    return { text, folder };
  };

  it("keeps to the width that it has by now", async () => {
    const narrow = (terminal: string): void => void execFileSync("stty", ["-F", terminal, "cols", "64"]);
    const { text } = await play({ NO_COLOR: "1" }, ["4 of them planned", narrow]);
    const [, later = ""] = text.split(/\r\n(?=2\. A post)|exit 0/);
    const texts = later.split("\r\n").filter((line) => !line.startsWith("$ "));
    expect(texts.length).toBeGreaterThan(20);
    expect(Math.max(...texts.map((line) => line.length))).toBeLessThanOrEqual(64);
  });

  it("shows no key that is pressed, and is as it was before when the demo has ended", async () => {
    const { text } = await play({}, ["kill -9", "x"], ["3. A change settles", "x"]);
    expect(text).toContain("exit 0");
    expect(text).toMatch(/[ ;]icanon .*[ ;]echo /s);
    expect(text).toContain("opens issue #3\u001b[22m\r\n  GitHub has opened 3 issues.");
    expect(text).toContain("its voters are notified once\u001b[22m\r\n  Dana starts");
  });

  it.each(["4 of them planned", "kill -9", "3. A change settles"])(
    "Ctrl-C leaves the demo at once after `%s`, and leaves nothing behind; NO_COLOR takes the colours away",
    async (shown) => {
      const { text, folder } = await play({ NO_COLOR: "1" }, [shown, "\u0003"]);
      expect(text).not.toContain("\u001b");
      expect(text).toContain("exit 130");
      expect(text).toMatch(/[ ;]icanon .*[ ;]echo /s);
      expect(text).not.toContain("In the end");
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});

const oldNode = ["/usr/bin/node", "/usr/local/bin/node"].find((file) => {
  const { stdout } = spawnSync(file, ["--version"], { encoding: "utf8" });
  const [major = 99] = (stdout ?? "").replace("v", "").split(".").map(Number);
  return major > 0 && major < 22;
});

it.runIf(oldNode !== undefined)(
  "an older Node.js says one sentence and exits 2, before anything is loaded",
  () => {
    const folder = makeFolder();
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    // As `dist` has it, but alone: whatever it loaded beside Node's own would be missing.
    writeFileSync(join(folder, "main.js"), stripTypeScriptTypes(readFileSync(main, "utf8")));
    const { status, stdout, stderr } = spawnSync(oldNode ?? "", [join(folder, "main.js")], {
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^boardsync needs Node\.js 22\.19 or newer, and this is \d+\.\d+\.\d+: .*\.\n$/);
  },
);

it("an error that no command catches tells where it happened, and nothing of what it says", () => {
  const hook = join(makeFolder(), "hook.mjs");
  const words = "key-0123456789\\n    at key-0123456789";
  writeFileSync(hook, `process.once("beforeExit", function atNight() { throw new RangeError("${words}"); })`);
  const { status, stderr } = spawnSync(process.execPath, ["--import", hook, main, "schema"], {
    encoding: "utf8",
    env: {},
  });
  expect(status).toBe(1);
  expect(stderr).toContain("This is a mistake in boardsync (RangeError)");
  expect(stderr).toMatch(/^ +at .*atNight/m);
  expect(stderr).not.toContain("key-");
});
