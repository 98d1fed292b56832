import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import type { World } from "../../src/sync/ground/world.ts";
import { describeState, readProjectState } from "../../src/sync/tell/project-state.ts";
import type { SandboxFault } from "../support/sandbox/board/http.ts";
import type { BoardStyleOptions } from "../support/sandbox/board/style.ts";
import { openPosts } from "../support/setups.ts";
import { addPlanned, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const project = "prj_app" as ProjectId;
const isPatch = { when: ({ method }: { readonly method: string }) => method === "PATCH" };

/** One post `p1`, planned, whose issue has just been closed as completed. */
async function openClosed(
  style: BoardStyleOptions = {},
  set: object = { status: "completed" },
): Promise<Stage> {
  const rules = [{ when: { state: "closed" }, set }];
  const stage = await openStage({ style, projects: [{ ...standardProject, rules }] });
  addPlanned(stage, 1);
  await stage.sync();
  stage.github.close("acme/app", 1, "completed");
  stage.mark();
  return stage;
}

function sent(stage: Stage): number {
  return stage.patches().length;
}

async function openIntents(stage: Stage): Promise<readonly string[]> {
  const id = stage.ledger.memory.project("acme-app")?.id;
  return id === undefined
    ? []
    : (await stage.ledger.journal.open(id)).map(({ kind, state }) => `${kind} ${state}`);
}

async function syncAfterWait(stage: Stage) {
  stage.clock.skip(3 * minuteMs);
  return stage.syncOne();
}

describe("a PATCH whose answer is lost", () => {
  it.each<[string, SandboxFault]>([
    ["502", { kind: "answer", status: 502, applied: true }],
    ["a reset", { kind: "reset", applied: true }],
    ["half an answer", { kind: "truncate" }],
    ["a redirect", { kind: "answer", status: 302, headers: { location: "/elsewhere" }, applied: true }],
  ])("(%s) and that was applied is found so, and voters hear of it once", async (_, fault) => {
    const stage = await openClosed();
    stage.board.failNext(fault, isPatch);
    const report = await stage.sync();
    expect(report).toMatchObject({
      result: "partial",
      projects: [
        { postWrites: 0, waiting: 1, errors: [{ post: "p1", issue: "acme/app#1", code: "board.unknown" }] },
      ],
    });
    // What is quoted in brackets brings no full stop along.
    expect(report.projects[0]?.errors[0]?.message).not.toContain(".)");
    expect(await openIntents(stage)).toEqual(["patch-post UNKNOWN"]);
    // Not before the wait is over.
    expect(await stage.syncOne()).toMatchObject({ postWrites: 0, waiting: 1, failed: 0 });
    expect(await syncAfterWait(stage)).toMatchObject({ postWrites: 1, statusWrites: 1, waiting: 0 });
    expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect([sent(stage), stage.board.notifications.length, await openIntents(stage)]).toEqual([1, 1, []]);
    // It is ours all the same: reopening puts back what was there before.
    stage.github.reopen("acme/app", 1);
    await stage.sync();
    expect(stage.board.post("acme-app", "p1")?.status).toBe("planned");
  });

  it("and that was provably not applied is sent again, twice in all, and then parked", async () => {
    const stage = await openClosed();
    stage.board.failNext({ kind: "answer", status: 502 }, { ...isPatch, times: 2 });
    await stage.sync();
    expect(await syncAfterWait(stage)).toMatchObject({ failed: 1, errors: [{ code: "board.unknown" }] });
    expect(sent(stage)).toBe(2);
    const message = expect.stringContaining("reached the board (The board failed (HTTP 502)");
    expect(await syncAfterWait(stage)).toMatchObject({
      parked: 1,
      errors: [{ code: "board.unsure", message }],
    });
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ parked: 1, failed: 0 }] });
    expect([sent(stage), stage.board.notifications.length]).toEqual([2, 0]);
  });

  it.each([
    [{ status: "completed" }, true],
    [{ roadmapColumn: "COMPLETED" }, false],
  ] as const)("names voters where it is of %j: %s", async (set, isHeard) => {
    const stage = await openClosed({}, set);
    stage.board.failNext({ kind: "answer", status: 502 }, { ...isPatch, times: 2 });
    await stage.sync();
    await syncAfterWait(stage);
    const { errors } = await syncAfterWait(stage);
    expect(errors).toMatchObject([{ code: "board.unsure" }]);
    expect(errors[0]?.message.includes("voters may have been notified")).toBe(isHeard);
  });

  it("is sent again after one answer that was lost, also where a pause took it back before", async () => {
    const stage = await openClosed();
    const about = { project, posts: ["p1" as PostId] };
    stage.bend((world) => ({
      ...world,
      ledger: Object.assign(Object.create(world.ledger), {
        commitSent: async (...sending: Parameters<World["ledger"]["commitSent"]>) => {
          const at = world.clock.now();
          await world.ledger.commit([{ kind: "pause", project, post: "p1" as PostId, at }]);
          return world.ledger.commitSent(...sending);
        },
      }),
    }));
    await stage.sync();
    stage.bend((world) => world);
    const request = { kind: "resume", ...about, at: stage.clock.now() } as const;
    await stage.ledger.commit([{ kind: "add-request", request }]);
    stage.board.failNext({ kind: "answer", status: 502 }, isPatch);
    expect(await stage.syncOne()).toMatchObject({ errors: [{ code: "board.unknown" }] });
    expect(await syncAfterWait(stage)).toMatchObject({ postWrites: 1, parked: 0, failed: 0 });
    expect([sent(stage), stage.board.notifications.length]).toEqual([2, 1]);
  });

  it("and that was provably not applied arrives with the second attempt", async () => {
    const stage = await openClosed();
    stage.board.failNext({ kind: "answer", status: 502 }, isPatch);
    await stage.sync();
    expect(await syncAfterWait(stage)).toMatchObject({ postWrites: 1, statusWrites: 1, failed: 0 });
    expect([sent(stage), stage.board.notifications.length]).toEqual([2, 1]);
  });

  it("is parked as unsure where the board shows no `updatedAt`, whatever settings change", async () => {
    const stage = await openClosed({ showsUpdatedAt: false });
    stage.board.failNext({ kind: "answer", status: 502 }, isPatch);
    await stage.sync();
    expect(await syncAfterWait(stage)).toMatchObject({
      parked: 1,
      errors: [{ post: "p1", code: "board.unsure" }],
    });
    stage.reconfigure({ config: { fullEvery: "3h", guard: { issues: 3 } } });
    for (let run = 0; run < 3; run += 1) expect(await stage.sync()).toMatchObject({ result: "held" });
    expect(sent(stage)).toBe(1);
    // What people do since is decided as usual.
    stage.github.reopen("acme/app", 1);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ parked: 0 }] });
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
  });

  it("is parked as unsure where `updatedAt` tells a day", async () => {
    const stage = await openClosed({
      arrange: (posts) => posts.map((post) => ({ ...post, updatedAt: String(post.updatedAt).slice(0, 10) })),
    });
    stage.board.failNext({ kind: "answer", status: 502, applied: true }, isPatch);
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { status: "planned" });
    expect(await syncAfterWait(stage)).toMatchObject({ parked: 1, errors: [{ code: "board.unsure" }] });
    expect(sent(stage)).toBe(1);
  });

  it("is sent again without proof where nobody is notified", async () => {
    const stage = await openClosed({ showsUpdatedAt: false }, { roadmapColumn: "COMPLETED" });
    stage.board.failNext({ kind: "answer", status: 502 }, isPatch);
    await stage.sync();
    expect(await syncAfterWait(stage)).toMatchObject({ postWrites: 1, statusWrites: 0, parked: 0 });
    expect(sent(stage)).toBe(2);
  });

  it("is parked where the board never shows the field", async () => {
    const stage = await openClosed({ hidden: ["roadmapPublic"] }, { roadmapPublic: true });
    stage.board.failNext({ kind: "answer", status: 502 }, isPatch);
    await stage.sync();
    expect(await syncAfterWait(stage)).toMatchObject({ parked: 1, errors: [{ code: "board.unsure" }] });
  });

  it("counts as written where the board shows it, also in a run that can't evaluate its rule", async () => {
    const rules = [
      { when: { subIssues: "all-closed" }, set: { status: "in_progress" } },
      { when: { state: "closed" }, set: { status: "completed", roadmapPublic: true } },
    ];
    const style = { hidden: ["roadmapPublic"], showsUpdatedAt: false } as const;
    const stage = await openStage({ style, projects: [{ ...standardProject, rules }] });
    addPlanned(stage, 1);
    await stage.sync();
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    stage.board.failNext({ kind: "reset", applied: true }, isPatch);
    await stage.sync();
    stage.clock.skip(5 * minuteMs);
    stage.github.label("acme/app", 1, "in progress");
    stage.github.failNext({ path: "/graphql", times: 9, answer: { kind: "answer", status: 502 } });
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { status: "planned" });
    for (let run = 0; run < 12; run += 1) await stage.sync();
    expect(stage.board.notifications.filter(({ to }) => to === "completed")).toHaveLength(1);
  });

  it("is parked as a whole with the status, and no part of it is sent, on a board that never shows a status", async () => {
    const rules = [
      { when: { state: "closed" }, set: { status: "completed", roadmapColumn: "COMPLETED" } },
      { when: { labels: ["in progress"] }, set: { status: "in_progress" } },
    ];
    const projects = [{ ...standardProject, select: {}, rules }];
    const stage = await openStage({ style: { hidden: ["status"] }, projects });
    addPlanned(stage, 1);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    stage.mark();
    stage.board.failNext({ kind: "answer", status: 502, applied: true }, isPatch);
    await stage.sync();
    // The column shows that it was applied, and of the status nothing is known.
    expect(await syncAfterWait(stage)).toMatchObject({ parked: 1, errors: [{ code: "board.unsure" }] });
    for (let run = 0; run < 3; run += 1) expect(await stage.syncOne()).toMatchObject({ parked: 1 });
    stage.board.editPost("acme-app", "p1", { roadmapColumn: "PLANNED" });
    for (let run = 0; run < 3; run += 1) expect(await stage.syncOne()).toMatchObject({ parked: 1 });
    expect([sent(stage), stage.board.notifications.length]).toEqual([1, 1]);
    // A person's word sends it again.
    const project = stage.ledger.memory.project("acme-app")?.id;
    if (project === undefined) throw new Error("The project is not known.");
    const at = stage.clock.now();
    await stage.ledger.commit([
      { kind: "add-request", request: { kind: "retry", project, at, posts: ["p1" as PostId] } },
    ]);
    expect(await stage.syncOne()).toMatchObject({ parked: 0, statusWrites: 1 });
    expect(sent(stage)).toBe(2);
  });

  it.each<[string, number]>([
    ["sent", 200],
    ["refused", 422],
  ])("stays in doubt when another field is %s that is decided before the status is", async (_, status) => {
    const rules = [
      { when: { subIssues: "all-closed" }, set: { status: "in_progress" } },
      { when: { state: "closed" }, set: { status: "completed" } },
      { when: { labels: ["public"] }, set: { roadmapPublic: true } },
    ];
    const stage = await openStage({
      style: { hidden: ["status"] },
      projects: [{ ...standardProject, select: {}, rules }],
    });
    addPlanned(stage, 1);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    stage.board.failNext({ kind: "answer", status: 502, applied: true }, isPatch);
    await stage.sync();
    expect(await syncAfterWait(stage)).toMatchObject({ parked: 1, errors: [{ code: "board.unsure" }] });
    stage.mark();
    stage.github.label("acme/app", 1, "public");
    if (status !== 200) stage.board.failNext({ kind: "answer", status }, isPatch);
    stage.github.failNext({ path: "/graphql", times: 9, answer: { kind: "answer", status: 502 } });
    await stage.sync();
    expect(stage.patches()).toMatchObject([{ body: { roadmapPublic: true } }]);
    stage.clock.skip(10 * minuteMs);
    for (let run = 0; run < 12; run += 1) await stage.sync();
    expect(await stage.syncOne()).toMatchObject({ parked: 1 });
    expect([sent(stage), stage.board.notifications.length]).toEqual([1, 1]);
  });

  it("lets another status go while it is parked", async () => {
    const rules = [
      { when: { state: "closed" }, set: { status: "completed" } },
      { when: { labels: ["in progress"] }, set: { status: "in_progress" } },
    ];
    const projects = [{ ...standardProject, select: {}, rules }];
    const stage = await openStage({ style: { hidden: ["status"] }, projects });
    addPlanned(stage, 1);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    stage.board.failNext({ kind: "answer", status: 502 }, isPatch);
    await stage.sync();
    expect(await syncAfterWait(stage)).toMatchObject({ parked: 1 });
    stage.github.reopen("acme/app", 1);
    stage.github.label("acme/app", 1, "in progress");
    expect(await stage.syncOne()).toMatchObject({ parked: 0, statusWrites: 1 });
    expect(stage.board.post("acme-app", "p1")?.status).toBe("in_progress");
  });

  it("is part of the past once a person has moved the post", async () => {
    const stage = await openClosed();
    stage.board.failNext({ kind: "answer", status: 502 }, isPatch);
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { status: "paused" });
    for (let run = 0; run < 3; run += 1) {
      expect(await syncAfterWait(stage)).toMatchObject({ postWrites: 0, parked: 0, failed: 0 });
    }
    expect([sent(stage), await openIntents(stage), stage.board.post("acme-app", "p1")?.status]).toEqual([
      1,
      [],
      "paused",
    ]);
  });

  it("is compared with the post as it was when that was sent, not when it was prepared", async () => {
    const stage = await openClosed();
    stage.board.failNext({ kind: "answer", status: 429 }, isPatch);
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { status: "paused" });
    stage.board.failNext({ kind: "answer", status: 502 }, isPatch);
    await stage.sync();
    expect(await syncAfterWait(stage)).toMatchObject({ statusWrites: 1, parked: 0 });
    expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
  });

  it("is not looked for in a pull that began before the wait was over", async () => {
    const stage = await openClosed({ pageSize: 1 });
    addPlanned(stage, 1);
    stage.board.failNext({ kind: "answer", status: 502, applied: true }, isPatch);
    await stage.sync();
    stage.clock.skip(50_000);
    // The list takes its time: when it ends, the wait is over, but not when it began.
    stage.reconfigure({ config: { board: { retries: 1 } } });
    const isSlow = {
      when: ({ query }: { readonly query: Readonly<Record<string, string>> }) =>
        query["cursor"] !== undefined,
    };
    stage.board.failNext({ kind: "answer", status: 429, headers: { "retry-after": "60" } }, isSlow);
    expect(await stage.syncOne()).toMatchObject({ waiting: 1, postWrites: 0 });
    expect(await stage.syncOne()).toMatchObject({ waiting: 0, postWrites: 1 });
  });
});

