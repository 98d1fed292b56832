/** @module-tag long */
import { describe, expect, it } from "vitest";
import type { PagingStyle } from "../support/sandbox/board/style.ts";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const silent = { kind: "silent", param: "page" } as const;

async function openSilent(paging: PagingStyle = silent, count = 45): Promise<Stage> {
  const stage = await openStage({
    style: { paging, pageSize: 20 },
    config: { guard: { issues: 100 }, tracker: { pace: { createsPerMinute: 1000, minIntervalMs: 0 } } },
  });
  addPlanned(stage, count);
  return stage;
}

async function missingOf(stage: Stage, post: string): Promise<number | undefined> {
  const id = stage.ledger.memory.project("acme-app")?.id;
  return id && (await stage.ledger.rows.row(id, post as never, stage.clock.now()))?.missing;
}

/** What a run asks of the list, beside the project. */
async function asks(stage: Stage): Promise<readonly string[]> {
  const before = stage.board.requests.length;
  await stage.sync();
  return stage.board.requests
    .slice(before)
    .filter(({ path }) => path === "/feedback")
    .map(({ query: { project: _, ...query } }) => new URLSearchParams(query).toString());
}

describe("a list that ends before all that the board says there is", () => {
  it("fails the run, says so in the status, and lets no post count as missing; what it shows is synced", async () => {
    const stage = await openSilent({ kind: "none" }, 3);
    await stage.sync();
    const records = [{ id: "p1", title: "Post 1", status: "planned" }];
    const answer = { feedback: records, meta: { counts: { total: 45 } } };
    stage.board.failNext(
      { kind: "answer", status: 200, body: answer },
      { times: 20, when: ({ path }) => path === "/feedback" },
    );
    for (const requests of [7, 1]) {
      const report = await stage.sync();
      expect(report).toMatchObject({
        result: "partial",
        projects: [{ posts: 1, requests: { board: requests } }],
      });
      expect(report.projects[0]?.errors).toMatchObject([
        { code: "board.incomplete", message: expect.stringContaining("45 posts in all, 1 shown") },
      ]);
    }
    expect(await missingOf(stage, "p2")).toBe(0);
  });
});

describe("a list that goes on without a sign", () => {
  it("is read whole, and the line for the config is said once", async () => {
    const stage = await openSilent();
    expect(await stage.syncOne()).toMatchObject({ posts: 45, errors: [] });
    const found = stage.log.filter((line) => line.includes("board.paging-found"));
    expect(found).toEqual([expect.stringContaining("board: { paging: { kind: page, param: page } }")]);
  });

  it("is a limit of the board where asking meets one: nothing more leaves before its end", async () => {
    const stage = await openSilent();
    stage.reconfigure({
      projects: [{ ...standardProject, schedule: "0 0 * * * *", rules: [{ set: { onRoadmap: true } }] }],
    });
    const answer = { kind: "answer", status: 429, headers: { "retry-after": "600" }, body: {} } as const;
    stage.board.failNext(answer, { when: ({ query }) => query["page"] === "2" });
    expect(await stage.syncOne()).toMatchObject({ postWrites: 0, putOff: [{ code: "board.limited" }] });
    stage.clock.skip(minuteMs);
    const before = stage.board.requests.length;
    await stage.sync();
    expect(stage.board.requests).toHaveLength(before);
    // What is known is written then; the board is asked for more when an hour is over.
    stage.clock.skip(10 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ posts: 20, postWrites: 20 });
    stage.clock.skip(hourMs);
    expect(await stage.syncOne()).toMatchObject({ posts: 45, errors: [] });
  });

  it("is asked for its next pages from then on, also by another process, and anew every `fullEvery`", async () => {
    const stage = await openSilent();
    expect(await asks(stage)).toEqual(["", "page=2", "page=1", "page=2", "page=3"]);
    stage.restart();
    expect(await asks(stage)).toEqual(["", "page=2", "page=3"]);
    stage.clock.skip(7 * hourMs);
    expect(await asks(stage)).toEqual(["", "page=2", "page=1", "page=2", "page=3"]);
  });

  it("is the whole list where asking brings nothing, so what is gone from it counts as missing", async () => {
    const stage = await openSilent({ kind: "silent", param: "none" }, 20);
    expect(await asks(stage)).toHaveLength(7);
    expect(await asks(stage)).toEqual([""]);
    stage.board.removePost("acme-app", "p3");
    await stage.sync();
    expect(await missingOf(stage, "p3")).toBe(1);
  });

  it("is not taken for whole where the page has changed and is as full as before", async () => {
    const stage = await openSilent({ kind: "silent", param: "none" }, 20);
    await stage.sync();
    stage.board.removePost("acme-app", "p3");
    addPlanned(stage, 1);
    expect(await asks(stage)).toEqual([""]);
    expect(await missingOf(stage, "p3")).toBe(0);
  });

  it("leaves a plan and the run after it with the same posts", async () => {
    const stage = await openSilent();
    expect(await stage.plan()).toHaveLength(45);
    expect(await stage.syncOne()).toMatchObject({ created: 45 });
  });
});
