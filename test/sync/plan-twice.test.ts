import { expect, it } from "vitest";
import { addPlanned, hourMs, openStage } from "../support/stage.ts";

it("a saved plan that was carried out lets no second change alike go", async () => {
  const stage = await openStage({ config: { guard: { statuses: 0, flips: 9 } } });
  addPlanned(stage, 1);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(hourMs);
  stage.github.label("acme/app", 1, "in progress");
  expect(await stage.syncOne()).toMatchObject({ held: 1 });
  const plan = await stage.savePlan();
  const apply = async () => (await stage.run({ kind: "apply", plan })).carried.get("acme-app");
  expect(await apply()).toMatchObject([{ outcome: "done" }]);
  const told = () => stage.board.notifications.map(({ to }) => to);
  expect(told()).toEqual(["in_progress"]);
  stage.clock.skip(hourMs);
  await stage.sync();
  // People move the post back, take the label away, and set it again a day later: that is another change.
  stage.board.editPost("acme-app", "p1", { status: "planned", roadmapColumn: null });
  stage.github.unlabel("acme/app", 1, "in progress");
  await stage.sync();
  stage.clock.skip(24 * hourMs);
  await stage.sync();
  stage.github.label("acme/app", 1, "in progress");
  expect(await stage.syncOne()).toMatchObject({ held: 1, statusWrites: 0 });
  const again = await apply();
  expect([again?.map(({ outcome }) => outcome), told()]).toEqual([["already"], ["in_progress", "planned"]]);
});
