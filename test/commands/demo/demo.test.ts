/** @module-tag long */

import { readdirSync, readFileSync } from "node:fs";
import { Server } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { chapters } from "../../../src/commands/demo/chapters.ts";
import type { ToldStory } from "../../../src/commands/demo/teller.ts";
import type { Keys } from "../../../src/commands/print/terminal.ts";
import { widthOf } from "../../../src/commands/print/text.ts";
import { makeFolder, type RunOptions, runCommand } from "../stage.ts";
import { createStarter } from "./start-again.ts";

/** `demo` in this process; the one that it kills is real. */
async function runDemo(args: readonly string[], options: RunOptions = {}, env = {}) {
  const starter = createStarter();
  const place = { env, cwd: "/" };
  const ran = await runCommand(["demo", ...args], place, {
    ...{ columns: 80, startAgain: starter.startAgain },
    ...options,
  });
  return { ...ran, started: starter.started };
}

/** A keyboard on which keys are pressed at once, and what became of it. `press` is done before each. */
function createKeys(press: (nth: number) => void = () => undefined) {
  const seen = { taken: 0, waits: [] as number[], released: 0 };
  const takeKeys = (): Keys => {
    seen.taken += 1;
    return {
      async next(mostMs) {
        seen.waits.push(mostMs);
        press(seen.waits.length);
      },
      release() {
        seen.released += 1;
      },
    };
  };
  return { seen, takeKeys };
}

/** Folders for temporary files go here until the test ends. */
function ownTemporary(): string {
  const temporary = makeFolder();
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  return temporary;
}

/** What listens in this process, and would keep it alive. */
function countServers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "TCPServerWrap").length;
}

