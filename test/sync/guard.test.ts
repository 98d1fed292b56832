import { describe, expect, it } from "vitest";
import type { WaitingRow } from "../../src/ledger/rows.ts";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const fast = { tracker: { pace: { createsPerMinute: 100, createsPerHour: 150 } } };

function closeAll(stage: Stage, numbers: number): void {
  for (let number = 1; number <= numbers; number += 1) stage.github.close("acme/app", number, "completed");
}

function waitingOf(stage: Stage): readonly WaitingRow[] {
  const id = stage.ledger.memory.project("acme-app")?.id;
  return id === undefined ? [] : stage.ledger.rows.waiting(id, 100);
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
    expect(waitingOf(stage)).toHaveLength(51);
    expect(waitingOf(stage)[0]?.message).toContain("`guard.issues` allows 50");
    stage.board.removePost("acme-app", "p51");
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ held: 0, created: 50 }] });
  });

  it("keeps saying since when it is held", async () => {
    const stage = await openStage({ config: { guard: { issues: 1 } } });
    addPlanned(stage, 2);
    await stage.sync();
    const since = stage.clock.now();
    addPlanned(stage, 1);
    await stage.sync();
    expect(waitingOf(stage).map((row) => row.since)).toEqual([since, since, since + minuteMs]);
    expect(waitingOf(stage)[0]?.message).toContain("3 issues");
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
    expect(waitingOf(stage).find(({ kind }) => kind === "held")?.message).toContain(
      "after 2 in the last 60 minutes",
    );
    stage.clock.skip(hourMs);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 2, held: 0 });
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
    expect(waitingOf(stage)).toMatchObject([{ kind: "held", post: "p1" }]);
  });
});
