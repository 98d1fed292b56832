import { describe, expect, it } from "vitest";
import { addPlanned, openStage, type Stage } from "../support/stage.ts";

/** A board that takes a status only as it shows it. */
async function openStrict(): Promise<Stage> {
  const stage = await openStage();
  stage.board.addPost("acme-app", { status: "Completed", isArchived: true });
  addPlanned(stage, 1);
  await stage.sync();
  stage.mark();
  return stage;
}

describe("a status whose spelling only posts tell", () => {
  it("is sent as they show it, as the plan before has said, and once", async () => {
    const stage = await openStrict();
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.plan()).toMatchObject([{ fields: { status: "Completed" } }]);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, failed: 0 });
    expect(stage.patches().map(({ body }) => body)).toEqual([
      { status: "Completed", roadmapColumn: "COMPLETED" },
    ]);
    stage.mark();
    await stage.sync();
    await stage.sync();
    expect(stage.writes()).toEqual([]);
  });

  it("is sent as the rule says it once no post shows another spelling", async () => {
    const stage = await openStrict();
    stage.board.removePost("acme-app", "p1");
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    expect(stage.patches().map(({ body }) => body)).toEqual([
      { status: "completed", roadmapColumn: "COMPLETED" },
    ]);
  });

  it("is said by a check", async () => {
    const stage = await openStrict();
    const words = (await stage.check()).map(({ level, message }) => `${level} ${message}`).join("\n");
    expect(words).toContain(
      "ok rules[0].set.status `completed` is sent as the board spells it: `Completed`.",
    );
  });
});
