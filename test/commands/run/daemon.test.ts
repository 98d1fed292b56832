/** @module-tag long */

import { rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { runProgram } from "../../../src/commands/program.ts";
import { startDaemon } from "../daemon-stage.ts";
import { createOutput, createTerminal, openStage, type Stage } from "../stage.ts";

interface Line {
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Runs the daemon; `onLine` sees each line of its log and may end it. */
async function runDaemon(
  stage: Stage,
  args: readonly string[],
  onLine: (line: Line, end: () => void) => void,
): Promise<{ readonly code: number; readonly out: string; readonly lines: readonly Line[] }> {
  const interruption = new AbortController();
  const lines: Line[] = [];
  const [out, err] = [createOutput(), createOutput()];
  const write = (text: string): void => {
    const line: Line = JSON.parse(text);
    lines.push(line);
    onLine(line, () => interruption.abort("SIGTERM"));
  };
  const { folder: cwd, env } = stage;
  const terminal = createTerminal({ cwd, env, out, err: { ...err, write }, signal: interruption.signal });
  const code = await runProgram({ ...terminal, args: ["daemon", ...args] });
  return { code, out: out.text(), lines };
}

it("runs every project at once, is alive and holds the state meanwhile, and exits 0 at SIGTERM", async () => {
  const stage = await openStage();
  const finished: unknown[] = [];
  let address = "";
  const seen: { health?: number; page?: number; rebuild?: string } = {};
  const { code, out, lines } = await runDaemon(stage, [], (line, end) => {
    if (line.msg === "Listening") address = String(line["address"]);
    if (line.msg !== "Project finished") return;
    finished.push(line["project"]);
    if (finished.length < 2) return;
    const look = async (): Promise<void> => {
      seen.health = (await stage.run(["health"])).code;
      seen.page = (await fetch(`${address}/healthz`)).status;
      seen.rebuild = (await stage.run(["rebuild"])).err;
    };
    void look().finally(end);
  });
  expect({ code, out }).toEqual({ code: 0, out: "" });
  expect(finished.toSorted()).toEqual(["acme-api", "acme-app"]);
  expect(seen.health).toBe(0);
  expect(seen.page).toBe(200);
  expect(seen.rebuild).toMatch(/is held by daemon, process 4711 on \S+, since /);
  expect(stage.story.github.issues("acme/app")).toHaveLength(4);
  expect(lines.at(-1)?.msg).toMatch(/^Daemon stopp/);
  await expect(fetch(`${address}/healthz`)).rejects.toThrow("fetch failed");
  expect(await stage.run(["sync"])).toMatchObject({ code: 0 });
  const health = await stage.run(["health"]);
  expect(health.code).toBe(1);
  expect(health.out).toMatch(/^The daemon on \S+ was stopped (?:just now|\d+ seconds ago)\.$/m);
});

it("does without HTTP where the config says so, and leaves out projects that ran within their period", async () => {
  const stage = await openStage();
  await stage.run(["sync"]);
  const file = stage.writeConfig("quiet.yaml", (config) =>
    config
      .replace("http: { port: 0 }", "http: false")
      .replace("repo: acme/api\n", 'repo: acme/api\n    schedule: "0 0 1 2 *"\n'),
  );
  const { code, lines } = await runDaemon(stage, ["-c", file], (line, end) => {
    if (line.msg === "Daemon started") end();
  });
  expect(code).toBe(0);
  expect(lines.map(({ msg }) => msg)).not.toContain("Listening");
  expect(lines.map(({ msg }) => msg)).not.toContain("Project started");
});

it("runs a project whose last run lies ahead, because the clock was ahead and is right again", async () => {
  const stage = await openStage();
  await stage.run(["sync"]);
  const state = new Database(join(stage.folder, "state.db"));
  state.exec("UPDATE runs SET started_at = started_at + 3600000, finished_at = finished_at + 3600000");
  state.close();
  const finished: unknown[] = [];
  await runDaemon(stage, [], (line, end) => {
    if (line.msg === "Project finished") finished.push(line["project"]);
    if (finished.length === 2) end();
  });
  expect(finished.toSorted()).toEqual(["acme-api", "acme-app"]);
});

it("writes nothing any more where the state is removed under it, and says so", async () => {
  const stage = await openStage();
  const file = stage.writeConfig("often.yaml", (config) =>
    config.replace(/schedule: .*/, 'schedule: "* * * * * *"'),
  );
  const token = "a-token-of-the-page-1";
  const daemon = startDaemon(stage, ["-c", file], { BOARDSYNC_HTTP_TOKEN: token });
  await daemon.ranAll();
  rmSync(join(stage.folder, "state.db"));
  const failed = await daemon.findLine(({ msg }) => msg === "The run ended with an error");
  expect(failed).toMatchObject({ err: { message: expect.stringContaining("was removed or replaced") } });
  const page = await fetch(await daemon.address(), { headers: { authorization: `Bearer ${token}` } });
  expect(await page.text()).toContain("state.unusable: its file was removed or replaced");
});

it("says with --json what ended it, as the one document on stdout", async () => {
  const stage = await openStage();
  const { code, out } = await runDaemon(stage, ["--json"], (line, end) => {
    if (line.msg === "Daemon started") end();
  });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ stopped: "SIGTERM" });
});

it("says that a secret which is set to nothing turns off what it is for, and nothing of one that is not set", async () => {
  const stage = await openStage();
  const daemon = startDaemon(stage, [], { GITHUB_WEBHOOK_SECRET: "" });
  await daemon.ranAll();
  expect(await daemon.end()).toBe(0);
  const said = daemon.lines.filter(({ msg }) => msg.includes("set to nothing"));
  expect(said).toMatchObject([{ level: "warn", variable: "GITHUB_WEBHOOK_SECRET" }]);
});

it("exits 2 where its port is taken", async () => {
  const stage = await openStage();
  const { port } = new URL(stage.story.board.url);
  const file = stage.writeConfig("taken.yaml", (config) => config.replace("port: 0", `port: ${port}`));
  const { code, json, err } = await stage.run(["daemon", "--json", "-c", file]);
  expect(code).toBe(2);
  expect(json()).toMatchObject({ error: { code: "config" } });
  expect(err).toContain(port);
});
