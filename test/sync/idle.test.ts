import { expect, it } from "vitest";
import { addPlanned, openStage, type Stage, type StageOptions, standardProject } from "../support/stage.ts";

/** What one more run writes to the state when nothing has changed since the last ones. */
async function idleBytes(stage: Stage): Promise<number> {
  for (let run = 0; run < 3; run += 1) await stage.sync();
  stage.restart();
  await stage.sync();
  const before = stage.writtenBytes();
  await stage.sync();
  return stage.writtenBytes() - before;
}

it.each<[string, StageOptions]>([
  ["everything is in step", {}],
  ["all of it is held", { config: { guard: { issues: 5 } } }],
  ["all of it waits", { config: { tracker: { pace: { createsPerHour: 1 } } } }],
  ["nothing is selected", { projects: [{ ...standardProject, select: { statuses: ["never"] } }] }],
  ["`writes` forbids it", { projects: [{ ...standardProject, writes: "none" }] }],
])("a run in which nothing changes writes nothing for each post while %s", async (_, options) => {
  const [few, many] = [await openStage(options), await openStage(options)];
  addPlanned(few, 6);
  addPlanned(many, 40);
  expect(await idleBytes(many)).toBe(await idleBytes(few));
});

it.each([100, 250])(
  "a repository's %i labels are not written anew while they are as they were",
  async (count) => {
    const labels = [
      "feedback",
      "in progress",
      ...Array.from({ length: count - 2 }, (_, index) => `l${index}`),
    ];
    const [few, many] = [
      await openStage(),
      await openStage({ repositories: [{ name: "acme/app", private: true, labels }] }),
    ];
    addPlanned(few, 1);
    addPlanned(many, 1);
    expect(await idleBytes(many)).toBe(await idleBytes(few));
  },
);
