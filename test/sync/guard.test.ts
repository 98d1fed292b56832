import { describe, expect, it } from "vitest";
import type { WaitingRow } from "../../src/ledger/rows.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import {
  addPlanned,
  type ConfigPart,
  hourMs,
  minuteMs,
  openStage,
  type Stage,
  standardProject,
} from "../support/stage.ts";

const standardRules = standardProject["rules"] as readonly ConfigPart[];
const fast = { tracker: { pace: { createsPerMinute: 100, createsPerHour: 150 } } };

function closeAll(stage: Stage, numbers: number): void {
  for (let number = 1; number <= numbers; number += 1) stage.github.close("acme/app", number, "completed");
}

async function waitingOf(stage: Stage): Promise<readonly WaitingRow[]> {
  const id = stage.ledger.memory.project("acme-app")?.id;
  return id === undefined ? [] : await stage.ledger.rows.waiting(id, 100);
}

describe("too much at once", () => {
  it("51 new issues are held, all of them, and nothing is written", async () => {
    const stage = await openStage({ config: fast });
    addPlanned(stage, 51);
    expect(await stage.sync()).toMatchObject({
      result: "held",
      projects: [{ held: 51, created: 0, failed: 0 }],
    });
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ held: 51 }] });
    expect(stage.writes()).toEqual([]);
    expect(await waitingOf(stage)).toHaveLength(51);
    expect((await waitingOf(stage))[0]?.message).toContain("`guard.issues` allows 50");
  });

  it("stays held when there is room in the guard, by fewer posts or by the next hour", async () => {
    const stage = await openStage({ config: { ...fast, guard: { statuses: 1 } } });
    addPlanned(stage, 3);
    await stage.sync();
    closeAll(stage, 3);
    expect(await stage.syncOne()).toMatchObject({ held: 3, statusWrites: 0 });
    stage.github.reopen("acme/app", 3);
    stage.github.reopen("acme/app", 2);
    expect(await stage.syncOne()).toMatchObject({ held: 1, statusWrites: 0 });
    stage.clock.skip(2 * hourMs);
    expect(await stage.syncOne()).toMatchObject({ held: 1, statusWrites: 0 });
    stage.github.reopen("acme/app", 1);
    expect(await stage.syncOne()).toMatchObject({ held: 0, statusWrites: 0 });
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ held: 0, statusWrites: 1 });
  });

  it("is a warning when it begins, with what the issues have in common, and none while it stays", async () => {
    const stage = await openStage({ config: { ...fast, guard: { statuses: 1 } } });
    addPlanned(stage, 3);
    await stage.sync();
    closeAll(stage, 3);
    await stage.sync();
    await stage.sync();
    const warnings = stage.log.flatMap((line) => {
      const { level, project, cause, changes, voters, reason } = JSON.parse(line);
      return level === "warn" ? [{ project, cause, changes, voters, reason }] : [];
    });
    expect(warnings).toEqual([
      {
        project: "acme-app",
        cause: "guard",
        changes: 3,
        voters: 9,
        reason:
          "3 issues were closed in the same second, all by @octocat; 3 posts would notify their voters, and `guard.statuses` allows 1 in 60 minutes",
      },
    ]);
    stage.github.reopen("acme/app", 3);
    await stage.sync();
    stage.github.close("acme/app", 3, "completed");
    await stage.sync();
    expect(stage.log.filter((line) => line.includes("Changes need you"))).toHaveLength(1);
  });

  it("that is held does not fill the guard for what comes after it", async () => {
    const stage = await openStage({ config: { ...fast, guard: { statuses: 1 } } });
    addPlanned(stage, 3);
    await stage.sync();
    closeAll(stage, 2);
    expect(await stage.syncOne()).toMatchObject({ held: 2, statusWrites: 0 });
    stage.github.close("acme/app", 3, "completed");
    expect(await stage.syncOne()).toMatchObject({ held: 2, statusWrites: 1 });
    expect(stage.board.notifications.map(({ post }) => post)).toEqual(["p3"]);
  });

  it("stays held while its issue can't be read, under other rules, and where its content changes", async () => {
    const stage = await openStage({ config: { ...fast, guard: { statuses: 1, issues: 1 } } });
    addPlanned(stage, 2);
    expect(await stage.syncOne()).toMatchObject({ held: 2, created: 0 });
    stage.board.editPost("acme-app", "p1", { title: "Another title" });
    stage.board.editPost("acme-app", "p2", { status: "declined" });
    expect(await stage.syncOne()).toMatchObject({ held: 1, created: 0 });
    expect(stage.writes()).toEqual([]);
  });

  it("stays held when the rules change meanwhile", async () => {
    const stage = await openStage({ config: { ...fast, guard: { statuses: 1 } } });
    addPlanned(stage, 2);
    await stage.sync();
    closeAll(stage, 2);
    expect(await stage.syncOne()).toMatchObject({ held: 2 });
    stage.github.reopen("acme/app", 2);
    const added = { when: { milestone: "any" }, set: { roadmapColumn: "PLANNED" } };
    stage.reconfigure({ projects: [{ ...standardProject, rules: [...standardRules, added] }] });
    expect(await stage.syncOne()).toMatchObject({ held: 1, statusWrites: 0 });
  });

  it("keeps saying since when it is held", async () => {
    const stage = await openStage({ config: { guard: { issues: 1 } } });
    addPlanned(stage, 2);
    await stage.sync();
    const since = stage.clock.now();
    addPlanned(stage, 1);
    await stage.sync();
    expect((await waitingOf(stage)).map((row) => row.since)).toEqual([since, since]);
    expect((await waitingOf(stage))[0]?.message).toContain("2 issues");
  });

  it("26 changes of status are held, 25 are not", async () => {
    const stage = await openStage({ config: fast });
    addPlanned(stage, 26);
    await stage.sync();
    await stage.sync();
    stage.mark();
    closeAll(stage, 26);
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ held: 26, postWrites: 0 }] });
    expect(stage.writes()).toEqual([]);
    stage.github.reopen("acme/app", 26);
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ held: 25, statusWrites: 0 }] });
    stage.mark();
    for (let number = 1; number <= 25; number += 1) stage.github.reopen("acme/app", number);
    await stage.sync();
    closeAll(stage, 25);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ held: 0, statusWrites: 25 }] });
  });

  it("counts what voters heard in the last 60 minutes", async () => {
    const stage = await openStage({ config: { ...fast, guard: { statuses: 3 } } });
    addPlanned(stage, 5);
    await stage.sync();
    closeAll(stage, 2);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 2, held: 0 });
    stage.clock.skip(30 * minuteMs);
    closeAll(stage, 4);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0, held: 2 });
    expect((await waitingOf(stage)).find(({ kind }) => kind === "held")?.message).toContain("2 did already");
    stage.clock.skip(hourMs);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0, held: 2 });
    stage.github.close("acme/app", 5, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, held: 2 });
  });

  it("holds the notifying write that would follow a new issue, and opens the issue", async () => {
    const rules = [{ when: { labels: ["feedback"] }, set: { status: "in_progress" } }];
    const stage = await openStage({
      config: { ...fast, guard: { statuses: 2 } },
      projects: [{ ...standardProject, rules }],
    });
    addPlanned(stage, 3);
    const planned = await stage.plan();
    expect(planned.map(({ kind, held }) => [kind, held !== undefined])).toEqual([
      ["create-issue", false],
      ["patch-post", true],
      ["create-issue", false],
      ["patch-post", true],
      ["create-issue", false],
      ["patch-post", true],
    ]);
    expect(await stage.sync()).toMatchObject({
      result: "held",
      projects: [{ created: 3, held: 3, statusWrites: 0 }],
    });
    expect(await stage.sync()).toMatchObject({
      result: "held",
      projects: [{ created: 0, held: 3, statusWrites: 0 }],
    });
  });

  it("holds one kind and lets the other go, of the same post, too", async () => {
    const stage = await openStage({ config: { ...fast, guard: { statuses: 1 } } });
    addPlanned(stage, 2);
    await stage.sync();
    closeAll(stage, 2);
    stage.board.editPost("acme-app", "p1", { description: "Changed." });
    expect(await stage.sync()).toMatchObject({
      result: "held",
      projects: [{ held: 2, issueWrites: 1, statusWrites: 0 }],
    });
  });

  it("counts no attempt that provably did nothing: a request that is lost is no flapping", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    await stage.sync();
    await stage.sync();
    const change = [
      () => stage.github.close("acme/app", 1, "completed"),
      () => stage.github.reopen("acme/app", 1),
      () => stage.github.close("acme/app", 1, "completed"),
    ];
    for (const make of change) {
      make();
      stage.board.failNext({ kind: "answer", status: 502 }, { when: ({ method }) => method === "PATCH" });
      for (let run = 0; run < 3; run += 1) {
        expect(await stage.syncOne()).toMatchObject({ quarantined: 0 });
        stage.clock.skip(10 * minuteMs);
      }
    }
    expect(stage.board.notifications).toHaveLength(3);
    const written = (await stage.ledger.journal.history("prj_app" as ProjectId, "p1" as PostId, 20)).filter(
      ({ fields }) => fields.some(({ field }) => field === "status"),
    );
    const round = ["applied", "not-applied"];
    expect(written.map(({ outcome }) => outcome)).toEqual([...round, ...round, ...round]);
  });

  it("quarantines a post whose status flaps", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    await stage.sync();
    for (let round = 0; round < 2; round += 1) {
      stage.github.close("acme/app", 1, "completed");
      await stage.sync();
      await stage.sync();
      stage.github.reopen("acme/app", 1);
      await stage.sync();
      await stage.sync();
    }
    expect(stage.board.notifications).toHaveLength(3);
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ quarantined: 1 }] });
  });
});

