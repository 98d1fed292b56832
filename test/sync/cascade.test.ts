import { describe, expect, it } from "vitest";
import type { ProjectId } from "../../src/model/post.ts";
import { inProgress, openLooking, roadmap } from "../support/setups.ts";
import { addPlanned, hourMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const project = "prj_app" as ProjectId;
const milestones = { repositories: [{ name: "acme/app", milestones: ["Next", "Backlog"] }] };

/** The rules of the sample. */
const rules = [
  {
    when: { state: "closed", reason: "completed" },
    set: { status: "completed", roadmapColumn: "COMPLETED" },
  },
  {
    when: { state: "closed", reason: ["not_planned", "duplicate"] },
    set: { status: "closed", onRoadmap: false },
  },
  {
    when: { state: "open", labels: ["in progress"] },
    set: { status: "in_progress", roadmapColumn: "IN_PROGRESS", onRoadmap: true },
  },
  {
    when: { milestone: "any" },
    set: { status: "planned", roadmapColumn: "PLANNED", onRoadmap: true, roadmapPublic: true },
  },
];

async function openOne(changes: object = {}): Promise<Stage> {
  const stage = await openStage({ ...milestones, projects: [{ ...standardProject, rules, ...changes }] });
  stage.board.addPost("acme-app", {
    title: "Dark mode",
    votes: 50,
    status: "planned",
    roadmapColumn: "PLANNED",
    onRoadmap: false,
    roadmapPublic: false,
  });
  await stage.sync();
  await stage.sync();
  return stage;
}

const bodies = (stage: Stage): readonly unknown[] => stage.patches().map(({ body }) => body);

describe("rules, field by field", () => {
  it("take back only what no matching rule names, and say which rule each field comes from", async () => {
    const stage = await openOne();
    const { github } = stage;
    github.setMilestone("acme/app", 1, "Next");
    await stage.sync();
    github.label("acme/app", 1, "in progress");
    const lines = await stage.plan();
    expect(lines.map(({ fields, reason }) => [fields, reason])).toEqual([
      [{ status: "in_progress", roadmapColumn: "IN_PROGRESS" }, "issue #1 open → rule 3"],
    ]);
    await stage.sync();
    github.close("acme/app", 1, "completed");
    await stage.sync();
    github.reopen("acme/app", 1);
    github.unlabel("acme/app", 1, "in progress");
    await stage.sync();
    github.setMilestone("acme/app", 1, null);
    await stage.sync();
    expect(bodies(stage)).toEqual([
      { onRoadmap: true, roadmapPublic: true },
      { status: "in_progress", roadmapColumn: "IN_PROGRESS" },
      { status: "completed", roadmapColumn: "COMPLETED" },
      { status: "planned", roadmapColumn: "PLANNED" },
      { onRoadmap: false, roadmapPublic: false },
    ]);
  });

  it("name the rule of each field where there are several", async () => {
    const stage = await openOne();
    stage.github.setMilestone("acme/app", 1, "Next");
    stage.github.label("acme/app", 1, "in progress");
    const [line] = await stage.plan();
    expect(line?.reason).toBe(
      "issue #1 open → status, roadmapColumn, onRoadmap by rule 3, roadmapPublic by rule 4",
    );
    await stage.sync();
    await stage.sync();
    const story = await stage.explain("p1");
    expect(story.rules).toEqual({
      issue: "acme/app#1",
      rule: 3,
      message:
        "Of acme/app#1, rule 3 decides status, roadmapColumn, onRoadmap, and rule 4 decides roadmapPublic.",
    });
    expect(story.fields.map(({ field, rule }) => [field, rule])).toEqual([
      ["status", 3],
      ["roadmapColumn", 3],
      ["roadmapPublic", 4],
      ["onRoadmap", 3],
    ]);
    expect(story.issues[0]?.rules.map(({ decides }) => decides)).toEqual([
      [],
      [],
      ["status", "roadmapColumn", "onRoadmap"],
      ["roadmapPublic"],
    ]);
  });
});

it("a first plan leaves out no flag that a rule for dropped issues sets otherwise", async () => {
  const stage = await openOne({ issue: { labels: ["feedback"], milestone: "Backlog" } });
  expect(bodies(stage)).toEqual([{ onRoadmap: true, roadmapPublic: true }]);
});

describe("an issue that is closed for a reason that no rule names", () => {
  it.each<[string, string | null]>([
    ["none", null],
    ["a new one", "abandoned"],
  ])("leaves the post as it is, listed and no failure: %s", async (_, reason) => {
    const stage = await openOne();
    stage.github.setMilestone("acme/app", 1, "Next");
    await stage.sync();
    stage.mark();
    stage.github.close("acme/app", 1, reason);
    for (let run = 0; run < 3; run += 1) expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.writes()).toEqual([]);
    expect(stage.board.notifications).toEqual([]);
    const waiting = await stage.ledger.rows.waiting(project, 99);
    expect(waiting.map(({ kind }) => kind)).toEqual(["disagreement", "disagreement", "disagreement"]);
    const story = await stage.explain("p1");
    expect(story.rules.message).toContain("Stays as it is: issue #1 was closed");
    stage.github.reopen("acme/app", 1);
    expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.writes()).toEqual([]);
    expect(await stage.ledger.rows.waiting(project, 99)).toEqual([]);
  });

  it("is what `reason: other` is for", async () => {
    const other = { when: { state: "closed", reason: "other" }, set: { status: "closed" } };
    const stage = await openOne({ rules: [...rules.slice(0, 1), other, ...rules.slice(2)] });
    stage.github.close("acme/app", 1, null);
    await stage.sync();
    expect(bodies(stage)).toEqual([{ status: "closed" }]);
    expect(await stage.check()).not.toContainEqual(expect.objectContaining({ level: "error" }));
  });

  it("may be so before the first plan: what comes after that is told", async () => {
    const stage = await openStage({ ...milestones, projects: [{ ...standardProject, rules }] });
    addPlanned(stage, 1);
    await stage.sync();
    stage.github.close("acme/app", 1, null);
    await stage.sync();
    stage.github.reopen("acme/app", 1);
    stage.github.label("acme/app", 1, "in progress");
    await stage.sync();
    expect(bodies(stage)).toEqual([{ status: "in_progress", roadmapColumn: "IN_PROGRESS", onRoadmap: true }]);
  });
});

