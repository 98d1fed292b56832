import { describe, expect, it, onTestFinished } from "vitest";
import type { PostPage } from "../../../src/board/board.ts";
import { type AskedPaging, showWay } from "../../../src/model/page.ts";
import { startSandboxBoard } from "../../support/sandbox/board/board.ts";
import type { PagingStyle } from "../../support/sandbox/board/style.ts";
import {
  bounds,
  type Canned,
  givenBoard,
  key,
  project,
  pull,
  records,
  serve,
  serveAnswers,
} from "./given.ts";

type Silent = Extract<PagingStyle, { readonly kind: "silent" }>;

/** A board that says nothing of its pages of 20. */
async function openSilent(paging: Omit<Silent, "kind">, count = 45) {
  const style = { paging: { kind: "silent", ...paging }, pageSize: 20 } as const;
  const sandbox = await startSandboxBoard({ key, projects: [{ id: project }], style });
  onTestFinished(() => sandbox.close());
  for (let post = 0; post < count; post += 1) sandbox.addPost(project, {});
  return { sandbox, board: givenBoard(sandbox.url) };
}

/** What was asked beside the project. */
function queries(requests: readonly { readonly query: Readonly<Record<string, string>> }[]): string[] {
  return requests.map(({ query: { project: _, ...query } }) => new URLSearchParams(query).toString());
}

async function list(board: ReturnType<typeof givenBoard>, asked: AskedPaging): Promise<readonly PostPage[]> {
  const pages: PostPage[] = [];
  for await (const page of board.listPosts(project, bounds(), { hasNotes: false, asked })) pages.push(page);
  return pages;
}

