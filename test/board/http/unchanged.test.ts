import { describe, expect, it, onTestFinished } from "vitest";
import type { PostPage } from "../../../src/board/board.ts";
import type { HttpBoardOptions } from "../../../src/board/http/http.ts";
import type { KnownPages, PageTrace } from "../../../src/model/page.ts";
import { type SandboxBoard, startSandboxBoard } from "../../support/sandbox/board/board.ts";
import type { BoardStyleOptions, PagingStyle } from "../../support/sandbox/board/style.ts";
import { bounds, failureOf, givenBoard, key, postId, project, pull, records, serveAnswers } from "./given.ts";

const noon = Date.UTC(2026, 0, 1, 12);

/** Pages as a ledger would know them, from one listing to the next. */
function createMemory(): KnownPages & { learn(pages: readonly PostPage[]): void } {
  const traces = new Map<string, PageTrace>();
  return {
    find: async (request) => traces.get(request),
    learn(pages) {
      for (const { trace } of pages) if (trace !== undefined) traces.set(trace.request, trace);
    },
  };
}

interface Look {
  readonly isConditional?: boolean;
  readonly hasNotes?: boolean;
  readonly options?: Partial<HttpBoardOptions>;
}

/** Lists a board again and again, with what was learnt before. */
function createLooker(url: string) {
  const memory = createMemory();
  return async ({ isConditional = true, hasNotes = false, options = {} }: Look = {}): Promise<PostPage[]> => {
    const board = givenBoard(url, { key: options.key ?? key, ...options });
    const wishes = { hasNotes, known: memory, isConditional };
    const pages: PostPage[] = [];
    for await (const page of board.listPosts(project, bounds(), wishes)) {
      pages.push(page);
      memory.learn([page]);
    }
    return pages;
  };
}

/** Posts of each page by their ids; `=` where it is unchanged. */
function show(pages: readonly PostPage[]): string[] {
  return pages.map(({ isUnchanged, posts }) => (isUnchanged ? "=" : posts.map(({ id }) => id).join(" ")));
}

/** Five posts on pages of two. */
async function startBoard(style: BoardStyleOptions): Promise<SandboxBoard> {
  let now = noon;
  const board = await startSandboxBoard({
    key,
    now: () => {
      now += 1500;
      return now;
    },
    projects: [{ id: project }],
    style: { pageSize: 2, ...style },
  });
  onTestFinished(() => board.close());
  for (let post = 1; post <= 5; post += 1) board.addPost(project);
  return board;
}

function conditionsAsked(board: SandboxBoard): number {
  const names = ["if-none-match", "if-modified-since"];
  return board.requests.filter(({ headers }) => names.some((name) => name in headers)).length;
}

const pagings: readonly PagingStyle[] = [
  { kind: "none" },
  { kind: "link" },
  { kind: "next" },
  { kind: "cursor", hasMore: true },
  { kind: "page" },
  { kind: "offset" },
];
const validators = ["none", "etag", "weak-etag", "list-etag", "last-modified"] as const;

describe("a page that is known by something that nobody has written", () => {
  it.each(["{", "5", "null", "[]", "{}", '{"before":{},"after":5}'])("(%s) is read", async (reading) => {
    const board = await startBoard({});
    const memory = createMemory();
    const known: KnownPages = {
      find: async (request) => {
        const trace = await memory.find(request);
        return trace && { ...trace, reading };
      },
    };
    const look = async (): Promise<PostPage[]> => {
      const pages: PostPage[] = [];
      const wishes = { hasNotes: false, known, isConditional: false };
      for await (const page of givenBoard(board.url, { key }).listPosts(project, bounds(), wishes))
        pages.push(page);
      memory.learn(pages);
      return pages;
    };
    const first = show(await look());
    expect(first).toHaveLength(3);
    expect(show(await look())).toEqual(first);
  });
});

