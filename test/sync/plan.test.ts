import { describe, expect, it } from "vitest";
import { privateRepositories, routedProject, twoProjects, twoRepositories } from "../support/setups.ts";
import {
  addPlanned,
  type ConfigPart,
  minuteMs,
  openStage,
  type Stage,
  standardProject,
} from "../support/stage.ts";

/** Something of everything: a new post, an edited one, and three changed issues. */
async function openBusy(): Promise<Stage> {
  const stage = await openStage();
  addPlanned(stage, [{ votes: 7 }, { votes: 5 }, {}, {}]);
  await stage.sync();
  await stage.sync();
  stage.github.close("acme/app", 1, "completed");
  stage.github.label("acme/app", 2, "in progress");
  stage.board.editPost("acme-app", "p3", { title: "Better", description: "Changed." });
  addPlanned(stage, [{ title: "New" }]);
  stage.mark();
  return stage;
}

describe("a plan", () => {
  it("says what would be done, why, and who would hear of it, and writes nothing", async () => {
    const stage = await openBusy();
    const before = stage.stateBytes().length;
    expect(await stage.plan()).toMatchObject([
      {
        kind: "patch-post",
        post: "p1",
        issue: "acme/app#1",
        fields: { status: "completed", roadmapColumn: "COMPLETED" },
        reason: "issue #1 closed as completed → rule 1",
        notifies: 7,
        when: "now",
      },
      {
        kind: "patch-post",
        post: "p2",
        issue: "acme/app#2",
        fields: { status: "in_progress", roadmapColumn: "IN_PROGRESS" },
        reason: "issue #2 open → rule 3",
        notifies: 5,
        when: "now",
      },
      {
        kind: "update-issue",
        post: "p3",
        issue: "acme/app#3",
        fields: { title: "Better", body: "the managed block" },
        reason: "the title and text that post and config make changed since #3 was last written",
        notifies: 0,
        when: "now",
      },
      {
        kind: "create-issue",
        post: "p5",
        issue: "acme/app",
        fields: { title: "New", labels: ["feedback"], assignees: [] },
        reason: "selected: isArchived is `false`, status is `planned`",
        notifies: 0,
        when: "now",
      },
    ]);
    expect(stage.writes()).toEqual([]);
    expect(stage.stateBytes()).toHaveLength(before);
  });

  it("lists a write that was refused as one that waits for a person, also where `writes` holds others back", async () => {
    const stage = await openStage({ projects: [{ ...standardProject, writes: "issues" }] });
    addPlanned(stage, 1);
    stage.github.failNext({
      method: "POST",
      path: "/issues",
      answer: { kind: "answer", status: 422, body: { message: "Validation Failed." } },
    });
    expect(await stage.syncOne()).toMatchObject({ parked: 1 });
    expect(await stage.plan()).toMatchObject([
      { kind: "create-issue", post: "p1", when: "held", held: expect.stringContaining("`boardsync retry`") },
    ]);
  });

  it("is exactly what the next sync does, and then there is nothing more to plan", async () => {
    const stage = await openBusy();
    const planned = await stage.plan();
    expect(await stage.plan()).toEqual(planned);
    await stage.sync();
    const patched = new Map(stage.patches().map(({ path, body }) => [path.slice("/feedback/".length), body]));
    for (const { kind, post, fields } of planned) {
      if (kind === "patch-post") expect(patched.get(post)).toEqual(fields);
    }
    expect(stage.writes().toSorted()).toEqual([
      "PATCH /feedback/p1",
      "PATCH /feedback/p2",
      "PATCH /repos/acme/app/issues/3",
      "POST /repos/acme/app/issues",
    ]);
    expect(await stage.plan()).toEqual([]);
  });

  it("works before the first sync, and says what follows a new issue", async () => {
    const rules = [{ when: { labels: ["feedback"] }, set: { status: "in_progress" } }];
    const issue = { labels: ["feedback"], milestone: "Next", type: "Feature" };
    const stage = await openStage({
      projects: [{ ...standardProject, rules, issue }],
      repositories: [{ name: "acme/app", milestones: ["Next"], types: ["Feature"], labels: ["feedback"] }],
    });
    addPlanned(stage, [{ votes: 9 }]);
    expect(await stage.plan()).toMatchObject([
      { kind: "create-issue", post: "p1", fields: { milestone: "Next", type: "Feature" }, notifies: 0 },
      { kind: "patch-post", post: "p1", issue: null, fields: { status: "in_progress" }, notifies: 9 },
    ]);
    expect(await stage.syncOne()).toMatchObject({ created: 1, statusWrites: 1 });
    expect(stage.log.join()).toContain("The repository is public");
    expect(stage.board.notifications).toMatchObject([{ post: "p1", voters: 9 }]);
  });

  it("of a run in another mode holds no lines", async () => {
    const stage = await openBusy();
    const { plan } = await stage.run("sync");
    expect(plan.projects).toMatchObject([{ project: "acme-app", repo: "acme/app", actions: [], errors: [] }]);
  });
});

