import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { widthOf } from "../../../src/commands/print/text.ts";
import { runProgram } from "../../../src/commands/program.ts";
import { createOutput, makeFolder, runCommand } from "../stage.ts";

function runDemo(args: readonly string[], columns = 160, signal = new AbortController().signal) {
  return runCommand(["demo", ...args], { env: {}, cwd: "/" }, { columns, signal });
}

describe("demo", () => {
  it("tells the whole story, and leaves nothing behind", async () => {
    const temporary = makeFolder();
    vi.stubEnv("TMPDIR", temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { code, out, err } = await runDemo([]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(readdirSync(temporary)).toEqual([]);
    for (const part of [
      "│ acme-app │ p1   │ Dark mode ",
      "━━ Day 1. $ boardsync plan",
      "6 issues to open; no voter would be notified. Nothing was written.",
      "━━ Day 1. $ boardsync sync",
      "│ acme-app │     8 │      4 │      4 │",
      "again: nothing changed, so nothing is written",
      "✉ 128 voters of p1 hear: planned → in_progress",
      "✉ 33 voters of p4 hear: planned → closed",
      "│ GitHub │ acme/app#2 │ title ",
      "Nothing is written on either side.\n✉ No voter is mailed.",
      "4 changes of status, each told once: 417 mails to voters.",
      "npx boardsync check",
    ]) {
      expect(out).toContain(part);
    }
  });

  it("shows what became of a post that was written to do harm", async () => {
    const { out } = await runDemo([]);
    expect(out).toContain(
      "Ping @·everyone, fixes #·1 and see https://redirect.github.com/acme/secret/issues/7",
    );
  });

  it.each([160, 100, 80])("has no line over 100 columns, nor over the terminal's %i", async (columns) => {
    const { out } = await runDemo([], columns);
    const limit = Math.min(100, columns);
    // Addresses and commands, which are to be copied, stay whole.
    const long = out.split("\n").filter((line) => widthOf(line) > limit && !/^ {4}|^\d\. |^━━ /.test(line));
    expect(long).toEqual([]);
    expect(out.split("\n").filter((line) => widthOf(line) > 100)).toEqual([]);
  });

  it("prints one document of what happened with --json", async () => {
    const { code, json } = await runDemo(["--json"]);
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      runs: Array.from({ length: 6 }, () => ({ result: "ok" })),
      days: [
        {
          title: expect.stringContaining("Dana starts"),
          run: 4,
          changes: [
            { side: "board", where: "p1", field: "status", before: "planned", after: "in_progress" },
            { side: "board", where: "p1", field: "roadmapColumn", before: "PLANNED", after: "IN_PROGRESS" },
          ],
        },
        {},
        {},
        { title: "A quiet day", changes: [] },
      ],
      notifications: [
        { post: "p1", from: "planned", to: "in_progress", voters: 128 },
        { post: "p1", to: "completed" },
        { post: "p4", to: "closed", voters: 33 },
        { post: "p1", to: "planned" },
      ],
    });
  });

  it("prints nothing with --quiet", async () => {
    expect(await runDemo(["--quiet"])).toMatchObject({ code: 0, out: "", err: "" });
  });

  it("ends at a signal", async () => {
    const { code, out } = await runDemo([], 100, AbortSignal.abort("SIGINT"));
    expect(code).toBe(130);
    expect(out).toBe("");
  });

  it("ends after the run in hand at a signal", async () => {
    const interruption = new AbortController();
    const out = createOutput();
    const write = (text: string): void => {
      out.write(text);
      if (text.includes("Day 2")) interruption.abort("SIGTERM");
    };
    const { signal } = interruption;
    const terminal = {
      args: ["demo"],
      env: {},
      cwd: "/",
      version: "1",
      command: "boardsync",
      pid: 1,
      err: createOutput(),
      signal,
    };
    expect(await runProgram({ ...terminal, out: { ...out, write } })).toBe(143);
    expect(out.text()).not.toContain("Day 3");
  });
});

/** `demo --serve`, up until the test ends. */
async function serve(args: readonly string[]) {
  const interruption = new AbortController();
  const out = createOutput();
  const err = createOutput();
  let announce = (): void => undefined;
  const announced = new Promise<void>((resolve) => {
    announce = resolve;
  });
  const write = (text: string): void => {
    out.write(text);
    announce();
  };
  const ended = runProgram({
    args: ["demo", "--serve", ...args],
    env: {},
    cwd: makeFolder(),
    version: "1.2.3",
    command: "boardsync",
    pid: 1,
    out: { ...out, write },
    err,
    signal: interruption.signal,
  });
  const end = (): Promise<number> => {
    interruption.abort("SIGINT");
    return ended;
  };
  onTestFinished(async () => void (await end()));
  await Promise.race([announced, ended]);
  return { text: out.text(), errors: err.text(), end, ended };
}

