import { describe, expect, it } from "vitest";
import { addPlanned, openStage, type Stage, standardProject } from "../support/stage.ts";

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
