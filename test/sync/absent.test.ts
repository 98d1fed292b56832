import { describe, expect, it } from "vitest";
import { addPlanned, openStage, type Stage, type StageOptions, standardProject } from "../support/stage.ts";

/** A board that leaves out whatever is `false`, `0`, empty or null; post `p2` shows that it has these fields. */
async function openTerse(project: object, options: StageOptions = {}): Promise<Stage> {
  const stage = await openStage({
    style: { omitsEmpty: true },
    projects: [{ ...standardProject, ...project }],
    ...options,
  });
  const shown = { onRoadmap: true, isReviewed: true, roadmapPublic: true, roadmapOrder: 7, isArchived: true };
  addPlanned(stage, [
    { votes: 0, isReviewed: false },
    { ...shown, status: "open" },
  ]);
  return stage;
}

const flagRules = {
  rules: [
    { when: { state: "closed" }, set: { onRoadmap: false, roadmapOrder: 0, isReviewed: false } },
    { when: { labels: ["in progress"] }, set: { onRoadmap: true, isReviewed: true, roadmapPublic: true } },
  ],
};

describe("a board that leaves empty values out of its records", () => {
  it("is in step where a rule asks for what is left out", async () => {
    const stage = await openTerse(flagRules);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.patches()).toEqual([]);
    const { fields, waits } = await stage.explain("p1");
    const none = { kind: "none" };
    const asked = (value: unknown) => ({ kind: "value", value });
    expect(fields.map(({ field, asks, shows, isSeen }) => [field, asks, shows, isSeen])).toEqual([
      ["roadmapOrder", asked(0), 0, true],
      ["roadmapPublic", none, false, true],
      ["onRoadmap", asked(false), false, true],
      ["isReviewed", asked(false), false, true],
    ]);
    expect(waits).toEqual([]);
  });

  it("gets back what it had: `restore` loses nothing that was left out", async () => {
    const stage = await openTerse(flagRules);
    await stage.sync();
    stage.github.label("acme/app", 1, "in progress");
    await stage.sync();
    stage.github.unlabel("acme/app", 1, "in progress");
    await stage.sync();
    expect(stage.patches().map(({ body }) => body)).toEqual([
      { roadmapPublic: true, onRoadmap: true, isReviewed: true },
      { roadmapPublic: false, onRoadmap: false, isReviewed: false },
    ]);
    stage.mark();
    expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.writes()).toEqual([]);
  });

  it("has posts without votes, for `select` and for the plan alike", async () => {
    const stage = await openTerse({ select: { minVotes: 0, onRoadmap: false } });
    addPlanned(stage, [{ votes: 4, status: "open", isReviewed: true }]);
    expect(await stage.syncOne()).toMatchObject({ created: 2 });
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.plan()).toMatchObject([{ post: "p1", notifies: 0 }]);
  });

  it("asks its board rules about what is left out", async () => {
    const boardRules = [{ when: { onRoadmap: false }, set: { addLabels: ["feedback"] } }];
    const stage = await openTerse({ issue: { labels: [] }, boardRules });
    await stage.sync();
    await stage.sync();
    expect(stage.github.issue("acme/app", 1).labels).toEqual(["feedback"]);
    expect((await stage.explain("p1")).boardRules).toMatchObject([
      { conditions: [{}, { name: "onRoadmap", shows: "`false`" }] },
    ]);
  });
});
