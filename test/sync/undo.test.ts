import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import type { CarriedAction, RunReport, SavedProject } from "../../src/sync/ground/reports.ts";
import { openPosts } from "../support/setups.ts";
import {
  addPlanned,
  minuteMs,
  openStage,
  type Stage,
  type StageOptions,
  standardProject,
} from "../support/stage.ts";

interface Undone {
  readonly report: RunReport;
  readonly actions: readonly CarriedAction[];
}

/** Looks, on a copy, and then undoes what it has seen, as the command does. */
async function undo(stage: Stage, run: number, between: () => void = () => undefined): Promise<Undone> {
  const agreed = await stage.lookAtUndo(run);
  between();
  return carryOut(stage, run, agreed);
}

async function carryOut(stage: Stage, run: number, agreed: readonly SavedProject[]): Promise<Undone> {
  const { report, carried } = await stage.run({ kind: "undo", run, agreed });
  return { report, actions: [...carried.values()].flat() };
}

const outcomes = ({ actions }: Undone) => actions.map(({ kind, post, outcome }) => [kind, post, outcome]);

/** Pairs in step, whose posts stand on the roadmap. */
async function openPlannedPosts(count: number, options: StageOptions = {}): Promise<Stage> {
  const stage = await openStage(options);
  addPlanned(
    stage,
    Array.from({ length: count }, () => ({ roadmapColumn: "PLANNED" })),
  );
  await stage.sync();
  await stage.sync();
  stage.mark();
  return stage;
}

/** Two pairs, whose first issue was closed as completed, which a run has told the board. */
async function openTold(): Promise<{ readonly stage: Stage; readonly run: number }> {
  const stage = await openPlannedPosts(2);
  stage.github.close("acme/app", 1, "completed");
  const { run } = await stage.sync();
  stage.mark();
  return { stage, run };
}

/** Board rules that close and label an issue when its post is declined. */
const twoWay = {
  ...standardProject,
  boardRules: [
    {
      when: { status: "declined" },
      set: { state: "closed", reason: "not_planned", addLabels: ["declined"] },
    },
  ],
};

async function expectRest(stage: Stage): Promise<void> {
  stage.mark();
  for (let run = 0; run < 3; run += 1) {
    stage.clock.skip(15 * minuteMs);
    await stage.sync();
  }
  expect(stage.writes()).toEqual([]);
}