describe("a board on which nothing has changed", () => {
  it.each(pagings.flatMap((paging) => validators.map((validator) => [paging, validator] as const)))(
    "is told without reading it again: %o, %s",
    async (paging, validator) => {
      const board = await startBoard({ paging, validators: validator });
      const look = createLooker(board.url);
      const first = await look();
      const again = await look();
      expect(again.map(({ isUnchanged, posts }) => [isUnchanged, posts])).toEqual(
        first.map(() => [true, []]),
      );
      const rest = ({ seen, shape, unusable, end, trace }: PostPage) => [seen, shape, unusable, end, trace];
      expect(again.map(rest)).toEqual(first.map(rest));
      expect(conditionsAsked(board)).toBe(validator === "none" ? 0 : first.length);
    },
  );

  it("sends no page that it was asked for conditionally", async () => {
    const board = await startBoard({ validators: "etag" });
    const asked = givenBoard(board.url);
    const memory = createMemory();
    const wishes = { hasNotes: false, known: memory, isConditional: true };
    for (let listing = 0; listing < 2; listing += 1) {
      for await (const page of asked.listPosts(project, bounds(), wishes)) memory.learn([page]);
    }
    expect(Object.fromEntries(asked.answers)).toEqual({ 200: 3, 304: 3 });
  });

  it("is asked for its pages as such where its word is not enough, and they are still compared", async () => {
    const board = await startBoard({ validators: "etag" });
    const look = createLooker(board.url);
    await look();
    expect(show(await look({ isConditional: false }))).toEqual(["=", "=", "="]);
    expect(conditionsAsked(board)).toBe(0);
  });
});

describe("a page that has changed", () => {
  it.each(validators)("is read, and the others are not: %s", async (validator) => {
    const board = await startBoard({ validators: validator });
    const look = createLooker(board.url);
    await look();
    board.editPost(project, "p3", { title: "Another" });
    const pages = await look();
    expect(show(pages)).toEqual(["=", "p3 p4", "="]);
    expect(pages[1]?.posts[0]?.values.title).toBe("Another");
    expect(show(await look())).toEqual(["=", "=", "="]);
  });

  it("is read when nothing but the way to the next page is another", async () => {
    const body = records(2);
    const link = (to: string) => ({ link: `</api/v1/feedback?project=${project}&cursor=${to}>; rel="next"` });
    const last = { body: records(1, 3) };
    const { url } = await serveAnswers([
      { body, headers: link("a") },
      last,
      { body, headers: link("b") },
      last,
    ]);
    const look = createLooker(url);
    expect(show(await look())).toEqual(["p1 p2", "p3"]);
    expect(show(await look())).toEqual(["p1 p2", "p3"]);
  });

  it("is found at the next look that does not ask its board, where its tag stays the same", async () => {
    const board = await startBoard({ validators: "stuck-etag" });
    const look = createLooker(board.url);
    await look();
    board.editPost(project, "p3", { title: "Another" });
    expect(show(await look())).toEqual(["=", "=", "="]);
    expect(show(await look({ isConditional: false }))).toEqual(["=", "p3 p4", "="]);
  });

  it("within the second of its own time is found: such a time is not asked by", async () => {
    const board = await startSandboxBoard({
      key,
      now: () => noon,
      projects: [{ id: project }],
      style: { validators: "last-modified" },
    });
    onTestFinished(() => board.close());
    board.addPost(project);
    const look = createLooker(board.url);
    await look();
    board.editPost(project, "p1", { title: "Another" });
    expect(show(await look())).toEqual(["p1"]);
    expect(conditionsAsked(board)).toBe(0);
  });

  it.each([
    ["x-next-page", "2"],
    ["x-total-count", "3"],
    ["x-total-pages", "2"],
    ["content-range", "0-0/3"],
  ])("where only its %s has changed, which says how the list goes on", async (name, value) => {
    const body = { feedback: [{ id: "p1" }] };
    const { url } = await serveAnswers([
      { body },
      { body },
      { body, headers: { [name]: value } },
      { body: { feedback: [{ id: "p2" }, { id: "p3" }] }, headers: { [name]: "" } },
    ]);
    const look = createLooker(url);
    expect(show(await look())).toEqual(["p1"]);
    expect(show(await look())).toEqual(["="]);
    expect(show(await look())[0]).toBe("p1");
  });

  it("so that all posts of a known one have come before ends the list as incomplete, as ever", async () => {
    const board = await startBoard({ paging: { kind: "page" } });
    const look = createLooker(board.url);
    await look();
    const body = { feedback: [{ id: "p3" }, { id: "p4" }], page: 1, totalPages: 3 };
    board.failNext({ kind: "answer", status: 200, body });
    const pages = await look();
    expect(show(pages)).toEqual(["p3 p4", "="]);
    expect(pages.at(-1)?.end?.kind).toBe("incomplete");
  });
});

