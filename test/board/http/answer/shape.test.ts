import { describe, expect, it } from "vitest";
import type { RemoteFault } from "../../../../src/errors.ts";
import { createMemoryLog, failureOf, givenBoard, pull, serveAnswers } from "../given.ts";

async function pullBody(body: unknown, overrides = {}) {
  const server = await serveAnswers([{ body }]);
  const log = createMemoryLog();
  return { ...(await pull(givenBoard(server.url, { overrides, log }))), log };
}

async function refusal(body: unknown, overrides = {}) {
  const server = await serveAnswers([{ body }]);
  return failureOf(pull(givenBoard(server.url, { overrides })));
}

const post = { id: "p1", title: "A post" };

describe("the list of posts", () => {
  it.each<[string, unknown, string]>([
    ["a bare array", [post], "(top level)"],
    ["under its name, beside other arrays", { feedback: [post], categories: [{ id: "c" }] }, "feedback"],
    ["two levels deep", { data: { results: [post] } }, "data.results"],
    ["the only array of objects", { wishes: [post], tags: ["a", "b"], nothing: [] }, "wishes"],
    ["the only array of objects, two levels deep", { answer: { wishes: [post] } }, "answer.wishes"],
    ["named, though a list of words has a known name", { items: ["a"], posts: [post] }, "posts"],
  ])("is found: %s", async (_name, body, path) => {
    const { pages, posts } = await pullBody(body);
    expect(pages[0]?.shape.items).toBe(path);
    expect(posts.map(({ id }) => id)).toEqual(["p1"]);
  });

  it.each<[string, unknown, string[]]>([
    ["two lists", { feedback: [post], posts: [post] }, ["More than one list", "feedback, posts"]],
    ["two unnamed lists", { a: [post], b: { c: [post] } }, ["More than one list", "a, b.c"]],
    ["no list", { answer: "no", meta: { page: 1 } }, ["No list", "answer, meta, meta.page"]],
    ["a list of words", { feedback: ["a", "b"] }, ["No list", "feedback"]],
    ["a number", 7, ["No list", "(none)"]],
    ["nothing", null, ["No list", "(none)"]],
  ])("is refused with the keys that were seen: %s", async (_name, body, says) => {
    const error = await refusal(body);
    expect(error).toMatchObject({ side: "board", fault: "unreadable" });
    for (const words of [...says, "board.list.items"]) expect(error.message).toContain(words);
  });

  it.each<[unknown, RemoteFault, string]>([
    [{ success: false, error: "No such project" }, "refused", '"No such project"'],
    [{ success: false, feedback: [post] }, "refused", "without a word"],
    [{ feedback: [], error: "Internal server error" }, "unreachable", '"Internal server error"'],
    [{ data: null, errors: [{ id: "e1", message: "boom" }] }, "refused", '"boom"'],
    [{ error: { code: 429, message: "Rate limit reached" } }, "limited", '"Rate limit reached"'],
    [{ ok: false, message: "Invalid API key" }, "unauthorized", '"Invalid API key"'],
  ])("is none in an answer that says no, and says so: %j", async (body, fault, says) => {
    const error = await refusal(body);
    expect(error.fault).toBe(fault);
    expect(error.message).toContain(`/feedback answered with a no (HTTP 200): ${says}.`);
  });

  it.each<[unknown, RemoteFault]>([
    [{ message: "The board is frozen until Monday" }, "unreadable"],
    [{ status: "maintenance", message: "We are down for maintenance" }, "unreachable"],
    [{ statusCode: 200, message: "Rate limit exceeded" }, "limited"],
    [{ message: "Invalid API key" }, "unauthorized"],
  ])("is none in an answer of words alone, which are told: %j", async (body, fault) => {
    const error = await refusal(body);
    expect(error.fault).toBe(fault);
    expect(error.message).toContain(
      `/feedback answered without a list (HTTP 200): "${Object(body).message}".`,
    );
  });

  it.each([{ message: 7 }, { ok: true, message: "Fine" }, { message: "Fine", meta: {} }])(
    "is not said to be refused by an answer that may say anything: %j",
    async (body) => {
      expect((await refusal(body)).message).toContain("No list of posts was recognised");
    },
  );

  it.each([
    { feedback: [post], error: "The search is down" },
    { data: { posts: [post] }, errors: [{ message: "No votes" }] },
    { feedback: [], error: null, errors: [] },
  ])("is taken beside a warning: %j", async (body) => {
    const { end } = await pullBody(body);
    expect(end).toEqual({ kind: "complete" });
  });

  it("is refused when it is not where the config says", async () => {
    const error = await refusal({ feedback: [post] }, { list: { items: "data.rows" } });
    expect(error.message).toContain("no list at data.rows");
    expect(error.message).toContain("feedback");
  });

  it("is refused when a later page has it elsewhere", async () => {
    const answers = [{ body: { posts: [post], nextCursor: "a" } }, { body: { feedback: [post] } }];
    const server = await serveAnswers(answers);
    const error = await failureOf(pull(givenBoard(server.url)));
    expect(error.message).toContain("no list at posts");
  });

  it("names at most twenty keys, each safe to print", async () => {
    const keys = Array.from({ length: 30 }, (_, index) => [`key${index}`, 1]);
    const error = await refusal({ "\u001b[31mred": 1, ...Object.fromEntries(keys) });
    expect(error.message).toContain("\\u{1b}[31mred");
    expect(error.message).not.toContain("\u001b");
    expect(error.message).toContain("and 11 more");
  });
});

