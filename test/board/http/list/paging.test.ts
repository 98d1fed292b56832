import { describe, expect, it } from "vitest";
import type { ListEnd } from "../../../../src/board/board.ts";
import type { PagingOverrides } from "../../../../src/board/http/list/steps.ts";
import {
  bounds,
  type Canned,
  failureOf,
  givenBoard,
  project,
  pull,
  records,
  serveAnswers,
} from "../given.ts";

interface Listing {
  readonly name: string;
  readonly answers: readonly Canned[];
  readonly paging?: PagingOverrides;
  readonly posts: number;
  readonly requests: number;
}

function body(value: unknown, headers: Readonly<Record<string, string>> = {}): Canned {
  return { body: value, headers };
}

async function list({ answers, paging = {} }: Pick<Listing, "answers" | "paging">) {
  const server = await serveAnswers(answers);
  const board = givenBoard(server.url, {
    overrides: { paging },
    limits: { pages: 4, posts: 100, bytes: 2 * 1024 * 1024 },
  });
  return { ...(await pull(board)), asked: server.asked };
}

const two = records(2);
const next = records(2, 3);

describe("a listing ends as complete", () => {
  const cases: readonly Listing[] = [
    { name: "an empty list", answers: [body({ feedback: [] })], posts: 0, requests: 1 },
    { name: "an empty bare array", answers: [body([])], posts: 0, requests: 1 },
    { name: "an empty list under an unknown name", answers: [body({ wishes: [] })], posts: 0, requests: 1 },
    { name: "12 posts without any sign", answers: [body(records(12))], posts: 12, requests: 1 },
    {
      name: "a round number and hasMore: false",
      answers: [body({ posts: records(50), hasMore: false })],
      posts: 50,
      requests: 1,
    },
    {
      name: "a round number and a total that agrees, on a page with a number",
      answers: [body({ posts: records(50), total: 50, page: 1 })],
      posts: 50,
      requests: 1,
    },
    {
      name: "a round number and a total that agrees, on a page that has room for more",
      answers: [body({ posts: records(50), total: 50, limit: 100 })],
      posts: 50,
      requests: 1,
    },
    {
      name: "a round number and a cursor of null",
      answers: [body({ posts: records(50), nextCursor: null })],
      posts: 50,
      requests: 1,
    },
    {
      name: "a round number and a next of null",
      answers: [body({ posts: records(50), next: null })],
      posts: 50,
      requests: 1,
    },
    {
      name: "a Link header without a next",
      answers: [body(records(50), { link: '</a>; rel="first"' })],
      posts: 50,
      requests: 1,
    },
    {
      name: "a cursor, but hasMore: false",
      answers: [body({ posts: two, cursor: "x", hasMore: false })],
      posts: 2,
      requests: 1,
    },
    {
      name: "a next address, but hasMore: false",
      answers: [body({ posts: two, next: "/x", hasMore: false })],
      posts: 2,
      requests: 1,
    },
    {
      name: "an empty page of a page pull",
      answers: [body({ posts: two, page: 1 }), body({ posts: [], page: 2 })],
      posts: 2,
      requests: 2,
    },
    {
      name: "a short page of a page pull",
      answers: [body({ posts: two, page: 1 }), body({ posts: records(1, 3), page: 2 })],
      posts: 3,
      requests: 2,
    },
    {
      name: "a page that is shorter than the board says a full one is",
      answers: [body({ posts: two, page: 1, limit: 3 })],
      posts: 2,
      requests: 1,
    },
    {
      name: "a short page that was not the last, because the answer said so",
      answers: [
        body({ posts: two, page: 1, totalPages: 3 }),
        body({ posts: records(1, 3), page: 2, totalPages: 3 }),
        body({ posts: records(2, 4), page: 3, totalPages: 3 }),
      ],
      posts: 5,
      requests: 3,
    },
    {
      name: "a number of pages without the number of the page",
      answers: [body({ posts: two, pages: 2 }), body({ posts: next, pages: 2 })],
      posts: 4,
      requests: 2,
    },
    {
      name: "an empty page in the middle of a cursor pull",
      answers: [
        body({ posts: two, nextCursor: "a" }),
        body({ posts: [], nextCursor: "b" }),
        body({ posts: next, nextCursor: null }),
      ],
      posts: 4,
      requests: 3,
    },
    {
      name: "a last page that leaves its cursor out",
      answers: [body({ posts: two, nextCursor: "a" }), body({ posts: next })],
      posts: 4,
      requests: 2,
    },
    {
      name: "a last page without a Link header",
      answers: [body(two, { link: '</api/v1/feedback?b=1>; rel="next"' }), body(next)],
      posts: 4,
      requests: 2,
    },
    {
      name: "a next page by number",
      answers: [body({ posts: two, meta: { next: 2 } }), body({ posts: next, meta: { next: null } })],
      posts: 4,
      requests: 2,
    },
    {
      name: "a next that is a bare cursor",
      answers: [body({ posts: two, next: "abc" }), body({ posts: next, next: "" })],
      posts: 4,
      requests: 2,
    },
    {
      name: "an address in links.next.href",
      answers: [body({ posts: two, links: { next: { href: "?at=2" } } }), body({ posts: next, links: {} })],
      posts: 4,
      requests: 2,
    },
    {
      name: "signals beside a list that is two levels deep",
      answers: [
        body({ data: { posts: two, nextCursor: "a" } }),
        body({ data: { posts: next, nextCursor: null } }),
      ],
      posts: 4,
      requests: 2,
    },
    {
      name: "counts that are written as text",
      answers: [
        body({ posts: two, page: "1", totalPages: "2" }),
        body({ posts: next, page: "2", totalPages: "2" }),
      ],
      posts: 4,
      requests: 2,
    },
    {
      name: "a post that moved to the next page meanwhile",
      answers: [body({ posts: two, page: 1, total: 3 }), body({ posts: records(2, 2), page: 2, total: 4 })],
      posts: 4,
      requests: 2,
    },
    {
      name: "a post that is deleted while the pages are read",
      answers: [
        body({ posts: two, nextCursor: "a", total: 5 }),
        body({ posts: next, nextCursor: null, total: 4 }),
      ],
      posts: 4,
      requests: 2,
    },
    {
      name: "a cursor two levels below the top",
      answers: [
        body({ posts: two, meta: { pagination: { cursor: "a", hasMore: true } } }),
        body({ posts: next, meta: { pagination: { cursor: null, hasMore: false } } }),
      ],
      posts: 4,
      requests: 2,
    },
    {
      name: "page numbers under a name of the board's own",
      answers: [
        body({ posts: two, metadata: { page: 1, per: 2, total: 4 } }),
        body({ posts: next, metadata: { page: 2, per: 2, total: 4 } }),
      ],
      posts: 4,
      requests: 2,
    },
    {
      name: "signs far away from the list",
      answers: [
        body({ data: { posts: two }, x: { y: { z: { nextCursor: "a" } } } }),
        body({ data: { posts: next }, x: { y: { z: { nextCursor: null } } } }),
      ],
      posts: 4,
      requests: 2,
    },
    {
      name: "an X-Next-Page header",
      answers: [body(two, { "x-next-page": "2" }), body(next, { "x-next-page": "" })],
      posts: 4,
      requests: 2,
    },
    {
      name: "an X-Total-Pages header",
      answers: [body(two, { "x-total-pages": "2" }), body(next, { "x-total-pages": "2" })],
      posts: 4,
      requests: 2,
    },
    {
      name: "a Content-Range header with a total",
      answers: [body(two, { "content-range": "0-1/4" }), body(next, { "content-range": "2-3/4" })],
      posts: 4,
      requests: 2,
    },
    {
      name: "a Content-Range header without a total",
      answers: [
        body(two, { "content-range": "posts 0-1/*" }),
        body(records(1, 3), { "content-range": "posts 2-2/*" }),
      ],
      posts: 3,
      requests: 2,
    },
    {
      name: "skip and limit",
      answers: [body({ posts: two, skip: 0, limit: 2 }), body({ posts: records(1, 3), skip: 2, limit: 2 })],
      posts: 3,
      requests: 2,
    },
    {
      name: "an object of the next page",
      answers: [body({ posts: two, paging: { next: { after: "2" } } }), body({ posts: next })],
      posts: 4,
      requests: 2,
    },
    {
      name: "a board that says which page is the last",
      answers: [body({ posts: two, number: 0, last: false }), body({ posts: next, number: 1, last: true })],
      posts: 4,
      requests: 2,
    },
    {
      name: "a page and a total of something that is no paging",
      answers: [body({ posts: records(12), project: { page: 3, limit: 12, offset: 40 } })],
      posts: 12,
      requests: 1,
    },
    {
      name: "the signs of another list",
      answers: [body({ posts: two, users: { items: [{ name: "Ann" }], total: 900, nextCursor: "x" } })],
      posts: 2,
      requests: 1,
    },
    {
      name: "a number of all posts of the board, where the list's own says less",
      answers: [body({ posts: two, stats: { total: 900 }, meta: { total: 2 } })],
      posts: 2,
      requests: 1,
    },
    {
      name: "a count of the posts on the page",
      answers: [body({ posts: two, count: 2 })],
      posts: 2,
      requests: 1,
    },
    {
      name: "a board that caps the size that was asked for",
      answers: [body({ posts: records(50), page: 1 }), body({ posts: records(3, 51), page: 2 })],
      paging: { sizeParam: "limit", size: 100 },
      posts: 53,
      requests: 2,
    },
    {
      name: "a page below the size that was asked for",
      answers: [body({ posts: records(51), page: 1 })],
      paging: { sizeParam: "limit", size: 100 },
      posts: 51,
      requests: 1,
    },
    {
      name: "a board that promises more where the config says that there is none",
      answers: [body({ posts: two, hasMore: true, pages: 9 })],
      paging: { kind: "none" },
      posts: 2,
      requests: 1,
    },
    {
      name: "ids of last posts as cursors, until the board says that it is over",
      answers: [body({ posts: two, has_more: true }), body({ posts: next, has_more: false })],
      paging: { kind: "cursor", param: "starting_after", next: "lastId" },
      posts: 4,
      requests: 2,
    },
    {
      name: "pages from 0 on, as a person said",
      answers: [body({ posts: two }), body({ posts: records(1, 3) })],
      paging: { kind: "page", first: 0 },
      posts: 3,
      requests: 2,
    },
    {
      name: "cursors that a person named, without one",
      answers: [body({ posts: two, more: { at: 7 } }), body({ posts: next, more: {} })],
      paging: { kind: "cursor", next: "more.at", param: "after" },
      posts: 4,
      requests: 2,
    },
  ];
  it.each(cases)("$name", async ({ answers, paging = {}, posts, requests }) => {
    const listing = await list({ answers, paging });
    expect(listing.end).toEqual({ kind: "complete" });
    expect(listing.posts).toHaveLength(posts);
    expect(listing.asked).toHaveLength(requests);
  });
});

