import { describe, expect, it } from "vitest";
import { addPlanned, hourMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const app = "acme/app";
const repositories = [
  {
    ...{ name: app, private: true, labels: ["feedback", "ui"], milestones: ["Next"] },
    ...{ types: ["Feature"], collaborators: ["ann", "bob", "cat"] },
  },
];
const issue = {
  ...{ labels: ["feedback", "ui"], assignees: ["ann", "bob", "cat"] },
  ...{ milestone: "Next", type: "Feature" },
};
const whole = { ...issue, labels: ["feedback", "ui"] };

function open(): Promise<Stage> {
  return openStage({ repositories, projects: [{ ...standardProject, issue }] });
}

function creates(stage: Stage): number {
  return stage.writes().filter((line) => line === `POST /repos/${app}/issues`).length;
}

async function openNext(stage: Stage): Promise<void> {
  addPlanned(stage, 1);
  stage.mark();
  expect(await stage.syncOne()).toMatchObject({ created: 1, parked: 0 });
}

/** A 422 of GitHub's to the next create, whatever is asked for. */
function refuse(stage: Stage, body: object, after = 0): void {
  const answer = { kind: "answer", status: 422, body: { documentation_url: "https://x", ...body } } as const;
  stage.github.failNext({ method: "POST", path: `/repos/${app}/issues`, after, answer });
}

const failed = "Validation Failed";
const resource = "Issue";

describe("a new issue that is refused", () => {
  it.each<[string, object, object]>([
    [
      "an assignee by its value",
      { message: failed, errors: [{ value: "bob", resource, field: "assignees", code: "invalid" }] },
      { assignees: ["ann", "cat"] },
    ],
    [
      "two assignees, in another case, in one value",
      { message: failed, errors: [{ value: ["Bob", "ANN"], resource, field: "assignee", code: "invalid" }] },
      { assignees: ["cat"] },
    ],
    [
      "an assignee in the words of an error",
      {
        message: failed,
        errors: [{ resource, field: "assignees", code: "custom", message: "bob cannot be assigned" }],
      },
      { assignees: ["ann", "cat"] },
    ],
    [
      "an assignee in a plain text",
      { message: failed, errors: ["Assignee bob is invalid"] },
      { assignees: ["ann", "cat"] },
    ],
    [
      "a label",
      { message: failed, errors: [{ value: "ui", resource: "Label", field: "name", code: "invalid" }] },
      { labels: ["feedback"] },
    ],
    [
      "the milestone by its number",
      { message: failed, errors: [{ value: 1, resource, field: "milestone", code: "invalid" }] },
      { milestone: null },
    ],
    [
      "the type",
      { message: failed, errors: [{ value: "Feature", resource, field: "type", code: "invalid" }] },
      { type: null },
    ],
    [
      "a field without a value: all of it",
      { message: failed, errors: [{ resource, field: "assignees", code: "invalid" }] },
      { assignees: [] },
    ],
    [
      "a field with a value that is none of ours: all of it",
      { message: failed, errors: [{ value: "else", resource, field: "assignees", code: "invalid" }] },
      { assignees: [] },
    ],
    [
      "two fields at once",
      {
        message: failed,
        errors: [
          { value: "ann", resource, field: "assignees", code: "invalid" },
          { value: "Feature", resource, field: "type", code: "invalid" },
        ],
      },
      { assignees: ["bob", "cat"], type: null },
    ],
  ])(
    "for %s is opened without it alone, and the next one is asked for without it at once",
    async (_, body, shown) => {
      const stage = await open();
      refuse(stage, body);
      await openNext(stage);
      expect(creates(stage)).toBe(2);
      expect(stage.github.issue(app, 1)).toMatchObject({ ...whole, ...shown });
      stage.restart();
      addPlanned(stage, 1);
      stage.mark();
      const report = await stage.syncOne();
      expect(report).toMatchObject({ created: 1, errors: [{ issue: app, code: "tracker.field-refused" }] });
      expect(creates(stage)).toBe(1);
      expect(stage.github.issue(app, 2)).toMatchObject({ ...whole, ...shown });
    },
  );

  it("is asked for with everything again once the config has changed, or with the next full look", async () => {
    const stage = await open();
    const error = { value: "bob", resource, field: "assignees", code: "invalid" };
    refuse(stage, { message: failed, errors: [error] });
    await openNext(stage);
    stage.reconfigure({ projects: [{ ...standardProject, issue: { ...issue, labels: ["feedback"] } }] });
    await openNext(stage);
    expect(creates(stage)).toBe(1);
    expect(stage.github.issue(app, 2).assignees).toEqual(["ann", "bob", "cat"]);
    refuse(stage, { message: failed, errors: [error] });
    await openNext(stage);
    stage.clock.skip(7 * hourMs);
    await openNext(stage);
    expect(creates(stage)).toBe(1);
    expect(stage.github.issue(app, 4).assignees).toEqual(["ann", "bob", "cat"]);
  });

  it("for one assignee after the other loses each, and then the field", async () => {
    const stage = await open();
    stage.github.setPush(app, false, "ann");
    stage.github.setPush(app, false, "bob");
    const named = (value: string) => ({
      message: failed,
      errors: [{ value, resource, field: "assignees", code: "invalid" }],
    });
    refuse(stage, named("ann"));
    await openNext(stage);
    expect(stage.github.issue(app, 1).assignees).toEqual(["cat"]);
    await openNext(stage);
    expect(creates(stage)).toBe(1);
  });

  it("is found by `check` before: each assignee is asked for", async () => {
    const stage = await open();
    expect((await stage.check()).filter(({ code }) => code === "tracker.assignee")).toEqual([]);
    stage.github.setPush(app, false, "bob");
    const found = (await stage.check()).filter(({ code }) => code === "tracker.assignee");
    expect(found).toMatchObject([{ level: "error", message: expect.stringContaining("to bob:") }]);
  });
});

describe("a title that has come to mean another milestone", () => {
  it.each([
    ["in the run that opens the issue", 0],
    ["some runs after that", 2],
  ])("is what new issues get %s", async (_, runs) => {
    const stage = await open();
    await openNext(stage);
    stage.github.renameMilestone(app, "Next", "1.0");
    stage.github.closeMilestone(app, "1.0");
    const made = stage.github.addMilestone(app, "Next");
    for (let run = 0; run < runs; run += 1) await stage.sync();
    await openNext(stage);
    expect(creates(stage)).toBe(1);
    expect(stage.github.issue(app, 2).milestone).toBe("Next");
    expect(made).toBe(2);
  });

  it("is what board rules give", async () => {
    const boardRules = [{ when: { status: "declined" }, set: { milestone: "Next" } }];
    const stage = await openStage({ repositories, projects: [{ ...standardProject, boardRules }] });
    addPlanned(stage, 2);
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { status: "declined" });
    await stage.sync();
    expect(stage.github.issue(app, 1).milestone).toBe("Next");
    stage.github.renameMilestone(app, "Next", "1.0");
    stage.github.closeMilestone(app, "1.0");
    stage.github.addMilestone(app, "Next");
    stage.board.editPost("acme-app", "p2", { status: "declined" });
    await stage.sync();
    expect(stage.github.issue(app, 2).milestone).toBe("Next");
    // What has got the old one stays there.
    expect(stage.github.issue(app, 1).milestone).toBe("1.0");
  });

  it("is looked up once more where its number is refused: it went while the run was under way", async () => {
    const stage = await open();
    await openNext(stage);
    addPlanned(stage, 1);
    stage.atNextWrite("tracker", "before", () => {
      stage.github.deleteMilestone(app, "Next");
      stage.github.addMilestone(app, "Next");
    });
    expect(await stage.syncOne()).toMatchObject({ created: 1, failed: 0 });
    expect(stage.github.issue(app, 2).milestone).toBe("Next");
  });

  it("is asked for once a run, and not at all where nothing is opened", async () => {
    const stage = await open();
    await openNext(stage);
    await stage.sync();
    stage.mark();
    await stage.sync();
    expect(stage.reads()).not.toContain(`GET /repos/${app}/milestones`);
    await openNext(stage);
    const asked = stage.github.requests.filter(({ path }) => path.endsWith("/milestones"));
    expect(asked).toHaveLength(1);
  });
});
