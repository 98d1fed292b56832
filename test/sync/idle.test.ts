import { expect, it } from "vitest";
import {
  addPlanned,
  minuteMs,
  openStage,
  type Stage,
  type StageOptions,
  standardProject,
} from "../support/stage.ts";

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

/** How many times the next run asks or tells the state something. */
async function callsOfNextRun(stage: Stage, projectKeys: readonly string[]): Promise<number> {
  let calls = 0;
  const counted = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (typeof found !== "function") return found;
        calls += 1;
        return found.bind(target);
      },
    });
  const parts = [
    "runs",
    "pace",
    "rows",
    "lookup",
    "requests",
    "journal",
    "toolCalls",
    "signals",
    "pulls",
  ] as const;
  const watch = <T extends object>(ledger: T): T =>
    new Proxy(ledger, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (name === "after") return (changes: never) => watch((found as (given: never) => object)(changes));
        return parts.some((part) => part === name) ? counted(found as object) : found;
      },
    });
  stage.bend((world) => {
    const ledger = watch(world.ledger);
    return { ...world, ledger, policy: { ...world.policy, projectKeys } };
  });
  await stage.sync();
  return calls;
}

it("a run of one project asks the state no more for each project that the config names beside it", async () => {
  const keys = Array.from({ length: 12 }, (_, index) => `app-${index}`);
  const projects = keys.map((key) => ({ ...standardProject, project: key }));
  const boardProjects = keys.map((key) => ({ id: `prj_${key}`, slug: key, name: key }));
  const stage = await openStage({ boardProjects, projects });
  for (const key of keys) addPlanned(stage, 1, key);
  for (let run = 0; run < 3; run += 1) await stage.sync();
  stage.reconfigure({ projects: projects.slice(0, 1) });
  await stage.sync();
  const alone = await callsOfNextRun(stage, keys.slice(0, 1));
  expect(alone).toBeGreaterThan(10);
  expect(await callsOfNextRun(stage, keys)).toBe(alone);
});

it("the look at all rows asks the state no more for each post that is linked", async () => {
  const [few, many] = [await openStage(), await openStage()];
  addPlanned(few, 6);
  addPlanned(many, 40);
  const counts: number[] = [];
  for (const stage of [few, many]) {
    for (let run = 0; run < 3; run += 1) await stage.sync();
    stage.clock.skip(7 * 60 * minuteMs);
    counts.push(await callsOfNextRun(stage, ["acme-app"]));
  }
  expect(counts[1]).toBe(counts[0]);
});

/** How often the next run records how a post stands. */
async function decisionsOfNextRun(stage: Stage): Promise<number> {
  let decisions = 0;
  stage.bend((world) => {
    const commit: typeof world.ledger.commit = async (changes) => {
      decisions += changes.filter(({ kind }) => kind === "record-row").length;
      await world.ledger.commit(changes);
    };
    return { ...world, ledger: { ...world.ledger, commit } };
  });
  await stage.sync();
  return decisions;
}

it("a PATCH that is asked for as it was decided is not decided on record a second time before it leaves", async () => {
  const stage = await openStage();
  addPlanned(stage, 1);
  for (let run = 0; run < 3; run += 1) await stage.sync();
  stage.github.close("acme/app", 1);
  stage.mark();
  // Once when it is decided, and once with what the answer shows.
  expect(await decisionsOfNextRun(stage)).toBe(2);
  expect(stage.patches()).toHaveLength(1);
});
