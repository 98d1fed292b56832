import { describe, expect, it } from "vitest";
import {
  addPlanned,
  minuteMs,
  openStage,
  type Stage,
  type StageOptions,
  standardProject,
} from "../support/stage.ts";

/** A stage with one post `p1`, whose issue #1 is open and in step. */
async function openPair(
  changes: Readonly<Record<string, unknown>> = {},
  options: StageOptions = {},
): Promise<Stage> {
  const stage = await openStage({ projects: [{ ...standardProject, ...changes }], ...options });
  addPlanned(stage, 1);
  await stage.sync();
  await stage.sync();
  stage.mark();
  return stage;
}

function bodies(stage: Stage): readonly unknown[] {
  return stage.patches().map(({ body }) => body);
}

describe("a change of an issue", () => {
  it("sends only the fields that differ, with the project, and voters hear of it once", async () => {
    const stage = await openPair();
    const { board, github } = stage;
    github.label("acme/app", 1, "in progress");
    expect(await stage.syncOne()).toMatchObject({ postWrites: 1, statusWrites: 1, issueWrites: 0 });
    github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ postWrites: 1, statusWrites: 1 });
    github.reopen("acme/app", 1);
    github.close("acme/app", 1, "not_planned");
    await stage.sync();
    expect(stage.patches().map(({ path, query }) => [path, query])).toEqual(
      Array.from({ length: 3 }, () => ["/feedback/p1", { project: "prj_app" }]),
    );
    expect(bodies(stage)).toEqual([
      { status: "in_progress", roadmapColumn: "IN_PROGRESS" },
      { status: "completed", roadmapColumn: "COMPLETED" },
      // The label still asks for the column.
      { status: "closed", roadmapColumn: "IN_PROGRESS" },
    ]);
    expect(board.notifications.map(({ from, to }) => `${from} → ${to}`)).toEqual([
      "planned → in_progress",
      "in_progress → completed",
      "completed → closed",
    ]);
    stage.mark();
    for (let run = 0; run < 3; run += 1) expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.writes()).toEqual([]);
  });

  it("does nothing where the issue changes in ways that no rule looks at", async () => {
    const stage = await openPair();
    stage.github.label("acme/app", 1, "feedback");
    stage.github.comment("acme/app", 1, "me too");
    await stage.sync();
    expect(stage.writes()).toEqual([]);
  });

  it("is taken back when the issue is reopened: the post gets what it had before", async () => {
    const stage = await openPair();
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    await stage.sync();
    stage.github.reopen("acme/app", 1);
    await stage.sync();
    await stage.sync();
    // The board can't clear a column.
    expect(bodies(stage)).toEqual([
      { status: "completed", roadmapColumn: "COMPLETED" },
      { status: "planned" },
    ]);
    expect(stage.board.notifications).toHaveLength(2);
  });

  it("is kept when the issue is reopened and `whenNoRule` says so", async () => {
    const stage = await openPair({ whenNoRule: "keep" });
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    stage.github.reopen("acme/app", 1);
    await stage.sync();
    expect(bodies(stage)).toHaveLength(1);
  });

  it("waits until it has stood for `settle`, and never happened if it goes back before", async () => {
    const stage = await openPair({}, { config: { settle: "10m" } });
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ waiting: 1, postWrites: 0 }] });
    expect(await stage.syncOne()).toMatchObject({ waiting: 1, postWrites: 0 });
    stage.github.reopen("acme/app", 1);
    expect(await stage.syncOne()).toMatchObject({ waiting: 0 });
    stage.clock.skip(20 * minuteMs);
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ waiting: 1 });
    stage.clock.skip(10 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ waiting: 0, postWrites: 1 });
    expect(bodies(stage)).toHaveLength(1);
  });
});