describe("the numbers of a report", () => {
  it("are those of this run, and of what waits now", async () => {
    const stage = await openBusy();
    stage.board.addPost("acme-app", { status: "open" });
    expect(await stage.syncOne()).toEqual({
      project: "acme-app",
      repo: "acme/app",
      result: "ok",
      posts: 6,
      issues: 5,
      created: 1,
      adopted: 0,
      issueWrites: 1,
      postWrites: 2,
      statusWrites: 2,
      voters: 12,
      waiting: 0,
      held: 0,
      parked: 0,
      quarantined: 0,
      skipped: 1,
      failed: 0,
      requests: { board: 3, tracker: 6 },
      errors: [],
    });
    expect(await stage.ledger.runs.last("acme-app")).toMatchObject({ result: "ok", report: { created: 1 } });
    expect(stage.ledger.memory.project("acme-app")?.lastSuccessAt).toBe(stage.clock.now());
  });

  it("leave every write in the history", async () => {
    const stage = await openBusy();
    await stage.sync();
    const id = stage.ledger.memory.project("acme-app")?.id;
    const history = id === undefined ? [] : await stage.ledger.journal.history(id, undefined, 4);
    expect(history.map(({ kind, post, side, outcome }) => [kind, post, side, outcome]).toSorted()).toEqual([
      ["create-issue", "p5", "tracker", "applied"],
      ["edit-issue", "p3", "tracker", "applied"],
      ["patch-post", "p1", "board", "applied"],
      ["patch-post", "p2", "board", "applied"],
    ]);
    const [patch] = id === undefined ? [] : await stage.ledger.journal.history(id, "p1" as never, 1);
    expect(patch).toMatchObject({
      issue: { repository: "acme/app", number: 1 },
      reason: "issue #1 closed as completed → rule 1",
      fields: [
        { field: "status", before: "planned", value: "completed" },
        { field: "roadmapColumn", before: null, value: "COMPLETED" },
      ],
    });
  });
});

describe("a signal", () => {
  it("before a project begins leaves it out", async () => {
    const stage = await openStage({
      boardProjects: [
        { id: "prj_app", slug: "acme-app" },
        { id: "prj_api", slug: "acme-api" },
      ],
      projects: [standardProject, { ...standardProject, project: "acme-api" }],
    });
    addPlanned(stage, 2);
    stage.atNextWrite("tracker", "after", stage.stop);
    const report = await stage.sync();
    expect(report.projects.map(({ project, created }) => [project, created])).toEqual([["acme-app", 1]]);
  });
});

