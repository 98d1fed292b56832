import { describe, expect, it } from "vitest";
import { inProgress, lookingAt, openLooking, roadmap, twoProjects } from "../support/setups.ts";
import { addPlanned, hourMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const one = { repository: "acme/app", number: 1 };

/** A post that stands where a field of a project has brought it. */
async function openInProgress(): Promise<Stage> {
  const stage = await openLooking(inProgress);
  stage.github.addToProject(roadmap, one);
  stage.github.setProjectStatus(roadmap, one, "In progress");
  await stage.sync();
  await stage.sync();
  expect(statusOf(stage)).toBe("in_progress");
  stage.mark();
  return stage;
}

/** What was made anew tells nobody anything; what people then set in it does. */
async function expectNews(stage: Stage): Promise<void> {
  for (let run = 0; run < 3; run += 1) {
    expect(await stage.syncOne()).toMatchObject({ failed: 0 });
    stage.clock.skip(hourMs);
  }
  expect(stage.writes()).toEqual([]);
  for (const option of ["In progress", "Done"]) {
    stage.github.setProjectStatus(roadmap, one, option);
    await stage.sync();
    stage.clock.skip(hourMs);
  }
  expect(statusOf(stage)).toBe("planned");
}

function statusOf(stage: Stage): unknown {
  return stage.board.post("acme-app", "p1")?.["status"];
}

/** Codes of a run's errors, once more a few hours later, when names are looked up anew. */
async function codesOfRuns(stage: Stage): Promise<readonly (readonly string[])[]> {
  const codes: (readonly string[])[] = [];
  for (const waitMs of [0, 0, 7 * hourMs, 0]) {
    stage.clock.skip(waitMs);
    codes.push((await stage.syncOne()).errors.map(({ code }) => code));
  }
  return codes;
}

describe("a field of a project", () => {
  it("may be renamed, and is found by its id until its name is asked for again", async () => {
    const stage = await openInProgress();
    stage.github.renameField(roadmap, "Status", "State");
    expect(await codesOfRuns(stage)).toEqual([
      [],
      [],
      ["tracker.project", "tracker.undecided"],
      ["tracker.project", "tracker.undecided"],
    ]);
    expect(stage.writes()).toEqual([]);
    stage.github.renameField(roadmap, "State", "Status");
    expect(await stage.syncOne()).toMatchObject({ failed: 0 });
  });

  it("that is gone says nothing: no post goes back, and it is said in every run", async () => {
    const stage = await openInProgress();
    stage.github.deleteField(roadmap, "Status");
    for (let run = 0; run < 2; run += 1) {
      const { errors } = await stage.syncOne();
      expect(errors).toEqual([
        { code: "tracker.project", message: expect.stringContaining('no field "Status"') },
        { post: "p1", code: "tracker.undecided", message: expect.any(String), advice: expect.any(String) },
      ]);
    }
    expect(statusOf(stage)).toBe("in_progress");
    expect(stage.writes()).toEqual([]);
  });

  it.each<[string, number]>([
    ["at once", 0],
    ["after a run has missed it", 1],
  ])(
    "that people made anew %s is the new one, and mails nobody until they move an issue in it",
    async (_, runs) => {
      const stage = await openInProgress();
      stage.github.deleteField(roadmap, "Status");
      for (let run = 0; run < runs; run += 1) await stage.sync();
      stage.github.addField(roadmap, "Status", ["Todo", "In progress", "Done"]);
      await expectNews(stage);
    },
  );

  it("of a project that the token can't see names the permission that it needs", async () => {
    const stage = await openLooking(inProgress, 1, { quirks: { projectScope: false } });
    const { errors } = await stage.syncOne();
    expect(errors).toMatchObject([
      { code: "tracker.project", message: expect.stringContaining("read:project") },
      { post: "p1", code: "tracker.undecided", message: expect.stringContaining("issue #1") },
    ]);
    const { rules, issues } = await stage.explain("p1");
    for (const said of [rules.message, ...issues.flatMap(({ remarks }) => remarks)])
      expect(said).toMatch(/[^.]\.$/);
    expect(stage.writes()).toEqual([]);
  });
});

describe("an option of a field", () => {
  it("may be renamed: another project whose rules name other options of the field forgets nothing", async () => {
    const rule = (is: string, status: string) => [
      { when: { projectStatus: { project: 7, is: [is] } }, set: { status } },
    ];
    const stage = await openStage({
      boardProjects: twoProjects,
      projects: [
        { ...standardProject, project: "acme-api", rules: rule("Done", "completed") },
        { ...standardProject, rules: rule("In progress", "in_progress") },
      ],
    });
    stage.github.addProject(roadmap, { Status: ["Todo", "In progress", "Done"] });
    addPlanned(stage, 1);
    addPlanned(stage, 1, "acme-api");
    await stage.sync();
    const [{ number } = { number: 0 }] = stage.github
      .issues("acme/app")
      .filter(({ title }) => title === "Post 1");
    const place = { repository: "acme/app", number };
    stage.github.addToProject(roadmap, place);
    stage.github.setProjectStatus(roadmap, place, "Todo");
    await stage.sync();
    stage.github.renameOption(roadmap, "Status", "In progress", "Doing");
    stage.clock.skip(7 * hourMs);
    await stage.sync();
    stage.github.setProjectStatus(roadmap, place, "Doing");
    await stage.sync();
    expect(statusOf(stage)).toBe("in_progress");
  });

  it("may be renamed: the rule that knows it goes on, and the new name is said", async () => {
    const stage = await openInProgress();
    stage.github.renameOption(roadmap, "Status", "In progress", "Doing");
    expect(await codesOfRuns(stage)).toEqual([
      [],
      [],
      ["tracker.project-option"],
      ["tracker.project-option"],
    ]);
    const { errors } = await stage.syncOne();
    expect(errors[0]?.message).toContain('calls the option "In progress" "Doing" now');
    stage.github.setProjectStatus(roadmap, one, "Todo");
    await stage.sync();
    expect(statusOf(stage)).toBe("planned");
    stage.github.setProjectStatus(roadmap, one, "Doing");
    await stage.sync();
    expect(statusOf(stage)).toBe("in_progress");
  });

  it.each<[string, (stage: Stage) => Promise<void>]>([
    [
      "is deleted, and another gets its name at once",
      async ({ github }) => {
        github.deleteOption(roadmap, "Status", "In progress");
        github.renameOption(roadmap, "Status", "Todo", "In progress");
      },
    ],
    [
      "is deleted, and another gets its name later",
      async (stage) => {
        stage.github.deleteOption(roadmap, "Status", "In progress");
        await stage.sync();
        stage.github.renameOption(roadmap, "Status", "Todo", "In progress");
        stage.clock.skip(7 * hourMs);
      },
    ],
    [
      "exchanges its name with another",
      async (stage) => {
        stage.github.renameOption(roadmap, "Status", "In progress", "x");
        stage.github.renameOption(roadmap, "Status", "Todo", "In progress");
        stage.github.renameOption(roadmap, "Status", "x", "Todo");
        stage.clock.skip(7 * hourMs);
      },
    ],
  ])("that %s mails nobody until people move an issue", async (_, act) => {
    const stage = await openInProgress();
    await act(stage);
    await expectNews(stage);
  });

  it("that was renamed moves nothing when the rule is corrected", async () => {
    const stage = await openInProgress();
    stage.github.renameOption(roadmap, "Status", "In progress", "Doing");
    stage.clock.skip(7 * hourMs);
    await stage.sync();
    stage.mark();
    stage.reconfigure({ projects: [lookingAt({ projectStatus: { project: 7, is: ["Doing"] } })] });
    expect(await stage.syncOne()).toMatchObject({ failed: 0, held: 0 });
    expect(await stage.syncOne()).toMatchObject({ failed: 0, held: 0 });
    expect(stage.writes()).toEqual([]);
  });

  it("that is gone makes unknown what the field shows instead", async () => {
    const stage = await openInProgress();
    stage.github.deleteOption(roadmap, "Status", "In progress");
    for (let run = 0; run < 2; run += 1) {
      const { errors } = await stage.syncOne();
      expect(errors.map(({ code }) => code)).toEqual(["tracker.project-option", "tracker.undecided"]);
      expect(errors[0]?.message).toContain('has no option "In progress", which a rule looks at');
    }
    expect(statusOf(stage)).toBe("in_progress");
    expect(stage.writes()).toEqual([]);
  });
});
