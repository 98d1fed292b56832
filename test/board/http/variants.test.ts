import { describe, expect, it, onTestFinished } from "vitest";
import type { ListOverrides } from "../../../src/board/http/list/page.ts";
import { startSandboxBoard } from "../../support/sandbox/board/board.ts";
import type { BoardStyleOptions, PagingStyle } from "../../support/sandbox/board/style.ts";
import { givenBoard, key, project, pull } from "./given.ts";

interface Variant {
  readonly style: BoardStyleOptions;
  readonly paging: string;
  readonly overrides?: Partial<ListOverrides>;
}

function paged(paging: PagingStyle, style: BoardStyleOptions = {}): BoardStyleOptions {
  return { paging, ...style };
}

/** Every shape, id and paging that is recognised, each at least once, and each paging with several shapes. */
const recognised: readonly Variant[] = [
  { style: paged({ kind: "none" }, { items: "" }), paging: "none seen" },
  { style: paged({ kind: "none" }, { items: "feedback", idName: "_id" }), paging: "none seen" },
  { style: paged({ kind: "none" }, { items: "data.feedback", idType: "number" }), paging: "none seen" },
  { style: paged({ kind: "none" }, { items: "suggestions", idType: "uuid" }), paging: "none seen" },
  { style: paged({ kind: "none" }, { items: "response.entries", idName: "postId" }), paging: "none seen" },
  { style: paged({ kind: "link" }, { items: "" }), paging: "Link header" },
  {
    style: paged({ kind: "link", form: "relative" }, { items: "posts", idType: "number" }),
    paging: "Link header",
  },
  { style: paged({ kind: "next" }, { items: "results" }), paging: "next address" },
  {
    style: paged({ kind: "next", form: "relative" }, { items: "data", idName: "uuid" }),
    paging: "next address",
  },
  { style: paged({ kind: "next", name: "nextUrl" }, { items: "feedbacks" }), paging: "next address" },
  {
    style: paged({ kind: "next", name: "nextUrl", form: "relative", under: "meta" }),
    paging: "next address",
  },
  { style: paged({ kind: "next", name: "links.next" }, { items: "data" }), paging: "next address" },
  { style: paged({ kind: "next", name: "links.next", under: "pagination" }), paging: "next address" },
  { style: paged({ kind: "cursor" }, { items: "feedback" }), paging: "cursor" },
  {
    style: paged({ kind: "cursor", hasMore: true }, { items: "data.posts", idName: "feedbackId" }),
    paging: "cursor",
  },
  {
    style: paged({ kind: "cursor", name: "next_cursor", under: "meta" }, { items: "data" }),
    paging: "cursor",
  },
  { style: paged({ kind: "cursor", name: "cursor", hasMore: true, under: "pageInfo" }), paging: "cursor" },
  {
    style: paged({ kind: "cursor", name: "cursor", under: "pagination" }, { items: "items" }),
    paging: "cursor",
  },
  { style: paged({ kind: "cursor" }, { pageSize: 65, omitsNull: true }), paging: "cursor" },
  { style: paged({ kind: "page" }, { items: "records", idType: "number" }), paging: "page numbers" },
  {
    style: paged({ kind: "page", firstPage: 0 }, { items: "feedback", pageSize: 65 }),
    paging: "page numbers",
  },
  { style: paged({ kind: "page", told: "pages", under: "pagination" }), paging: "page numbers" },
  { style: paged({ kind: "page", told: "hasMore", under: "pageInfo" }), paging: "page numbers" },
  {
    style: paged({ kind: "page", told: "hasMore", firstPage: 0 }, { items: "data.items" }),
    paging: "page numbers",
  },
  { style: paged({ kind: "page", told: "total", under: "meta" }, { pageSize: 26 }), paging: "page numbers" },
  {
    style: paged({ kind: "page", told: "total" }, { idType: "uuid", idName: "uuid" }),
    paging: "page numbers",
  },
  { style: paged({ kind: "page", told: "limit" }, { pageSize: 13 }), paging: "page numbers" },
  { style: paged({ kind: "offset" }, { items: "results" }), paging: "offset" },
  {
    style: paged({ kind: "offset", told: "hasMore", under: "pagination" }, { pageSize: 7 }),
    paging: "offset",
  },
  { style: paged({ kind: "offset", told: "limit", under: "meta" }), paging: "offset" },
  {
    style: paged({ kind: "offset", told: "limit" }, { pageSize: 65, items: "data.results" }),
    paging: "offset",
  },
  { style: paged({ kind: "cursor" }, { names: { status: "state", votes: "voteCount" } }), paging: "cursor" },
];