describe("the id", () => {
  it.each([
    ["id", { id: "p1" }],
    ["_id", { _id: "p1" }],
    ["postId", { postId: "p1" }],
    ["feedbackId", { feedbackId: "p1" }],
    ["uuid", { uuid: "p1", id: null }],
    ["id", { id: "p1", _id: "p1" }],
  ])("is found as %s", async (name, record) => {
    const { pages, posts } = await pullBody([record]);
    expect(pages[0]?.shape.id).toBe(name);
    expect(posts[0]?.id).toBe("p1");
  });

  it("is text, also where the board has numbers", async () => {
    expect((await pullBody([{ id: 42 }])).posts[0]?.id).toBe("42");
  });

  it.each<[string, unknown, string]>([
    ["two names", [{ id: "p1", uuid: "u1" }], "More than one field could be the posts' id (id, uuid)"],
    ["no name", [{ title: "A post", key: "p1" }], "key, title"],
  ])("is refused with the keys that were seen: %s", async (_name, body, says) => {
    const error = await refusal(body);
    expect(error.fault).toBe("unreadable");
    expect(error.message).toContain(says);
    expect(error.message).toContain("board.fields.id");
  });

  it("may be deep inside where the config says so", async () => {
    const { posts } = await pullBody([{ meta: { key: "p1" } }], { fields: { id: "meta.key" } });
    expect(posts[0]?.id).toBe("p1");
  });

  it("is not known while no post was seen", async () => {
    const { pages } = await pullBody({ feedback: [] });
    expect(pages[0]?.shape).toEqual({ items: "feedback", id: undefined, paging: "none seen", keys: [] });
  });

  const unusable: readonly (readonly [string, unknown, string])[] = [
    ["is missing", { title: "x" }, "`id` is not there"],
    ["is null", { id: null }, "`id` is null"],
    ["is empty", { id: "" }, "`id` is empty"],
    ["is too long", { id: "x".repeat(201) }, "`id` is text of 201 characters, and 200 are the most"],
    ["has a line break", { id: "p1\np2" }, "`id` has characters that can't be shown"],
    ["has a control sequence", { id: "\u001b[2J" }, "`id` has characters that can't be shown"],
    ["has a direction mark", { id: "p\u202e1" }, "`id` has characters that can't be shown"],
    ["has half a character", { id: "p\ud800" }, "`id` has characters that can't be shown"],
    [
      "is a number that JSON can't hold exactly",
      { id: 2 ** 53 },
      "`id` is a number beyond 9007199254740991, whose last digits are lost: the board has to send it as text",
    ],
    ["is one below zero", { id: -(2 ** 60) }, "whose last digits are lost"],
    ["is a fraction", { id: 1.5 }, "`id` is 1.5, and no whole number"],
    ["is an object", { id: { $oid: "p1" } }, "`id` is an object"],
    ["is a list", { id: ["p1"] }, "`id` is a list"],
    ["is a flag", { id: true }, "`id` is a boolean"],
    ["is on no object", null, "it is null, and no object"],
    ["is on a text", "p1", "it is text, and no object"],
  ];

  it.each(unusable)(
    "makes a record unusable when it %s, and what is missing beside it is not deleted",
    async (_name, record, why) => {
      const { pages, posts, end } = await pullBody({ feedback: [{ id: "good" }, record], hasMore: false });
      expect(posts.map(({ id }) => id)).toEqual(["good"]);
      const reason = expect.stringMatching(/^Record 2 of a page has no usable id: /);
      expect(pages[0]?.unusable).toEqual([reason]);
      expect(pages[0]?.unusable[0]).toContain(why);
      expect(end).toEqual({ kind: "lossy", message: expect.stringContaining("1 of the board's 2 records") });
      expect(JSON.stringify(end)).toContain(why.replaceAll('"', String.raw`\"`));
    },
  );

  it.each(unusable.filter(([name]) => !name.startsWith("is on")))(
    "of no record can be used when it %s: the list is incomplete, for the reason of the first",
    async (_name, record, why) => {
      const body = { feedback: [record, { id: "" }], hasMore: false };
      const { posts, end } = await pullBody(body, { fields: { id: "id" } });
      expect(posts).toEqual([]);
      expect(end?.kind).toBe("incomplete");
      expect(end).toEqual({
        kind: "incomplete",
        message: expect.stringContaining("None of the board's 2 records can be used. Record 1 of a page"),
      });
      expect(JSON.stringify(end)).toContain(why.replaceAll('"', String.raw`\"`));
    },
  );

  it("is named as the config calls it", async () => {
    const { end } = await pullBody({ feedback: [{ meta: {} }] }, { fields: { id: "meta.key" } });
    expect(JSON.stringify(end)).toContain("`meta.key` is not there");
  });

  it("says once that ids are numbers and text, which no address tells apart", async () => {
    const { pages, posts } = await pullBody({ feedback: [{ id: 1 }, { id: "1" }, { id: "b" }] });
    expect(posts.map(({ id }) => id)).toEqual(["1", "1", "b"]);
    expect(pages[0]?.unusable).toEqual([expect.stringContaining('1 and "1" count as one post')]);
    expect((await pullBody({ feedback: [{ id: 1 }, { id: 2 }] })).pages[0]?.unusable).toEqual([]);
  });

  it("says of many unusable records only a few", async () => {
    const { pages } = await pullBody({ feedback: [post, ...Array.from({ length: 40 }, () => ({}))] });
    expect(pages[0]?.unusable).toHaveLength(6);
    expect(pages[0]?.unusable.at(-1)).toBe("And 35 more like this.");
  });
});

