import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { PageTrace } from "../../src/model/page.ts";
import type { Post } from "../../src/model/post.ts";
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
function pullPages(ledger: Ledger, run: number, pages: Pages, at = noon): void {
  const pull = ledger.pulls.begin(project, run, at);
  for (const [request, posts] of Object.entries(pages)) {
    ledger.commit([
      { kind: "store-posts", pull, posts, at, trace: traceOf(request, { digest: JSON.stringify(posts) }) },
    ]);
  }
  ledger.commit([{ kind: "end-pull", pull, end: "complete", at }]);
}

/** Which of these pages the next pull would know. */
function known(ledger: Ledger, ...requests: readonly string[]): readonly string[] {
  const pull = ledger.pulls.begin(project, 99, noon);
  const found = requests.filter((request) => ledger.pulls.knownPage(pull, request) !== undefined);
  for (const request of found) {
    const trace = ledger.pulls.knownPage(pull, request)?.trace;
    if (trace !== undefined) ledger.commit([{ kind: "see-page", pull, trace, at: noon }]);
  }
  ledger.commit([{ kind: "end-pull", pull, end: "usable", at: noon }]);
  return found;
}

const [p1, p2, p3] = [createPost("p1"), createPost("p2"), createPost("p3")];
const changed = createPost("p1", { votes: 9 });

