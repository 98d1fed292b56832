import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { PostsRequest } from "../../src/ledger/orders.ts";
import { pausedByPerson } from "../../src/model/link.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { foreseePause } from "../../src/sync/orders/pause.ts";
import {
  addPlanned,
  hourMs,
  minuteMs,
  openStage,
  type Stage,
  type StageOptions,
  standardProject,
} from "../support/stage.ts";

const project = "prj_app" as ProjectId;
const repo = "acme/app";

async function pause({ ledger, clock }: Stage, post = "p1"): Promise<void> {
  await ledger.commit([{ kind: "pause", project, post: post as PostId, at: clock.now() }]);
}

async function ask({ ledger, clock }: Stage, kind: PostsRequest, post = "p1"): Promise<void> {
  const request = { kind, posts: [post as PostId], project, at: clock.now() };
  await ledger.commit([{ kind: "add-request", request }]);
}

async function approveAll({ ledger, clock }: Stage): Promise<void> {
  const actions = await ledger.rows.held(project);
  await ledger.commit([
    {
      kind: "add-request",
      request: { kind: "approve", actions, isWhole: true, project, at: clock.now() },
    },
  ]);
}

/** Posts with their issues, in step. */
async function openPairs(count = 1, options: StageOptions = {}): Promise<Stage> {
  const stage = await openStage(options);
  addPlanned(stage, count);
  await stage.sync();
  await stage.sync();
  stage.mark();
  return stage;
}

/** The same, of one post that is paused, and whose issue is closed then. */
async function openPaused(options: StageOptions = {}): Promise<Stage> {
  const stage = await openPairs(1, options);
  await pause(stage);
  stage.github.close(repo, 1, "completed");
  return stage;
}

function statusOf({ board }: Stage, post = "p1") {
  return board.post("acme-app", post)?.status;
}

const isPatch = ({ method }: { readonly method: string }): boolean => method === "PATCH";

async function expectCalm(stage: Stage): Promise<void> {
  stage.mark();
  await stage.sync();
  await stage.sync();
  expect(stage.writes()).toEqual([]);
}

describe("a person's change on the board, with `conflict: pause`", () => {
  const projects = [{ ...standardProject, conflict: { status: "pause", default: "tracker" } }];

  /** The issue is closed, and a person has set another status meanwhile. */
  async function openMoved(): Promise<Stage> {
    const stage = await openPairs(2, { projects });
    stage.board.editPost("acme-app", "p1", { status: "later" });
    stage.github.close(repo, 1, "completed");
    return stage;
  }

  /** What voters have heard; the board mails them for a person's change, too. */
  const told = ({ board }: Stage) => board.notifications.map(({ post, to }) => `${post} ${to}`);

  it("pauses that post, and no other", async () => {
    const stage = await openMoved();
    stage.github.close(repo, 2, "completed");
    const [line] = await stage.plan();
    expect(line).toMatchObject({ post: "p1", when: "held", held: pausedByPerson });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 1 }] });
    expect(told(stage)).toEqual(["p1 later", "p2 completed"]);
    expect(await stage.ledger.rows.waiting(project, 9)).toMatchObject([{ post: "p1", kind: "paused" }]);
    expect(stage.log.join()).toContain("A person's change pauses a post");
    await expectCalm(stage);
  });

  it("pauses it also where no rule asked for anything when the person moved it", async () => {
    const stage = await openPairs(1, { projects });
    stage.board.editPost("acme-app", "p1", { status: "later" });
    await stage.sync();
    await stage.sync();
    expect(await stage.ledger.rows.waiting(project, 9)).toEqual([]);
    stage.github.close(repo, 1, "completed");
    await stage.sync();
    expect(told(stage)).toEqual(["p1 later"]);
    expect(await stage.ledger.rows.waiting(project, 9)).toMatchObject([{ post: "p1", kind: "paused" }]);
  });

  it("lets what the issue asks for go once the post is resumed, and does not pause it again", async () => {
    const stage = await openMoved();
    await stage.sync();
    await ask(stage, "resume");
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 1 }] });
    expect(statusOf(stage)).toBe("completed");
    expect(told(stage)).toEqual(["p1 later", "p1 completed"]);
    await stage.sync();
    await expectCalm(stage);
  });

  it("stays where its pause ends with `resume --discard`", async () => {
    const stage = await openMoved();
    await stage.sync();
    await ask(stage, "resume-discard");
    await expectCalm(stage);
    expect([statusOf(stage), told(stage)]).toEqual(["later", ["p1 later"]]);
  });
});