describe("an undo", () => {
  it("takes back what the board was told, once, and the rules do not tell it again", async () => {
    const { stage, run } = await openTold();
    const undone = await undo(stage, run);
    expect(undone.report).toMatchObject({ result: "ok", projects: [{ postWrites: 1, statusWrites: 1 }] });
    expect(outcomes(undone)).toEqual([["patch-post", "p1", "done"]]);
    expect(stage.board.post("acme-app", "p1")).toMatchObject({ status: "planned" });
    expect(stage.board.notifications.at(-1)).toMatchObject({ post: "p1", to: "planned" });
    await expectRest(stage);
    const again = await undo(stage, run);
    expect(again.actions.every(({ outcome }) => outcome === "already")).toBe(true);
    expect(stage.writes()).toEqual([]);
  });

  it("leaves a disagreement that is said, and follows the issue's next change", async () => {
    const { stage, run } = await openTold();
    await undo(stage, run);
    await stage.sync();
    const memory = stage.ledger.memory.project("acme-app");
    const waiting = memory && (await stage.ledger.rows.waiting(memory.id, 10));
    expect(waiting).toContainEqual(expect.objectContaining({ post: "p1", kind: "disagreement" }));
    stage.github.reopen("acme/app", 1);
    stage.github.label("acme/app", 1, "in progress");
    await stage.sync();
    expect(stage.board.post("acme-app", "p1")).toMatchObject({ status: "in_progress" });
  });

  it("can be undone itself", async () => {
    const { stage, run } = await openTold();
    const { report } = await undo(stage, run);
    await undo(stage, report.run);
    expect(stage.board.post("acme-app", "p1")).toMatchObject({ status: "completed" });
    await expectRest(stage);
  });

  it("leaves what people have touched since, field by field, and says so", async () => {
    const { stage, run } = await openTold();
    stage.board.editPost("acme-app", "p1", { roadmapColumn: "IN_PROGRESS" });
    const undone = await undo(stage, run);
    expect(undone.report).toMatchObject({ result: "partial" });
    expect(undone.report.projects[0]?.errors).toMatchObject([{ post: "p1", code: "undo.refused" }]);
    expect(stage.patches().map(({ body }) => body)).toEqual([{ status: "planned" }]);
  });

  it.each([
    [
      "status was moved",
      (stage: Stage) =>
        stage.board.editPost("acme-app", "p1", { status: "open", roadmapColumn: "IN_PROGRESS" }),
    ],
    ["post was archived", (stage: Stage) => stage.board.editPost("acme-app", "p1", { isArchived: true })],
    ["post is gone", (stage: Stage) => stage.board.removePost("acme-app", "p1")],
    [
      "project may not be written",
      (stage: Stage) => stage.reconfigure({ projects: [{ ...standardProject, writes: "none" }] }),
    ],
  ])("writes nothing where the %s", async (_, change) => {
    const { stage, run } = await openTold();
    change(stage);
    const undone = await undo(stage, run);
    expect(undone.actions.map(({ outcome }) => outcome)).toEqual(["refused"]);
    expect(stage.writes()).toEqual([]);
  });

  it("closes an issue that the run has opened as not planned, keeps it linked, and tells the board nothing", async () => {
    const stage = await openStage();
    addPlanned(stage, 2);
    const { run } = await stage.sync();
    stage.mark();
    const undone = await undo(stage, run);
    expect(undone.report).toMatchObject({ result: "ok", projects: [{ issueWrites: 2, statusWrites: 0 }] });
    expect(stage.github.issues("acme/app")).toMatchObject([
      { state: "closed", stateReason: "not_planned" },
      { state: "closed", stateReason: "not_planned" },
    ]);
    await expectRest(stage);
    expect(stage.board.notifications).toEqual([]);
    expect(await stage.syncOne()).toMatchObject({ issues: 2, created: 0 });
  });

  it.each([
    ["has commented on", (stage: Stage) => stage.github.comment("acme/app", 1, "Mine!", "dana")],
    ["has edited", (stage: Stage) => stage.github.edit("acme/app", 1, { title: "Mine" })],
    ["was assigned to", (stage: Stage) => stage.github.assign("acme/app", 1, "dana")],
  ])("leaves an issue open that somebody %s", async (_, touch) => {
    const stage = await openStage();
    addPlanned(stage, 2);
    const { run } = await stage.sync();
    touch(stage);
    stage.mark();
    expect(outcomes(await undo(stage, run))).toEqual([
      ["change-issue", "p1", "refused"],
      ["change-issue", "p2", "done"],
    ]);
    expect(stage.writes()).toEqual(["PATCH /repos/acme/app/issues/2"]);
  });

  it("leaves an issue open that another post has been linked to, or that is not the post's any more", async () => {
    const stage = await openStage();
    addPlanned(stage, 2);
    const { run } = await stage.sync();
    const { id } = stage.ledger.memory.project("acme-app") ?? {};
    const known = stage.ledger.memory.repository("acme/app");
    if (id === undefined || known === undefined) throw new Error("It has run.");
    const asked = { project: id, at: stage.clock.now(), post: "p2" as PostId };
    await stage.ledger.commit([
      { kind: "add-request", request: { ...asked, kind: "link", repository: "acme/app", number: 1 } },
    ]);
    const issues = [{ repositoryId: known.repository.id, number: 2 }];
    await stage.ledger.commit([{ kind: "add-request", request: { ...asked, kind: "unlink", issues } }]);
    await stage.sync();
    const undone = await undo(stage, run);
    expect(undone.actions.map(({ message }) => message)).toEqual([
      expect.stringContaining("another post has been linked"),
      expect.stringContaining("not linked to the post any more"),
    ]);
    expect(stage.github.issues("acme/app").every(({ state }) => state === "open")).toBe(true);
  });

  it("leaves issues as they are where the config says so", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    const { run } = await stage.sync();
    stage.reconfigure({ projects: [{ ...standardProject, writes: "none" }] });
    const { actions } = await undo(stage, run);
    expect(actions).toMatchObject([{ outcome: "refused", message: expect.stringContaining("writes: none") }]);
  });

  it.each([
    ["refuses", { kind: "answer", status: 422, body: { message: "No" } }, "tracker.rejected"],
    ["limits", { kind: "answer", status: 429, headers: { "retry-after": "60" } }, "undo.unfinished"],
  ] as const)("tells where the tracker %s it, and can be tried again", async (_, answer, code) => {
    const stage = await openStage();
    addPlanned(stage, 2);
    const { run } = await stage.sync();
    const agreed = await stage.lookAtUndo(run);
    stage.github.failNext({ method: "PATCH", path: "/repos/acme/app/issues/1", answer });
    const undone = await carryOut(stage, run, agreed);
    expect(undone.report.result).toBe("partial");
    expect(undone.report.projects[0]?.errors[0]).toMatchObject({ post: "p1", code });
    stage.clock.skip(5 * minuteMs);
    await undo(stage, run);
    expect(stage.github.issues("acme/app").map(({ state }) => state)).toEqual(["closed", "closed"]);
  });

  it.each([
    ["limits", { kind: "answer", status: 429, headers: { "retry-after": "7200" } }, 1, "undo.unfinished"],
    ["breaks", { kind: "answer", status: 502 }, 4, "tracker.unreachable"],
  ] as const)(
    "tells where the tracker %s the look at a part, and that nothing repeats it",
    async (_, answer, times, code) => {
      const stage = await openStage();
      addPlanned(stage, 2);
      const { run } = await stage.sync();
      const agreed = await stage.lookAtUndo(run);
      const failLook = () => {
        stage.github.failNext({ method: "GET", path: /\/issues\/1$/, answer, times });
      };
      failLook();
      const undone = await carryOut(stage, run, agreed);
      expect(undone.report.result).toBe("partial");
      expect(undone.actions).toContainEqual({
        kind: "change-issue",
        post: "p1",
        issue: "acme/app#1",
        outcome: "failed",
        message: expect.stringContaining("undo the run again"),
      });
      const [error, ...others] = undone.report.projects[0]?.errors.filter(({ post }) => post === "p1") ?? [];
      expect(others).toEqual([]);
      expect(error?.code).toBe(code);
      expect(`${error?.message} ${error?.advice}`).toMatch(/No later run does it by itself/);
      expect(`${error?.message} ${error?.advice}`).not.toContain("the next run tries again");
      stage.clock.skip(180 * minuteMs);
      failLook();
      const look = await stage.run({ kind: "undo", run, agreed: undefined });
      expect(look.report.result).toBe("partial");
      expect([...look.carried.values()].flat()).toContainEqual(
        expect.objectContaining({ post: "p1", outcome: "failed" }),
      );
      stage.clock.skip(180 * minuteMs);
      await undo(stage, run);
      expect(stage.github.issues("acme/app").map(({ state }) => state)).toEqual(["closed", "closed"]);
    },
  );

  it.each([
    ["refuses the key of", { status: 401 }, "Put a valid key into BOARD_API_KEY"],
    ["breaks", { status: 502 }, ""],
    ["limits", { status: 429, headers: { "retry-after": "7200" } }, ""],
  ] as const)("tells where the board %s all of it that nothing repeats it", async (_, answer, advised) => {
    const { stage, run } = await openTold();
    const agreed = await stage.lookAtUndo(run);
    stage.board.failNext({ kind: "answer", ...answer }, { times: 9 });
    const { report } = await carryOut(stage, run, agreed);
    const advice = report.projects[0]?.errors[0]?.advice;
    expect(advice).toMatch(/No later run does it by itself; undo the run again\.$/);
    expect(advice).toContain(advised);
    expect(advice).not.toMatch(/next run|a run after/);
  });

  it("leaves nothing for a later run, and an import as far as it is", async () => {
    const stage = await openStage({ config: { tracker: { pace: { minIntervalMs: 0, createsPerHour: 2 } } } });
    addPlanned(stage, 6);
    const { run } = await stage.sync();
    const { id: project } = stage.ledger.memory.project("acme-app") ?? {};
    if (project === undefined) throw new Error("It has run.");
    const readLeft = async () =>
      (await stage.ledger.pace.backlogs()).map(({ creates, others }) => ({ creates, others }));
    expect(await readLeft()).toEqual([{ creates: 4, others: 0 }]);
    const agreed = await stage.lookAtUndo(run);
    const waiting = await stage.ledger.rows.waiting(project, 10);
    const answer = { kind: "answer", status: 429, headers: { "retry-after": "60" } } as const;
    stage.github.failNext({ method: "PATCH", path: "/repos/acme/app/issues/1", answer });
    expect(outcomes(await carryOut(stage, run, agreed))).toEqual([
      ["change-issue", "p1", "failed"],
      ["change-issue", "p2", "failed"],
    ]);
    expect(await readLeft()).toEqual([{ creates: 4, others: 0 }]);
    expect(await stage.ledger.rows.waiting(project, 10)).toEqual(waiting);
  });

  it("takes back what a board rule has written to an issue", async () => {
    const stage = await openPosts(1, { projects: [twoWay] });
    stage.board.editPost("acme-app", "p1", { status: "declined" });
    const { run } = await stage.sync();
    expect(stage.github.issues("acme/app")).toMatchObject([{ state: "closed" }]);
    const undone = await undo(stage, run);
    expect(outcomes(undone)).toEqual([["change-issue", "p1", "done"]]);
    expect(stage.github.issues("acme/app")).toMatchObject([{ state: "open" }]);
    expect(JSON.stringify(stage.github.issues("acme/app")[0]?.labels)).not.toContain("declined");
    await expectRest(stage);
  });

  it("leaves an issue closed that a person has closed for another reason since", async () => {
    const stage = await openPosts(1, { projects: [twoWay] });
    stage.board.editPost("acme-app", "p1", { status: "declined" });
    const { run } = await stage.sync();
    stage.github.reopen("acme/app", 1);
    stage.github.close("acme/app", 1, "completed");
    const { actions } = await undo(stage, run);
    expect(actions.map(({ message }) => message).join()).toContain("it shows `closed:completed` by now");
    // So does a rule that matches no more.
    stage.board.editPost("acme-app", "p1", { status: "later" });
    await stage.sync();
    await stage.sync();
    expect(stage.github.issue("acme/app", 1)).toMatchObject({ state: "closed", stateReason: "completed" });
  });

  it("takes back what a person has paused and resumed since, without a run in between", async () => {
    const { stage, run } = await openTold();
    const project = "prj_app" as ProjectId;
    const at = stage.clock.now();
    await stage.ledger.commit([
      { kind: "pause-whole", project, at },
      { kind: "add-request", request: { kind: "resume-project", isDiscard: false, project, at } },
    ]);
    expect(outcomes(await undo(stage, run))).toEqual([["patch-post", "p1", "done"]]);
    await stage.ledger.commit([
      { kind: "pause", project, post: "p1" as PostId, at },
      { kind: "add-request", request: { kind: "resume", posts: ["p1" as PostId], project, at } },
    ]);
    expect(outcomes(await undo(stage, run))).toEqual([["patch-post", "p1", "already"]]);
  });

  it("says that it does not take back a text or a comment", async () => {
    const [rule] = twoWay.boardRules;
    const boardRules = [{ ...rule, set: { comment: "Sorry." } }];
    const stage = await openPosts(1, { projects: [{ ...standardProject, boardRules }] });
    stage.board.editPost("acme-app", "p1", { title: "Other words", status: "declined" });
    const { run } = await stage.sync();
    const { actions } = await undo(stage, run);
    expect(actions.map(({ outcome }) => outcome)).toEqual(["refused", "refused"]);
    expect(actions.map(({ message }) => message).join()).toMatch(
      /text that was there before.*comment has been read/s,
    );
  });

  it("does only what was shown", async () => {
    const { stage, run } = await openTold();
    const undone = await undo(stage, run, () => {
      stage.board.editPost("acme-app", "p1", { roadmapColumn: "IN_PROGRESS" });
    });
    expect(undone.actions.map(({ outcome }) => outcome)).toEqual(["refused", "refused"]);
    expect(stage.writes()).toEqual([]);
  });

  it("says of a write whose answer was lost that nobody knows, until it is found out", async () => {
    const stage = await openPlannedPosts(1);
    stage.github.close("acme/app", 1, "completed");
    stage.board.failNext({ kind: "reset", applied: true }, { when: ({ method }) => method === "PATCH" });
    const { run } = await stage.sync();
    expect(outcomes(await undo(stage, run))).toEqual([["patch-post", "p1", "refused"]]);
    stage.clock.skip(15 * minuteMs);
    await stage.sync();
    expect(outcomes(await undo(stage, run))).toEqual([["patch-post", "p1", "done"]]);
    expect(stage.board.post("acme-app", "p1")).toMatchObject({ status: "planned" });
  });

  it("is no news for the guard, and counts for the quarantine", async () => {
    const stage = await openPlannedPosts(2, { config: { guard: { statuses: 1, flips: 2 } } });
    stage.github.close("acme/app", 1, "completed");
    const { run } = await stage.sync();
    stage.clock.skip(60 * minuteMs);
    expect(outcomes(await undo(stage, run))).toEqual([["patch-post", "p1", "done"]]);
    stage.github.close("acme/app", 2, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, held: 0 });
    stage.github.reopen("acme/app", 1);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0, quarantined: 1 });
  });

  it("tells what the other side refuses, or puts off, and that nothing repeats it", async () => {
    const { stage, run } = await openTold();
    stage.board.failNext(
      { kind: "answer", status: 429, headers: { "retry-after": "120" } },
      { when: ({ method }) => method === "PATCH" },
    );
    const undone = await undo(stage, run);
    expect(undone.actions).toMatchObject([
      { outcome: "failed", message: expect.stringContaining("undo the run again") },
    ]);
    expect(undone.report.projects[0]?.errors).toMatchObject([{ code: "undo.unfinished" }]);
    stage.clock.skip(5 * minuteMs);
    await expectRest(stage);
    expect(outcomes(await undo(stage, run))).toEqual([["patch-post", "p1", "done"]]);
  });

  it.each([
    ["board", "before"],
    ["board", "after"],
    ["tracker", "before"],
    ["tracker", "after"],
  ] as const)("does nothing twice when the process dies at a write to the %s, %s it", async (side, when) => {
    const rules = [{ when: { state: "open" }, set: { status: "in_progress" } }];
    const stage = await openStage({ projects: [{ ...standardProject, rules }] });
    addPlanned(stage, 1);
    const { run } = await stage.sync();
    const agreed = await stage.lookAtUndo(run);
    stage.crashAt(side, when);
    await expect(carryOut(stage, run, agreed)).rejects.toThrow("died");
    stage.restart();
    for (let count = 0; count < 3; count += 1) {
      stage.clock.skip(15 * minuteMs);
      await stage.sync();
      await undo(stage, run);
    }
    expect(stage.board.post("acme-app", "p1")).toMatchObject({ status: "planned" });
    expect(stage.github.issues("acme/app")).toMatchObject([{ state: "closed", stateReason: "not_planned" }]);
    expect(stage.board.notifications.map(({ to }) => to)).toEqual(["in_progress", "planned"]);
    await expectRest(stage);
  });
});

it("an issue that an undo closes late, after a rebuild, tells nobody that it is closed", async () => {
  const stage = await openStage();
  addPlanned(stage, [{}]);
  const { run } = await stage.sync();
  stage.mark();
  stage.github.failNext({ method: "PATCH", path: "/issues/1", applied: "late", answer: { kind: "reset" } });
  expect(await undo(stage, run)).toMatchObject({ report: { projects: [{ waiting: 1 }] } });
  await stage.rebuild();
  await stage.sync();
  stage.clock.skip(minuteMs);
  stage.github.landLate();
  expect(stage.github.issue("acme/app", 1).state).toBe("closed");
  for (let look = 0; look < 3; look += 1) {
    stage.clock.skip(20 * minuteMs);
    await stage.sync();
  }
  expect(stage.patches().flatMap(({ body }) => Object.keys(Object(body)))).not.toContain("status");
});