describe("a board that suddenly shows less", () => {
  it.each([
    ["nothing", 4],
    ["less than half of what is linked", 3],
  ])("shows %s: the project is held, and nothing is written", async (_, lost) => {
    const stage = await openStage();
    const posts = addPlanned(stage, 4);
    await stage.sync();
    await stage.sync();
    stage.mark();
    for (const id of posts.slice(0, lost)) stage.board.removePost("acme-app", id);
    const held = await stage.sync();
    expect(held).toMatchObject({ result: "held", projects: [{ held: 1, posts: 4 - lost, failed: 0 }] });
    expect(held.projects[0]?.hold).toContain("the board shows");
    expect(stage.ledger.memory.project("acme-app")?.seen).toContain("status");
    stage.github.close("acme/app", 4, "completed");
    expect(await stage.sync()).toMatchObject({ result: "held" });
    expect(await stage.sync()).toMatchObject({ result: "held" });
    expect(stage.writes()).toEqual([]);
  });

  it("holds a write that the rest of the board would get", async () => {
    const stage = await openStage();
    const posts = addPlanned(stage, 4);
    await stage.sync();
    for (const id of posts.slice(1)) stage.board.removePost("acme-app", id);
    stage.github.close("acme/app", 1, "completed");
    stage.mark();
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ held: 1, postWrites: 0 }] });
    expect(stage.writes()).toEqual([]);
    expect(await waitingOf(stage)).toMatchObject([{ kind: "held", post: "p1" }]);
  });
});