describe("a person who moves the post", () => {
  it("is not fought: nothing is written until the issue changes", async () => {
    const stage = await openPair();
    stage.github.label("acme/app", 1, "in progress");
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { status: "paused" });
    await stage.sync();
    await stage.sync();
    expect(bodies(stage)).toHaveLength(1);
    const id = stage.ledger.memory.project("acme-app")?.id;
    expect(id && (await stage.ledger.rows.waiting(id, 9))).toMatchObject([
      { kind: "disagreement", post: "p1" },
    ]);
  });

  it("to where it should be is not fought later on, although another field was written meanwhile", async () => {
    const stage = await openPair();
    stage.board.editPost("acme-app", "p1", { status: "completed" });
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    expect(bodies(stage)).toEqual([{ roadmapColumn: "COMPLETED" }]);
    stage.board.editPost("acme-app", "p1", { status: "paused" });
    await stage.sync();
    expect(bodies(stage)).toHaveLength(1);
    expect(stage.board.post("acme-app", "p1")?.status).toBe("paused");
  });

  it.each([
    ["tracker", ["completed"], 0, "ok"],
    ["board", [], 0, "ok"],
    ["hold", [], 1, "held"],
  ])("at the same time as the issue: `conflict: %s`", async (conflict, sent, held, result) => {
    const rules = [{ when: { state: "closed" }, set: { status: "completed" } }];
    const stage = await openPair({ conflict, rules });
    stage.board.editPost("acme-app", "p1", { status: "paused" });
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.sync()).toMatchObject({ result, projects: [{ held }] });
    expect(await stage.sync()).toMatchObject({ result, projects: [{ held }] });
    expect(stage.patches().map(({ body }) => Object.values(body as object)[0])).toEqual(sent);
  });
});

describe("a board with history", () => {
  it("is not moved backwards by its first sync", async () => {
    const stage = await openStage({
      projects: [
        {
          ...standardProject,
          select: { statuses: ["completed"] },
          rules: [
            { when: { state: "closed" }, set: { status: "completed" } },
            { when: { state: "open" }, set: { status: "planned" } },
          ],
        },
      ],
    });
    stage.board.addPost("acme-app", { status: "completed", votes: 90 });
    expect(await stage.syncOne()).toMatchObject({ created: 1, postWrites: 0 });
    await stage.sync();
    expect(stage.patches()).toEqual([]);
  });

  it("is brought forward by it, in the same run", async () => {
    const rules = [{ when: { labels: ["feedback"] }, set: { status: "in_progress" } }];
    const stage = await openStage({ projects: [{ ...standardProject, rules }] });
    addPlanned(stage, 1);
    expect(await stage.syncOne()).toMatchObject({ created: 1, postWrites: 1, statusWrites: 1 });
    await stage.sync();
    expect(stage.board.notifications).toHaveLength(1);
  });
});

describe("what the board makes of a write", () => {
  it("its own spelling of a status counts as what was sent", async () => {
    const spellStatus = (status: string): string =>
      status === "in_progress" || status === "In Progress" ? "In Progress" : status;
    const stage = await openPair({}, { style: { spellStatus } });
    stage.github.label("acme/app", 1, "in progress");
    for (let run = 0; run < 4; run += 1) expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.patches()).toHaveLength(1);
    stage.github.unlabel("acme/app", 1, "in progress");
    await stage.sync();
    expect(stage.patches().map(({ body }) => body)[1]).toEqual({ status: "planned" });
  });

  it("a value that it does not take is never sent again, and said once", async () => {
    const stage = await openPair(
      { rules: [{ when: { state: "closed" }, set: { status: "shipped" } }] },
      { style: { spellStatus: (status) => (status === "shipped" ? "planned" : status) } },
    );
    stage.github.close("acme/app", 1, "completed");
    for (let run = 0; run < 4; run += 1) await stage.sync();
    expect(stage.patches()).toHaveLength(1);
    expect(stage.log.filter((line) => line.includes("did not stick"))).toHaveLength(1);
  });

  it("a field that it never shows is written once for each change of the target", async () => {
    const rules = [
      { when: { state: "closed" }, set: { status: "completed", roadmapPublic: true } },
      { when: { labels: ["in progress"] }, set: { roadmapPublic: false } },
    ];
    const stage = await openPair({ rules }, { style: { hidden: ["roadmapPublic"] } });
    stage.github.label("acme/app", 1, "in progress");
    for (let run = 0; run < 3; run += 1) await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(bodies(stage)).toEqual([{ roadmapPublic: false }, { status: "completed", roadmapPublic: true }]);
    expect(stage.log.join()).toContain("rules.set.roadmapPublic");
  });
});

describe("taking both sides as they are", () => {
  it("`--adopt` links what carries our marker and writes nothing, now or later", async () => {
    const stage = await openStage();
    addPlanned(stage, 3);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    stage.board.addPost("acme-app", { status: "planned" });
    stage.loseState();
    stage.mark();
    expect(await stage.adopt()).toMatchObject({
      result: "ok",
      projects: [{ adopted: 3, created: 0, issues: 3 }],
    });
    expect(stage.writes()).toEqual([]);
    stage.clock.skip(20 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, postWrites: 0, issues: 4 });
    stage.github.reopen("acme/app", 1);
    stage.github.label("acme/app", 1, "in progress");
    await stage.sync();
    expect(bodies(stage)).toEqual([{ status: "in_progress", roadmapColumn: "IN_PROGRESS" }]);
  });
});
