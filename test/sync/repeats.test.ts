import { describe, expect, it } from "vitest";
import type { ProjectId } from "../../src/model/post.ts";
import type { PagingStyle, SandboxPost } from "../support/sandbox/board/style.ts";
import { addPlanned, openStage, type Stage, standardProject } from "../support/stage.ts";

const project = { ...standardProject, boardRules: [{ when: { missing: true }, set: { state: "closed" } }] };

const style = { pageSize: 2, validators: "etag" } as const;
type Arrange = (posts: readonly SandboxPost[], page: number) => readonly SandboxPost[];

/** Six linked posts on three pages, and nothing left to do. */
async function openQuiet(paging: PagingStyle = { kind: "cursor" }, config = {}): Promise<Stage> {
  const stage = await openStage({ style: { ...style, paging }, projects: [project], config });
  addPlanned(stage, 6);
  for (let run = 0; run < 3; run += 1) await stage.sync();
  stage.mark();
  return stage;
}

const isFirst = (asked: URL): boolean =>
  !["cursor", "page", "offset"].some((name) => !["", "0", "1"].includes(asked.searchParams.get(name) ?? ""));

/** From now on each page is cut from the order that this gives; pages count from 0 in each reading. */
function arrange(stage: Stage, paging: PagingStyle, order: Arrange): void {
  let page = 0;
  const each = (posts: readonly SandboxPost[], asked: URL) => {
    page = isFirst(asked) ? 0 : page + 1;
    return order(posts, page);
  };
  stage.board.restyle({ ...style, paging, arrange: each });
}

/** So many readings of the list come out like this, and later ones as the board has its posts. */
function times(readings: number, order: Arrange): Arrange {
  let left = readings + 1;
  return (posts, page) => {
    if (page === 0) left -= 1;
    return left > 0 ? order(posts, page) : posts;
  };
}

const pick = (posts: readonly SandboxPost[], numbers: readonly number[]): readonly SandboxPost[] =>
  numbers.flatMap((number) => posts.find(({ id }) => id === `p${number}`) ?? []);

const byPage =
  (...orders: readonly (readonly number[])[]): Arrange =>
  (posts, page) =>
    pick(posts, orders[Math.min(page, orders.length - 1)] ?? []);

const lists = (stage: Stage): number => stage.reads().filter((read) => read === "GET /feedback").length;

async function missingOf(stage: Stage, post: string): Promise<number | undefined> {
  const id = "prj_app" as ProjectId;
  return (await stage.ledger.rows.row(id, post as never, stage.clock.now()))?.missing;
}

const pagings: readonly (readonly [string, PagingStyle])[] = [
  ["cursor", { kind: "cursor" }],
  ["page", { kind: "page", told: "hasMore" }],
  ["page with a total", { kind: "page", told: "total" }],
  ["offset", { kind: "offset", told: "hasMore" }],
  ["offset with a total", { kind: "offset", told: "total" }],
  ["link", { kind: "link" }],
];

/** p6 is on no page: another post stands in its place. */
const torn = byPage([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 2]);

