import { describe, expect, it } from "vitest";
import { twoProjects } from "../support/setups.ts";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

/** Times of the requests that opened issues, in seconds after the first. */
function createTimes(stage: Stage): readonly number[] {
  const times = stage.github.requests
    .filter(({ method, path }) => method === "POST" && path.endsWith("/issues"))
    .map(({ at }) => at);
  return times.map((at) => (at - (times[0] ?? 0)) / 1000);
}

describe("the pace of writes", () => {
  it("a run waits out the interval and the minute", async () => {
    const pace = { minIntervalMs: 2000, createsPerMinute: 3 };
    const stage = await openStage({ config: { tracker: { pace } } });
    addPlanned(stage, 7);
    expect(await stage.syncOne()).toMatchObject({ created: 7, waiting: 0 });
    expect(createTimes(stage)).toEqual([0, 2, 4, 60, 62, 64, 120]);
  });

  it("the hour's limit ends the run, and the rest is opened when there is room again, across a restart", async () => {
    const pace = { minIntervalMs: 0, createsPerHour: 4 };
    const stage = await openStage({ config: { tracker: { pace } } });
    addPlanned(stage, 6);
    const message = expect.stringContaining("the pace allows no more writes");
    const putOff = [{ code: "tracker.pace", message, until: "2026-03-02T09:01:00.000Z" }];
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ created: 4, waiting: 2, failed: 0, putOff }],
    });
    stage.restart();
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ created: 0, waiting: 2, putOff }],
    });
    const id = stage.ledger.memory.project("acme-app")?.id;
    const waiting = id === undefined ? [] : await stage.ledger.rows.waiting(id, 9);
    expect(waiting.map(({ kind }) => kind)).toEqual(["waiting", "waiting"]);
    expect(waiting[0]?.message).toContain(
      "the pace allows no more writes to the tracker before 2026-03-02T09:01:00",
    );
    stage.clock.skip(hourMs);
    expect(await stage.syncOne()).toMatchObject({ created: 2, waiting: 0 });
  });

  it("a plan says `now` of no more than the project's part of the hour while another one waits", async () => {
    const stage = await openStage({
      boardProjects: twoProjects,
      config: { tracker: { pace: { minIntervalMs: 0, createsPerHour: 4 } } },
      projects: [standardProject, { ...standardProject, project: "acme-api" }],
    });
    addPlanned(stage, 9);
    await stage.sync(["acme-app"]);
    addPlanned(stage, 9, "acme-api");
    await stage.sync(["acme-api"]);
    stage.clock.skip(2 * hourMs);
    const now = (await stage.plan()).filter(({ when }) => when === "now").map(({ kind }) => kind);
    const { projects } = await stage.sync();
    expect(projects).toMatchObject([{ created: 2 }, { created: 2 }]);
    expect(now).toEqual(Array(4).fill("create-issue"));
  });

  it("a plan says `now` of no more than the projects before leave of the hour", async () => {
    const stage = await openStage({
      boardProjects: twoProjects,
      config: { tracker: { pace: { minIntervalMs: 0, createsPerHour: 4 } } },
      projects: [standardProject, { ...standardProject, project: "acme-api" }],
    });
    addPlanned(stage, 3);
    addPlanned(stage, 3, "acme-api");
    // Before that nobody knows which issues are there.
    await stage.adopt();
    const now = (await stage.plan()).map(({ when }) => when);
    expect((await stage.sync()).projects).toMatchObject([{ created: 3 }, { created: 1, waiting: 2 }]);
    expect(now).toEqual(["now", "now", "now", "now", "later", "later"]);
  });

  it("the budget ends the run, and the next one does the rest", async () => {
    const pace = { minIntervalMs: 20_000 };
    const stage = await openStage({ config: { tracker: { pace }, budget: "1m" } });
    addPlanned(stage, 5);
    const report = await stage.sync();
    const putOff = [{ code: "run.budget", message: "the time of the run was over (`budget`)" }];
    expect(report).toMatchObject({ result: "ok", projects: [{ created: 3, waiting: 2, putOff }] });
    expect(report.durationMs).toBeLessThanOrEqual(minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 2, waiting: 0 });
  });

  it("a project that the budget does not reach waits, and is no failure", async () => {
    const pace = { minIntervalMs: 30_000 };
    const stage = await openStage({
      boardProjects: [
        { id: "prj_app", slug: "acme-app" },
        { id: "prj_api", slug: "acme-api" },
      ],
      config: { tracker: { pace }, budget: "1m" },
      projects: [standardProject, { ...standardProject, project: "acme-api" }],
    });
    addPlanned(stage, 9);
    addPlanned(stage, 1, "acme-api");
    const report = await stage.sync();
    expect(report).toMatchObject({
      result: "ok",
      projects: [
        { created: 2, waiting: 7 },
        { created: 0, waiting: 1, failed: 0, putOff: [{ code: expect.stringMatching(/pace|budget/) }] },
      ],
    });
  });

  it("a signal ends the run after the write in hand; the rest waits", async () => {
    const stage = await openStage();
    addPlanned(stage, 3);
    stage.atNextWrite("tracker", "after", stage.stop);
    const putOff = [{ code: "run.stopped", message: "the run was asked to stop" }];
    const cut = { result: "partial", created: 1, waiting: 2, failed: 0, putOff };
    expect(await stage.syncOne()).toMatchObject(cut);
    expect(await stage.syncOne()).toMatchObject({ result: "ok", created: 2, waiting: 0 });
  });

  it("a signal during the reads is no failure, and is said", async () => {
    const stage = await openStage();
    stage.bend((world) => ({ ...world, progress: { show: () => stage.stop() } }));
    addPlanned(stage, 1);
    const putOff = [{ code: "run.stopped", message: "the run was asked to stop" }];
    expect(await stage.syncOne()).toMatchObject({ result: "partial", failed: 0, putOff });
  });

  it("a run that a signal ends before the turn of a project is not ok", async () => {
    const stage = await openStage({
      boardProjects: [
        { id: "prj_app", slug: "acme-app" },
        { id: "prj_api", slug: "acme-api" },
      ],
      projects: [standardProject, { ...standardProject, project: "acme-api" }],
    });
    addPlanned(stage, 1);
    stage.atNextWrite("tracker", "after", stage.stop);
    const { result, projects } = await stage.sync();
    expect([result, projects.map(({ project }) => project)]).toEqual(["partial", ["acme-app"]]);
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ result: "ok" }, { result: "ok" }],
    });
  });

  it("a PATCH that would rest on an old page waits for that page to be read again", async () => {
    const rules = [{ when: { labels: ["feedback"] }, set: { status: "in_progress" } }];
    const stage = await openStage({
      config: { tracker: { pace: { minIntervalMs: 40_000 } } },
      projects: [{ ...standardProject, rules }],
    });
    addPlanned(stage, 3);
    expect(await stage.syncOne()).toMatchObject({ created: 3, postWrites: 3, waiting: 0 });
    expect(stage.reads().filter((read) => read.startsWith("GET /feedback"))).toHaveLength(2);
    expect(stage.board.notifications).toHaveLength(3);
  });

  it("several PATCH requests may be in flight at once", async () => {
    const stage = await openStage();
    addPlanned(stage, 12);
    await stage.sync();
    for (let number = 1; number <= 12; number += 1) stage.github.close("acme/app", number, "completed");
    expect(await stage.syncOne()).toMatchObject({ postWrites: 12, statusWrites: 12 });
    expect(await stage.syncOne()).toMatchObject({ postWrites: 0 });
  });

  it("after a bug in one of them, those in flight end first, and no further one is begun", async () => {
    const stage = await openStage();
    addPlanned(stage, 12);
    await stage.sync();
    stage.mark();
    for (let number = 1; number <= 12; number += 1) stage.github.close("acme/app", number, "completed");
    stage.crashAt("board", "after");
    await expect(stage.sync()).rejects.toThrow("The process died.");
    const requests = stage.writes().length;
    expect(requests).toBeLessThanOrEqual(8);
    const id = stage.ledger.memory.project("acme-app")?.id;
    expect(id && (await stage.ledger.journal.open(id)).map(({ state }) => state)).toEqual(["SENT"]);
  });
});
