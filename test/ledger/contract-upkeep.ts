import { describe, expect, it } from "vitest";
import type { AuditEntry } from "../../src/ledger/journal.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { timesOf } from "../../src/plan/pace.ts";
import { inOrder } from "../../src/select.ts";
import {
  createIssue,
  createPatchLine,
  createPost,
  hourMs,
  linkPost,
  noon,
  paceWrite,
  postId,
  project,
  pullPosts,
  refOf,
  sendIntent,
} from "./samples.ts";

const dayMs = 24 * hourMs;
const keepMs = 10 * dayMs;
/** By then everything from noon is older than `keepMs`. */
const later = noon + keepMs + 1;

/** @param isNear - whether what is free is used again at once: a server does so in its own time. */
export function describeUpkeep(ledger: () => Ledger, isNear: boolean): void {
  /** A run of one project, with what its report says. */
  const finishRun = async (at: number, report: object = { failed: 0 }): Promise<number> => {
    const { runs } = ledger();
    const run = (await runs.begin(at)).run;
    await ledger().commit([
      {
        kind: "finish-run",
        run,
        record: {
          finishedAt: at + 1000,
          result: "ok",
          projects: [{ project: "one", report: { ...report, requests: { board: run } } }],
        },
      },
    ]);
    return run;
  };
  const audit = (changes: Partial<AuditEntry> = {}): Promise<void> =>
    ledger().commit([{ kind: "audit", entry: { ...createPatchLine(), ...changes } }]);
  const auditMany = (count: number): Promise<void> =>
    ledger().commit(Array.from({ length: count }, () => ({ kind: "audit", entry: createPatchLine() })));
  const prune = (now = later): Promise<void> => ledger().upkeep.prune(now, keepMs);
  const history = (): Promise<readonly AuditEntry[]> => ledger().journal.history(project, undefined, 20_000);
  const countRuns = async (): Promise<number> =>
    (await ledger().browse.runs(0, hourMs)).spans.reduce((sum, { runs }) => sum + runs, 0);

  describe("pruning", () => {
    it("deletes what is old and over, and keeps what is young, open or still asked for", async () => {
      const { journal, runs, rows } = ledger();
      await pullPosts(ledger(), [createPost("p1")]);
      await finishRun(noon);
      await finishRun(noon, { failed: 1 });
      await audit();
      await audit({ at: noon + 1 });
      await paceWrite(ledger(), {});
      await ledger().commit([
        { kind: "resolve", intent: await sendIntent(ledger()), state: "DONE", at: noon, message: "opened" },
      ]);
      const open = await sendIntent(ledger());
      await ledger().commit([
        { kind: "resolve", intent: open, state: "UNKNOWN", at: noon, message: "no answer" },
      ]);
      await prune();
      expect(await history()).toHaveLength(1);
      expect(timesOf(await ledger().pace.writes(0, "")).all).toEqual([]);
      expect((await journal.open(project)).map(({ id }) => id)).toEqual([open]);
      expect((await runs.last("one"))?.report).toMatchObject({ failed: 1 });
      expect(await countRuns()).toBe(1);
      expect((await rows.counts(project)).posts).toBe(1);
    });

    it("tells from when on the audit is whole, and of which run something was lost", async () => {
      await audit({ run: 7 });
      await audit({ run: 8, at: later });
      await prune(noon + keepMs);
      expect((await ledger().upkeep.size()).pruned).toBeUndefined();
      await prune();
      expect((await ledger().upkeep.size()).pruned).toEqual({ before: noon + 1, run: 7 });
    });

    it("leaves what the guard and the pace count", async () => {
      const { journal } = ledger();
      await audit({ at: later - hourMs, fields: [{ field: "status", value: "planned" }] });
      await paceWrite(ledger(), { at: later - hourMs });
      await prune();
      expect(await journal.statusWrites(project, later - hourMs)).toBe(1);
      expect(timesOf(await ledger().pace.writes(later - hourMs, "")).creates).toHaveLength(1);
    });

    it("leaves the line of an opened issue as long as nothing else tells that it is ours", async () => {
      const { pulls } = ledger();
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      for (const [post, number] of [
        ["p1", 7],
        ["p2", 8],
      ] as const) {
        await audit({ post: postId(post), kind: "create-issue", side: "tracker" });
        await linkPost(ledger(), post, createIssue(number));
      }
      await ledger().commit([
        { kind: "end-links", project, post: postId("p1"), issues: [refOf(createIssue(7))], at: noon },
      ]);
      await prune();
      expect((await history()).map(({ post }) => post)).toEqual(["p1"]);
      const marked = { issue: refOf(createIssue(7)), project, posts: [postId("p1")], isOwn: true };
      expect((await pulls.marks([marked]))[0]?.isExplained).toBe(true);
    });

    it("stops after a bounded number of lines, and goes on with the next call", async () => {
      await auditMany(12_000);
      await prune();
      expect((await history()).length).toBe(2000);
      await prune();
      expect(await history()).toEqual([]);
    });

    it("keeps what an intent has become as long as the audit asks for it", async () => {
      const { journal } = ledger();
      await auditMany(10_000);
      const intent = await sendIntent(ledger(), { kind: "patch-post" });
      await audit({ run: 9, intent, outcome: "unknown" });
      await ledger().commit([{ kind: "resolve", intent, state: "DONE", at: noon, message: "found out" }]);
      await prune();
      expect(await journal.writesOf(9)).toMatchObject([{ outcome: "applied" }]);
    });
  });

  describe("runs that told nothing new", () => {
    it("are counted by the hour after a day, and the first, the last and those with news stay", async () => {
      const reports = [
        { failed: 0 },
        { failed: 0 },
        { failed: 1, errors: ["no"] },
        { failed: 1, errors: ["no"] },
        { failed: 0 },
        { failed: 0 },
        { failed: 0 },
      ];
      const runs = await inOrder(reports.entries(), async ([index, report]) =>
        finishRun(noon + index, report),
      );
      const before = await ledger().browse.runs(noon, hourMs);
      await prune(noon + dayMs + 1000);
      expect(await ledger().browse.runs(noon, hourMs)).toEqual(before);
      expect(before).toMatchObject({ spans: [{ span: 0, runs: 7, failures: 2, longestMs: 1000 }] });
      expect((await ledger().runs.last("one"))?.run).toBe(runs.at(-1));
      await prune(noon + dayMs + 2000);
      expect(await countRuns()).toBe(7);
    });

    it("stay for a day", async () => {
      const minuteMs = 60_000;
      const atFive = noon + 5 * minuteMs;
      const spans = async () =>
        (await ledger().browse.runs(noon, minuteMs)).spans.map(({ span, runs }) => [span, runs]);
      for (let run = 0; run < 5; run += 1) await finishRun(atFive);
      await prune(atFive + dayMs);
      expect(await spans()).toEqual([[5, 5]]);
      await prune(atFive + dayMs + 1);
      expect(await spans()).toEqual([
        [0, 3],
        [5, 2],
      ]);
    });

    it("count as of now when the clock is set back", async () => {
      for (let run = 0; run < 5; run += 1) await finishRun(noon);
      for (let run = 0; run < 5; run += 1) await finishRun(noon + 48 * hourMs);
      await prune(noon + 73 * hourMs);
      const counted = async () =>
        (await ledger().browse.runs(noon, hourMs)).spans.map(({ span, runs }) => [span, runs]);
      expect(await counted()).toEqual([
        [0, 5],
        [48, 5],
      ]);
      await ledger().runs.begin(noon + hourMs);
      expect(await counted()).toEqual([
        [0, 5],
        [1, 5],
      ]);
    });

    it("are forgotten when the history is", async () => {
      for (let run = 0; run < 5; run += 1) await finishRun(noon);
      await prune(noon + dayMs + 1);
      expect(await countRuns()).toBe(5);
      await prune(noon + keepMs + hourMs);
      expect(await countRuns()).toBe(1);
    });

    it("are none of those that wrote something", async () => {
      const runs = await inOrder([1, 2, 3, 4], async () => finishRun(noon));
      await audit({ run: Number(runs[1]), at: noon });
      await audit({ run: Number(runs[2]), at: noon });
      await prune(noon + dayMs + 1);
      expect(await inOrder(runs, async (run) => (await ledger().journal.writesOf(run)).length)).toEqual([
        0, 1, 1, 0,
      ]);
    });
  });

  describe("the size of the state", () => {
    it("is told with what of it is free, and how many links it holds", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      await linkPost(ledger(), "p1", createIssue(7));
      await linkPost(ledger(), "p2", createIssue(7));
      await auditMany(3000);
      const full = await ledger().upkeep.size();
      expect(full).toMatchObject({ links: 2 });
      expect(full.bytes).toBeGreaterThan(300_000);
      await prune();
      if (!isNear) return;
      const empty = await ledger().upkeep.size();
      expect(empty.freeBytes).toBeGreaterThan(full.freeBytes + 300_000);
      await auditMany(2000);
      expect((await ledger().upkeep.size()).bytes).toBe(empty.bytes);
    });
  });
}