it("a lost PATCH whose status is still to be written is asked about where people have moved the card meanwhile", async () => {
  const stage = await openPosts(1);
  stage.github.close("acme/app", 1, "completed");
  stage.board.failNext({ kind: "reset" }, isPatch);
  await stage.sync();
  stage.board.editPost("acme-app", "p1", { roadmapColumn: "IN_PROGRESS" });
  stage.clock.skip(5 * minuteMs);
  expect(await stage.syncOne()).toMatchObject({ parked: 1, errors: [{ code: "board.unsure", post: "p1" }] });
  expect(stage.board.notifications).toEqual([]);
});

it("a PATCH that the board refuses in a 200 has told nobody, and is parked with the board's words", async () => {
  const stage = await openPosts(1);
  stage.github.close("acme/app", 1, "completed");
  const body = { success: false, error: { message: "This status does not exist." } };
  stage.board.failNext({ kind: "answer", status: 200, body }, isPatch);
  const { statusWrites, parked, errors } = await stage.syncOne();
  expect([statusWrites, parked]).toEqual([0, 1]);
  expect(errors[0]?.message).toContain("This status does not exist.");
});

describe("a PATCH whose outcome is open when both sides are taken as they are", () => {
  /** The issue is reopened before anybody knows that its post was completed. */
  async function openInDoubt(): Promise<Stage> {
    const stage = await openPosts(1, { config: { waits: { patch: "10m" } } });
    stage.github.close("acme/app", 1, "completed");
    stage.board.failNext({ kind: "reset", applied: true }, isPatch);
    await stage.sync();
    stage.github.reopen("acme/app", 1);
    return stage;
  }

  async function expectNoMail(stage: Stage): Promise<void> {
    for (let run = 0; run < 20; run += 1) {
      await stage.sync();
      stage.clock.skip(minuteMs);
    }
    expect(await stage.ledger.journal.open(project)).toEqual([]);
    expect(stage.board.notifications.map(({ to }) => to)).toEqual(["completed"]);
  }

  it("is no reason to put the status back, by `discard`", async () => {
    const stage = await openInDoubt();
    const request = { kind: "discard", posts: ["p1" as PostId], project, at: stage.clock.now() } as const;
    await stage.ledger.commit([{ kind: "add-request", request }]);
    await expectNoMail(stage);
  });

  it("is none by `sync --adopt`", async () => {
    const stage = await openInDoubt();
    await stage.adopt();
    await expectNoMail(stage);
  });
});