describe("a page that looks cut and shows no sign of paging", () => {
  it.each<[Omit<Silent, "kind">, string, number]>([
    [{ param: "page" }, "paging: { kind: page, param: page }", 2],
    [{ param: "page", firstPage: 0 }, "paging: { kind: page, param: page, first: 0 }", 2],
    [{ param: "offset" }, "paging: { kind: offset, param: offset }", 2],
    [{ param: "skip" }, "paging: { kind: offset, param: skip }", 3],
    [{ param: "cursor" }, "paging: { kind: cursor, param: cursor, next: lastId }", 4],
    [{ param: "after" }, "paging: { kind: cursor, param: after, next: lastId }", 5],
    [{ param: "starting_after" }, "paging: { kind: cursor, param: starting_after, next: lastId }", 6],
  ])("goes on as asking shows: %j", async (style, line, asked) => {
    const { sandbox, board } = await openSilent(style);
    const { pages, posts, end } = await pull(board);
    expect(new Set(posts.map(({ id }) => id)).size).toBe(45);
    expect(posts).toHaveLength(45);
    expect(end).toEqual({ kind: "complete" });
    const way = pages[0]?.asked?.way;
    expect(way && showWay(way)).toBe(line);
    expect(pages[0]?.shape.paging).toContain("found by asking");
    expect(pages.slice(1).map((page) => page.asked)).toEqual([undefined, undefined]);
    expect(sandbox.requests).toHaveLength(3 + asked);
    expect(sandbox.requests.every(({ method }) => method === "GET")).toBe(true);
  });

  it.each([45, 60])("goes on where its total counts what the page shows, of %i posts", async (count) => {
    const server = await serve(({ url = "" }, response) => {
      const page = Number(new URL(url, "http://board").searchParams.get("page") ?? 1);
      const posts = records(count).slice((page - 1) * 20, page * 20);
      response.end(JSON.stringify({ posts, total: posts.length }));
    });
    for (const paging of [{}, { kind: "page" }] as const) {
      const { posts, end } = await pull(givenBoard(server.url, { overrides: { paging } }));
      expect(posts).toHaveLength(count);
      expect(end).toEqual({ kind: "complete" });
    }
  });

  it.each([21, 35])("is read whole from page 0 on where there are %i posts", async (count) => {
    const { board } = await openSilent({ param: "page", firstPage: 0 }, count);
    const { posts, end } = await pull(board);
    expect(posts).toHaveLength(count);
    expect(end).toEqual({ kind: "complete" });
  });

  it("is the whole list where every way shows the same posts again", async () => {
    const { sandbox, board } = await openSilent({ param: "none" }, 20);
    const { pages, end } = await pull(board);
    expect(end).toEqual({ kind: "complete" });
    expect(pages[0]?.asked).toMatchObject({ way: undefined });
    expect(pages[0]?.shape.paging).toBe("none, found by asking");
    expect(queries(sandbox.requests)).toEqual([
      "",
      "page=2",
      "offset=20",
      "skip=20",
      "cursor=p20",
      "after=p20",
      "starting_after=p20&limit=21",
    ]);
  });

  it("is the whole list where page 2 is empty and page 1 is this page", async () => {
    const { sandbox, board } = await openSilent({ param: "page" }, 20);
    expect((await pull(board)).end).toEqual({ kind: "complete" });
    expect(queries(sandbox.requests)).toEqual(["", "page=2", "page=1"]);
  });

  it.each<[string, Canned]>([
    ["refused", { status: 400, body: { error: "unknown parameter" } }],
    ["not found", { status: 404 }],
    ["forbidden", { status: 403 }],
    ["no JSON", { body: "<html>" }],
    ["another shape", { body: { error: "no" } }],
    ["an empty list", { body: [] }],
  ])("is the whole list where the answers are %s; each is asked for once", async (_name, answer) => {
    const server = await serveAnswers([{ body: records(20) }, answer]);
    const { posts, end } = await pull(givenBoard(server.url, { retries: 3 }));
    expect(end).toEqual({ kind: "complete" });
    expect(posts).toHaveLength(20);
    expect(server.asked).toHaveLength(7);
  });

  it.each<[string, Canned]>([
    ["limits requests", { status: 429 }],
    ["asks for a pause", { status: 503, headers: { "retry-after": "60" } }],
  ])("breaks off where the board %s: what it has shown counts, and may be a part", async (_name, answer) => {
    const server = await serveAnswers([{ body: records(20) }, answer]);
    const pages: PostPage[] = [];
    const reading = async (): Promise<void> => {
      for await (const page of givenBoard(server.url, { retries: 3 }).listPosts(project, bounds()))
        pages.push(page);
    };
    await expect(reading()).rejects.toMatchObject({ name: "RemoteError" });
    expect(pages.map(({ posts, asked }) => [posts.length, asked])).toEqual([
      [20, { way: undefined, posts: null }],
    ]);
    expect(server.asked).toHaveLength(2);
  });

  it("stays cut where the board fails at whatever it is asked", async () => {
    const server = await serveAnswers([{ body: records(20) }, { status: 500 }]);
    const { pages, end } = await pull(givenBoard(server.url, { retries: 3 }));
    expect(end?.kind).toBe("cut");
    expect(pages[0]?.asked).toEqual({ way: undefined, posts: null });
    expect(server.asked).toHaveLength(7);
  });

  it("stays cut where the time of the run is over", async () => {
    const clock = { now: () => server.asked.length, sleep: () => Promise.resolve() };
    const server = await serveAnswers([{ body: records(20) }]);
    const pages: PostPage[] = [];
    for await (const page of givenBoard(server.url, { clock }).listPosts(project, bounds({ until: 1 }))) {
      pages.push(page);
    }
    expect(pages.map(({ end }) => end?.kind)).toEqual(["cut"]);
    expect(server.asked).toHaveLength(1);
  });

  it("is incomplete where the board has no further pages, only larger ones, and says how to ask for these", async () => {
    const server = await serve((request, response) => {
      const limit = new URL(request.url ?? "", "http://x").searchParams.get("limit") ?? "30";
      response.end(JSON.stringify(records(Math.min(Number(limit), 45))));
    });
    const { posts, end, pages } = await pull(givenBoard(server.url));
    expect(posts).toHaveLength(30);
    expect(end?.kind).toBe("incomplete");
    const line = "paging: { kind: none, sizeParam: limit, size: 1000 }";
    expect(end).toHaveProperty("message", expect.stringContaining(line));
    expect(pages[0]?.asked?.way && showWay(pages[0].asked.way)).toBe(line);
    const paging = { kind: "none", sizeParam: "limit", size: 1000 } as const;
    const mended = await pull(givenBoard(server.url, { overrides: { paging } }));
    expect(mended.posts).toHaveLength(45);
    expect(mended.end).toEqual({ kind: "complete" });
  });

  it("takes new posts in front of known ones for the same page once more", async () => {
    const shifted = { body: [...records(1, 99), ...records(19)] };
    const server = await serveAnswers([{ body: records(20) }, shifted]);
    const { posts, end } = await pull(givenBoard(server.url));
    expect(end).toEqual({ kind: "complete" });
    expect(posts).toHaveLength(20);
  });

  it("goes on where the last post of the page has moved to the next one", async () => {
    const server = await serve((request, response) => {
      const page = new URL(request.url ?? "", "http://x").searchParams.get("page") ?? "1";
      response.end(JSON.stringify(page === "1" ? records(20) : page === "2" ? records(5, 20) : []));
    });
    const { posts } = await pull(givenBoard(server.url));
    expect(new Set(posts.map(({ id }) => id)).size).toBe(24);
  });

  it("is followed as was found before, and nothing is asked for that", async () => {
    const { sandbox, board } = await openSilent({ param: "skip" });
    const asked: AskedPaging = { way: { kind: "offset", param: "skip" }, posts: "" };
    const pages = await list(board, asked);
    expect(pages.at(-1)?.end).toEqual({ kind: "complete" });
    expect(pages[0]?.asked).toBeUndefined();
    expect(queries(sandbox.requests)).toEqual(["", "skip=20", "skip=40"]);
  });

  it("is whole as long as it shows the posts that it showed then", async () => {
    const { sandbox, board } = await openSilent({ param: "none" }, 20);
    const asked = (await pull(board)).pages[0]?.asked;
    const before = sandbox.requests.length;
    expect((await list(board, asked as AskedPaging))[0]?.end).toEqual({ kind: "complete" });
    sandbox.removePost(project, "p3");
    sandbox.addPost(project, {});
    expect((await list(board, asked as AskedPaging))[0]?.end?.kind).toBe("cut");
    expect(sandbox.requests).toHaveLength(before + 2);
  });
});

