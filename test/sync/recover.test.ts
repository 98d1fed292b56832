import { describe, expect, it, onTestFinished } from "vitest";
import { StateError } from "../../src/errors.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { withParts } from "../simulation/with-parts.ts";
import { openLongTime } from "../support/long-time.ts";
import { privateRepositories, twoProjects, twoRepositories } from "../support/setups.ts";
import { addPlanned, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

/** A person wants the post linked to an issue of acme/app. */
async function link({ ledger, clock }: Stage, post: string, number: number): Promise<void> {
  const asked = { kind: "link", post: post as PostId, repository: "acme/app", number } as const;
  const project = "prj_app" as ProjectId;
  await ledger.commit([{ kind: "add-request", request: { ...asked, project, at: clock.now() } }]);
}

/** Two pairs in step, and a backup of them; then #1 is closed, and a third post gets its issue. */
async function openOld(kind?: "unstamped"): Promise<Stage> {
  const stage = await openStage();
  addPlanned(stage, 2);
  await stage.sync();
  await stage.sync();
  await stage.backUp(kind);
  stage.github.close("acme/app", 1, "completed");
  addPlanned(stage, 1);
  await stage.sync();
  await stage.sync();
  expect(stage.board.notifications).toHaveLength(1);
  stage.putBack();
  stage.mark();
  return stage;
}

describe("a large backup that was put back", { tags: "long" }, () => {
  it("is taken over in batches, so that no transaction holds all of its pairs, and begins anew after a crash between two", async () => {
    let most = 0;
    let lastRow = Number.POSITIVE_INFINITY;
    const count = (ledger: Ledger): Ledger =>
      withParts(ledger, {
        async commit(changes) {
          const rows = changes.filter(({ kind }) => kind === "record-row").length;
          most = Math.max(most, rows);
          lastRow -= rows;
          if (lastRow < 0) throw new StateError("The process died.");
          await ledger.commit(changes);
        },
      });
    const pace = { minIntervalMs: 0, createsPerMinute: 5000, createsPerHour: 5000, writesPerHour: 5000 };
    const time = openLongTime({
      posts: { "acme-app": 1200 },
      config: { tracker: { kind: "github", pace } },
      bend: count,
    });
    onTestFinished(() => time.close());
    await time.run();
    expect(time.opened).toHaveLength(1200);
    await time.run();
    time.toggle(1);
    await time.putBack();
    most = 0;
    lastRow = 700;
    await expect(time.run()).rejects.toThrow("died");
    lastRow = Number.POSITIVE_INFINITY;
    time.restart();
    time.clock.skip(minuteMs);
    const { projects } = await time.run();
    expect(projects).toMatchObject([{ statusWrites: 0, failed: 0 }]);
    expect(most).toBeLessThanOrEqual(500);
    time.toggle(2);
    time.clock.skip(60 * minuteMs);
    expect((await time.run()).projects).toMatchObject([{ statusWrites: 1 }]);
  });
});

describe("a backup that was put back", () => {
  it("repeats no notification and opens no issue twice", async () => {
    const stage = await openOld();
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ adopted: 1, postWrites: 0, created: 0 }],
    });
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.writes()).toEqual([]);
    expect(stage.board.notifications).toHaveLength(1);
    expect(stage.github.issues("acme/app")).toHaveLength(3);
    expect(stage.log.join("\n")).toContain("a copy that was put back");
  });

  it("writes nothing for what changed while it was away, and everything that changes from then on", async () => {
    const stage = await openOld();
    stage.github.close("acme/app", 2, "completed");
    await stage.sync();
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    stage.github.reopen("acme/app", 2);
    stage.github.label("acme/app", 2, "in progress");
    await stage.sync();
    expect(stage.board.notifications.at(-1)).toMatchObject({ post: "p2", to: "in_progress" });
  });

  it("tells nothing of a change of that life which a later run reads only after it has taken both sides as they are", async () => {
    const boardRules = [{ when: { status: "declined" }, set: { state: "closed" } } as const];
    const stage = await openStage({ projects: [{ ...standardProject, boardRules }] });
    addPlanned(stage, 2);
    await stage.sync();
    await stage.sync();
    await stage.backUp();
    stage.putBack();
    await stage.sync();
    await link(stage, "p2", 1);
    const { github } = stage;
    // The list did not show it yet.
    stage.bend((world) => ({
      ...world,
      tracker: Object.assign(Object.create(world.tracker), {
        readIssue: (...given: Parameters<typeof world.tracker.readIssue>) => {
          if (github.issue("acme/app", 1).state === "open") github.close("acme/app", 1, "completed");
          return world.tracker.readIssue(...given);
        },
      }),
    }));
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0 });
    await stage.sync();
    expect(stage.board.notifications).toEqual([]);
    stage.clock.skip(15 * minuteMs);
    await stage.sync();
    github.reopen("acme/app", 1);
    github.label("acme/app", 1, "in progress");
    await stage.sync();
    expect(stage.board.notifications.map(({ post, to }) => [post, to])).toContainEqual(["p1", "in_progress"]);
  });

  it("lets new issues wait as long as a request of the life in between may take", async () => {
    const stage = await openOld();
    addPlanned(stage, 1);
    expect(await stage.sync()).toMatchObject({ projects: [{ created: 0, waiting: 1 }] });
    stage.clock.skip(15 * minuteMs);
    expect(await stage.sync()).toMatchObject({ projects: [{ created: 1, waiting: 0 }] });
  });

  it("lets a text wait as well: one of the life in between would arrive over it", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    await stage.sync();
    await stage.backUp();
    stage.putBack();
    stage.board.editPost("acme-app", "p1", { description: "Both of them." });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 0, waiting: 1 });
    stage.clock.skip(15 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 1, waiting: 0 });
    expect(stage.github.issues("acme/app")[0]?.body).toContain("Both of them.");
  });

  it("takes an issue as it is whose opening was in doubt when it was made", async () => {
    const rules = [{ when: { state: "open" }, set: { status: "in_progress" } }];
    const stage = await openStage({ projects: [{ ...standardProject, rules }] });
    addPlanned(stage, 1);
    stage.github.failNext({
      method: "POST",
      path: "/repos/acme/app/issues",
      applied: true,
      answer: { kind: "reset" },
    });
    expect(await stage.syncOne()).toMatchObject({ failed: 1, created: 0 });
    await stage.backUp();
    stage.clock.skip(15 * minuteMs);
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(stage.board.notifications).toHaveLength(1);
    stage.board.editPost("acme-app", "p1", { status: "planned" });
    stage.putBack();
    for (let run = 0; run < 3; run += 1) {
      stage.clock.skip(15 * minuteMs);
      await stage.sync();
    }
    expect(stage.github.issues("acme/app")).toHaveLength(1);
    expect(stage.board.notifications.filter(({ to }) => to === "in_progress")).toHaveLength(1);
  });

  it("of a time before a project's first run lets its issues wait, too: they may be there and not shown yet", async () => {
    const stage = await openStage();
    await stage.backUp();
    stage.putBack();
    addPlanned(stage, 1);
    expect(await stage.syncOne()).toMatchObject({ created: 0, waiting: 1 });
    stage.clock.skip(15 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1 });
  });

  it("finds the issues of the life in between once the lists show them, on whatever page", async () => {
    const stage = await openStage();
    await stage.backUp();
    addPlanned(stage, 1);
    stage.github.setLag({ listMs: 10 * minuteMs });
    await stage.sync();
    for (let count = 0; count < 100; count += 1)
      stage.github.openIssue("acme/app", { title: "Another", body: "Of people.", author: "someone" });
    stage.putBack();
    expect(await stage.syncOne()).toMatchObject({ created: 0, waiting: 1 });
    stage.clock.skip(15 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 0, adopted: 1 });
  });

  it("is searched for markers anew, also where the clock was set back before it was made", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    await stage.sync();
    stage.github.setLag({ listMs: 10 * minuteMs });
    stage.clock.skip(-30 * minuteMs);
    await stage.backUp();
    addPlanned(stage, 1);
    await stage.sync();
    stage.putBack();
    expect(await stage.syncOne()).toMatchObject({ created: 0, waiting: 1 });
  });

  it("repeats nothing that it could not read because the issues were switched off", async () => {
    const stage = await openOld();
    stage.github.disableIssues("acme/app");
    expect(await stage.syncOne()).toMatchObject({ postWrites: 0, errors: [{ code: "state.old" }] });
    stage.github.enableIssues("acme/app");
    for (let run = 0; run < 3; run += 1) expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.board.notifications).toHaveLength(1);
  });

  it("is taken as it is only once", async () => {
    const stage = await openOld();
    await stage.sync();
    stage.restart();
    stage.github.reopen("acme/app", 1);
    stage.github.label("acme/app", 1, "in progress");
    expect(await stage.sync()).toMatchObject({ projects: [{ statusWrites: 1 }] });
  });

  it("forgets what people had asked of it", async () => {
    const stage = await openStage({ config: { guard: { statuses: 0 } } });
    addPlanned(stage, 1);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    const project = stage.ledger.memory.project("acme-app")?.id;
    if (project === undefined) throw new Error("the project has run");
    const actions = await stage.ledger.rows.held(project);
    await stage.ledger.commit([
      {
        kind: "add-request",
        request: { kind: "approve", actions, isWhole: true, project, at: stage.clock.now() },
      },
    ]);
    await stage.backUp();
    stage.putBack();
    stage.mark();
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 0, held: 0 }] });
    expect(await stage.ledger.requests.pending(project)).toEqual([]);
  });
});