describe("a paused post", () => {
  it("is read and not written, and needs nobody", async () => {
    const stage = await openPaused();
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ held: 0, waiting: 0, postWrites: 0 }],
    });
    expect(stage.writes()).toEqual([]);
    const [line, ...others] = await stage.ledger.rows.waiting(project, 9);
    expect(others).toEqual([]);
    expect(line).toMatchObject({
      post: "p1",
      kind: "paused",
      message: pausedByPerson,
      planned: { changes: [{ field: "status", from: "planned", to: "completed" }, {}], notifies: 3 },
    });
  });

  it("is told by explain to get nothing while it is paused, also of what settles", async () => {
    for (const settle of ["0s", "10m"]) {
      const stage = await openPaused({ config: { settle } });
      await stage.sync();
      const { next } = await stage.explain("p1");
      expect(next[0]).toMatch(/^(When a person lets it go, the|Not while the post is paused:) /);
    }
  });

  it("does not stop the others, and does not fill the guard", async () => {
    const stage = await openPairs(3, { config: { guard: { statuses: 2 } } });
    await pause(stage);
    for (const number of [1, 2, 3]) stage.github.close(repo, number, "completed");
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 2 }] });
    expect(stage.board.notifications.map(({ post }) => post)).toEqual(["p2", "p3"]);
  });

  it("is held in a plan, which says who ends that", async () => {
    const stage = await openPaused();
    expect(await stage.plan()).toMatchObject([
      { kind: "patch-post", post: "p1", notifies: 3, when: "held", held: pausedByPerson },
    ]);
  });

  it("is explained, with the command that ends it", async () => {
    const stage = await openPaused();
    await stage.sync();
    const { waits, actions, next } = await stage.explain("p1");
    expect(waits).toMatchObject([
      { kind: "paused", message: pausedByPerson, command: "boardsync resume acme-app/p1" },
    ]);
    expect(actions).toMatchObject([{ kind: "patch-post", held: pausedByPerson }]);
    expect(next.join("\n")).toContain("When a person lets it go, the next run writes to the post");
    await ask(stage, "resume-discard");
    expect(JSON.stringify(await stage.explain("p1"))).toContain(
      "The next run carries out `boardsync resume --discard`.",
    );
  });

  it("gets no issue", async () => {
    const stage = await openStage({ config: { guard: { issues: 0 } } });
    addPlanned(stage, 1);
    await stage.sync();
    await pause(stage);
    await approveAll(stage);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ held: 0, created: 0 }] });
    await ask(stage, "resume");
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 1 }] });
  });

  it("gets no new text, no comment and no change of its issue, and no line in its note", async () => {
    const boardRules = [
      { when: { status: "declined" }, set: { state: "closed", reason: "not_planned", comment: "Declined." } },
    ];
    const stage = await openStage({ projects: [{ ...standardProject, boardRules, backlink: true }] });
    addPlanned(stage, [{ internalNote: "Mine." }]);
    await stage.sync();
    await pause(stage);
    stage.board.editPost("acme-app", "p1", { status: "declined", title: "Another title" });
    await expectCalm(stage);
    expect(await stage.plan()).toMatchObject([
      { kind: "update-issue", when: "held", held: pausedByPerson },
      { kind: "change-issue", when: "held", held: pausedByPerson },
      { kind: "comment-issue", when: "held", held: pausedByPerson },
    ]);
    await ask(stage, "resume");
    await stage.sync();
    expect(stage.writes()).toEqual([
      "PATCH /feedback/p1",
      "PATCH /repos/acme/app/issues/1",
      "PATCH /repos/acme/app/issues/1",
      "POST /repos/acme/app/issues/1/comments",
    ]);
  });

  it.each(["approve", "retry", "release"] as const)("is written for no `%s`", async (kind) => {
    const stage = await openPairs(1, { config: { guard: { statuses: 0 } } });
    stage.github.close(repo, 1, "completed");
    expect(await stage.sync()).toMatchObject({ result: "held" });
    await pause(stage);
    if (kind === "approve") await approveAll(stage);
    else await ask(stage, kind);
    await expectCalm(stage);
    await ask(stage, "resume");
    expect(await stage.sync()).toMatchObject({ result: kind === "approve" ? "ok" : "held" });
    expect(statusOf(stage)).toBe(kind === "approve" ? "completed" : "planned");
  });

  it("stays as it is for a saved plan and an undo", async () => {
    const stage = await openPairs();
    stage.github.close(repo, 1, "completed");
    const plan = await stage.savePlan();
    await pause(stage);
    const applied = await stage.run({ kind: "apply", plan });
    expect([...applied.carried.values()].flat()).toMatchObject([
      { outcome: "refused", message: pausedByPerson },
    ]);
    await ask(stage, "resume");
    const { run } = await stage.sync();
    expect(statusOf(stage)).toBe("completed");
    const agreed = await stage.lookAtUndo(run);
    await pause(stage);
    stage.mark();
    const undone = await stage.run({ kind: "undo", run, agreed });
    expect([...undone.carried.values()].flat()).toMatchObject([
      { outcome: "refused", message: expect.stringContaining(pausedByPerson) },
    ]);
    expect(stage.writes()).toEqual([]);
  });

  it("can be linked and unlinked", async () => {
    const stage = await openPaused();
    const repositoryId = stage.ledger.memory.repository(repo)?.repository.id ?? 0;
    const issues = [{ repositoryId, number: 1 }];
    const request = { kind: "unlink", project, at: stage.clock.now(), post: "p1" as PostId, issues } as const;
    await stage.ledger.commit([{ kind: "add-request", request }]);
    await stage.sync();
    expect((await stage.ledger.rows.row(project, "p1" as PostId, 0))?.links).toEqual([]);
    expect(stage.writes()).toEqual([]);
  });

  it("does not wait for `settle` by itself, and has waited long enough when it is resumed", async () => {
    const stage = await openPaused({ config: { settle: "30m" } });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ waiting: 0 }] });
    expect(await stage.plan()).toMatchObject([{ kind: "patch-post", when: "held", held: pausedByPerson }]);
    expect(await stage.ledger.rows.waiting(project, 9)).toMatchObject([
      { kind: "paused", planned: { notifies: 3 } },
      { kind: "paused" },
    ]);
    stage.clock.skip(hourMs);
    await stage.sync();
    expect(statusOf(stage)).toBe("planned");
    await ask(stage, "resume");
    await stage.sync();
    expect(statusOf(stage)).toBe("completed");
  });
});

