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

it("a board that has grown overnight is read and decided in one run", async () => {
  const stage = await openSmall();
  addPlanned(stage, 1200);
  const steps: ProgressStep[] = [];
  stage.bend((world) => ({ ...world, progress: { show: (step) => steps.push(step) } }));
  expect(await stage.syncOne()).toMatchObject({ posts: 1210, skipped: 1210, failed: 0 });
  expect(steps.map(({ what, done }) => `${done} ${what}`)).toEqual([
    "500 posts read",
    "1000 posts read",
    "1210 posts read",
    "500 posts decided",
    "1000 posts decided",
  ]);
});

it("of a flood of posts that are selected no more become issues than the guard allows", async () => {
  const stage = await openStage({ style: { pageSize: 500 } });
  addPlanned(stage, 10);
  await stage.sync();
  addPlanned(stage, 1100);
  stage.mark();
  expect(await stage.syncOne()).toMatchObject({ posts: 1110, created: 0, held: 1100 });
  expect(stage.writes()).toEqual([]);
});