interface Served {
  readonly board: string;
  readonly page: string;
  readonly github: string;
  readonly environment: Readonly<Record<string, string>>;
}

describe("demo --serve", () => {
  it("keeps a sandbox up for scripts: 12 posts in two projects, synced once, then idle", async () => {
    const { text, end } = await serve(["--json"]);
    const { board, github, environment }: Served = JSON.parse(text);
    expect(readFileSync(String(environment["BOARDSYNC_CONFIG"]), "utf8")).toContain(board);
    expect(github).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const surroundings = { env: environment, cwd: makeFolder() };
    const first = await runCommand(["sync", "--json"], surroundings);
    expect(first.json()).toMatchObject({
      projects: [
        { posts: 8, created: 4 },
        { posts: 4, created: 2 },
      ],
    });
    // Of the tracker: what has changed; and labels, because rules look at them, or the pull requests that the default rules ask for.
    const idle = { created: 0, issueWrites: 0, postWrites: 0, requests: { board: 1, tracker: 2 } };
    const second = await runCommand(["sync", "--json"], surroundings);
    expect(second.json()).toMatchObject({ result: "ok", projects: [idle, idle] });
    const folder = dirname(String(environment["BOARDSYNC_CONFIG"]));
    expect(await end()).toBe(130);
    expect(existsSync(folder)).toBe(false);
  });

  it("prints commands that work as they stand", async () => {
    const { text } = await serve([]);
    const environment = Object.fromEntries(
      [...text.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
    );
    expect(Object.keys(environment)).toEqual([
      "BOARD_API_KEY",
      "GITHUB_TOKEN",
      "BOARDSYNC_CONFIG",
      "BOARD",
      "GITHUB",
    ]);
    const surroundings = { env: environment, cwd: makeFolder() };
    const [before = "", after = ""] = text.split(/^# .*$/m);
    for (const [, command = ""] of before.matchAll(/^npx boardsync (\w+)$/gm)) {
      expect(await runCommand([command], surroundings)).toMatchObject({ code: 0 });
    }
    const calls = [...after.matchAll(/^curl .*\\\n.*$/gm)].map(([call]) => call);
    expect(calls).toHaveLength(2);
    for (const call of calls) await curl(call, environment);
    const { json } = await runCommand(["sync", "--json"], surroundings);
    expect(json()).toMatchObject({ projects: [{ issueWrites: 1, postWrites: 1, statusWrites: 1 }, {}] });
  });

  it("serves the status page over whatever the commands do", async () => {
    const { text } = await serve(["--json"]);
    const { page, environment }: Served = JSON.parse(text);
    const opened = await fetch(page, { redirect: "manual" });
    const headers = { cookie: opened.headers.get("set-cookie") ?? "" };
    const look = async (path: string): Promise<string> =>
      (await fetch(new URL(path, page), { headers })).text();
    expect(await look("/")).toContain("No run yet");
    await runCommand(["sync"], { env: environment, cwd: makeFolder() });
    expect(await look("/")).toContain("All in step");
    expect(await look("/links?q=dark")).toContain("acme/app#1");
    expect(await look("/post/acme-app/p1")).toContain("What happens next");
  });

  it("says which port is taken, and leaves nothing up", async () => {
    const { text } = await serve(["--json"]);
    const { github }: Served = JSON.parse(text);
    // The board's port is free, the one after it is not.
    const port = Number(new URL(github).port) - 1;
    const second = await serve(["--port", String(port)]);
    expect(await second.ended).toBe(2);
    expect(second.errors).toBe(
      `Port ${port} or one of the two after it is taken. Choose another with --port.\n`,
    );
  });

  it("prints nothing with --quiet, and ends at a signal", async () => {
    const ran = await runCommand(
      ["demo", "--serve", "--quiet"],
      { env: {}, cwd: makeFolder() },
      { signal: AbortSignal.abort("SIGTERM") },
    );
    expect(ran).toMatchObject({ code: 143, out: "", err: "" });
  });
});

/** Does what a line of curl says; curl itself may not be there. */
async function curl(line: string, environment: Readonly<Record<string, string>>): Promise<void> {
  const text = line.replaceAll(/\$(\w+)/g, (_, name: string) => environment[name] ?? "");
  const headers = [...text.matchAll(/-H "([^:"]+): ([^"]+)"/g)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]);
  const method = / -X (\w+) /.exec(text)?.[1] ?? "GET";
  const body = / -d '([^']*)'/.exec(text)?.[1] ?? "";
  const url = /"?(http:\/\/[^"\s]+)"?$/.exec(text)?.[1] ?? "";
  const answer = await fetch(url, { method, headers: Object.fromEntries(headers), body });
  expect(answer.status).toBe(200);
}
