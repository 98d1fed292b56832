/** @module-tag long */

import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runProgram } from "../../../src/commands/program.ts";
import { compiled } from "../../support/compiled.ts";
import { readForm } from "../../support/page-stage.ts";
import { until } from "../../support/until.ts";
import { createOutput, createTerminal, makeFolder, runCommand } from "../stage.ts";
import { main } from "./start-again.ts";

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
  const terminal = createTerminal({
    args: ["demo", "--serve", ...args],
    cwd: makeFolder(),
    command: "npx boardsync",
    out: { ...out, write },
    err,
    signal: interruption.signal,
  });
  const ended = runProgram(terminal);
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

/** What is printed: what is for a shell, each line as it takes it; addresses for the browser; and the rest. */
function takeApart(text: string) {
  const whole = text.replaceAll(/\\\n +/g, "").split("\n");
  const indented = whole.filter((line) => line.startsWith("  ")).map((line) => line.slice(2));
  return {
    addresses: indented.filter((line) => line.startsWith("http")),
    lines: indented.filter((line) => !line.startsWith("http")),
    sentences: whole.filter((line) => line !== "" && !line.startsWith("  ")),
  };
}

/** Folder with `npx` and `boardsync` that run the program as it is here. */
function putOnPath(): string {
  const folder = makeFolder();
  const program = `exec "${process.execPath}" "${main}" "$@"\n`;
  const files = { boardsync: program, npx: `[ "$1" = boardsync ] || exit 99\nshift\n${program}` };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

interface Shown {
  readonly code: number | null;
  readonly text: string;
}

/** A shell that remembers what was exported. */
function openShell() {
  const env = { ...compiled, PATH: [putOnPath(), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter) };
  const folder = makeFolder();
  const exports: string[] = [];
  return async (line: string): Promise<Shown> => {
    const child = spawn("/bin/sh", ["-c", [...exports, line].join("\n")], { cwd: folder, env });
    if (line.startsWith("export ")) exports.push(line);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
    }
    const code = await new Promise<number | null>((resolve) => void child.on("close", resolve));
    return { code, text };
  };
}

/** What both sides show to whoever has the exported values. */
async function lookAt(lines: readonly string[]) {
  const value = (name: string): string =>
    lines.find((line) => line.startsWith(`export ${name}=`))?.split("=")[1] ?? "";
  const read = async (url: string, key: string) => {
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}`, "user-agent": "test" } });
    return JSON.parse(await response.text());
  };
  const { feedback } = await read(`${value("BOARD")}/feedback?project=acme-app`, value("BOARD_API_KEY"));
  const issues = await read(
    `${value("GITHUB")}/repos/acme/app/issues?state=all&direction=asc`,
    value("GITHUB_TOKEN"),
  );
  const p1: unknown = feedback.find(({ id }: { id: string }) => id === "p1")?.status;
  const [first, second] = issues.map((issue: { state: string; title: string }) => issue);
  return { p1, issues: issues.length, first: first?.state, second: second?.title };
}

const untouched = { p1: "planned", issues: 0 };
const opened = { p1: "planned", issues: 4, first: "open", second: "Export to CSV" };
const edited = { ...opened, second: "Export to CSV and Excel" };
const closed = { ...edited, first: "closed" };
const told = { ...closed, p1: "completed" };

/** Every line for the shell: what it shows, and what both sides show after it. */
const expectedLines: readonly (readonly [start: RegExp, shows: RegExp, sides?: object])[] = [
  [/^export BOARD_API_KEY=/, /^$/],
  [/^export GITHUB_TOKEN=/, /^$/],
  [/^export BOARDSYNC_CONFIG=/, /^$/],
  [/^export BOARD=/, /^$/],
  [/^export GITHUB=/, /^$/],
  [/^npx boardsync check$/, /All is well/, untouched],
  [/^npx boardsync plan$/, /6 issues to open/, untouched],
  [/^npx boardsync sync$/, /Run 1, .*in step/, opened],
  [/^npx boardsync status$/, /acme-app/, opened],
  [/^curl .*Excel/, /^$/, opened],
  [/^npx boardsync sync$/, /Run 2, .*in step/, edited],
  [/^curl .*closed/, /^$/, closed],
  [/^npx boardsync sync$/, /Run 3, .*in step/, told],
  [/^npx boardsync explain p1$/, /rule 1 sets status: completed/, told],
  [/^npx boardsync history$/, /planned → completed/, told],
  [/^npx boardsync undo 3 --yes$/, /Undo of run 3: 1 undone/, closed],
];

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

describe("demo --serve", () => {
  // A person without curl tries the rest.
  it.runIf(hasCurl)(
    "prints nothing that a shell does not run, in its order, with the effect that it tells of",
    async () => {
      const { text } = await serve([]);
      const { addresses, lines, sentences } = takeApart(text);
      for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z][\w ,#-]+[.:]$/);
      expect(addresses).toHaveLength(1);
      for (const address of addresses)
        expect((await fetch(address, { redirect: "manual" })).status).toBe(303);
      const run = openShell();
      const left = [...expectedLines];
      for (const line of lines) {
        const { code, text: shown } = await run(line);
        expect({ line, code, shown }).toMatchObject({ line, code: 0 });
        const [start, shows, sides] = left.shift() ?? [/^no line more$/, /^$/];
        expect(line).toMatch(start);
        expect(shown).toMatch(shows);
        if (sides !== undefined) expect(await lookAt(lines), line).toMatchObject(sides);
      }
      expect(left).toEqual([]);
    },
  );

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

  it("serves the status page over whatever the commands do", async () => {
    const { text } = await serve(["--json"]);
    const { page, environment }: Served = JSON.parse(text);
    const { look } = await openPage(page);
    expect(await look("/")).toContain("No run yet");
    await runCommand(["sync"], { env: environment, cwd: makeFolder() });
    expect(await look("/")).toContain("All in step");
    expect(await look("/links?q=dark")).toContain("acme/app#1");
    expect(await look("/post/acme-app/p1")).toContain("What happens next");
  });

  it("takes orders on the page, and does them", async () => {
    const { text, errors } = await serve(["--json"]);
    const { page, environment, github }: Served = JSON.parse(text);
    const { look, post } = await openPage(page);
    const surroundings = { env: environment, cwd: makeFolder() };
    await runCommand(["sync"], surroundings);
    await fetch(`${github}/repos/acme/app/issues/1`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${environment["GITHUB_TOKEN"]}`, "user-agent": "dana" },
      body: JSON.stringify({ state: "closed", state_reason: "completed" }),
    });
    const question = await post(readForm(await look("/"), "Run now"));
    const done = await post(readForm(await question.text(), "Run"));
    expect(done.status).toBe(303);
    let history = "";
    await until(async () => {
      history = (await runCommand(["history", "p1"], surroundings)).out;
      return history.includes("completed");
    });
    expect(history).toContain("planned → completed");
    expect(errors).toBe("");
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

/** A browser that opens the page by its address. */
async function openPage(page: string) {
  const opened = await fetch(page, { redirect: "manual" });
  const headers = { cookie: opened.headers.get("set-cookie")?.split(";")[0] ?? "" };
  return {
    look: async (path: string): Promise<string> => (await fetch(new URL(path, page), { headers })).text(),
    post: (fields: Readonly<Record<string, string>>) =>
      fetch(new URL("/orders", page), {
        method: "POST",
        body: new URLSearchParams(fields),
        headers: { ...headers, origin: new URL(page).origin, "sec-fetch-site": "same-origin" },
        redirect: "manual",
      }),
  };
}