describe("a process that dies", () => {
  it.each(["before", "after"] as const)("%s a PATCH is sent tells voters once", async (when) => {
    const stage = await openClosed();
    stage.crashAt("board", when);
    await expect(stage.sync()).rejects.toThrow("The process died.");
    stage.restart();
    expect(await openIntents(stage)).toEqual(["patch-post SENT"]);
    await stage.sync();
    await syncAfterWait(stage);
    await stage.sync();
    expect(await openIntents(stage)).toEqual([]);
    expect(stage.board.notifications).toHaveLength(1);
    expect(sent(stage)).toBe(1);
  });
});

describe("a PATCH that the board refuses", () => {
  it.each([400, 409, 413, 422])(
    "with %i is parked with the board's words, until the issue changes",
    async (status) => {
      const stage = await openClosed();
      stage.board.failNext({ kind: "answer", status, body: { error: "not like this" } }, isPatch);
      const report = await stage.sync();
      expect(report).toMatchObject({
        result: "partial",
        projects: [{ parked: 1, errors: [{ post: "p1", code: "board.rejected" }] }],
      });
      expect(report.projects[0]?.errors[0]?.message).toContain("not like this");
      expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ parked: 1, failed: 0 }] });
      expect(sent(stage)).toBe(1);
      stage.github.reopen("acme/app", 1);
      expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ parked: 0 }] });
      stage.github.close("acme/app", 1, "completed");
      expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, parked: 0 });
    },
  );

  it("goes again when the settings behind it change", async () => {
    const stage = await openClosed();
    stage.board.failNext({ kind: "answer", status: 422, body: { error: "no" } }, isPatch);
    await stage.sync();
    stage.reconfigure({ config: { settle: "1s" } });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 1, parked: 0 }] });
  });

  it("with 404 marks the post missing, and nothing is sent until it is listed again", async () => {
    const stage = await openClosed();
    stage.board.failNext({ kind: "answer", status: 404 }, isPatch);
    expect(await stage.syncOne()).toMatchObject({
      failed: 1,
      errors: [{ post: "p1", code: "board.missing" }],
    });
    const id = stage.ledger.memory.project("acme-app")?.id;
    expect(id && (await stage.ledger.rows.waiting(id, 9))).toMatchObject([
      { post: "p1", message: expect.stringContaining("the board says that it does not know the post") },
    ]);
    // Its list shows it.
    const state = await readProjectState(stage.ledger, "acme-app", { now: stage.clock.now() });
    expect(describeState(state)).toContain("1 linked post is not found on the board");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, failed: 0 });
  });

  it("with 429 waits, which is no failure, and ends the board side of this run", async () => {
    const stage = await openClosed();
    addPlanned(stage, 2);
    await stage.sync();
    for (const number of [2, 3]) stage.github.close("acme/app", number, "completed");
    stage.mark();
    stage.reconfigure({ config: { board: { concurrency: 1 } } });
    stage.board.failNext({ kind: "answer", status: 429, headers: { "retry-after": "30" } }, isPatch);
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ waiting: 2, failed: 0, postWrites: 0 }],
    });
    expect(sent(stage)).toBe(1);
    expect(await stage.syncOne()).toMatchObject({ postWrites: 2, waiting: 0 });
  });

  it.each([401, 403])("with %i ends the board side of this run", async (status) => {
    const stage = await openClosed();
    addPlanned(stage, 1);
    await stage.sync();
    stage.github.reopen("acme/app", 1);
    stage.github.close("acme/app", 2, "completed");
    stage.reconfigure({ config: { board: { concurrency: 1 } } });
    stage.mark();
    stage.board.failNext({ kind: "answer", status, body: { error: "no" } }, isPatch);
    expect(await stage.syncOne()).toMatchObject({
      failed: 1,
      waiting: 1,
      errors: [{ code: "board.unauthorized" }],
    });
    expect(sent(stage)).toBe(1);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, waiting: 0, postWrites: 2 });
  });

  it("because it can't be reached any more was not sent, and ends the board side of this run", async () => {
    const stage = await openClosed();
    addPlanned(stage, 3);
    await stage.sync();
    stage.github.reopen("acme/app", 1);
    for (const number of [1, 2, 3, 4]) stage.github.close("acme/app", number, "not_planned");
    stage.reconfigure({ config: { board: { concurrency: 1 } } });
    stage.atNextWrite("board", "before", () => stage.board.close());
    const report = await stage.syncOne();
    // A connection that was kept open may break first: nobody knows what became of that request.
    expect(report.postWrites).toBe(0);
    expect(report.errors.at(-1)?.code).toBe("board.unreachable");
    expect((await openIntents(stage)).at(-1)).toBe("patch-post PREPARED");
    expect(report.waiting).toBeGreaterThan(0);
  });
});

