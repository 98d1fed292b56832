import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { PageTrace } from "../../src/model/page.ts";
import type { Post } from "../../src/model/post.ts";
import { inOrder, select } from "../../src/select.ts";
import {
  createPost,
  dueIds,
  failing,
  hourMs,
  noon,
  otherProject,
  postId,
  project,
  readRow,
  settleAll,
} from "./samples.ts";

function traceOf(request: string, changes: Partial<PageTrace> = {}): PageTrace {
  const trace = { request, digest: `of ${request}`, etag: undefined, lastModified: undefined };
  return { ...trace, reading: "{}", ...changes };
}

type Pages = Readonly<Record<string, readonly Post[]>>;

/** Pulls these pages, by what asks for them, completely. */
async function pullPages(ledger: Ledger, run: number, pages: Pages, at = noon): Promise<void> {
  const pull = await ledger.pulls.begin(project, run, at);
  for (const [request, posts] of Object.entries(pages)) {
    await ledger.commit([
      { kind: "store-posts", pull, posts, at, trace: traceOf(request, { digest: JSON.stringify(posts) }) },
    ]);
  }
  await ledger.commit([{ kind: "end-pull", pull, end: "complete", at }]);
}

/** Which of these pages the next pull would know. */
async function known(ledger: Ledger, ...requests: readonly string[]): Promise<readonly string[]> {
  const pull = await ledger.pulls.begin(project, 99, noon);
  const found = await select(
    requests,
    async (request) => (await ledger.pulls.knownPage(pull, request)) !== undefined,
  );
  for (const request of found) {
    const trace = (await ledger.pulls.knownPage(pull, request))?.trace;
    if (trace !== undefined) await ledger.commit([{ kind: "see-page", pull, trace, at: noon }]);
  }
  await ledger.commit([{ kind: "end-pull", pull, end: "usable", at: noon }]);
  return found;
}

const [p1, p2, p3] = [createPost("p1"), createPost("p2"), createPost("p3")];
const changed = createPost("p1", { votes: 9 });

