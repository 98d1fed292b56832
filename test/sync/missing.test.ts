import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { inOrder } from "../../src/select.ts";
import { relist } from "../support/listing.ts";
import { openPosts } from "../support/setups.ts";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const project = "prj_app" as ProjectId;

async function missingOf(stage: Stage, post: string): Promise<number | undefined> {
  const id = stage.ledger.memory.project("acme-app")?.id;
  return id && (await stage.ledger.rows.row(id, post as never, stage.clock.now()))?.missing;
}

describe("a post that the board lists no more", () => {
  it("is missing after two complete pulls of two runs; nothing is written for it, and its issue stays", async () => {
    const stage = await openStage();
    addPlanned(stage, 3);
    await stage.sync();
    stage.mark();
    stage.board.removePost("acme-app", "p1");
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    expect(await missingOf(stage, "p1")).toBe(1);
    await stage.sync();
    await stage.sync();
    expect(await missingOf(stage, "p1")).toBe(2);
    expect(stage.writes()).toEqual([]);
    expect(stage.github.issue("acme/app", 1).state).toBe("closed");
  });

  it("gets no issue when it vanishes before one was opened", async () => {
    const stage = await openStage({ config: { guard: { issues: 1 } } });
    addPlanned(stage, 2);
    await stage.sync();
    stage.board.removePost("acme-app", "p1");

    const actions = await stage.ledger.rows.held(project);
    expect(actions).toHaveLength(2);
    await stage.ledger.commit([
      {
        kind: "add-request",
        request: { kind: "approve", actions, isWhole: true, project, at: stage.clock.now() },
      },
    ]);
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 0 });
    expect(stage.github.issues("acme/app").map(({ title }) => title)).toEqual(["Post 2"]);
  });
});

describe("a write to a post that people take away before its outcome is known", () => {
  const isPatch = { when: ({ method }: { readonly method: string }) => method === "PATCH" };
  const column = {
    ...standardProject,
    rules: [{ when: { state: "closed" }, set: { roadmapColumn: "COMPLETED" } }],
  };

  /** The first PATCH of `p1` meets a fault, and then the post goes. */
  const takeAway = async (status: number, project = standardProject, isArchived = false): Promise<Stage> => {
    const stage = await openStage({ projects: [project] });
    addPlanned(stage, 4);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    stage.board.failNext({ kind: "answer", status, applied: status === 502 }, isPatch);
    await stage.sync();
    if (isArchived) stage.board.editPost("acme-app", "p1", { isArchived: true });
    else stage.board.removePost("acme-app", "p1");
    stage.clock.skip(5 * minuteMs);
    stage.mark();
    return stage;
  };
  const openIntents = async (stage: Stage): Promise<readonly unknown[]> => {
    const id = stage.ledger.memory.project("acme-app")?.id;
    return id === undefined ? [] : await stage.ledger.journal.open(id);
  };

  it("is parked when voters may have heard of it, so that they don't hear twice should it come back", async () => {
    const stage = await takeAway(502);
    expect(await openIntents(stage)).toHaveLength(1);
    expect(await stage.syncOne()).toMatchObject({ parked: 0 });
    expect(await stage.syncOne()).toMatchObject({
      parked: 1,
      errors: [{ post: "p1", code: "board.unsure" }],
    });
    expect(await stage.syncOne()).toMatchObject({ parked: 1, errors: [] });
    expect([await openIntents(stage), stage.writes()]).toEqual([[], []]);
  });

  it("ends when nobody can have heard of it", async () => {
    const stage = await takeAway(502, column);
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(await stage.syncOne()).toMatchObject({ parked: 0, failed: 0 });
    expect([await openIntents(stage), stage.writes()]).toEqual([[], []]);
  });

  it.each([false, true])("ends when it was not sent (archived: %s)", async (isArchived) => {
    const stage = await takeAway(429, standardProject, isArchived);
    expect(await openIntents(stage)).toHaveLength(1);
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect([await openIntents(stage), stage.writes()]).toEqual([[], []]);
  });
});

