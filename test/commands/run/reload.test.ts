/** @module-tag long */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runProgram } from "../../../src/commands/program.ts";
import { listenTcp } from "../../support/servers.ts";
import { until } from "../../support/until.ts";
import { startDaemon } from "../daemon-stage.ts";
import { createOutput, createTerminal, openStage } from "../stage.ts";

const name = "reload.yaml";
const whole = (config: string): string => config;
/** Without its second project. */
const single = (config: string): string => config.replace(/ {2}- project: acme-api\n( {4}.*\n)+/, "");

describe("SIGHUP", () => {
  it("takes up projects that are new, and lets those be that are gone", async () => {
    const stage = await openStage();
    const file = stage.writeConfig(name, single);
    const daemon = startDaemon(stage, ["-c", file]);
    const address = await daemon.address();
    await daemon.findLine(({ msg }) => msg === "Project finished");
    stage.writeConfig(name, whole);
    const from = daemon.lines.length;
    daemon.hangUp();
    const taken = await daemon.findLine(({ msg }) => msg.startsWith("The config was read anew"));
    expect(taken["projects"]).toEqual(["acme-app", "acme-api"]);
    const finished = await daemon.findLine(({ msg }) => msg === "Project finished", from);
    expect(finished["project"]).toBe("acme-api");
    stage.writeConfig(name, single);
    daemon.hangUp();
    const metrics = await (await fetch(`${address}/metrics`)).text();
    expect(metrics).not.toContain('project="acme-api"');
    expect(metrics).toContain('boardsync_config_reloads_total{outcome="taken"} 2');
    // What was asked by the former config counts, too.
    const opened = ["acme/app", "acme/api"].flatMap((repo) => stage.story.github.issues(repo)).length;
    const created = /boardsync_requests_total\{side="tracker",code="201"\} (\d+)/.exec(metrics)?.[1];
    expect(Number(created)).toBeGreaterThanOrEqual(opened);
    expect(await daemon.end()).toBe(0);
  });

  it("refuses a bad config, says all that is wrong with it, and the old one goes on", async () => {
    const stage = await openStage();
    const file = stage.writeConfig(name, whole);
    const daemon = startDaemon(stage, ["-c", file]);
    const address = await daemon.address();
    await daemon.ranAll();
    stage.writeConfig(name, (config) => `zebra: 1\n${config}settle: soon\n`);
    const from = daemon.lines.length;
    daemon.hangUp();
    const refused = await daemon.findLine(
      ({ msg }) => msg === "The new config is refused, and the old one goes on",
    );
    expect(refused["level"]).toBe("error");
    expect(refused["problems"]).toEqual([
      expect.stringMatching(/reload\.yaml:1:1: zebra: /),
      expect.stringMatching(/reload\.yaml:\d+:9: settle: must be a duration/),
    ]);
    expect(daemon.lines.slice(from)).toHaveLength(1);
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
    const metrics = await (await fetch(`${address}/metrics`)).text();
    expect(metrics).toContain('boardsync_config_reloads_total{outcome="refused"} 1');
  });

  it("counts only once the daemon is about to run: before, each time of a schedule would come twice", async () => {
    const stage = await openStage();
    const { place } = await listenTcp(() => undefined);
    const port = String(place.split(":").at(-1));
    const file = stage.writeConfig(name, (config) => config.replace("{ port: 0 }", `{ port: ${port} }`));
    const err = createOutput();
    const onHangUp = (listener: () => void) => {
      listener();
      return () => undefined;
    };
    const { env, folder: cwd } = stage;
    const terminal = createTerminal({ args: ["daemon", "-c", file], env, cwd, err, onHangUp });
    expect(await runProgram(terminal)).toBe(2);
    expect(err.text()).toContain("can't listen");
    expect(err.text()).not.toContain("The config was read anew");
  });

  it("refuses secrets that are wrong", async () => {
    const stage = await openStage();
    const file = stage.writeConfig(name, whole);
    const daemon = startDaemon(stage, ["-c", file]);
    await daemon.ranAll();
    writeFileSync(join(stage.folder, ".env"), "GITHUB_APP_ID=1\n");
    daemon.hangUp();
    const refused = await daemon.findLine(({ msg }) => msg.startsWith("The new config is refused"));
    expect(refused["problems"]).toEqual([
      expect.stringContaining("GITHUB_TOKEN and GITHUB_APP_ID are all set"),
    ]);
  });

  it("says so where the config is as it was, as in a container whose file an editor has replaced", async () => {
    const stage = await openStage();
    const daemon = startDaemon(stage, ["-c", stage.writeConfig(name, whole)]);
    await daemon.ranAll();
    daemon.hangUp();
    await daemon.findLine(({ msg }) => msg === "The config was read anew, and says what it said before");
    stage.writeConfig(name, single);
    daemon.hangUp();
    await daemon.findLine(({ msg }) =>
      msg.startsWith("The config was read anew; it holds from the next run on"),
    );
  });

  it("says what only a restart changes, and goes on as before with that", async () => {
    const stage = await openStage();
    const file = stage.writeConfig(name, whole);
    const daemon = startDaemon(stage, ["-c", file]);
    const address = await daemon.address();
    stage.writeConfig(name, (config) =>
      config.replace("{ port: 0 }", "false").replace("state.db", "other.db"),
    );
    for (let time = 0; time < 2; time += 1) {
      const from = daemon.lines.length;
      daemon.hangUp();
      const said = await daemon.findLine(
        ({ msg }) => msg.includes("only when the daemon is restarted"),
        from,
      );
      expect(said["settings"]).toEqual(["state", "http"]);
    }
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });

  it("takes up another log level and other secrets", async () => {
    const stage = await openStage();
    const file = stage.writeConfig(name, whole);
    const daemon = startDaemon(stage, ["-c", file]);
    const address = await daemon.address();
    await daemon.ranAll();
    const post = () => fetch(`${address}/webhooks/github`, { method: "POST", body: "{}" });
    expect((await post()).status).toBe(404);
    writeFileSync(join(stage.folder, ".env"), "BOARDSYNC_LOG_LEVEL=error\nGITHUB_WEBHOOK_SECRET=hook-1\n");
    const from = daemon.lines.length;
    daemon.hangUp();
    expect((await post()).status).toBe(401);
    expect(await daemon.end()).toBe(0);
    expect(daemon.lines.slice(from)).toEqual([]);
  });

  it("stops what a run under way would still write, where that turns writes off; a bad config stops nothing", async () => {
    const stage = await openStage();
    const slowly = (config: string): string =>
      config.replace(/^board:\n/, "board:\n  timeout: 2s\n  concurrency: 1\n");
    const file = stage.writeConfig(name, slowly);
    await stage.run(["sync", "-c", file]);
    for (let number = 1; number <= 4; number += 1) stage.story.github.close("acme/app", number, "completed");
    const { board } = stage.story;
    const patches = (): number => board.requests.filter(({ method }) => method === "PATCH").length;
    const isPatch = ({ method }: { readonly method: string }): boolean => method === "PATCH";
    // Each of them gets no answer, so there is time for two config files behind every one.
    board.failNext({ kind: "hang" }, { when: isPatch, times: 4 });
    const daemon = startDaemon(stage, ["-c", file]);
    await daemon.address();
    await daemon.findLine(({ msg }) => msg === "Daemon started");
    // A run at the start is left out, because one has just been.
    await stage.run(["sync", "--no-wait", "-c", file]);
    await until(() => patches() === 1);
    stage.writeConfig(name, (config) => `zebra: 1\n${slowly(config)}`);
    daemon.hangUp();
    await daemon.findLine(({ msg }) => msg === "The new config is refused, and the old one goes on");
    await until(() => patches() === 2);
    stage.writeConfig(name, (config) =>
      slowly(config).replace("repo: acme/app\n", "repo: acme/app\n    writes: none\n"),
    );
    daemon.hangUp();
    await daemon.findLine(({ msg }) => msg.startsWith("The config was read anew"));
    const sent = patches();
    const ended = await daemon.findLine(
      (line) => line.msg === "Project finished" && line["project"] === "acme-app",
    );
    expect(ended["putOff"]).toEqual([
      {
        code: "config.changed",
        message: expect.stringMatching(/^another config was read at /),
      },
    ]);
    expect(patches()).toBe(sent);
    expect(sent).toBeLessThan(4);
    expect(await daemon.end()).toBe(0);
  });
});