export function describePages(ledger: () => Ledger): void {
  describe("a page that is what it was", () => {
    it("is known by its request, with its trace, in its own project", () => {
      const trace = traceOf("a", {
        etag: '"1"',
        lastModified: "Thu, 01 Jan 2026 12:00:00 GMT",
        reading: "x",
      });
      const pull = ledger().pulls.begin(project, 1, noon);
      ledger().commit([
        { kind: "store-posts", pull, posts: [p1], at: noon, trace },
        { kind: "store-posts", pull, posts: [p2], at: noon },
        { kind: "end-pull", pull, end: "complete", at: noon },
      ]);
      const next = ledger().pulls.begin(project, 2, noon);
      expect(ledger().pulls.knownPage(next, "a")?.trace).toEqual(trace);
      expect(ledger().pulls.knownPage(next, "b")?.trace).toBeUndefined();
      const other = ledger().pulls.begin(otherProject, 2, noon);
      expect(ledger().pulls.knownPage(other, "a")?.trace).toBeUndefined();
    });

    it("is a look at each of its posts: seen now, not missing, not due", () => {
      pullPages(ledger(), 1, { a: [p1, p2], b: [p3] });
      settleAll(ledger());
      const later = noon + hourMs;
      const pull = ledger().pulls.begin(project, 2, later);
      const page = ledger().pulls.knownPage(pull, "a");
      expect(page?.posts).toBe(2);
      if (page === undefined) throw new Error("The page is not known.");
      ledger().commit([{ kind: "see-page", pull, trace: page.trace, at: later }]);
      expect(ledger().pulls.measure(pull)).toMatchObject({ posts: 2, added: 0 });
      ledger().commit([{ kind: "end-pull", pull, end: "complete", at: later }]);
      expect(["p1", "p2", "p3"].map((id) => readRow(ledger(), id).seenAt)).toEqual([later, later, noon]);
      expect(["p1", "p2", "p3"].map((id) => readRow(ledger(), id).missing)).toEqual([0, 0, 1]);
      expect(dueIds(ledger())).toEqual(["p3"]);
    });

    it("is known from a pull that broke off, too", () => {
      const pull = ledger().pulls.begin(project, 1, noon);
      ledger().commit([
        { kind: "store-posts", pull, posts: [p1], at: noon, trace: traceOf("a") },
        { kind: "end-pull", pull, end: "incomplete", at: noon },
      ]);
      expect(known(ledger(), "a")).toEqual(["a"]);
    });

    it("may be asked for in another way from then on", () => {
      pullPages(ledger(), 1, { a: [p1] });
      const pull = ledger().pulls.begin(project, 2, noon);
      const trace = ledger().pulls.knownPage(pull, "a")?.trace;
      if (trace !== undefined)
        ledger().commit([{ kind: "see-page", pull, trace: { ...trace, etag: '"2"' }, at: noon }]);
      ledger().commit([{ kind: "end-pull", pull, end: "complete", at: noon }]);
      const next = ledger().pulls.begin(project, 3, noon);
      expect(ledger().pulls.knownPage(next, "a")?.trace.etag).toBe('"2"');
    });

    it("is taken only where it has just been found", () => {
      pullPages(ledger(), 1, { a: [p1], b: [p2] });
      const pull = ledger().pulls.begin(project, 2, noon);
      const trace = ledger().pulls.knownPage(pull, "a")?.trace;
      ledger().pulls.knownPage(pull, "b")?.trace;
      expect(() => trace && ledger().commit([{ kind: "see-page", pull, trace, at: noon }])).toThrow(
        "another page",
      );
    });

    it("is remembered however many there are", () => {
      const pages = Object.fromEntries(
        Array.from({ length: 250 }, (_, index) => [`page ${index}`, [createPost(`p${index}`)]]),
      );
      pullPages(ledger(), 1, pages);
      expect(known(ledger(), ...Object.keys(pages))).toHaveLength(250);
    });
  });

  describe("a page is unknown", () => {
    const act: readonly [string, (of: Ledger) => void][] = [
      [
        "we have written to one of its posts",
        (of) => of.commit([{ kind: "forget-look", project, post: postId("p1") }]),
      ],
      [
        "the board did not know one of its posts",
        (of) => of.commit([{ kind: "mark-missing", project, post: postId("p1") }]),
      ],
    ];

    it.each(act)("once %s", (_, touch) => {
      pullPages(ledger(), 1, { a: [p1, p2] });
      expect(known(ledger(), "a")).toEqual(["a"]);
      touch(ledger());
      expect(known(ledger(), "a")).toEqual([]);
    });

    it("while a page of the same pull has told one of its posts otherwise, and known again with its own words", () => {
      pullPages(ledger(), 1, { a: [p1], b: [p1, p2] });
      const pull = ledger().pulls.begin(project, 2, noon);
      ledger().commit([{ kind: "store-posts", pull, posts: [changed], at: noon, trace: traceOf("a") }]);
      expect(ledger().pulls.knownPage(pull, "b")?.trace).toBeUndefined();
      ledger().commit([
        { kind: "store-posts", pull, posts: [p1, p2], at: noon, trace: traceOf("b") },
        { kind: "end-pull", pull, end: "complete", at: noon },
      ]);
      expect(known(ledger(), "a", "b")).toEqual(["b"]);
    });

    it("only while a post of it is not as it was: the same page, read anew, is known", () => {
      pullPages(ledger(), 1, { a: [p1, p2] });
      ledger().commit([{ kind: "forget-look", project, post: postId("p1") }]);
      pullPages(ledger(), 2, { a: [p1, p2] });
      expect(dueIds(ledger())).toContain("p1");
      expect(known(ledger(), "a")).toEqual(["a"]);
    });

    it("once a pull has ended without it", () => {
      pullPages(ledger(), 1, { a: [p1], b: [p2] });
      pullPages(ledger(), 2, { a: [p1], c: [p2] });
      expect(known(ledger(), "a", "b", "c")).toEqual(["a", "c"]);
    });

    it("when its transaction is rolled back, with all that was read before it was written", () => {
      pullPages(ledger(), 1, { a: [p1] });
      const pull = ledger().pulls.begin(project, 2, noon);
      ledger().commit([{ kind: "store-posts", pull, posts: [p2], at: noon, trace: traceOf("b") }]);
      const read = { kind: "store-posts", pull, posts: [changed], at: noon, trace: traceOf("a") } as const;
      expect(() => ledger().commit([read, failing])).toThrow("not open");
      ledger().commit([{ kind: "end-pull", pull, end: "incomplete", at: noon }]);
      expect(known(ledger(), "a", "b")).toEqual([]);
      expect(readRow(ledger(), "p1").post).toEqual(p1);
    });

    it("when the look at it is rolled back", () => {
      pullPages(ledger(), 1, { a: [p1] }, noon);
      const pull = ledger().pulls.begin(project, 2, noon);
      const trace = ledger().pulls.knownPage(pull, "a")?.trace;
      if (trace === undefined) throw new Error("The page is not known.");
      const seen = { kind: "see-page", pull, trace, at: noon + hourMs } as const;
      expect(() => ledger().commit([seen, failing])).toThrow("not open");
      expect(readRow(ledger(), "p1").seenAt).toBe(noon);
      expect(() => ledger().commit([{ kind: "end-pull", pull, end: "complete", at: noon }])).toThrow(
        "can only be incomplete",
      );
    });
  });
}