describe("a write that was under way when a backup was made", () => {
  it("ends when the backup is put back, and its voters hear nothing of it again", async () => {
    // Without a time of change, a look at the post could not tell what became of the write.
    const stage = await openStage({ style: { hidden: ["updatedAt"] } });
    addPlanned(stage, 1);
    await stage.sync();
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    stage.board.failNext({ kind: "reset" }, { when: ({ method }) => method === "PATCH" });
    await stage.sync();
    await stage.backUp();
    for (let run = 0; run < 4; run += 1) await stage.sync();
    stage.putBack();
    stage.mark();
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ waiting: 0, parked: 0 }] });
    const project = stage.ledger.memory.project("acme-app")?.id;
    expect(project && (await stage.ledger.journal.open(project))).toEqual([]);
    expect(stage.writes()).toEqual([]);
  });
});

describe("a copy without a stamp that was put back", () => {
  it("is found out by an issue of ours that it does not know: nothing is told twice, and that is said", async () => {
    const stage = await openOld("unstamped");
    expect(await stage.sync()).toMatchObject({
      result: "partial",
      projects: [
        { adopted: 1, postWrites: 0, errors: [{ post: "p3", issue: "acme/app#3", code: "state.old" }] },
      ],
    });
    for (let run = 0; run < 3; run += 1) expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.writes()).toEqual([]);
    expect(stage.board.notifications).toHaveLength(1);
  });

  it("shows in a plan what the next run will do: nothing", async () => {
    const stage = await openOld("unstamped");
    expect(await stage.plan()).toEqual([]);
  });

  it("lets new issues wait, also in a repository that was read before it was found out", async () => {
    const stage = await openStage({
      repositories: privateRepositories("acme/api", "acme/app"),
      projects: [{ ...standardProject, repo: "acme/api", route: [{ category: "app", repo: "acme/app" }] }],
    });
    addPlanned(stage, [{}, { categoryId: "app" }]);
    await stage.sync();
    await stage.sync();
    await stage.backUp("unstamped");
    addPlanned(stage, [{ categoryId: "app" }]);
    await stage.sync();
    stage.putBack();
    stage.mark();
    addPlanned(stage, 1);
    expect(await stage.syncOne()).toMatchObject({ adopted: 1, created: 0, waiting: 1 });
    expect(await stage.syncOne()).toMatchObject({ created: 0, waiting: 1, failed: 0 });
    expect(stage.writes()).toEqual([]);
    stage.clock.skip(15 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, waiting: 0 });
  });

  it("is old for every project of it, whichever of them finds that out", async () => {
    const projects = ["acme-app", "acme-api"].map((project) => ({ ...standardProject, project }));
    const stage = await openStage({ boardProjects: twoProjects, projects });
    addPlanned(stage, 1);
    addPlanned(stage, 1, "acme-api");
    await stage.sync();
    await stage.sync();
    await stage.backUp("unstamped");
    for (const number of [1, 2]) stage.github.close("acme/app", number, "completed");
    addPlanned(stage, 1);
    await stage.sync();
    await stage.sync();
    expect(stage.board.notifications).toHaveLength(2);
    stage.putBack();
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.board.notifications).toHaveLength(2);
    expect(stage.github.issues("acme/app")).toHaveLength(3);
  });

  it("writes nothing while one of its repositories can't be read", async () => {
    const stage = await openStage(twoRepositories);
    addPlanned(stage, [{}, { categoryId: "cat_api" }]);
    await stage.sync();
    await stage.sync();
    await stage.backUp();
    stage.github.close("acme/api", 1, "completed");
    await stage.sync();
    await stage.sync();
    expect(stage.board.notifications).toHaveLength(1);
    stage.putBack();
    stage.github.failNext({
      path: /acme\/api\/issues/,
      answer: { kind: "answer", status: 404, body: { message: "Not Found" } },
    });
    expect(await stage.syncOne()).toMatchObject({
      errors: [
        { code: "tracker.missing" },
        { code: "state.old", message: expect.stringContaining("acme/api") },
      ],
    });
    for (let run = 0; run < 3; run += 1) expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.board.notifications).toHaveLength(1);
  });
});