describe("a known page is read anew", () => {
  it("with other settings, by another version, and for the notes on it", async () => {
    const board = await startBoard({ validators: "etag" });
    const look = createLooker(board.url);
    await look();
    const everything = ["p1 p2", "p3 p4", "p5"];
    expect(show(await look({ options: { overrides: { fields: { status: "title" } } } }))).toEqual(everything);
    expect(show(await look({ options: { version: "1.2.4" } }))).toEqual(everything);
    const pages = await look({ hasNotes: true });
    expect(show(pages)).toEqual(everything);
    expect(pages[0]?.notes?.get(postId("p1"))).toBe("");
    expect(conditionsAsked(board)).toBe(0);
    expect(show(await look())).toEqual(["=", "=", "="]);
  });

  it("when the pages before it have told something else of the list's shape", async () => {
    const next = { nextCursor: "2" };
    const rest = { body: { feedback: [{ id: "p2", uuid: "u2" }] } };
    const { url } = await serveAnswers([
      { body: { feedback: [{ id: "p1", uuid: 7 }], ...next } },
      { body: { feedback: [{ id: "p2" }] } },
      { body: { feedback: [{ uuid: "u1" }], ...next } },
      rest,
    ]);
    const look = createLooker(url);
    const error = await failureOf(look());
    expect(error.fault).toBe("unreadable");
    const first = { body: { posts: [{ id: "p1" }], feedback: 1, ...next } };
    const second = { body: { feedback: [{ id: "p2" }], posts: [{ id: "p3" }] } };
    const other = { body: { feedback: [{ id: "p1" }], ...next } };
    const shifting = await serveAnswers([first, second, other, second]);
    const again = createLooker(shifting.url);
    expect(show(await again())).toEqual(["p1", "p3"]);
    expect(show(await again())).toEqual(["p1", "p2"]);
  });
});

describe("an answer that nothing has changed", () => {
  it("is an error where that was not asked", async () => {
    const { url } = await serveAnswers([{ status: 304 }]);
    const error = await failureOf(pull(givenBoard(url)));
    expect([error.fault, error.message]).toEqual([
      "refused",
      `${url}/feedback answered that nothing has changed (HTTP 304), but was not asked that. A proxy in between may answer for the board.`,
    ]);
  });
});

describe("what is kept of a page", () => {
  it("is nothing where the board has put the key into it", async () => {
    const body = { feedback: records(2), nextCursor: `of-${key}` };
    const { url } = await serveAnswers([{ body }, { body: { feedback: records(1, 3), nextCursor: null } }]);
    const [first, second] = (await pull(givenBoard(url))).pages;
    expect(first?.trace).toBeUndefined();
    expect(second?.trace).toBeDefined();
  });

  it.each(['"a b"', "unquoted", `"${"x".repeat(600)}"`])("is no entity tag like %s", async (etag) => {
    const { url } = await serveAnswers([{ body: [], headers: { etag } }]);
    expect((await pull(givenBoard(url))).pages[0]?.trace?.etag).toBeUndefined();
  });

  it("holds no text of a post, and no person", async () => {
    const board = await startBoard({});
    board.addPost(project, { title: "A secret wish", internalNote: "hush" });
    const { pages } = await pull(givenBoard(board.url));
    expect(JSON.stringify(pages.map(({ trace }) => trace))).not.toMatch(/wish|hush|Ada|example\.com/);
  });
});