describe("a plan of what is not sent yet", () => {
  it("lists what settles, with its time and its voters, and is not in step", async () => {
    const stage = await openStage({ config: { settle: "10m" } });
    addPlanned(stage, [{ votes: 200 }, { votes: 2 }]);
    await stage.sync();
    for (const issue of [1, 2]) stage.github.close("acme/app", issue, "completed");
    await stage.sync();
    const notBefore = new Date(stage.clock.now() + 10 * minuteMs).toISOString();
    const change = { status: "completed", roadmapColumn: "COMPLETED" };
    expect(await stage.plan()).toMatchObject([
      { kind: "patch-post", post: "p1", fields: change, notifies: 200, when: "later", notBefore },
      { kind: "patch-post", post: "p2", fields: change, notifies: 2, when: "later", notBefore },
    ]);
    stage.clock.skip(11 * minuteMs);
    expect((await stage.plan()).map(({ when }) => when)).toEqual(["now", "now"]);
  });

  it("lists what the pace puts off, with its time", async () => {
    const stage = await openStage({ config: { tracker: { pace: { minIntervalMs: 0, createsPerHour: 2 } } } });
    addPlanned(stage, 3);
    const planned = await stage.plan();
    expect(planned.map(({ when }) => when)).toEqual(["now", "now", "later"]);
    const [notBefore] = planned.flatMap((line) => line.notBefore ?? []);
    expect(Date.parse(notBefore ?? "") - stage.clock.now()).toBe(60 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 2, waiting: 1 });
  });

  it("lists a write of unknown outcome with the end of its wait", async () => {
    const stage = await openStage();
    addPlanned(stage, [{ votes: 9 }]);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    const isPatch = ({ method }: { readonly method: string }): boolean => method === "PATCH";
    stage.board.failNext({ kind: "answer", status: 502 }, { when: isPatch });
    await stage.sync();
    const notBefore = new Date(stage.clock.now() + 2 * minuteMs).toISOString();
    const fields = { status: "completed", roadmapColumn: "COMPLETED" };
    expect(await stage.plan()).toMatchObject([{ post: "p1", fields, notifies: 9, when: "later", notBefore }]);
  });

  it("lists a quarantined post as held, with who would hear", async () => {
    const stage = await openStage({ config: { guard: { flips: 1 } } });
    addPlanned(stage, [{ votes: 9 }]);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    await stage.sync();
    stage.github.reopen("acme/app", 1);
    await stage.sync();
    const held = expect.stringContaining("`guard.flips` allows 1");
    expect(await stage.plan()).toMatchObject([{ post: "p1", notifies: 9, when: "held", held }]);
  });

  it("lists what a board rule asks for behind a PATCH of the same post", async () => {
    const rule = { when: { onRoadmap: true }, set: { addLabels: ["in progress"] } };
    const stage = await openStage({ projects: [{ ...standardProject, boardRules: [rule] }] });
    addPlanned(stage, 1);
    await stage.sync();
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { onRoadmap: true });
    stage.github.close("acme/app", 1, "completed");
    expect((await stage.plan()).map(({ kind, when }) => [kind, when])).toEqual([
      ["patch-post", "now"],
      ["change-issue", "later"],
    ]);
  });
});

const paced = { tracker: { pace: { minIntervalMs: 0, createsPerHour: 2 } } };

/** Posts for a repository, and behind them as many as the hour allows for another one. */
async function openRouted(config: ConfigPart = paced, project: ConfigPart = routedProject): Promise<Stage> {
  const stage = await openStage({ ...twoRepositories, projects: [project], config });
  await stage.sync();
  addPlanned(stage, [{}, {}, {}, { categoryId: "cat_api" }, { categoryId: "cat_api" }]);
  stage.mark();
  return stage;
}