describe("a pause that comes while a run is under way", () => {
  it("holds up what has not left yet, and does not call back what has", async () => {
    const stage = await openPairs(2, { config: { board: { concurrency: 1 } } });
    for (const number of [1, 2]) stage.github.close(repo, number, "completed");
    stage.atNextWrite("board", "before", async () => {
      await pause(stage, "p1");
      await pause(stage, "p2");
    });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 1 }] });
    expect(stage.board.notifications.map(({ post }) => post)).toEqual(["p1"]);
    expect(await stage.ledger.rows.waiting(project, 9)).toMatchObject([
      { post: "p1", kind: "paused", planned: undefined },
      { post: "p2", kind: "paused", planned: { notifies: 3 } },
    ]);
    await ask(stage, "resume", "p2");
    await stage.sync();
    expect(stage.board.notifications.map(({ post }) => post)).toEqual(["p1", "p2"]);
  });

  it("stops the PATCH that follows a new issue", async () => {
    const stage = await openStage({
      projects: [
        { ...standardProject, rules: [{ when: { state: "open" }, set: { status: "in_progress" } }] },
      ],
    });
    addPlanned(stage, 1);
    stage.atNextWrite("tracker", "after", () => pause(stage));
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 1, postWrites: 0 }] });
    await expectCalm(stage);
  });

  it("does not keep a write from being looked up whose answer was lost", async () => {
    const stage = await openPairs();
    stage.github.close(repo, 1, "completed");
    stage.board.failNext({ kind: "answer", status: 502, applied: true }, { when: isPatch });
    await stage.sync();
    await pause(stage);
    stage.clock.skip(5 * minuteMs);
    stage.mark();
    await stage.sync();
    expect(await stage.ledger.journal.open(project)).toEqual([]);
    await ask(stage, "resume");
    await expectCalm(stage);
    expect(stage.board.notifications).toHaveLength(1);
  });
});