describe("a list that shows a post on two pages", () => {
  it.each(pagings)(
    "closes no issue of a post that is on none, and is a failure: by %s",
    async (_, paging) => {
      const stage = await openQuiet(paging);
      arrange(stage, paging, torn);
      for (let run = 0; run < 4; run += 1) {
        const report = await stage.sync();
        expect(report).toMatchObject({
          result: "partial",
          projects: [{ errors: [{ code: "board.incomplete", message: expect.stringContaining("p2") }] }],
        });
      }
      expect(await missingOf(stage, "p6")).toBe(0);
      expect(stage.writes()).toEqual([]);
      stage.board.restyle({ ...style, paging });
      expect(await stage.sync()).toMatchObject({ result: "ok" });
    },
  );

  it.each([
    ["a post of the page before", byPage([1, 2, 3, 4, 5, 6], [1, 2, 2, 3, 5, 6], [1, 2, 3, 4, 5, 6]), "p2"],
    ["several posts", byPage([1, 2, 3, 4, 5, 6], [1, 2, 2, 3, 4, 5], [1, 2, 3, 4, 5, 1]), "p2, p1"],
    [
      "the first post, on the last page",
      byPage([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 1]),
      "p1",
    ],
  ])("is one, whatever repeats: %s", async (_, order, named) => {
    const stage = await openQuiet();
    arrange(stage, { kind: "cursor" }, order);
    expect((await stage.syncOne()).errors).toMatchObject([
      { code: "board.incomplete", message: expect.stringContaining(`read again: ${named}.`) },
    ]);
  });

  it("is one also where the post looks otherwise on its second page; the later record counts", async () => {
    const stage = await openQuiet();
    arrange(stage, { kind: "cursor" }, (posts, page) => {
      const shown = torn(posts, page);
      return page < 2 ? shown : shown.map((post) => ({ ...post, votes: 9 }));
    });
    expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.incomplete" }]);
    expect(await missingOf(stage, "p6")).toBe(0);
  });

  it("is one where only asking has found its further pages", async () => {
    const paging = { kind: "silent", param: "page" } as const;
    const stage = await openStage({ style: { paging, pageSize: 10 }, projects: [project] });
    addPlanned(stage, 15);
    for (let run = 0; run < 3; run += 1) await stage.sync();
    stage.mark();
    const numbers = Array.from({ length: 14 }, (_, index) => index + 1);
    stage.board.restyle({
      paging,
      pageSize: 10,
      arrange: (posts, asked) =>
        asked.searchParams.get("page") === "2" ? pick(posts, [...numbers, 3]) : posts,
    });
    for (let run = 0; run < 3; run += 1)
      expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.incomplete" }]);
    expect(await missingOf(stage, "p15")).toBe(0);
    expect(stage.writes()).toEqual([]);
  });

  it("is not read once more where it is read in parts: nothing follows from what these lack anyway", async () => {
    const stage = await openQuiet({ kind: "cursor" }, { budget: "1m" });
    arrange(stage, { kind: "cursor" }, torn);
    let pages = 0;
    stage.bend((world) => ({
      ...world,
      progress: {
        show: ({ what }) => {
          pages += what === "posts read" ? 1 : 0;
          if (what === "posts read" && pages === 1) stage.clock.skip(61_000);
        },
      },
    }));
    expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.unfinished" }]);
    stage.mark();
    expect(await stage.syncOne()).toMatchObject({ posts: 4, failed: 0 });
    expect(lists(stage)).toBe(2);
    expect(await missingOf(stage, "p6")).toBe(0);
  });

  it("is read once more, no oftener, and is fine where it then holds together", async () => {
    const stage = await openQuiet();
    // A linked post is on no page: nothing that has come explains that, so the first page is not looked at for it.
    arrange(stage, { kind: "cursor" }, times(1, torn));
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ posts: 6, failed: 0 }] });
    expect(lists(stage)).toBe(3 + 3);
    arrange(stage, { kind: "cursor" }, torn);
    stage.mark();
    await stage.sync();
    expect(lists(stage)).toBe(3 + 3);
  });

  it("costs a run nothing where no post repeats", async () => {
    const stage = await openQuiet();
    await stage.sync();
    expect(lists(stage)).toBe(3);
  });

  it("still tells what it shows: changes on both sides are written", async () => {
    const stage = await openQuiet();
    arrange(stage, { kind: "cursor" }, torn);
    stage.github.close("acme/app", 1, "completed");
    stage.github.close("acme/app", 6, "completed");
    expect(await stage.syncOne()).toMatchObject({ postWrites: 1, failed: 1 });
    expect(stage.writes()).toEqual(["PATCH /feedback/p1"]);
  });

  it("is a failure of its own kind where the second reading breaks off, and absence means nothing", async () => {
    const stage = await openQuiet();
    arrange(stage, { kind: "cursor" }, torn);
    let later = 0;
    stage.board.failNext(
      { kind: "answer", status: 500 },
      {
        when: ({ query }) => {
          later += query["cursor"] === undefined ? 0 : 1;
          return later === 3;
        },
      },
    );
    expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.incomplete" }]);
    expect(await missingOf(stage, "p6")).toBe(0);
  });

  it("is not read once more where it breaks off behind the repeat", async () => {
    const stage = await openQuiet();
    arrange(stage, { kind: "cursor" }, byPage([1, 2, 3, 4, 5, 6], [1, 2, 2, 3, 4, 5]));
    let later = 0;
    stage.board.failNext(
      { kind: "answer", status: 500 },
      {
        when: ({ query }) => {
          later += query["cursor"] === undefined ? 0 : 1;
          return later === 2;
        },
      },
    );
    expect((await stage.syncOne()).errors).toMatchObject([
      { code: "board.incomplete", message: expect.stringContaining("broke off") },
    ]);
    expect(lists(stage)).toBe(3);
  });

  it("is none where one page shows the post twice: it takes no other post's place", async () => {
    const stage = await openQuiet();
    arrange(stage, { kind: "cursor" }, byPage([1, 1, 2, 3, 4, 5, 6]));
    expect(await stage.syncOne()).toMatchObject({ failed: 0, posts: 6 });
    expect(lists(stage)).toBe(4);
  });
});

describe("a list whose posts were pushed on by others that came to its head", () => {
  /** Newest first; after the given page of the first reading posts come. */
  async function openNewest(paging: PagingStyle, after: number, coming: number): Promise<Stage> {
    const stage = await openQuiet();
    const newest: Arrange = (posts) => posts.toReversed();
    let isDone = false;
    arrange(stage, paging, newest);
    await stage.sync();
    stage.mark();
    arrange(stage, paging, (posts, page) => {
      if (page !== after || isDone) return newest(posts, page);
      isDone = true;
      addPlanned(stage, coming);
      return newest(stage.board.posts("acme-app"), page);
    });
    return stage;
  }

  it.each(pagings.slice(1, 5))("is whole, and the posts that came are read: by %s", async (_, paging) => {
    const stage = await openNewest(paging, 1, 1);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, posts: 7, created: 1 });
    expect(lists(stage)).toBe(4 + 1);
    expect(stage.ledger.memory.project("acme-app")?.lastSuccessAt).toBeDefined();
  });

  it("is read once more where more repeats than came", async () => {
    const stage = await openQuiet();
    addPlanned(stage, 1);
    const order = byPage([1, 2, 3, 4, 5, 6], [1, 2, 2, 1, 5, 6], [1, 2, 3, 4, 2, 6]);
    let isFirstReading = true;
    arrange(stage, { kind: "cursor" }, (posts, page) => {
      if (page === 2) isFirstReading = false;
      return isFirstReading || page > 0 ? order(posts, page) : pick(posts, [7, 1, 2, 3, 4, 5]);
    });
    expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.incomplete" }]);
  });
});
