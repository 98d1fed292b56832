import { describe, expect, it } from "vitest";
import type { Change } from "../../src/ledger/change.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { LinkSearch } from "../../src/ledger/rows.ts";
import {
  createIssue,
  createParked,
  createPost,
  createRecord,
  createRepositoryMemory,
  hourMs,
  linkPost,
  noon,
  otherProject,
  postId,
  project,
  pullPosts,
  quarantinePost,
  refOf,
  settleAll,
} from "./samples.ts";

export function describeBrowse(ledger: () => Ledger, isNear: boolean): void {
  const browse = (search: Partial<LinkSearch> = {}) =>
    ledger().browse.links(project, { text: "", state: "any", after: undefined, limit: 10, ...search });
  const posts = async (search: Partial<LinkSearch> = {}): Promise<readonly string[]> =>
    (await browse(search)).links.map(({ post }) => post);

  describe("the list of links", () => {
    it("shows the newest issue first, with what is known of both sides", async () => {
      await ledger().commit([{ kind: "remember-repository", memory: createRepositoryMemory() }]);
      await pullPosts(ledger(), [createPost("p1"), createPost("p2", { status: "done" }), createPost("p3")]);
      await linkPost(ledger(), "p1", createIssue(7));
      await linkPost(ledger(), "p2", createIssue(9, { state: "closed", stateReason: "completed" }));
      expect(await browse()).toEqual({
        links: [
          {
            post: "p2",
            title: "Title of p2",
            status: "done",
            issue: { repositoryId: 10, number: 9 },
            repository: "acme/app",
            state: "closed",
            stateReason: "completed",
            absence: undefined,
            waits: [],
          },
          {
            post: "p1",
            title: "Title of p1",
            status: "open",
            issue: { repositoryId: 10, number: 7 },
            repository: "acme/app",
            state: "open",
            stateReason: undefined,
            absence: undefined,
            waits: [],
          },
        ],
        next: undefined,
      });
      const all = { text: "", state: "any", after: undefined, limit: 10 } as const;
      expect(await ledger().browse.links(otherProject, all)).toEqual({ links: [], next: undefined });
    });

    it("is read page by page, each link once", async () => {
      await linkMany(ledger(), 25);
      const pages: string[][] = [];
      let after: string | undefined;
      do {
        const page = await browse({ after });
        pages.push(page.links.map(({ post }) => post));
        after = page.next;
      } while (after !== undefined);
      expect(pages.map((page) => page.length)).toEqual([10, 10, 5]);
      expect(new Set(pages.flat()).size).toBe(25);
      expect(pages[0]?.[0]).toBe("p25");
    });

    it("takes a place that no page gave for the beginning", async () => {
      await linkMany(ledger(), 3);
      expect(await posts({ after: "' OR 1=1" })).toEqual(["p3", "p2", "p1"]);
    });

    it.each([
      ["a title", "ÉTÉ", ["p2"]],
      ["an id", "p1", ["p1"]],
      ["an issue", "acme/APP#2", ["p2"]],
      ["any text, with the signs of a pattern", "100%", ["p3"]],
      ["nothing there", "%", ["p3"]],
      ["nothing at all", "zzz", []],
    ])("finds %s by a part of it, in any case", async (_, text, found) => {
      await ledger().commit([{ kind: "remember-repository", memory: createRepositoryMemory() }]);
      await pullPosts(ledger(), [
        createPost("p1"),
        createPost("p2", { title: "En été" }),
        createPost("p3", { title: "100% done" }),
        createPost("p4", { title: 7 }),
      ]);
      for (const [index, id] of ["p1", "p2", "p3", "p4"].entries())
        await linkPost(ledger(), id, createIssue(index + 1));
      expect(await posts({ text })).toEqual(found);
    });

    it("finds by the state of the issue, and by what waits for a person", async () => {
      await linkMany(ledger(), 4);
      await ledger().commit([
        { kind: "store-issues", issues: [createIssue(2, { state: "closed" })], marked: [] },
        {
          kind: "set-absence",
          issue: { repositoryId: 10, number: 1 },
          absence: { kind: "lost", since: noon },
        },
        { kind: "park", project, post: postId("p3"), parked: createParked() },
        quarantinePost(project, postId("p3")),
      ]);
      expect(await posts({ state: "open" })).toEqual(["p4", "p3"]);
      expect(await posts({ state: "closed" })).toEqual(["p2"]);
      expect(await posts({ state: "absent" })).toEqual(["p1"]);
      expect((await browse({ state: "waiting" })).links).toMatchObject([
        { post: "p3", waits: ["parked", "quarantined"] },
      ]);
    });

    it.runIf(isNear)(
      "ends a search that finds little before it has held up others, and says where to go on",
      async () => {
        await linkMany(ledger(), 101);
        await pullPosts(ledger(), [createPost("p1", { title: "The oldest" })], 2);
        const links = Array.from({ length: 9_900 }, (_, index): Change => {
          const issue = createIssue(102 + index);
          const link = {
            post: postId(`p${2 + ((102 + index) % 100)}`),
            issue: refOf(issue),
            origin: "opened",
          } as const;
          return { kind: "link", project, link, issue, content: undefined };
        });
        await ledger().commit(links);
        const first = await browse({ text: "oldest" });
        expect(first).toEqual({ links: [], next: expect.any(String) });
        expect(await posts({ text: "oldest", after: first.next })).toEqual(["p1"]);
      },
    );
  });

  describe("what waits", () => {
    it("is found by its kind, the oldest first", async () => {
      const { rows: look } = ledger();
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      await settleAll(ledger());
      const action = { kind: "patch-post", signature: "s1" } as const;
      const notes = [
        { kind: "held", cause: "guard", message: "too many", since: noon + 1, action },
        { kind: "waiting", cause: "pace", message: "the pace", since: noon + 2 },
      ] as const;
      await ledger().commit([
        { kind: "record-row", project, post: postId("p1"), record: createRecord({ notes }) },
        { kind: "park", project, post: postId("p2"), parked: createParked() },
      ]);
      const [parked, held, waiting] = [
        { post: "p2", kind: "parked", code: "board.rejected", since: noon },
        { post: "p1", kind: "held", cause: "guard", since: noon + 1, title: "Title of p1" },
        { post: "p1", kind: "waiting", cause: "pace", since: noon + 2 },
      ];
      expect((await look.waiting(project, 10, ["held"]))[0]?.code).toBe(undefined);
      expect(await look.waiting(project, 10, ["held", "quarantined", "parked"])).toMatchObject([
        parked,
        held,
      ]);
      expect(await look.waiting(project, 10, ["parked", "waiting"])).toMatchObject([parked, waiting]);
      expect(await look.waiting(project, 1, ["parked", "held"])).toHaveLength(1);
      expect(await look.waiting(otherProject, 10, ["parked"])).toEqual([]);
    });
  });

  describe("the history of runs", () => {
    it("adds up what each span of time has done", async () => {
      expect(await ledger().browse.runs(noon, hourMs)).toEqual({
        spans: [],
        countedFrom: undefined,
        isCut: false,
      });
      await finishRun(ledger(), noon - 1, 5, { created: 9 });
      await finishRun(ledger(), noon, 40, { created: 1, issueWrites: 2 }, { postWrites: 3, failed: 1 });
      await finishRun(ledger(), noon + hourMs - 1, 90, {});
      await finishRun(ledger(), noon + 3 * hourMs, 7, { failed: 2 });
      await ledger().runs.begin(noon + 4 * hourMs);
      expect(await ledger().browse.runs(noon, hourMs)).toEqual({
        spans: [
          { span: 0, runs: 2, writes: 6, failures: 1, longestMs: 90 },
          { span: 3, runs: 1, writes: 0, failures: 2, longestMs: 7 },
        ],
        countedFrom: noon,
        isCut: false,
      });
    });

    it.runIf(isNear)("counts the newest of very many runs, and says so", async () => {
      const runs: number[] = [];
      for (let at = noon; at < noon + 22_001; at++) runs.push((await ledger().runs.begin(at)).run);
      await ledger().commit(runs.map((run, index) => finished(run, noon + index, 5, [{}])));
      expect(await ledger().browse.runs(noon, hourMs)).toMatchObject({
        spans: [{ span: 0, runs: 22_000 }],
        countedFrom: noon + 1,
        isCut: true,
      });
    });
  });
}

/** Posts p1, p2, … with the issues 1, 2, … */
async function linkMany(ledger: Ledger, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => `p${index + 1}`);
  await pullPosts(
    ledger,
    ids.map((id) => createPost(id)),
  );
  for (const [index, id] of ids.entries()) await linkPost(ledger, id, createIssue(index + 1));
}

type Counts = Partial<Record<"created" | "issueWrites" | "postWrites" | "failed", number>>;

/** A run that took `ms`, with a report for each project. */
async function finishRun(
  ledger: Ledger,
  startedAt: number,
  ms: number,
  ...reports: readonly Counts[]
): Promise<void> {
  await ledger.commit([finished((await ledger.runs.begin(startedAt)).run, startedAt, ms, reports)]);
}

function finished(run: number, startedAt: number, ms: number, reports: readonly Counts[]) {
  const projects = reports.map((counts, index) => ({
    project: `p${index}`,
    report: { created: 0, issueWrites: 0, postWrites: 0, failed: 0, ...counts },
  }));
  return {
    kind: "finish-run",
    run,
    record: { finishedAt: startedAt + ms, result: "ok", projects },
  } as const;
}