describe("a field that can't be decided", () => {
  it("keeps what a person has to let go, while the others are written", async () => {
    const looking = [
      { when: inProgress, set: { status: "in_progress" } },
      { when: { labels: ["promised"] }, set: { onRoadmap: true } },
    ];
    const projects = [{ ...standardProject, rules: looking }];
    const stage = await openLooking(inProgress, 1, { projects, config: { guard: { statuses: 0 } } });
    const one = { repository: "acme/app", number: 1 };
    stage.github.addToProject(roadmap, one);
    stage.github.setProjectStatus(roadmap, one, "In progress");
    expect(await stage.syncOne()).toMatchObject({ held: 1, postWrites: 0 });
    stage.github.renameField(roadmap, "Status", "State");
    stage.github.label("acme/app", 1, "promised");
    stage.clock.skip(7 * hourMs);
    stage.mark();
    const { errors, held, postWrites } = await stage.syncOne();
    expect([errors.map(({ code }) => code), held, postWrites]).toEqual([
      ["tracker.project", "tracker.undecided"],
      1,
      1,
    ]);
    expect(bodies(stage)).toEqual([{ onRoadmap: true }]);
    stage.github.renameField(roadmap, "State", "Status");
    stage.reconfigure({ projects, config: { guard: { statuses: 25 } } });
    for (let run = 0; run < 2; run += 1)
      expect(await stage.syncOne()).toMatchObject({ held: 1, postWrites: 0 });
    expect(stage.board.notifications).toEqual([]);
  });
});
