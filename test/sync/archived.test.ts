import { describe, expect, it } from "vitest";
import { addPlanned, hourMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const archiving = {
  ...standardProject,
  rules: [{ when: { state: "closed" }, set: { status: "closed", isArchived: true } }],
};

async function openPair(project: object = archiving): Promise<Stage> {
  const stage = await openStage({ projects: [project as Record<string, unknown>] });
  addPlanned(stage, 1);
  await stage.sync();
  await stage.sync();
  stage.mark();
  return stage;
}

const bodies = (stage: Stage): readonly unknown[] => stage.patches().map(({ body }) => body);

describe("a post that a rule archives", () => {
  it("comes back when its issue is reopened, and is archived again when that is closed", async () => {
    const stage = await openPair();
    const both = { status: "closed", isArchived: true };
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    await stage.sync();
    stage.github.reopen("acme/app", 1);
    await stage.sync();
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    expect(bodies(stage)).toEqual([both, { status: "planned", isArchived: false }, both]);
    expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(bodies(stage)).toHaveLength(3);
  });

  it("stays archived where a person has brought it back and archived it again", async () => {
    const stage = await openPair();
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    await stage.sync();
    for (const isArchived of [false, true]) {
      stage.board.editPost("acme-app", "p1", { isArchived });
      await stage.sync();
    }
    stage.mark();
    stage.github.reopen("acme/app", 1);
    await stage.sync();
    expect(stage.patches()).toEqual([]);
    expect((await stage.explain("p1")).waits).toMatchObject([
      { message: expect.stringContaining("the post is archived") },
    ]);
  });

  it("is no echo for a board rule that looks at archived posts, neither there nor back", async () => {
    const boardRules = [{ when: { archived: true }, set: { addLabels: ["in progress"] } }];
    const stage = await openPair({ ...archiving, boardRules });
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    await stage.sync();
    stage.github.reopen("acme/app", 1);
    await stage.sync();
    await stage.sync();
    expect(stage.github.issue("acme/app", 1).labels).toEqual(["feedback"]);
    expect(stage.writes()).toEqual(
      Array.from({ length: 2 }, () => expect.stringContaining("PATCH /feedback/p1")),
    );
  });

  it("is brought back by an undo of the run that archived it", async () => {
    const stage = await openPair();
    stage.github.close("acme/app", 1, "completed");
    const { run } = await stage.sync();
    await stage.sync();
    await stage.run({ kind: "undo", run, agreed: await stage.lookAtUndo(run) });
    expect(bodies(stage).at(-1)).toEqual({ status: "planned", isArchived: false });
  });
});

describe("a post that a rule archives, on a board that leaves archived posts out of its list", () => {
  async function openHiding(count: number, project: object = archiving): Promise<Stage> {
    const stage = await openStage({ projects: [project as Record<string, unknown>] });
    stage.board.restyle({ arrange: (posts) => posts.filter(({ isArchived }) => isArchived !== true) });
    addPlanned(stage, count);
    await stage.sync();
    await stage.sync();
    stage.mark();
    return stage;
  }

  it("is not missing: it follows its issue, and comes back with it", async () => {
    const boardRules = [{ when: { missing: true }, set: { state: "closed", reason: "not_planned" } }];
    const stage = await openHiding(4, { ...archiving, boardRules });
    for (const number of [1, 2, 3]) stage.github.close("acme/app", number, "completed");
    for (let run = 0; run < 3; run += 1) {
      const { result, missing = 0, waiting } = await stage.syncOne();
      expect([result, missing, waiting]).toEqual(["ok", 0, 0]);
      stage.clock.skip(hourMs);
    }
    stage.mark();
    stage.github.reopen("acme/app", 1);
    for (let run = 0; run < 3; run += 1) await stage.sync();
    // What people made of it meanwhile is known once it is listed.
    expect(bodies(stage)).toEqual([{ isArchived: false }, { status: "planned" }]);
    expect(stage.github.issue("acme/app", 1).state).toBe("open");
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    expect(bodies(stage)).toHaveLength(3);
  });

  it("is missing once the board does not know it", async () => {
    const stage = await openHiding(4);
    stage.github.close("acme/app", 1, "completed");
    for (let run = 0; run < 3; run += 1) await stage.sync();
    stage.board.removePost("acme-app", "p1");
    stage.github.reopen("acme/app", 1);
    stage.mark();
    for (let run = 0; run < 4; run += 1) await stage.sync();
    expect(stage.patches()).toHaveLength(1);
    expect(await stage.syncOne()).toMatchObject({ missing: 1 });
  });

  it("does not count for a list that has become empty: nothing is closed for its posts", async () => {
    const boardRules = [{ when: { missing: true }, set: { state: "closed", reason: "not_planned" } }];
    const stage = await openHiding(8, { ...archiving, boardRules });
    for (const number of [1, 2, 3, 4]) stage.github.close("acme/app", number, "completed");
    for (let run = 0; run < 2; run += 1) await stage.sync();
    stage.mark();
    stage.board.restyle({ arrange: () => [] });
    for (let run = 0; run < 3; run += 1) expect(await stage.sync()).toMatchObject({ result: "held" });
    expect(stage.writes()).toEqual([]);
  });

  it("gets no other status unseen: whoever has changed it meanwhile keeps that", async () => {
    const rules = [
      { when: { state: "closed", reason: "completed" }, set: { status: "completed", isArchived: true } },
      { when: { state: "closed" }, set: { status: "closed", isArchived: true } },
    ];
    const stage = await openHiding(4, { ...archiving, rules });
    stage.github.close("acme/app", 1, "completed");
    for (let run = 0; run < 2; run += 1) await stage.sync();
    stage.mark();
    stage.github.reopen("acme/app", 1);
    stage.github.close("acme/app", 1, "not_planned");
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(stage.patches()).toEqual([]);
    stage.board.editPost("acme-app", "p1", { status: "later" });
    stage.github.reopen("acme/app", 1);
    for (let run = 0; run < 3; run += 1) {
      await stage.sync();
      stage.clock.skip(hourMs);
    }
    expect(bodies(stage)).toEqual([{ isArchived: false }]);
    expect(stage.board.post("acme-app", "p1")?.status).toBe("later");
  });

  it("is missing where the list shows others that are archived", async () => {
    const stage = await openStage({ projects: [archiving] });
    addPlanned(stage, 4);
    for (let run = 0; run < 2; run += 1) await stage.sync();
    for (const number of [1, 2]) stage.github.close("acme/app", number, "completed");
    for (let run = 0; run < 2; run += 1) await stage.sync();
    stage.board.removePost("acme-app", "p1");
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(await stage.syncOne()).toMatchObject({ missing: 1 });
  });
});