describe("a plan of what is to be written where nothing can be written", () => {
  const noIssue = { method: "GET", path: "/repos/acme/app/issues" };
  const refused = { kind: "answer", status: 403, body: { message: "Blocked." } } as const;
  it.each<[string, (stage: Stage) => void, string]>([
    ["is archived", ({ github }) => github.archive("acme/app"), "is archived"],
    ["has its issues off", ({ github }) => github.disableIssues("acme/app"), "switched off in acme/app"],
    ["is not shown to us", ({ github }) => github.setVisible("acme/app", false), "can't be used in this run"],
    ["turned public", ({ github }) => github.setPrivate("acme/app", false), "is public since"],
    [
      "can't be read now",
      ({ github }) => github.failNext({ ...noIssue, answer: refused, times: 2 }),
      "can't be used in this run",
    ],
  ])(
    "spends no turn of the pace on a repository that %s: it says why, and lists what is sent",
    async (_, change, why) => {
      const stage = await openRouted();
      change(stage);
      const planned = await stage.plan();
      expect(planned.map(({ post, when }) => [post, when])).toEqual([
        ["p1", "later"],
        ["p2", "later"],
        ["p3", "later"],
        ["p4", "now"],
        ["p5", "now"],
      ]);
      expect(planned[0]).not.toHaveProperty("notBefore");
      expect(planned[0]?.reason).toContain(why);
      await stage.sync();
      expect(stage.writes()).toEqual(["POST /repos/acme/api/issues", "POST /repos/acme/api/issues"]);
    },
  );

  it("asks the repository, as the run will: one that was unarchived meanwhile is written to", async () => {
    const stage = await openRouted();
    stage.github.archive("acme/app");
    await stage.sync();
    stage.github.archive("acme/app", false);
    expect((await stage.plan()).map(({ post, when }) => [post, when])).toEqual([
      ["p1", "later"],
      ["p2", "later"],
      ["p3", "later"],
    ]);
    stage.clock.skip(61 * minuteMs);
    expect((await stage.plan()).map(({ when }) => when)).toEqual(["now", "now", "later"]);
  });

  it.each<[string, ConfigPart, string]>([
    ["change", { addLabels: ["Declined"] }, "labels"],
    ["comment", { comment: "No." }, "comments"],
  ])(
    "lists the %s of a post's other issue, which is in another repository, as what the run does now",
    async (_, set, path) => {
      const boardRules = [{ when: { status: "declined" }, set }];
      const stage = await openRouted({}, { ...routedProject, boardRules });
      await stage.sync();
      const { id = "" } = stage.ledger.memory.project("acme-app") ?? {};
      const asked = { kind: "link", post: "p1", repository: "acme/api", number: 1 } as const;
      await stage.ledger.commit([
        { kind: "add-request", request: { ...asked, project: id, at: stage.clock.now() } as never },
      ]);
      await stage.sync();
      await stage.sync();
      stage.github.addLabel("acme/api", "Declined");
      stage.board.editPost("acme-app", "p1", { status: "declined" });
      stage.github.archive("acme/app");
      expect((await stage.plan()).map(({ issue, when }) => [issue, when])).toEqual([
        ["acme/app#1", "later"],
        ["acme/api#1", "now"],
      ]);
      stage.mark();
      await stage.sync();
      expect(stage.writes()).toEqual([`POST /repos/acme/api/issues/1/${path}`]);
    },
  );

  it("is no failure of the plan", async () => {
    const stage = await openRouted();
    stage.github.archive("acme/app");
    expect((await stage.run("plan")).report).toMatchObject({ result: "ok" });
  });
});

it("a plan comes to the projects in the order of the next run: who has written least comes first", async () => {
  const pace = { minIntervalMs: 0, createsPerMinute: 20, createsPerHour: 2 };
  const stage = await openStage({
    boardProjects: twoProjects,
    repositories: privateRepositories("acme/app", "acme/api"),
    projects: [standardProject, { ...standardProject, project: "acme-api", repo: "acme/api" }],
    config: { tracker: { pace } },
  });
  addPlanned(stage, 4);
  await stage.sync();
  const orderOf = async (look: () => Promise<unknown>): Promise<readonly unknown[]> => {
    const before = stage.log.length;
    await look();
    const lines = stage.log.slice(before).map((line): { msg?: string; project?: string } => JSON.parse(line));
    return lines.flatMap(({ msg, project }) => (msg === "Project started" ? [project] : []));
  };
  const planned = await orderOf(stage.plan);
  expect(planned).toEqual(["acme-api", "acme-app"]);
  expect(await orderOf(stage.sync)).toEqual(planned);
});
