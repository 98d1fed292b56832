import { expect, it } from "vitest";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const boardRules = [{ when: { status: "planned" }, set: { state: "open" } }];

/**
 * The issue was closed, the post followed, and long after `waits.patch` a person has moved the post back: the issue was opened again.
 * All of that is recorded, and nobody does anything from here on.
 */
async function openMovedBack(): Promise<Stage> {
  const stage = await openStage({
    style: { showsUpdatedAt: false },
    projects: [{ ...standardProject, boardRules }],
  });
  addPlanned(stage, 1);
  await stage.sync();
  stage.clock.skip(3 * hourMs);
  await stage.sync();
  stage.github.close("acme/app", 1, "completed");
  await stage.sync();
  stage.clock.skip(10 * minuteMs);
  await stage.sync();
  stage.board.editPost("acme-app", "p1", { status: "planned", roadmapColumn: "PLANNED" });
  await stage.sync();
  stage.clock.skip(10 * minuteMs);
  for (let run = 0; run < 2; run += 1) await stage.sync();
  expect(stage.github.issue("acme/app", 1).state).toBe("open");
  stage.mark();
  return stage;
}

it.each<[string, (stage: Stage) => void]>([
  [
    "`waits.patch` is raised",
    (stage) => {
      stage.reconfigure({ config: { waits: { patch: "1d" } } });
      // A full look.
      stage.clock.skip(7 * hourMs);
    },
  ],
  [
    "the clock is set back by half an hour, and somebody reviews the post",
    ({ clock, board }) => {
      clock.skip(-30 * minuteMs);
      board.editPost("acme-app", "p1", { isReviewed: false });
    },
  ],
])("what a list has shown, and was believed, is not late afterwards because %s", async (_, change) => {
  const stage = await openMovedBack();
  change(stage);
  await stage.sync();
  expect(stage.writes()).toEqual([]);
});