describe("a page that promises more and names no way", () => {
  it("goes on as asking shows", async () => {
    const server = await serve((request, response) => {
      const after = new URL(request.url ?? "", "http://x").searchParams.get("starting_after");
      const from = after === null ? 1 : Number(after.slice(1)) + 1;
      const data = records(Math.min(10, 46 - from), from);
      response.end(JSON.stringify({ data, has_more: from + data.length < 46 }));
    });
    const { posts, end, pages } = await pull(givenBoard(server.url));
    expect(posts).toHaveLength(45);
    expect(end).toEqual({ kind: "complete" });
    expect(pages[0]?.asked?.way).toEqual({ kind: "cursor", param: "starting_after", next: "lastId" });
  });

  it("is incomplete where asking brings nothing", async () => {
    const server = await serveAnswers([{ body: { data: records(20), total: 45 } }]);
    const { end, pages } = await pull(givenBoard(server.url));
    expect(end?.kind).toBe("incomplete");
    expect(end).toHaveProperty("message", expect.stringContaining("45 posts in all, 20 shown"));
    expect(pages[0]?.asked).toMatchObject({ way: undefined });
    expect(server.asked).toHaveLength(7);
  });
});

describe("nothing is asked for", () => {
  it.each([
    ["a page of an unusual size", { body: records(12) }, {}],
    ["a page that is all by its own word", { body: { posts: records(20), hasMore: false } }, {}],
    ["a board whose paging a person has named", { body: records(20) }, { kind: "none" as const }],
  ])("beside %s", async (_name, answer, paging) => {
    const server = await serveAnswers([answer]);
    const { end } = await pull(givenBoard(server.url, { overrides: { paging } }));
    expect(end).toEqual({ kind: "complete" });
    expect(server.asked).toHaveLength(1);
  });
});
