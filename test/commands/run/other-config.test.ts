/** @module-tag long */
import { describe, expect, it } from "vitest";
import { startDaemon } from "../daemon-stage.ts";
import { openStage } from "../stage.ts";

describe("a daemon that works by another config than the file says now", () => {
  it("is said by `status`, `check` and `plan`, until SIGHUP", async () => {
    const stage = await openStage();
    const whole = (config: string): string => config;
    const file = stage.writeConfig("other.yaml", whole);
    const daemon = startDaemon(stage, ["-c", file]);
    await daemon.ranAll();
    const said = /! The daemon, process 4711, works by the config that it read at (?:[\w ]+, )?\d\d:\d\d/;
    for (const command of ["status", "plan"])
      expect((await stage.run([command, "-c", file])).out).not.toMatch(said);

    stage.writeConfig("other.yaml", (config) =>
      config.replace("repo: acme/app\n", "repo: acme/app\n    writes: none\n"),
    );
    for (const command of ["status", "plan"])
      expect((await stage.run([command, "-c", file])).out).toMatch(said);
    const check = await stage.run(["check", "-c", file]);
    expect(check.out).toMatch(/! daemon: The daemon, process 4711, works by .*SIGHUP.* \[daemon\.config\]/);
    const other = { who: "daemon, process 4711", readAt: expect.stringMatching(/^20/) };
    for (const command of ["status", "plan"])
      expect((await stage.run([command, "-c", file, "--json"])).json()).toMatchObject({
        otherConfigs: [other],
      });

    daemon.hangUp();
    await daemon.findLine(({ msg }) => msg.startsWith("The config was read anew"));
    expect((await stage.run(["status", "-c", file, "--json"])).json()).toMatchObject({ otherConfigs: [] });
    expect(await daemon.end()).toBe(0);
    stage.writeConfig("other.yaml", whole);
    expect((await stage.run(["status", "-c", file, "--json"])).json()).toMatchObject({ otherConfigs: [] });
  });

  it("writes nothing more once all is paused, without SIGHUP", async () => {
    const stage = await openStage();
    const daemon = startDaemon(stage);
    await daemon.ranAll();
    expect((await stage.run(["pause", "--all"])).code).toBe(0);
    stage.story.github.close("acme/app", 1, "completed");
    const from = daemon.lines.length;
    expect((await stage.run(["sync"])).code).toBe(0);
    await daemon.ranAll(from);
    expect(stage.story.board.notifications).toEqual([]);
    const again = daemon.lines.length;
    expect((await stage.run(["resume", "--all", "--yes"])).code).toBe(0);
    await daemon.ranAll(again);
    expect(stage.story.board.notifications.map(({ post }) => post)).toEqual(["p1"]);
    expect(await daemon.end()).toBe(0);
  });
});
