import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import type { CarriedAction, RunReport, SavedPlan } from "../../src/sync/ground/reports.ts";
import { openPosts } from "../support/setups.ts";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

interface Applied {
  readonly report: RunReport;
  readonly actions: readonly CarriedAction[];
}

async function apply(stage: Stage, plan: SavedPlan): Promise<Applied> {
  const { report, carried } = await stage.run({ kind: "apply", plan });
  return { report, actions: [...carried.values()].flat() };
}

const outcomes = ({ actions }: Applied) => actions.map(({ kind, post, outcome }) => [kind, post, outcome]);

/** Two pairs whose first issue was closed, a third post that has none yet, and the plan for that. */
async function openPlanned(): Promise<{ readonly stage: Stage; readonly plan: SavedPlan }> {
  const stage = await openPosts(2);
  stage.github.close("acme/app", 1, "completed");
  addPlanned(stage, 1);
  const plan = await stage.savePlan();
  stage.mark();
  return { stage, plan };
}

describe("a saved plan", () => {
  it("is carried out as it is, once", async () => {
    const { stage, plan } = await openPlanned();
    const first = await apply(stage, plan);
    expect(first.report).toMatchObject({
      result: "ok",
      projects: [{ created: 1, postWrites: 1, failed: 0 }],
    });
    expect(outcomes(first)).toEqual([
      ["patch-post", "p1", "done"],
      ["create-issue", "p3", "done"],
    ]);
    expect(stage.writes()).toEqual(["PATCH /feedback/p1", "POST /repos/acme/app/issues"]);
    stage.mark();
    const second = await apply(stage, plan);
    expect(second.report.result).toBe("ok");
    expect(outcomes(second)).toEqual([
      ["patch-post", "p1", "already"],
      ["create-issue", "p3", "already"],
    ]);
    await stage.sync();
    expect(stage.writes()).toEqual([]);
  });

  it("leaves what is known of an import as it is, but for what it opens itself", async () => {
    const stage = await openStage({ config: { tracker: { pace: { minIntervalMs: 0, createsPerHour: 2 } } } });
    addPlanned(stage, 6);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    const plan = await stage.savePlan();
    const readLeft = async () =>
      (await stage.ledger.pace.backlogs()).map(({ creates, created }) => ({ creates, created }));
    expect(await readLeft()).toEqual([{ creates: 4, created: 2 }]);
    const isSmall = ({ kind }: { readonly kind: string }): boolean => kind === "patch-post";
    const small = plan.projects.map((one) => ({ ...one, actions: one.actions.filter(isSmall) }));
    expect(outcomes(await apply(stage, { ...plan, projects: small }))).toEqual([
      ["patch-post", "p1", "done"],
    ]);
    expect(await readLeft()).toEqual([{ creates: 4, created: 2 }]);
  });

  it("leaves everything beside it for the next run", async () => {
    const { stage, plan } = await openPlanned();
    stage.github.close("acme/app", 2, "completed");
    addPlanned(stage, 1);
    expect(outcomes(await apply(stage, plan))).toHaveLength(2);
    expect(stage.board.notifications.map(({ post }) => post)).toEqual(["p1"]);
    expect(stage.github.issues("acme/app")).toHaveLength(3);
    expect(await stage.syncOne()).toMatchObject({ created: 1, statusWrites: 1 });
  });

  it("is refused action by action where the world has moved, and the rest is done", async () => {
    const { stage, plan } = await openPlanned();
    stage.board.editPost("acme-app", "p1", { status: "in_progress" });
    const done = await apply(stage, plan);
    expect(done.report.result).toBe("partial");
    expect(done.report.projects[0]?.errors).toMatchObject([{ post: "p1", code: "plan.moved" }]);
    expect(outcomes(done)).toEqual([
      ["patch-post", "p1", "refused"],
      ["create-issue", "p3", "done"],
    ]);
    expect(stage.patches()).toEqual([]);
  });

  it.each([
    ["is gone from the board", "no longer lists", (stage: Stage) => stage.board.removePost("acme-app", "p1")],
    [
      "is archived",
      "archived",
      (stage: Stage) => stage.board.editPost("acme-app", "p1", { isArchived: true }),
    ],
    ["asks for nothing any more", "has moved", (stage: Stage) => stage.github.reopen("acme/app", 1)],
  ])("says why of a post that %s", async (_, said, change) => {
    const { stage, plan } = await openPlanned();
    change(stage);
    const { actions } = await apply(stage, plan);
    expect(actions[0]).toMatchObject({
      post: "p1",
      outcome: "refused",
      message: expect.stringContaining(said),
    });
    expect(stage.patches()).toEqual([]);
  });

  it("refuses an issue whose text has been edited since, and one that would bring another PATCH along", async () => {
    const rules = [{ when: { state: "open" }, set: { status: "in_progress" } }];
    const stage = await openStage({ projects: [{ ...standardProject, rules }] });
    addPlanned(stage, 2);
    const plan = await stage.savePlan();
    stage.board.editPost("acme-app", "p1", { title: "Other words" });
    stage.board.editPost("acme-app", "p2", { status: "in_progress" });
    expect(outcomes(await apply(stage, plan))).toEqual([
      ["create-issue", "p1", "refused"],
      ["create-issue", "p2", "refused"],
    ]);
    expect(stage.github.issues("acme/app")).toEqual([]);
  });

  it("opens an issue with the PATCH that was shown with it", async () => {
    const rules = [{ when: { state: "open" }, set: { status: "in_progress" } }];
    const stage = await openStage({ projects: [{ ...standardProject, rules }] });
    addPlanned(stage, 1);
    const plan = await stage.savePlan();
    expect((await apply(stage, plan)).report).toMatchObject({ projects: [{ created: 1, statusWrites: 1 }] });
  });

  it("is its own approval: no guard holds it, and it fills no guard's measure", async () => {
    const stage = await openPosts(3, { config: { guard: { statuses: 1 } } });
    for (const number of [1, 2]) stage.github.close("acme/app", number, "completed");
    const plan = await stage.savePlan();
    expect(plan.projects[0]?.actions[0]?.lines[0]?.held).toContain("guard.statuses");
    expect((await apply(stage, plan)).report).toMatchObject({
      result: "ok",
      projects: [{ statusWrites: 2 }],
    });
    stage.github.close("acme/app", 3, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, held: 0 });
  });

  it.each([
    ["`writes: none`", { projects: [{ ...standardProject, writes: "none" }] }],
    ["a board that shrank", undefined],
  ])("is stopped by %s all the same", async (_, changes) => {
    const stage = await openPosts(4);
    stage.github.close("acme/app", 1, "completed");
    if (changes !== undefined) stage.reconfigure(changes);
    const plan = await stage.savePlan();
    if (changes === undefined) {
      for (const post of ["p2", "p3", "p4"]) stage.board.removePost("acme-app", post);
    }
    const done = await apply(stage, plan);
    expect(outcomes(done)).toEqual([["patch-post", "p1", "refused"]]);
    expect(stage.patches()).toEqual([]);
  });

  it("keeps the pace: what comes too early for the hour waits", async () => {
    const stage = await openStage({ config: { tracker: { pace: { minIntervalMs: 0, createsPerHour: 1 } } } });
    addPlanned(stage, 2);
    const plan = await stage.savePlan();
    const done = await apply(stage, plan);
    expect(outcomes(done)).toEqual([
      ["create-issue", "p1", "done"],
      ["create-issue", "p2", "waiting"],
    ]);
    stage.clock.skip(60 * minuteMs);
    expect(outcomes(await apply(stage, plan))).toEqual([
      ["create-issue", "p1", "already"],
      ["create-issue", "p2", "done"],
    ]);
  });

  it("does what a board rule asks of an issue, and knows that it has done it", async () => {
    const boardRules = [
      {
        when: { status: "declined" },
        set: { state: "closed", reason: "not_planned", addLabels: ["declined"], comment: "Sorry." },
      },
    ];
    const stage = await openPosts(1, { projects: [{ ...standardProject, boardRules }] });
    stage.board.editPost("acme-app", "p1", { status: "declined" });
    const plan = await stage.savePlan();
    const kinds = ["change-issue", "comment-issue"];
    expect(outcomes(await apply(stage, plan))).toEqual(kinds.map((kind) => [kind, "p1", "done"]));
    expect(outcomes(await apply(stage, plan))).toEqual(kinds.map((kind) => [kind, "p1", "already"]));
  });

  it("takes no other write of the same kind for its own", async () => {
    const stage = await openPosts(1);
    stage.board.editPost("acme-app", "p1", { title: "Other words" });
    const plan = await stage.savePlan();
    stage.board.editPost("acme-app", "p1", { title: "Still other words" });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 1 });
    expect(outcomes(await apply(stage, plan))).toEqual([["update-issue", "p1", "refused"]]);
  });

  it("knows an action by its last request, and takes no part of it for the whole", async () => {
    const set = { state: "closed", addLabels: ["declined"] } as const;
    const boardRules = [{ when: { status: "declined" }, set }];
    const stage = await openPosts(1, { projects: [{ ...standardProject, boardRules }] });
    stage.board.editPost("acme-app", "p1", { status: "declined" });
    const plan = await stage.savePlan();
    const answer = { kind: "answer", status: 429, headers: { "retry-after": "60" } } as const;
    stage.github.failNext({ method: "PATCH", path: "/repos/acme/app/issues/1", answer });
    expect(outcomes(await apply(stage, plan))).toEqual([["change-issue", "p1", "waiting"]]);
    stage.github.label("acme/app", 1, "mine");
    stage.github.close("acme/app", 1, "completed");
    stage.clock.skip(5 * minuteMs);
    expect(outcomes(await apply(stage, plan))).toEqual([["change-issue", "p1", "refused"]]);
  });

  it("tells what the board refuses, and what became of a lost answer", async () => {
    const { stage, plan } = await openPlanned();
    stage.board.failNext(
      { kind: "answer", status: 422, body: { error: "No such status" } },
      { when: ({ method }) => method === "PATCH" },
    );
    stage.github.failNext({
      method: "POST",
      path: "/repos/acme/app/issues",
      applied: true,
      answer: { kind: "reset" },
    });
    expect(outcomes(await apply(stage, plan))).toEqual([
      ["patch-post", "p1", "failed"],
      ["create-issue", "p3", "failed"],
    ]);
    const again = await apply(stage, plan);
    expect(again.actions.map(({ outcome }) => outcome)).toEqual(["refused", "already"]);
    expect(stage.github.issues("acme/app")).toHaveLength(3);
  });

  it.each(["before", "after"] as const)(
    "does nothing twice when the process dies %s a write",
    async (when) => {
      const { stage, plan } = await openPlanned();
      stage.crashAt("tracker", when);
      await expect(apply(stage, plan)).rejects.toThrow("died");
      stage.restart();
      for (let run = 0; run < 3; run += 1) {
        await apply(stage, plan);
        stage.clock.skip(15 * minuteMs);
      }
      expect(stage.github.issues("acme/app")).toHaveLength(3);
      expect(stage.board.notifications).toHaveLength(1);
      stage.mark();
      expect(outcomes(await apply(stage, plan)).map(([, , outcome]) => outcome)).toEqual([
        "already",
        "already",
      ]);
      expect(stage.writes()).toEqual([]);
    },
  );

  it("refuses what has become another one while it was carried out", async () => {
    const stage = await openPosts(0);
    addPlanned(stage, 2);
    const plan = await stage.savePlan();
    const { id } = plan.projects[0] ?? {};
    stage.atNextWrite("tracker", "before", async () => {
      if (id !== undefined)
        await stage.ledger.commit([{ kind: "mark-missing", project: id, post: "p2" as PostId }]);
    });
    const done = await apply(stage, plan);
    expect(outcomes(done)).toEqual([
      ["create-issue", "p1", "done"],
      ["create-issue", "p2", "refused"],
    ]);
    expect(done.report.projects[0]?.errors).toMatchObject([{ post: "p2", code: "plan.moved" }]);
  });

  it("writes the lines in internal notes that it shows, and no others", async () => {
    const stage = await openStage({ projects: [{ ...standardProject, backlink: true }] });
    addPlanned(stage, 2);
    await stage.sync();
    const plan = await stage.savePlan();
    stage.mark();
    stage.board.editPost("acme-app", "p2", { isArchived: true });
    expect(outcomes(await apply(stage, plan))).toEqual([
      ["patch-note", "p1", "done"],
      ["patch-note", "p2", "refused"],
    ]);
    expect(stage.writes()).toEqual(["PATCH /feedback/p1"]);
    const again = await apply(stage, plan);
    expect(outcomes(again)[0]).toEqual(["patch-note", "p1", "already"]);
  });

  it("leaves a note to the next run where it opens an issue that was held, and refuses nothing", async () => {
    const stage = await openStage({ projects: [{ ...standardProject, backlink: true }] });
    addPlanned(stage, 1);
    await stage.sync();
    await stage.sync();
    const project = "prj_app" as ProjectId;
    const post = "p1" as PostId;
    const at = stage.clock.now();
    const repositoryId = stage.ledger.memory.repository("acme/app")?.repository.id ?? 0;
    await stage.ledger.commit([
      {
        kind: "add-request",
        request: { kind: "unlink", project, at, post, issues: [{ repositoryId, number: 1 }] },
      },
      { kind: "add-request", request: { kind: "retry", project, at, posts: [post] } },
    ]);
    stage.reconfigure({
      projects: [{ ...standardProject, backlink: true }],
      config: { guard: { issues: 0 } },
    });
    const done = await apply(stage, await stage.savePlan());
    expect(done.report).toMatchObject({
      result: "ok",
      projects: [{ created: 1, postWrites: 0, waiting: 1 }],
    });
    expect(outcomes(done)).toEqual([
      ["create-issue", "p1", "done"],
      ["patch-note", "p1", "waiting"],
    ]);
    expect(await stage.syncOne()).toMatchObject({ postWrites: 1, failed: 0 });
    expect(stage.board.post("acme-app", "p1")?.internalNote).toBe("Tracked in acme/app#2");
  });

  it.each([
    ["refuses a note", { kind: "answer", status: 422, body: {} }, "failed"],
    ["puts a note off", { kind: "answer", status: 429, headers: { "retry-after": "60" } }, "waiting"],
  ] as const)("tells where the board %s", async (_, fault, outcome) => {
    const stage = await openStage({ projects: [{ ...standardProject, backlink: true }] });
    addPlanned(stage, 1);
    await stage.sync();
    const plan = await stage.savePlan();
    stage.board.failNext(fault, { when: ({ method }) => method === "PATCH" });
    expect(outcomes(await apply(stage, plan))).toEqual([["patch-note", "p1", outcome]]);
  });

  it("holds no word of a post", async () => {
    const { stage, plan } = await openPlanned();
    const title = stage.board.post("acme-app", "p3")?.title ?? "";
    expect(JSON.stringify(plan)).not.toContain(title);
  });
});

it("what the pace leaves of an applied plan stays approved", async () => {
  const pace = { minIntervalMs: 0, createsPerHour: 3 };
  const stage = await openStage({ config: { guard: { issues: 2 }, tracker: { pace } } });
  addPlanned(stage, 6);
  await stage.sync();
  const plan = await stage.savePlan();
  const { report } = await stage.run({ kind: "apply", plan });
  expect(report.projects).toMatchObject([{ created: 3, waiting: 3, held: 0 }]);
  stage.clock.skip(2 * hourMs);
  expect(await stage.syncOne()).toMatchObject({ created: 3, held: 0 });
  expect(await stage.syncOne()).toMatchObject({ waiting: 0, held: 0 });
});
