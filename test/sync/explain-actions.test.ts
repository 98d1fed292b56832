import { expect, it } from "vitest";
import { addPlanned, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

/** What `plan` and `explain` (`actions`: "as in `plan`", reference/json.md) say of a post. */
async function compare(stage: Stage, post: string) {
  const pick = (actions: readonly object[]) =>
    actions.map((action) => {
      const { kind, when, held, letGoBy, notBefore } = action as Record<string, unknown>;
      return { kind, when, hasWhy: held !== undefined, letGoBy, hasTime: notBefore !== undefined };
    });
  const planned = (await stage.plan()).filter((action) => action.post === post);
  return { plan: pick(planned), explain: pick((await stage.explain(post)).actions) };
}

it("what is held by the guard is not said to be done now", async () => {
  const stage = await openStage({ config: { guard: { statuses: 0 } } });
  addPlanned(stage, 1);
  await stage.sync();
  stage.github.close("acme/app", 1, "completed");
  await stage.sync();
  const { plan, explain } = await compare(stage, "p1");
  expect(plan).toMatchObject([{ kind: "patch-post", when: "held" }]);
  expect(explain).toEqual(plan);
});

it("what is paused is not said to be done now", async () => {
  const stage = await openStage();
  addPlanned(stage, 1);
  await stage.adopt();
  await stage.ledger.commit([
    { kind: "pause", project: "prj_app" as never, post: "p1" as never, at: stage.clock.now() },
  ]);
  const { plan, explain } = await compare(stage, "p1");
  expect(plan).toMatchObject([{ kind: "create-issue", when: "held" }]);
  expect(explain).toEqual(plan);
});

it("what settles is among the actions, with its time", async () => {
  const stage = await openStage({ config: { settle: "1h" } });
  addPlanned(stage, 1);
  await stage.sync();
  await stage.sync();
  stage.github.close("acme/app", 1, "completed");
  await stage.sync();
  const { plan, explain } = await compare(stage, "p1");
  expect(plan).toMatchObject([{ kind: "patch-post", when: "later", hasTime: true }]);
  expect(explain).toEqual(plan);
});

it("what the config stops is among the actions", async () => {
  const stage = await openStage();
  addPlanned(stage, 1);
  stage.reconfigure({ projects: [{ ...standardProject, writes: "none" }] });
  await stage.sync();
  const { plan, explain } = await compare(stage, "p1");
  expect(plan).toMatchObject([{ kind: "create-issue", when: "held" }]);
  expect(explain).toEqual(plan);
});

it("says of no issue that the next run opens it where the pace, or a restored state, keeps it back", async () => {
  const pace = { minIntervalMs: 1000, createsPerMinute: 20, createsPerHour: 1, writesPerHour: 450 };
  const stage = await openStage({ config: { tracker: { kind: "github", pace } } });
  addPlanned(stage, 2);
  await stage.sync();
  const { next, actions, waits } = await stage.explain("p2");
  expect(waits.map(({ message }) => message).join()).toMatch(/pace allows no more/);
  await stage.sync();
  expect(stage.github.issues("acme/app")).toHaveLength(1);
  expect({ next, when: actions.map(({ when }) => when) }).not.toEqual({
    next: [expect.stringMatching(/^The next run opens an issue/)],
    when: ["now"],
  });
});

it("the same after a state was put back", async () => {
  const stage = await openStage();
  await stage.backUp();
  stage.putBack();
  addPlanned(stage, 1);
  await stage.sync();
  stage.clock.skip(5 * minuteMs);
  const { next } = await stage.explain("p1");
  await stage.sync();
  expect(stage.github.issues("acme/app")).toHaveLength(0);
  expect(next.join(" ")).not.toContain("The next run opens an issue");
});