describe("a state that is as it should be", () => {
  it("is not taken for old because of an issue whose opening was in doubt, or that landed late", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    await stage.sync();
    addPlanned(stage, 2);
    const create = { method: "POST", path: /\/issues$/ } as const;
    stage.github.failNext({ ...create, applied: true, answer: { kind: "reset" } });
    stage.github.failNext({ ...create, applied: "late", answer: { kind: "reset" } });
    await stage.sync();
    stage.clock.skip(20 * minuteMs);
    await stage.sync();
    stage.github.landLate();
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.log.join("\n")).not.toContain("state.old");
    expect(stage.ledger.copiedAt).toBeUndefined();
  });

  it("is not taken for old because of a request of the life before it that arrives late", async () => {
    const stage = await openStage();
    addPlanned(stage, 2);
    await stage.sync();
    stage.loseState();
    await stage.sync();
    addPlanned(stage, 1);
    stage.github.openIssue("acme/app", {
      title: "Late",
      body: (stage.github.issue("acme/app", 1).body ?? "").replace(/posts=\S+/, "posts=cDM"),
      author: stage.github.login,
    });
    expect(await stage.syncOne()).toMatchObject({ adopted: 1, created: 0, errors: [] });
    expect(stage.ledger.copiedAt).toBeUndefined();
  });

  it("is not taken for old by a plan while a daemon opens issues", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    await stage.sync();
    addPlanned(stage, 1);
    stage.github.openIssue("acme/app", {
      title: "Opened by the daemon meanwhile",
      body: (stage.github.issue("acme/app", 1).body ?? "").replace(/posts=\S+/, "posts=cDI"),
      author: stage.github.login,
    });
    const { report } = await stage.run("plan");
    expect(report.projects[0]?.errors).toEqual([]);
  });

  it("is not taken for old because of a marker of a trusted author", async () => {
    const stage = await openStage({ config: { tracker: { trustedAuthors: ["old-bot"] } } });
    addPlanned(stage, 1);
    await stage.sync();
    addPlanned(stage, 1);
    const body = (stage.github.issue("acme/app", 1).body ?? "").replace(/posts=\S+/, "posts=cDI");
    stage.github.openIssue("acme/app", { title: "Theirs", body, author: "old-bot" });
    expect(await stage.syncOne()).toMatchObject({ adopted: 1, created: 0, errors: [] });
    expect(stage.ledger.copiedAt).toBeUndefined();
  });
});