describe("a single page that looks like a limit is cut where the board can't be asked for more", () => {
  const busy = { status: 500 };
  it.each([10, 20, 25, 50, 100])("%i posts", async (count) => {
    const { end, posts } = await list({ answers: [body({ feedback: records(count) }), busy] });
    expect(end?.kind).toBe("cut");
    expect(end).toHaveProperty("message", expect.stringContaining("board.paging"));
    expect(posts).toHaveLength(count);
  });

  it("as many posts as the board says a page holds", async () => {
    const { end } = await list({ answers: [body({ feedback: records(33), perPage: 33 }), busy] });
    expect(end?.kind).toBe("cut");
  });

  it("as many posts as were asked for", async () => {
    const { end } = await list({
      answers: [body({ feedback: records(33) }), busy],
      paging: { sizeParam: "limit", size: 33 },
    });
    expect(end?.kind).toBe("cut");
  });
});

describe("a listing ends as incomplete", () => {
  const endless = Array.from({ length: 9 }, (_, page) =>
    body({ posts: records(2, 1 + 2 * page), nextCursor: `c${page}` }),
  );
  const cases: readonly (Omit<Listing, "posts" | "requests"> & { readonly says: string })[] = [
    {
      name: "a page of posts that were all seen before",
      answers: [body({ posts: two, page: 1, totalPages: 9 }), body({ posts: two, page: 2, totalPages: 9 })],
      says: "all sent before",
    },
    {
      name: "a parameter that the board ignores",
      answers: [body(two)],
      paging: { kind: "page" },
      says: "all sent before",
    },
    {
      name: "a repeated cursor",
      answers: [body({ posts: two, nextCursor: "a" }), body({ posts: next, nextCursor: "a" })],
      says: "read before",
    },
    {
      name: "a next address that leads back",
      answers: [body({ posts: two, next: "?project=prj_1" })],
      says: "read before",
    },
    { name: "the page limit", answers: endless, says: "given up after 4 pages" },
    {
      name: "the limit of posts",
      answers: [
        body({ posts: records(60), nextCursor: "a" }),
        body({ posts: records(60, 61), nextCursor: "b" }),
        body({ posts: records(1, 200) }),
      ],
      says: "given up after 120 posts",
    },
    {
      name: "the limit of bytes",
      answers: ["a", "b", "c"].map((nextCursor, page) =>
        body({ posts: [{ ...records(1, page)[0], description: "x".repeat(1_100_000) }], nextCursor }),
      ),
      says: "given up after 2 MiB; where it really is that long, raise board.maxBytes",
    },
    {
      name: "empty pages without an end",
      answers: ["a", "b", "c", "d"].map((nextCursor) => body({ posts: [], nextCursor })),
      says: "3 pages without any",
    },
    {
      name: "a total that is never reached",
      answers: [body({ posts: two, page: 1, total: 9 }), body({ posts: [], page: 2, total: 9 })],
      says: "there are 9 posts, but its list ended after 2. Correct board.paging, or set `list: { total: false }`",
    },
    {
      name: "more, but no way to ask",
      answers: [body({ posts: two, hasMore: true })],
      says: "Set board.paging",
    },
    {
      name: "a total above what is shown",
      answers: [body({ posts: two, total: 130 })],
      says: "130 posts in all, 2 shown",
    },
    {
      name: "a total above what was read, with a cursor that ends",
      answers: [
        body({ posts: two, nextCursor: "a", total: 9 }),
        body({ posts: next, nextCursor: null, total: 9 }),
      ],
      says: "there are 9 posts, but its list ended after 4",
    },
    {
      name: "a total in a header",
      answers: [body(two, { "x-total-count": "130" })],
      says: "130 posts in all, 2 shown",
    },
    {
      name: "a total far away from the list",
      answers: [body({ posts: two, summary: { numbers: { total: 130 } } })],
      says: "list: { total: false }",
    },
    {
      name: "two totals that contradict each other",
      answers: [body({ posts: two, total: 2, pagination: { total: 9 } })],
      says: "9 posts in all, 2 shown",
    },
    {
      name: "two flags that contradict each other",
      answers: [body({ posts: two, hasMore: false, pageInfo: { hasNextPage: true } })],
      says: "more posts follow",
    },
    {
      name: "a page number below the page count",
      answers: [body({ posts: two, page: 1, totalPages: 3, hasMore: false })],
      says: "there are 3 pages, but its list ended after 1",
    },
    {
      name: "a post that was pushed off the pages while they were read",
      answers: [body({ posts: two, page: 1, total: 4 }), body({ posts: records(2, 2), page: 2, total: 4 })],
      says: "there are 4 posts, but its list ended after 3",
    },
    {
      name: "a board that says more than the config",
      answers: [body({ posts: two, total: 45 })],
      paging: { kind: "none" },
      says: "there are 45 posts",
    },
    {
      name: "one page that is as full as was asked for",
      answers: [body({ posts: two })],
      paging: { kind: "none", sizeParam: "limit", size: 2 },
      says: "Raise board.paging.size",
    },
    {
      name: "two headers that say how many there are",
      answers: [body(two, { "x-total": "2", "x-total-count": "9" })],
      says: "9 posts in all, 2 shown",
    },
    {
      name: "a first page that calls itself another one",
      answers: [body({ posts: two, page: 3, total: 9 })],
      says: "9 posts in all, 2 shown",
    },
    {
      name: "more, but no cursor",
      answers: [body({ posts: two, nextCursor: null, hasMore: true })],
      says: "does not say where",
    },
    {
      name: "more, but no address",
      answers: [body({ posts: two, next: null, hasMore: true })],
      says: "does not say where",
    },
  ];
  it.each(cases)("$name", async ({ answers, paging = {}, says }) => {
    const { end } = await list({ answers, paging });
    expect(end).toEqual<ListEnd>({ kind: "incomplete", message: expect.stringContaining(says) });
  });
});