describe("demo", () => {
  it.each([
    ["demo", []],
    ["demo --serve", ["--serve"]],
  ])("%s says so where no folder can be made, and leaves nothing that listens", async (_, args) => {
    const nowhere = join(ownTemporary(), "gone");
    vi.stubEnv("TMPDIR", nowhere);
    const before = countServers();
    const { code, err } = await runDemo(args);
    expect({ code, servers: countServers() }).toEqual({ code: 2, servers: before });
    expect(err).toBe(
      `The demo can make no folder in ${nowhere} (ENOENT): set TMPDIR to one that this user may write.\n`,
    );
  });

  it.each([
    ["demo", []],
    ["demo --serve", ["--serve"]],
  ])("%s leaves no folder behind where nothing can listen", async (_, args) => {
    const temporary = ownTemporary();
    const listen = vi.spyOn(Server.prototype, "listen").mockImplementation(() => {
      throw new Error("No loopback");
    });
    onTestFinished(() => listen.mockRestore());
    expect((await runDemo(args)).code).toBe(1);
    expect(listen).toHaveBeenCalled();
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("tells the whole story, and leaves nothing behind", async () => {
    const temporary = ownTemporary();
    const { seen, takeKeys } = createKeys();
    const { code, out, err } = await runDemo([], { takeKeys });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(readdirSync(temporary)).toEqual([]);
    for (const { title } of chapters) expect(out).toContain(`\n${title}\n`.replace(/^\n(?=A )/, ""));
    for (const part of [
      "  8 posts, 4 of them planned: those are to become issues. 0 issues so far.",
      "  GitHub has opened 3 issues. boardsync has heard of 2: the last answer is lost.",
      "✓ 4 planned posts, 4 issues by 4 requests: none twice, none missing.",
      "    Offline mode <·!-- boardsync:v1 -->",
      "    @·everyone! Fixes #·1, see https://redirect.github.com/acme/secret/issues/7",
      "✓ Nobody is pinged, nothing is closed or linked, and 1 mark is there: ours.",
      "  Nothing is written yet: the change has to stand for 10 minutes.",
      "✓ Nothing to write. 128 notifications for 128 voters.",
      "✓ Nothing is written: 0 notifications in place of 74.",
      "  4 issues were closed in the same second, all by @dana; 4 posts would notify",
      "✓ All of it needs a person: 0 notifications in place of 276.",
      "✓ Nothing needs a person any more. 0 notifications.",
      "✓ #5 is closed as not planned, and the next sync lets it be. 0 notifications.",
      "✓ 1 change of status: 128 notifications. 350 unwanted ones were not sent.",
      "`boardsync init`",
    ]) {
      expect(out).toContain(part);
    }
    expect(out).not.toContain("✗");
    // Nobody sits before a pipe.
    expect(out).not.toContain("Any key");
    expect(seen.taken).toBe(0);
  });

  it.each([160, 60])("has no line over 100 columns, nor over the terminal's %i", async (columns) => {
    const { out } = await runDemo([], { columns, startAgain: undefined as never });
    const most = Math.min(100, columns);
    // A command, which is to be copied, stays whole.
    expect(out.split("\n").filter((line) => widthOf(line) > most && !line.startsWith("$ "))).toEqual([]);
  });

  it("prints one document of what happened with --json: one change of status was told, and no other", async () => {
    const { seen, takeKeys } = createKeys();
    const { code, err, json } = await runDemo(["--json"], { isTerminal: true, takeKeys });
    expect({ code, err, taken: seen.taken }).toEqual({ code: 0, err: "", taken: 0 });
    const { runs, days, notifications, differences } = json() as ToldStory;
    expect(differences).toEqual([]);
    expect(notifications).toMatchObject([{ post: "p1", from: "planned", to: "in_progress", voters: 128 }]);
    // The first one was killed: no report of it is there.
    expect(runs.map(({ run }) => run)).toEqual(runs.map((_, index) => index + 2));
    const told = days.map(({ title, run, changes }) => ({
      title,
      result: runs.find((one) => one.run === run)?.result,
      changes: new Set(changes.map(({ side, where }) => `${side} ${where}`)),
    }));
    const quiet = new Set();
    expect(told).toEqual([
      {
        title: "boardsync is killed while it opens #3",
        result: "ok",
        changes: new Set(["GitHub acme/app#4"]),
      },
      { title: 'Dana labels #1 "in progress"', result: "ok", changes: quiet },
      { title: "The change has stood long enough", result: "ok", changes: new Set(["board p1"]) },
      { title: "Nothing happens", result: "ok", changes: quiet },
      { title: "Dana closes #2 by mistake", result: "ok", changes: quiet },
      { title: "She reopens #2", result: "ok", changes: quiet },
      { title: "A script closes every issue", result: "ok", changes: quiet },
      { title: "The changes have stood long enough", result: "held", changes: quiet },
      { title: "People reopen the issues", result: "ok", changes: quiet },
      { title: "Somebody marks spam as planned", result: "ok", changes: new Set(["GitHub acme/app#5"]) },
      { title: "Run 11 is undone", result: "ok", changes: new Set(["GitHub acme/app#5"]) },
      { title: "Nothing happens", result: "ok", changes: quiet },
    ]);
  });
});

describe("the process that demo kills", () => {
  it("is a sync of its own, ended by SIGKILL, without the person's own board and proxies; --quiet prints nothing", async () => {
    const own = {
      ...{ BOARDSYNC_STATE: "own.db", BOARD_API_KEY_FILE: "key", GITHUB_APP_ID: "1" },
      ...{ https_proxy: "http://proxy.example.com", LANG: "C" },
    };
    const { seen, takeKeys } = createKeys();
    const { started, ...ran } = await runDemo(["--quiet"], { isTerminal: true, takeKeys }, own);
    expect(ran).toMatchObject({ code: 0, out: "", err: "" });
    expect(seen.taken).toBe(0);
    expect(started).toMatchObject([{ args: ["sync", "--quiet"], signal: "SIGKILL" }]);
    expect(Object.keys(started[0]?.env ?? {}).toSorted()).toEqual([
      ...["BOARDSYNC_CONFIG", "BOARD_API_KEY", "GITHUB_TOKEN", "LANG"],
    ]);
  });

  it("that ends by itself ends the story: it is said, and exits 1", async () => {
    const { startAgain } = createStarter(() => ["--version"]);
    const { code, out } = await runDemo([], { startAgain });
    expect(code).toBe(1);
    expect(out).toMatch(/✗ Not so: The process lives until it is killed\.\n$/);
    const { json } = await runDemo(["--json"], { startAgain });
    expect(json()).toMatchObject({ runs: [], differences: ["The process lives until it is killed."] });
  });

  it("is not all that can differ: what is not as it is told is said, and exits 1", async () => {
    const { startAgain } = createStarter();
    const { code, out } = await runDemo([], {
      startAgain: async (args, place) => {
        const [, github] =
          readFileSync(`${place.cwd}/boardsync.yaml`, "utf8").match(/tracker:\s+url: (\S+)/) ?? [];
        const headers = { authorization: `Bearer ${place.env["GITHUB_TOKEN"]}`, "user-agent": "dana" };
        const body = JSON.stringify({ title: "Dark mode" });
        await fetch(`${github}/repos/acme/app/issues`, { method: "POST", headers, body });
        return startAgain(args, place);
      },
    });
    expect(code).toBe(1);
    expect(out).toContain("✗ Not so: 4 planned posts, 5 issues by 5 requests: none twice, none missing.");
  });

  it("is left out, and that is said, where no process can be started; the rest is told", async () => {
    const { code, out } = await runDemo([], { startAgain: undefined as never });
    expect(code).toBe(0);
    expect(out).toMatch(
      /\n {2}No process can be started from here\. .* `boardsync demo`\n {2}in a shell\.\n/,
    );
    expect(out).not.toContain("kill -9");
    expect(out).toContain("✓ 4 planned posts, 4 issues by 4 requests: none twice, none missing.");
    expect(out).not.toContain("hidden mark in its text");
    expect(out).toContain("✓ 1 change of status: 128 notifications.");
  });
});

describe("demo at a terminal", () => {
  it("waits a second or for a key after each step but the last; all of it has at most 60 lines of 80 columns", async () => {
    const { seen, takeKeys } = createKeys();
    const { code, out } = await runDemo([], { isTerminal: true, takeKeys });
    expect(code).toBe(0);
    expect(out).toContain("Any key goes on, Ctrl-C leaves.\n");
    const lines = out.split("\n");
    expect(lines.filter((line) => widthOf(line) > 80)).toEqual([]);
    expect(lines.length - 1).toBeLessThanOrEqual(60);
    expect(seen).toEqual({ taken: 1, waits: Array(chapters.length - 1).fill(1000), released: 1 });
  });

  it("has colours where they are welcome", async () => {
    const { startAgain } = createStarter(() => ["--version"]);
    const { out } = await runDemo([], { startAgain, hasColours: true });
    expect(out).toContain(
      "\u001b[1m1. Killed in the middle of a write\u001b[22m\n\u001b[36m$ boardsync sync",
    );
    expect((await runDemo([], { startAgain })).out).not.toContain("\u001b");
  });
});

describe("a signal ends demo", () => {
  it("before it has begun", async () => {
    const { code, out } = await runDemo([], { signal: AbortSignal.abort("SIGINT") });
    expect({ code, out }).toEqual({ code: 130, out: "" });
  });

  it("between two steps, and gives the keys back", async () => {
    const interruption = new AbortController();
    const { seen, takeKeys } = createKeys((nth) => {
      if (nth === 3) interruption.abort("SIGINT");
    });
    const { signal } = interruption;
    const { code, out } = await runDemo([], { isTerminal: true, takeKeys, signal });
    expect(code).toBe(130);
    expect(out).toContain("\n2. A post that means harm\n");
    expect(out).not.toContain("\n3. ");
    expect(seen).toMatchObject({ waits: [1000, 1000, 1000], released: 1 });
  });

  it("while the other process runs, which goes with it, and leaves nothing behind", async () => {
    const temporary = ownTemporary();
    const interruption = new AbortController();
    const { started, startAgain } = createStarter();
    const { code, out } = await runDemo([], {
      signal: interruption.signal,
      startAgain: async (args, place) => {
        const child = await startAgain(args, place);
        interruption.abort("SIGTERM");
        return child;
      },
    });
    expect(code).toBe(143);
    expect(out).toMatch(/\$ boardsync sync .*\n$/);
    expect(out).not.toContain("Not so");
    expect(started).toMatchObject([{ signal: "SIGKILL" }]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("in the middle of a step, without a word of what was not done", async () => {
    const interruption = new AbortController();
    const { signal } = interruption;
    const { startAgain } = createStarter();
    const { code, out } = await runDemo([], {
      signal,
      startAgain: async (args, place) => {
        const child = await startAgain(args, place);
        const kill = (): void => {
          child.kill();
          // The other process is dead, and has left its work to the run that now begins.
          setImmediate(() => interruption.abort("SIGINT"));
        };
        return { ...child, kill };
      },
    });
    expect(code).toBe(130);
    expect(out).not.toContain("✗");
    expect(out).not.toContain("\n2. ");
  });
});