describe("a pull that breaks off", () => {
  const pages = { style: { pageSize: 2 } };

  it("is a failure, and nothing follows from what it has not shown", async () => {
    const stage = await openStage(pages);
    addPlanned(stage, 4);
    await stage.sync();
    await stage.sync();
    stage.mark();
    stage.board.failNext(
      { kind: "answer", status: 500 },
      { when: ({ query }) => query["cursor"] !== undefined },
    );
    const report = await stage.sync();
    expect(report).toMatchObject({
      result: "partial",
      projects: [{ posts: 2, failed: 1, errors: [{ code: "board.incomplete" }] }],
    });
    expect(await inOrder(["p1", "p2", "p3", "p4"], async (post) => missingOf(stage, post))).toEqual([
      0, 0, 0, 0,
    ]);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ posts: 4 }] });
    expect(stage.writes()).toEqual([]);
  });

  it("still opens the issues of the posts that it has shown, and patches no other", async () => {
    const stage = await openStage(pages);
    addPlanned(stage, 3);
    await stage.sync();
    await stage.sync();
    stage.restart();
    stage.mark();
    stage.github.close("acme/app", 1, "completed");
    stage.github.close("acme/app", 3, "completed");
    stage.board.failNext(
      { kind: "answer", status: 500 },
      { when: ({ query }) => query["cursor"] !== undefined },
    );
    expect(await stage.syncOne()).toMatchObject({ postWrites: 1, waiting: 1, failed: 1 });
    expect(stage.writes()).toEqual(["PATCH /feedback/p1"]);
    expect(await stage.syncOne()).toMatchObject({ postWrites: 1, waiting: 0, failed: 0 });
  });

  it("opens no issue for a post that it has not shown: the list before may have been too short to be believed", async () => {
    const stage = await openStage({ ...pages, projects: [{ ...standardProject, writes: "none" }] });
    addPlanned(stage, 4);
    await stage.sync();
    stage.reconfigure({ projects: [standardProject] });
    stage.board.failNext(
      { kind: "answer", status: 500 },
      { when: ({ query }) => query["cursor"] !== undefined },
    );
    expect(await stage.syncOne()).toMatchObject({ created: 2, waiting: 2, failed: 1 });
    expect(await stage.syncOne()).toMatchObject({ created: 2, waiting: 0, failed: 0 });
  });

  it("because the board asks for patience is put off, and no failure", async () => {
    const config = { schedule: "0 12 * * *" };
    const stage = await openStage({ ...pages, config, projects: [standardProject] });
    addPlanned(stage, 4);
    stage.board.failNext(
      { kind: "answer", status: 429, headers: { "retry-after": "7200" } },
      { when: ({ query }) => query["cursor"] !== undefined },
    );
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ posts: 2, failed: 0 }] });
    const id = stage.ledger.memory.project("acme-app");
    expect(id?.lastSuccessAt).toBeUndefined();
  });

  it("says so where the pages contradict themselves", async () => {
    const stage = await openStage(pages);
    addPlanned(stage, 4);
    const body = { feedback: [{ id: "p1", title: "x", status: "planned" }], nextCursor: "2" };
    stage.board.failNext(
      { kind: "answer", status: 200, body },
      { times: 3, when: ({ path }) => path === "/feedback" },
    );
    const report = await stage.syncOne();
    expect(report.errors).toMatchObject([{ code: "board.incomplete" }]);
  });
});

describe("another post under the id of one that has an issue", () => {
  const made = (stage: Stage, createdAt: string, title: string): void =>
    stage.board.editPost("acme-app", "p1", { createdAt, title });

  it("is not taken for that one: neither is written, it is said, and `unlink` ends it", async () => {
    const stage = await openPosts(4);
    made(stage, "2026-06-01T10:00:00Z", "Something else");
    stage.mark();
    for (let run = 0; run < 2; run += 1)
      expect(await stage.syncOne()).toMatchObject({
        errors: [{ post: "p1", code: "board.other-post", message: expect.stringContaining("acme/app#1") }],
      });
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    expect(stage.board.notifications).toEqual([]);
    const repositoryId = stage.ledger.memory.repository("acme/app")?.repository.id ?? 0;
    const issues = [{ repositoryId, number: 1 }];
    const request = { kind: "unlink", post: "p1" as PostId, issues, project, at: stage.clock.now() } as const;
    await stage.ledger.commit([{ kind: "add-request", request }]);
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(await stage.syncOne()).toMatchObject({ errors: [], posts: 4 });
    expect(stage.board.notifications).toEqual([]);
  });

  it("is the same one where only its title, or the zone of its time, is another", async () => {
    const stage = await openPosts(4);
    const createdAt = String(stage.board.post("acme-app", "p1")?.createdAt);
    made(stage, new Date(Date.parse(createdAt) + 14 * hourMs).toISOString(), "Another title");
    expect(await stage.syncOne()).toMatchObject({ errors: [], issueWrites: 1 });
    made(stage, "2026-06-01T10:00:00Z", "Another title");
    expect(await stage.syncOne()).toMatchObject({ errors: [] });
  });
});

describe("a board that spells an id anew", () => {
  async function renameFirst(rename: (id: string) => string, title = "One"): Promise<Stage> {
    const stage = await openStage();
    addPlanned(stage, [{ title: "One" }, { title: "Two" }, { title: "Three" }]);
    await stage.sync();
    await relist(
      stage,
      ([first, ...others]) => [{ ...first, id: rename(String(first?.["id"])), title }, ...others],
      9,
    );
    stage.clock.skip(hourMs);
    return stage;
  }

  it.each<[string, (id: string) => string]>([
    ["in another case", (id) => id.toUpperCase()],
    ["in another form", (id) => `post_${id}`],
  ])("%s gets no second issue before a person has said so", async (_, rename) => {
    const stage = await renameFirst(rename);
    const id = rename("p1");
    for (let run = 0; run < 3; run += 1)
      expect(await stage.syncOne()).toMatchObject({ created: 0, held: 1, missing: 1 });
    const found = await stage.ledger.rows.waiting(project, 9, undefined, id as PostId);
    expect(found).toMatchObject([
      { cause: "namesake", message: expect.stringContaining(`\`boardsync link acme-app/${id} acme/app#1\``) },
    ]);
  });

  it("is not what it looks like where the title differs", async () => {
    const stage = await renameFirst((id) => id.toUpperCase(), "Another");
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 0, missing: 1 });
  });
});