describe("a total that counts something else", () => {
  it.each<[string, Canned]>([
    ["in the answer", body({ posts: two, total: 9 })],
    ["in a header", body(two, { "x-total-count": "9" })],
    ["somewhere else", body({ posts: two, stats: { total: 9 } })],
  ])("is left alone where a person says so: %s", async (_name, answer) => {
    const server = await serveAnswers([answer]);
    const { end, posts } = await pull(givenBoard(server.url, { overrides: { list: { total: false } } }));
    expect(end).toEqual({ kind: "complete" });
    expect(posts).toHaveLength(2);
  });
});

describe("the next page", () => {
  async function refusalOf(answer: Canned) {
    const server = await serveAnswers([answer]);
    const board = givenBoard(server.url, { retries: 2 });
    const error = await failureOf(pull(board));
    return { error, asked: server.asked };
  }

  it.each([
    ["another host", "https://evil.example/steal?token=1"],
    ["another port", "http://127.0.0.1:1/api/v1/feedback"],
    ["another scheme", "https://127.0.0.1/api/v1/feedback"],
    ["another host without a scheme", "//evil.example/x"],
    ["another host behind backslashes", "/\\evil.example/x"],
    ["a script", "javascript:alert(1)"],
  ])("is not asked for at %s", async (_name, address) => {
    for (const answer of [
      body({ posts: two, next: address }),
      body({ posts: two }, { link: `<${address}>; rel="next"` }),
    ]) {
      const { error, asked } = await refusalOf(answer);
      expect(error.fault).toBe("unreadable");
      expect(error.message).toContain("another origin");
      expect(error.message).not.toContain("token");
      expect(asked).toHaveLength(1);
    }
  });

  it.each([
    ["that can't be parsed", { next: "http://[" }, "can't be read"],
    ["that is far too long", { next: `/${"x".repeat(9000)}` }, "can't be read"],
    ["whose cursor is far too long", { nextCursor: "x".repeat(9000) }, "too long"],
  ])("is refused at an address %s", async (_name, signal, says) => {
    const { error } = await refusalOf(body({ posts: two, ...signal }));
    expect(error.fault).toBe("unreadable");
    expect(error.message).toContain(says);
    expect(error.message.length).toBeLessThan(300);
  });

  it("carries the project, whatever the board's address says", async () => {
    const answers = [
      body({ posts: two, next: "/api/v1/feedback?cursor=a&project=other" }),
      body({ posts: next, next: "/api/v1/feedback?cursor=b#top" }),
      body({ posts: records(1, 5), next: null }),
    ];
    const { asked, end } = await list({ answers });
    expect(end).toEqual({ kind: "complete" });
    expect(asked.map(({ url }) => url)).toEqual([
      "/api/v1/feedback?project=prj_1",
      "/api/v1/feedback?cursor=a&project=prj_1",
      "/api/v1/feedback?cursor=b&project=prj_1",
    ]);
  });

  it("is found among several links, in any notation", async () => {
    const link = '</a>; rel=first, </api/v1/feedback?p=2>; title="x"; rel="last next", </z>; foo';
    const { asked } = await list({ answers: [body(two, { link }), body(next)] });
    expect(asked[1]?.url).toBe("/api/v1/feedback?p=2&project=prj_1");
  });

  it("has the number that follows the first one that a person named", async () => {
    const { asked } = await list({
      answers: [body({ posts: two }), body({ posts: [] })],
      paging: { kind: "page", first: 0 },
    });
    expect(asked.map(({ url }) => url.split("?")[1])).toEqual(["project=prj_1", "project=prj_1&page=1"]);
  });

  it("is asked for by the id of the last post where a person said so", async () => {
    const { asked } = await list({
      answers: [body({ posts: two }), body({ posts: [] })],
      paging: { kind: "cursor", param: "starting_after", next: "lastId" },
    });
    expect(asked[1]?.url).toBe("/api/v1/feedback?project=prj_1&starting_after=p2");
  });

  it.each([
    [{ skip: 0, limit: 2 }, "skip=2"],
    [{ startAt: 0, maxResults: 2 }, "startAt=2"],
    [{ pageInfo: { endCursor: "a", hasNextPage: true } }, "after=a"],
    [{ nextPageToken: "a" }, "pageToken=a"],
    [{ next_page: 2 }, "page=2"],
    [{ next_page: { offset: "xyz" } }, "offset=xyz"],
  ])("is asked for as the board's own words say: %j", async (signal, query) => {
    const { asked } = await list({ answers: [body({ posts: two, ...signal }), body({ posts: [] })] });
    expect(asked[1]?.url).toBe(`/api/v1/feedback?project=prj_1&${query}`);
  });

  it("takes the parameter that a person named", async () => {
    const { asked } = await list({
      answers: [body({ posts: two }), body({ posts: next }), body({ posts: [] })],
      paging: { kind: "offset", param: "skip", sizeParam: "take", size: 2 },
    });
    expect(asked.map(({ url }) => url.split("?")[1])).toEqual([
      "project=prj_1&take=2",
      "project=prj_1&take=2&skip=2",
      "project=prj_1&take=2&skip=4",
    ]);
  });

  it("fails the pull when it can't be read, after the first page was handed over", async () => {
    const server = await serveAnswers([body({ posts: two, nextCursor: "a" }), { status: 403 }]);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const page of givenBoard(server.url).listPosts(project, bounds())) {
        seen.push(...page.posts.map(({ id }) => id));
        expect(page.end).toBeUndefined();
      }
    })();
    expect((await failureOf(reading)).fault).toBe("unauthorized");
    expect(seen).toEqual(["p1", "p2"]);
  });
});
