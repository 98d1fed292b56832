import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { addPlanned, openStage, type Stage } from "../support/stage.ts";

const project = "prj_app" as ProjectId;
const pageMs = 10_000;

/** 20 posts in ten pages, each of which takes ten seconds, and a minute for a run. */
async function openSlow(
  paging: NonNullable<Parameters<Stage["board"]["restyle"]>[0]["paging"]>,
): Promise<Stage> {
  const stage = await openStage({ config: { budget: "1m" } });
  stage.board.restyle({ paging, pageSize: 2 });
  addPlanned(stage, 20);
  stage.bend((world) => ({
    ...world,
    progress: {
      show: ({ what }) => {
        if (what === "posts read") stage.clock.skip(pageMs);
      },
    },
  }));
  return stage;
}

const tooLong = {
  code: "board.unfinished",
  message: expect.stringMatching(
    /^The list of posts did not end within the time of the run \(`budget`\): \d+ posts were read, the next run goes on there\.$/,
  ),
};

describe("a list that does not end within a run's time", () => {
  it.each([
    ["cursor", { kind: "cursor" }],
    ["page", { kind: "page" }],
    ["offset", { kind: "offset" }],
    ["link", { kind: "link" }],
  ] as const)(
    "is a failure, and is gone on with by the next run, a restart or not: by %s",
    async (_, paging) => {
      const stage = await openSlow(paging);
      expect(await stage.sync()).toMatchObject({
        result: "partial",
        projects: [{ created: 10, errors: [tooLong] }],
      });
      expect(stage.ledger.memory.project("acme-app")?.lastSuccessAt).toBeUndefined();
      stage.restart();
      stage.mark();
      const pages = (): number => stage.reads().filter((read) => read === "GET /feedback").length;
      expect(await stage.syncOne()).toMatchObject({ errors: [tooLong], posts: 6, created: 6 });
      expect(pages()).toBe(3);
      stage.restart();
      expect(await stage.syncOne()).toMatchObject({ failed: 0, posts: 4, created: 4 });
      expect(pages()).toBe(3 + 2);
      expect(stage.ledger.memory.openList(project)).toBeUndefined();
    },
  );

  it.each(["{", "5", "null", "[]", '{"place":5}', '{"place":"{","beganAt":1}'])(
    "begins anew where what was kept of it (%s) is nothing that anybody has written",
    async (place) => {
      const stage = await openStage();
      addPlanned(stage, 3);
      await stage.ledger.commit([{ kind: "remember-open-list", project, place }]);
      expect(await stage.syncOne()).toMatchObject({ failed: 0, posts: 3, created: 3 });
    },
  );

  it("says nothing of posts that its parts do not show", async () => {
    const stage = await openSlow({ kind: "cursor" });
    await stage.sync();
    await stage.sync();
    stage.board.removePost("acme-app", "p1");
    for (let run = 0; run < 6; run += 1) await stage.sync();
    expect((await stage.ledger.rows.row(project, "p1" as PostId, stage.clock.now()))?.missing).toBe(0);
  });

  it("begins anew where the board no longer knows the place", async () => {
    const stage = await openSlow({ kind: "cursor" });
    await stage.sync();
    stage.board.failNext(
      { kind: "answer", status: 400 },
      { when: ({ query }) => query["cursor"] !== undefined },
    );
    expect((await stage.syncOne()).failed).toBe(1);
    const before = stage.board.requests.length;
    await stage.sync();
    const [first] = stage.board.requests.slice(before).filter(({ path }) => path === "/feedback");
    expect(first).toBeDefined();
    expect(first?.query).not.toHaveProperty("cursor");
  });
});