export function describePages(ledger: () => Ledger): void {
  describe("a page that is what it was", () => {
    it("is known by its request, with its trace, in its own project", async () => {
      const trace = traceOf("a", {
        etag: '"1"',
        lastModified: "Thu, 01 Jan 2026 12:00:00 GMT",
        reading: "x",
      });
      const pull = await ledger().pulls.begin(project, 1, noon);
      await ledger().commit([
        { kind: "store-posts", pull, posts: [p1], at: noon, trace },
        { kind: "store-posts", pull, posts: [p2], at: noon },
        { kind: "end-pull", pull, end: "complete", at: noon },
      ]);
      const next = await ledger().pulls.begin(project, 2, noon);
      expect((await ledger().pulls.knownPage(next, "a"))?.trace).toEqual(trace);
      expect((await ledger().pulls.knownPage(next, "b"))?.trace).toBeUndefined();
      const other = await ledger().pulls.begin(otherProject, 2, noon);
      expect((await ledger().pulls.knownPage(other, "a"))?.trace).toBeUndefined();
    });

    it("is a look at each of its posts: seen now, not missing, not due", async () => {
      await pullPages(ledger(), 1, { a: [p1, p2], b: [p3] });
      await settleAll(ledger());
      const later = noon + hourMs;
      const pull = await ledger().pulls.begin(project, 2, later);
      const page = await ledger().pulls.knownPage(pull, "a");
      expect(page?.posts).toBe(2);
      if (page === undefined) throw new Error("The page is not known.");
      await ledger().commit([{ kind: "see-page", pull, trace: page.trace, at: later }]);
      expect(await ledger().pulls.measure(pull)).toMatchObject({ posts: 2 });
      await ledger().commit([{ kind: "end-pull", pull, end: "complete", at: later }]);
      expect(await inOrder(["p1", "p2", "p3"], async (id) => (await readRow(ledger(), id)).seenAt)).toEqual([
        later,
        later,
        noon,
      ]);
      expect(await inOrder(["p1", "p2", "p3"], async (id) => (await readRow(ledger(), id)).missing)).toEqual([
        0, 0, 1,
      ]);
      expect(await dueIds(ledger())).toEqual(["p3"]);
    });

    it("is known from a pull that broke off, too", async () => {
      const pull = await ledger().pulls.begin(project, 1, noon);
      await ledger().commit([
        { kind: "store-posts", pull, posts: [p1], at: noon, trace: traceOf("a") },
        { kind: "end-pull", pull, end: "incomplete", at: noon },
      ]);
      expect(await known(ledger(), "a")).toEqual(["a"]);
    });

    it("may be asked for in another way from then on", async () => {
      await pullPages(ledger(), 1, { a: [p1] });
      const pull = await ledger().pulls.begin(project, 2, noon);
      const trace = (await ledger().pulls.knownPage(pull, "a"))?.trace;
      if (trace !== undefined)
        await ledger().commit([{ kind: "see-page", pull, trace: { ...trace, etag: '"2"' }, at: noon }]);
      await ledger().commit([{ kind: "end-pull", pull, end: "complete", at: noon }]);
      const next = await ledger().pulls.begin(project, 3, noon);
      expect((await ledger().pulls.knownPage(next, "a"))?.trace.etag).toBe('"2"');
    });

    it("is taken only where it has just been found", async () => {
      await pullPages(ledger(), 1, { a: [p1], b: [p2] });
      const pull = await ledger().pulls.begin(project, 2, noon);
      const trace = (await ledger().pulls.knownPage(pull, "a"))?.trace;
      (await ledger().pulls.knownPage(pull, "b"))?.trace;
      await expect(
        async () => trace && (await ledger().commit([{ kind: "see-page", pull, trace, at: noon }])),
      ).rejects.toThrow("another page");
    });

    it("is remembered however many there are", async () => {
      const pages = Object.fromEntries(
        Array.from({ length: 250 }, (_, index) => [`page ${index}`, [createPost(`p${index}`)]]),
      );
      await pullPages(ledger(), 1, pages);
      expect(await known(ledger(), ...Object.keys(pages))).toHaveLength(250);
    });
  });

  describe("a page is unknown", () => {
    const act: readonly [string, (of: Ledger) => Promise<void>][] = [
      [
        "we have written to one of its posts",
        (of) => of.commit([{ kind: "forget-look", project, post: postId("p1") }]),
      ],
      [
        "the board did not know one of its posts",
        (of) => of.commit([{ kind: "mark-missing", project, post: postId("p1") }]),
      ],
    ];

    it.each(act)("once %s", async (_, touch) => {
      await pullPages(ledger(), 1, { a: [p1, p2] });
      expect(await known(ledger(), "a")).toEqual(["a"]);
      await touch(ledger());
      expect(await known(ledger(), "a")).toEqual([]);
    });

    it("while a page of the same pull has told one of its posts otherwise, and known again with its own words", async () => {
      await pullPages(ledger(), 1, { a: [p1], b: [p1, p2] });
      const pull = await ledger().pulls.begin(project, 2, noon);
      await ledger().commit([{ kind: "store-posts", pull, posts: [changed], at: noon, trace: traceOf("a") }]);
      expect((await ledger().pulls.knownPage(pull, "b"))?.trace).toBeUndefined();
      await ledger().commit([
        { kind: "store-posts", pull, posts: [p1, p2], at: noon, trace: traceOf("b") },
        { kind: "end-pull", pull, end: "complete", at: noon },
      ]);
      expect(await known(ledger(), "a", "b")).toEqual(["b"]);
    });

    it("only while a post of it is not as it was: the same page, read anew, is known", async () => {
      await pullPages(ledger(), 1, { a: [p1, p2] });
      await ledger().commit([{ kind: "forget-look", project, post: postId("p1") }]);
      await pullPages(ledger(), 2, { a: [p1, p2] });
      expect(await dueIds(ledger())).toContain("p1");
      expect(await known(ledger(), "a")).toEqual(["a"]);
    });

    it("once a pull has ended without it", async () => {
      await pullPages(ledger(), 1, { a: [p1], b: [p2] });
      await pullPages(ledger(), 2, { a: [p1], c: [p2] });
      expect(await known(ledger(), "a", "b", "c")).toEqual(["a", "c"]);
    });

    it("when its transaction is rolled back, with all that was read before it was written", async () => {
      await pullPages(ledger(), 1, { a: [p1] });
      const pull = await ledger().pulls.begin(project, 2, noon);
      await ledger().commit([{ kind: "store-posts", pull, posts: [p2], at: noon, trace: traceOf("b") }]);
      const read = { kind: "store-posts", pull, posts: [changed], at: noon, trace: traceOf("a") } as const;
      await expect(ledger().commit([read, failing])).rejects.toThrow("not open");
      await ledger().commit([{ kind: "end-pull", pull, end: "incomplete", at: noon }]);
      expect(await known(ledger(), "a", "b")).toEqual([]);
      expect((await readRow(ledger(), "p1")).post).toEqual(p1);
    });

    it("when the look at it is rolled back", async () => {
      await pullPages(ledger(), 1, { a: [p1] }, noon);
      const pull = await ledger().pulls.begin(project, 2, noon);
      const trace = (await ledger().pulls.knownPage(pull, "a"))?.trace;
      if (trace === undefined) throw new Error("The page is not known.");
      const seen = { kind: "see-page", pull, trace, at: noon + hourMs } as const;
      await expect(ledger().commit([seen, failing])).rejects.toThrow("not open");
      expect((await readRow(ledger(), "p1")).seenAt).toBe(noon);
      await expect(ledger().commit([{ kind: "end-pull", pull, end: "complete", at: noon }])).rejects.toThrow(
        "can only be incomplete",
      );
    });
  });
}
