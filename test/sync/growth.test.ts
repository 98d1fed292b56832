import { expect, it } from "vitest";
import type { ProgressStep } from "../../src/sync/ground/world.ts";
import { addPlanned, openStage, type Stage, standardProject } from "../support/stage.ts";

/** A board that had ten posts yesterday. */
async function openSmall(): Promise<Stage> {
  const stage = await openStage({
    style: { pageSize: 500 },
    projects: [{ ...standardProject, select: { minVotes: 5 } }],
  });
  addPlanned(stage, 10);
  await stage.sync();
  await stage.sync();
  return stage;
}

function said(stage: Stage): readonly string[] {
  return stage.log.filter((line) => line.includes("The board has grown a lot"));
}

it("a board that has grown overnight is read and decided in one run, which says why it takes long", async () => {
  const stage = await openSmall();
  addPlanned(stage, 1200);
  const steps: ProgressStep[] = [];
  stage.bend((world) => ({ ...world, progress: { show: (step) => steps.push(step) } }));
  expect(await stage.syncOne()).toMatchObject({ posts: 1210, skipped: 1210, failed: 0 });
  expect(said(stage)).toHaveLength(1);
  expect(JSON.parse(said(stage)[0] ?? "")).toMatchObject({ before: 10, posts: 1210, added: 1200 });
  expect(steps.map(({ what, done }) => `${done} ${what}`)).toEqual([
    "500 posts read",
    "1000 posts read",
    "1210 posts read",
    "500 posts decided",
    "1000 posts decided",
  ]);
  await stage.sync();
  expect(said(stage)).toHaveLength(1);
});

it("what has grown by less is not worth a word, nor is a first look at a large board", async () => {
  const stage = await openSmall();
  addPlanned(stage, 900);
  await stage.sync();
  stage.loseState();
  addPlanned(stage, 400);
  expect(await stage.syncOne()).toMatchObject({ posts: 1310 });
  expect(said(stage)).toEqual([]);
});

it("of a flood of posts that are selected no more become issues than the guard allows", async () => {
  const stage = await openStage({ style: { pageSize: 500 } });
  addPlanned(stage, 10);
  await stage.sync();
  addPlanned(stage, 1100);
  stage.mark();
  expect(await stage.syncOne()).toMatchObject({ posts: 1110, created: 0, held: 1100 });
  expect(said(stage)[0]).toContain("within the guard and at the tracker's pace");
  expect(stage.writes()).toEqual([]);
});