/** Boards that only a person can explain. */
const overridden: readonly Variant[] = [
  {
    style: { items: "payload.rows", idName: "key", paging: { kind: "cursor" } },
    overrides: { list: { items: "payload.rows" }, fields: { id: "key" } },
    paging: "cursor",
  },
  {
    style: paged({ kind: "page", told: "limit" }, { items: "" }),
    overrides: { paging: { kind: "page", param: "page" } },
    paging: "page, as set in board.paging",
  },
  {
    style: paged({ kind: "offset", told: "limit" }, { items: "" }),
    overrides: { paging: { kind: "offset", size: 50 } },
    paging: "offset, as set in board.paging",
  },
  {
    style: paged({ kind: "next", name: "next", under: "meta" }),
    overrides: { paging: { kind: "cursor", next: "meta.next" } },
    paging: "cursor, as set in board.paging",
  },
  {
    style: paged({ kind: "cursor", name: "next_cursor", under: "meta" }),
    overrides: { paging: { kind: "cursor", param: "cursor", next: "meta.next_cursor" } },
    paging: "cursor, as set in board.paging",
  },
];

async function pullVariant(variant: Variant) {
  const sandbox = await startSandboxBoard({ key, projects: [{ id: project }], style: variant.style });
  onTestFinished(() => sandbox.close());
  const added = Array.from({ length: 130 }, () => sandbox.addPost(project, { votes: 3, status: "planned" }));
  const board = givenBoard(sandbox.url, { overrides: variant.overrides ?? {} });
  return { added, sandbox, ...(await pull(board)) };
}

describe("130 posts are all seen, and the listing is complete", () => {
  it.each(
    [...recognised, ...overridden].map((variant) => ({ ...variant, name: JSON.stringify(variant.style) })),
  )("$name", async (variant) => {
    const { added, sandbox, pages, posts, end } = await pullVariant(variant);

    expect(posts.map((post) => post.id)).toEqual(added);
    expect(end).toEqual({ kind: "complete" });
    for (const page of pages) {
      expect(page.shape).toMatchObject({
        items: variant.style.items === "" ? "(top level)" : (variant.style.items ?? "feedback"),
        id: variant.style.idName ?? "id",
        paging: variant.paging,
      });
      expect(page.unusable).toEqual([]);
    }
    expect(sandbox.requests[0]).toMatchObject({ method: "GET", path: "/feedback", query: { project } });
    expect(sandbox.requests.map((request) => request.query["project"])).toEqual(pages.map(() => project));
  });
});

describe("what a person sets in the config rules", () => {
  it("finds fields under their other names", async () => {
    const { posts } = await pullVariant({
      style: { names: { status: "state", votes: "score" } },
      overrides: { fields: { status: "state", votes: "score" } },
      paging: "cursor",
    });
    expect(posts[0]?.values).toMatchObject({ status: "planned", votes: 3 });
  });

  it("asks for pages of a size only when told the parameter and the size", async () => {
    const { sandbox } = await pullVariant({
      style: {},
      overrides: { paging: { sizeParam: "limit", size: 100 } },
      paging: "cursor",
    });
    expect(sandbox.requests.map((request) => request.query["limit"])).toEqual(["100", "100", "100"]);
    const plain = await pullVariant({ style: {}, overrides: { paging: { size: 100 } }, paging: "cursor" });
    expect(plain.sandbox.requests[0]?.query).toEqual({ project });
  });

  it("takes one page for the whole list where paging is switched off", async () => {
    const { posts, end, sandbox } = await pullVariant({
      style: paged({ kind: "page" }),
      overrides: { paging: { kind: "none" } },
      paging: "none",
    });
    expect(posts).toHaveLength(50);
    expect(end).toEqual({ kind: "complete" });
    expect(sandbox.requests).toHaveLength(1);
  });

  it("reads the number of all posts where it is told to", async () => {
    const { posts, end } = await pullVariant({
      style: paged({ kind: "page", told: "total", under: "meta" }, { names: {} }),
      overrides: { list: { total: "meta.total" }, paging: { kind: "page" } },
      paging: "page",
    });
    expect(posts).toHaveLength(130);
    expect(end).toEqual({ kind: "complete" });
  });
});