describe("the end of a pause", () => {
  it("tells what has come of all that happened meanwhile, once", async () => {
    const stage = await openPaused();
    await stage.sync();
    stage.github.reopen(repo, 1);
    await stage.sync();
    stage.github.close(repo, 1, "not_planned");
    await stage.sync();
    await ask(stage, "resume");
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 1 }] });
    expect(statusOf(stage)).toBe("closed");
    await expectCalm(stage);
  });

  it("tells nothing where all is as it was", async () => {
    const stage = await openPaused();
    await stage.sync();
    stage.github.reopen(repo, 1);
    await ask(stage, "resume");
    await expectCalm(stage);
  });

  it("can discard: both sides stay as they are, and what comes next is told", async () => {
    const stage = await openPaused();
    stage.board.editPost("acme-app", "p1", { title: "Another title" });
    await stage.sync();
    await ask(stage, "resume-discard");
    await expectCalm(stage);
    expect(stage.github.issue(repo, 1).title).not.toContain("Another title");
    expect(await stage.ledger.requests.pending(project)).toEqual([]);
    stage.github.reopen(repo, 1);
    stage.github.close(repo, 1, "not_planned");
    stage.board.editPost("acme-app", "p1", { title: "A third title" });
    await stage.sync();
    expect(statusOf(stage)).toBe("closed");
    expect(stage.github.issue(repo, 1).title).toContain("A third title");
  });

  it("that discards leaves the note as it is", async () => {
    const stage = await openStage({ projects: [{ ...standardProject, backlink: true }] });
    addPlanned(stage, [{ internalNote: "Mine." }]);
    await stage.sync();
    await pause(stage);
    await stage.sync();
    await ask(stage, "resume-discard");
    await expectCalm(stage);
  });

  it.each([
    ["that would get an issue", { guard: { issues: 0 } }, {}, "linked"],
    ["that is not selected", {}, { status: "open" }, "skipped"],
  ] as const)("that discards, of a post %s, opens none", async (_, config, fields, standing) => {
    const stage = await openStage({ config });
    addPlanned(stage, [fields]);
    await stage.sync();
    await pause(stage);
    await stage.sync();
    await ask(stage, "resume-discard");
    await expectCalm(stage);
    const row = await stage.ledger.rows.row(project, "p1" as PostId, 0);
    expect(row?.unlinkedAt === undefined).toBe(standing === "skipped");
  });

  it("that discards waits for the outcome of what has left", async () => {
    const stage = await openPairs();
    stage.github.close(repo, 1, "completed");
    stage.board.failNext({ kind: "answer", status: 502, applied: true }, { when: isPatch });
    await stage.sync();
    await pause(stage);
    await ask(stage, "resume-discard");
    await stage.sync();
    expect(await stage.ledger.rows.row(project, "p1" as PostId, 0)).toHaveProperty("pausedAt");
    expect(await stage.ledger.requests.pending(project)).toMatchObject([{ kind: "resume-discard" }]);
    stage.clock.skip(5 * minuteMs);
    await stage.sync();
    expect((await stage.ledger.rows.row(project, "p1" as PostId, 0))?.pausedAt).toBeUndefined();
    await expectCalm(stage);
    expect(stage.board.notifications).toHaveLength(1);
  });
});

it("is foreseen with what a write that has left already means, once, before what waits", async () => {
  const { ledger: whole, clock } = await openPairs();
  const row = await whole.rows.row(project, "p1" as PostId, clock.now());
  const notes = ["title", "label:many"].map((field) => ({
    kind: "held",
    message: "",
    planned: { place: "acme/app#1", changes: [{ field, from: undefined, to: "new" }], notifies: 0 },
  }));
  const rows = { row: async () => ({ ...row, openIntents: ["patch-post"], notes }) };
  const ledger: Ledger = Object.assign(Object.create(whole), { rows });
  const named = { key: "acme-app", project, post: "p1" as PostId };
  const { effects } = await foreseePause({ ledger, now: clock.now() }, [named], "somebody resumes it");
  expect(effects).toEqual([
    "from now on nothing is written for this post, to either side, until somebody resumes it.",
    expect.stringMatching(/^acme-app\/p1: A write for it has left already, .* not sent again\.$/),
    "acme-app/p1: acme/app#1: title: “new”",
    "acme-app/p1: acme/app#1: label:many: new",
  ]);
});