describe("what a listing shows of itself", () => {
  it("has the names of every key of the first page, and no value", async () => {
    const { pages } = await pullBody([
      { ...post, author: { email: "a@b.c" } },
      { id: "p2", "\u0007bell": 1 },
    ]);
    expect(pages[0]?.shape.keys).toEqual(["\\u{7}bell", "author", "id", "title"]);
  });

  it("leaves a post out that a page shows in several ways, and says so", async () => {
    const { posts, pages } = await pullBody([
      { id: "p1", title: "old" },
      { id: "p1", title: "new" },
      { id: "p2", title: "same" },
      { id: "p2", title: "same" },
    ]);
    expect(posts.map(({ id }) => id)).toEqual(["p2", "p2"]);
    expect(pages[0]?.unusable).toEqual(["Records of a page show the post p1 in several ways."]);
    expect(pages[0]?.end).toMatchObject({ kind: "lossy" });
  });

  it("takes no list for the posts that looks like none, where another one is empty", async () => {
    const categories = [{ id: "c1", name: "Billing" }];
    await expect(pullBody({ ideas: [], categories })).rejects.toThrow(
      /More than one list .*ideas.*categories/,
    );
    expect((await pullBody({ ideas: [{ id: "p1", title: "x" }], categories: [] })).posts).toHaveLength(1);
  });

  it("says once that a field has values of no use", async () => {
    const { log, posts, pages } = await pullBody([
      { id: "p1", votes: "many", status: { id: 7 } },
      { id: "p2", votes: { up: 1 }, title: "x" },
    ]);
    expect(posts.map(({ values }) => values)).toEqual([{}, { title: "x" }]);
    expect([...(pages[0]?.seen ?? [])]).toEqual(["title"]);
    expect(log.lines.filter((line) => line.includes("votes"))).toHaveLength(1);
    expect(log.lines.filter((line) => line.includes("status"))).toHaveLength(1);
    expect(log.lines).toHaveLength(2);
  });
});
