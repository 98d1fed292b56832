import { describe, expect, it, onTestFinished } from "vitest";
import { type FieldNames, pickRecord } from "../../../../src/board/http/answer/record.ts";
import type { FieldValue, PostField } from "../../../../src/model/post.ts";
import { startSandboxBoard } from "../../../support/sandbox/board/board.ts";
import { createMemoryLog, givenBoard, key, postId, project, pull } from "../given.ts";

function valuesOf(fields: object, names: FieldNames = {}) {
  return pickRecord({ id: "p1", ...fields }, "id", names).post?.values;
}

describe("a record becomes a post", () => {
  it.each<[object, Partial<Record<PostField, FieldValue>>]>([
    [{ status: "planned" }, { status: "planned" }],
    [{ status: { id: 1, name: "In Progress", slug: "in-progress" } }, { status: "in-progress" }],
    [{ status: { id: 1, name: "In Progress" } }, { status: "In Progress" }],
    [{ attributes: { status: "planned", title: "One" } }, { status: "planned", title: "One" }],
    [{ title: "One", attributes: { title: "Two" } }, { title: "One" }],
    [{ roadmapColumn: null }, { roadmapColumn: null }],
    [{ roadmap_column: "PLANNED" }, { roadmapColumn: "PLANNED" }],
    [{ roadmapOrder: 1.5 }, { roadmapOrder: 1.5 }],
    [
      { isArchived: true, is_reviewed: false },
      { isArchived: true, isReviewed: false },
    ],
    [{ categoryId: "cat_1" }, { categoryId: "cat_1" }],
    [{ categoryId: 7 }, { categoryId: "7" }],
    [{ category: { id: "cat_1", name: "Billing" } }, { categoryId: "cat_1" }],
    [{ categoryId: null, category: { id: "cat_1" } }, { categoryId: "cat_1" }],
    [{ votes: 3 }, { votes: 3 }],
    [{ voteCount: 3 }, { votes: 3 }],
    [{ upvotes: 3 }, { votes: 3 }],
    [{ _count: { votes: 3 } }, { votes: 3 }],
    [{ _count: { upvotes: 3 } }, { votes: 3 }],
    [{ total_votes: 3 }, { votes: 3 }],
    [
      { isArchived: 1, isReviewed: "false", onRoadmap: "True", roadmapPublic: "0" },
      { isArchived: true, isReviewed: false, onRoadmap: true, roadmapPublic: false },
    ],
    [
      { categoryId: [], roadmapColumn: {}, isArchived: [] },
      { categoryId: null, roadmapColumn: null, isArchived: null },
    ],
    [
      { votes: "12", roadmapOrder: "-1.5" },
      { votes: 12, roadmapOrder: -1.5 },
    ],
    [{ votes: [{ email: "a@example.com" }, {}] }, { votes: 2 }],
    [{ url: "https://x.example/p/1" }, { url: "https://x.example/p/1" }],
    [{ publicUrl: "http://x.example/p/1" }, { url: "http://x.example/p/1" }],
    [{ link: "https://x.example/p/1" }, { url: "https://x.example/p/1" }],
    [{ createdAt: "2026-01-02T03:04:05.678901Z" }, { createdAt: "2026-01-02T03:04:05.678901Z" }],
    [{ created_at: 1_767_322_800 }, { createdAt: "2026-01-02T03:00:00.000Z" }],
    [{ updatedAt: 1_767_322_800_000 }, { updatedAt: "2026-01-02T03:00:00.000Z" }],
    [
      { title: "half \ud83d", description: null },
      { title: "half \ufffd", description: null },
    ],
    [{ internalNote: "secret", author: "Ada", email: "a@example.com" }, {}],
  ])("%j", (record, values) => {
    expect(valuesOf(record)).toEqual(values);
  });

  it.each<[PostField, object]>([
    ["status", { status: 3 }],
    ["roadmapColumn", { roadmapColumn: ["PLANNED"] }],
    ["roadmapOrder", { roadmapOrder: "1st" }],
    ["onRoadmap", { onRoadmap: "yes" }],
    ["isArchived", { isArchived: "2026-03-01T10:00:00Z" }],
    ["categoryId", { categoryId: { ref: 1 } }],
    ["title", { title: { en: "x" } }],
    ["votes", { votes: "three" }],
    ["url", { url: "javascript:alert(1)" }],
    ["url", { url: "/p/1" }],
    ["url", { url: `https://x.example/${"x".repeat(2000)}` }],
    ["createdAt", { createdAt: "yesterday" }],
    ["createdAt", { createdAt: "2026-99-99" }],
    ["createdAt", { createdAt: 1e300 }],
    ["updatedAt", { updatedAt: true }],
  ])("but not with a %s such as %j", (field, record) => {
    const picked = pickRecord({ id: "p1", ...record }, "id", {});
    expect(picked).toEqual({ post: { id: "p1", values: {}, unread: [field] }, mistyped: [field] });
  });

  it("under the names that a person set, and only these", () => {
    const names = { status: "state", votes: "stats.votes" };
    expect(valuesOf({ status: "a", state: "b", stats: { votes: 4 }, votes: 5 }, names)).toEqual({
      status: "b",
      votes: 4,
    });
  });

  it("whose prototype the board can't reach", () => {
    const record = JSON.parse(
      '{"id":"p1","__proto__":{"status":"x","isAdmin":true},"constructor":{"name":"y"}}',
    );
    const { post } = pickRecord(record, "id", { title: "constructor.name", description: "toString.name" });
    expect(post).toEqual({ id: "p1", values: { title: "y" } });
    expect(({} as Record<string, unknown>)["isAdmin"]).toBeUndefined();
  });
});

describe("what the board shows", () => {
  async function pullSandbox(style: Parameters<typeof startSandboxBoard>[0]["style"] & object) {
    const sandbox = await startSandboxBoard({ key, projects: [{ id: project }], style });
    onTestFinished(() => sandbox.close());
    sandbox.addPost(project, { internalNote: "canary-note", authorName: "canary-name" });
    sandbox.addPost(project, { roadmapColumn: "PLANNED", authorEmail: "canary@example.com" });
    const log = createMemoryLog();
    const board = givenBoard(sandbox.url, { log });
    return { sandbox, board, log, ...(await pull(board)) };
  }

  it("is seen with its null fields", async () => {
    const { pages } = await pullSandbox({});
    const seen = pages[0]?.seen;
    expect(seen).toContain("categoryId");
    expect(seen).toContain("updatedAt");
  });

  it("is unseen where no record has it", async () => {
    const { pages, posts } = await pullSandbox({ omitsNull: true, showsUpdatedAt: false, hidden: ["votes"] });
    const seen = pages[0]?.seen ?? new Set();
    expect(["categoryId", "updatedAt", "votes"].filter((field) => seen.has(field as PostField))).toEqual([]);
    expect(seen.has("roadmapColumn")).toBe(true);
    expect(posts[0]?.values).not.toHaveProperty("roadmapColumn");
  });

  it("holds no person and no note, in no page, answer or log line", async () => {
    const { board, pages, log } = await pullSandbox({});
    const outcome = await board.patchPost(project, postId("p1"), { status: "planned" });
    const all = JSON.stringify([pages, outcome, log.lines]);
    expect(all).toContain("planned");
    expect(all).not.toContain("canary");
  });
});