describe("a PATCH that became a notifying one since the guard has looked", () => {
  it("waits for the next run", async () => {
    const rules = [
      { when: { labels: ["one", "two"] }, set: { roadmapColumn: "IN_PROGRESS", status: "in_progress" } },
      { when: { labels: ["one"] }, set: { roadmapColumn: "IN_PROGRESS" } },
    ];
    const stage = await openStage({
      config: { settle: "10m", board: { concurrency: 1 } },
      projects: [{ ...standardProject, rules }],
    });
    addPlanned(stage, 2);
    await stage.sync();
    for (const number of [1, 2]) stage.github.label("acme/app", number, "one");
    await stage.sync();
    stage.github.label("acme/app", 2, "two");
    await stage.sync();
    stage.clock.skip(8.5 * minuteMs);
    stage.atNextWrite("board", "before", () => stage.clock.skip(40_000));
    expect(await stage.syncOne()).toMatchObject({ postWrites: 1, statusWrites: 0, waiting: 1 });
    expect(await stage.syncOne()).toMatchObject({ postWrites: 1, statusWrites: 1, waiting: 0 });
  });
});

describe("a PATCH after a list that takes longer than a minute", () => {
  /** Four planned posts on two pages, whose issues #1 and #2 are closed. Each page of a whole list takes 100 s. */
  async function openSlow(changes: Readonly<Record<string, unknown>> = {}): Promise<Stage> {
    const rules = [{ when: { state: "closed" }, set: { status: "completed" } }];
    const stage = await openStage({
      style: { pageSize: 2 },
      projects: [{ ...standardProject, rules, ...changes }],
    });
    addPlanned(stage, 4);
    await stage.sync();
    stage.bend(slowly(stage, () => undefined));
    for (const issue of [1, 2]) stage.github.close("acme/app", issue, "completed");
    stage.mark();
    return stage;
  }

  const listings = (stage: Stage): number =>
    stage.reads().filter((read) => read.includes("/feedback")).length;

  it("rests on its page, asked for once more for all of its posts", async () => {
    const stage = await openSlow();
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 2, waiting: 0 });
    expect(listings(stage)).toBe(3);
  });

  it("is not sent where that page shows that people have moved the post meanwhile", async () => {
    const stage = await openSlow({ conflict: "board" });
    stage.bend(slowly(stage, () => stage.board.editPost("acme-app", "p1", { status: "declined" })));
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, waiting: 0 });
    expect(stage.board.post("acme-app", "p1")?.status).toBe("declined");
    expect(stage.board.post("acme-app", "p2")?.status).toBe("completed");
  });

  it("waits for the next run where that page does not show the post any more", async () => {
    const stage = await openSlow();
    stage.bend(slowly(stage, () => stage.board.removePost("acme-app", "p1")));
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, waiting: 1 });
  });
});

/** Each page of a whole list takes 100 s; after the first one something happens. */
function slowly(stage: Stage, act: () => void): (world: World) => World {
  return (world) => ({
    ...world,
    board: {
      ...world.board,
      async *listPosts(project, bounds, wishes) {
        let isFirst = wishes?.from === undefined;
        for await (const page of world.board.listPosts(project, bounds, wishes)) {
          if (wishes?.from === undefined) stage.clock.skip(100_000);
          if (isFirst) act();
          isFirst = false;
          yield page;
        }
      },
    },
  });
}
