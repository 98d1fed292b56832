import { describe, expect, it } from "vitest";
import type { AuditEntry } from "../../src/ledger/journal.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { timesOf } from "../../src/plan/pace.ts";
import {
  createIntent,
  createIssue,
  createPatchLine,
  createPost,
  hourMs,
  linkPost,
  noon,
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

export function describeUpkeep(ledger: () => Ledger): void {
  /** A run of one project, with what its report says. */
  const finishRun = (at: number, report: object = { failed: 0 }): number => {
    const { runs } = ledger();
    const run = runs.begin(at).run;
    ledger().commit([
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
  const audit = (changes: Partial<AuditEntry> = {}): void =>
    ledger().commit([{ kind: "audit", entry: { ...createPatchLine(), ...changes } }]);
  const auditMany = (count: number): void =>
    ledger().commit(Array.from({ length: count }, () => ({ kind: "audit", entry: createPatchLine() })));
  const prune = (now = later): void => ledger().upkeep.prune(now, keepMs);
  const history = (): readonly AuditEntry[] => ledger().journal.history(project, undefined, 20_000);
  const countRuns = (): number =>
    ledger()
      .browse.runs(0, hourMs)
      .spans.reduce((sum, { runs }) => sum + runs, 0);

  describe("pruning", () => {
    it("deletes what is old and over, and keeps what is young, open or still asked for", () => {
      const { journal, runs, rows } = ledger();
      pullPosts(ledger(), [createPost("p1")]);
      finishRun(noon);
      finishRun(noon, { failed: 1 });
      audit();
      audit({ at: noon + 1 });
      ledger().commit([{ kind: "pace-write", at: noon, isCreate: true, budget: "", project }]);
      ledger().commit([
        { kind: "resolve", intent: sendIntent(ledger()), state: "DONE", at: noon, message: "opened" },
      ]);
      const open = sendIntent(ledger());
      ledger().commit([{ kind: "resolve", intent: open, state: "UNKNOWN", at: noon, message: "no answer" }]);
      prune();
      expect(history()).toHaveLength(1);
      expect(timesOf(ledger().pace.writes(0, "")).all).toEqual([]);
      expect(journal.open(project).map(({ id }) => id)).toEqual([open]);
      expect(runs.last("one")?.report).toMatchObject({ failed: 1 });
      expect(countRuns()).toBe(1);
      expect(rows.counts(project).posts).toBe(1);
    });

    it("tells from when on the audit is whole, and of which run something was lost", () => {
      audit({ run: 7 });
      audit({ run: 8, at: later });
      prune(noon + keepMs);
      expect(ledger().upkeep.size().pruned).toBeUndefined();
      prune();
      expect(ledger().upkeep.size().pruned).toEqual({ before: noon + 1, run: 7 });
    });

    it("leaves what the guard and the pace count", () => {
      const { journal } = ledger();
      audit({ at: later - hourMs, fields: [{ field: "status", value: "planned" }] });
      ledger().commit([{ kind: "pace-write", at: later - hourMs, isCreate: true, budget: "", project }]);
      prune();
      expect(journal.statusWrites(project, later - hourMs)).toBe(1);
      expect(timesOf(ledger().pace.writes(later - hourMs, "")).creates).toHaveLength(1);
    });

    it("leaves the line of an opened issue as long as nothing else tells that it is ours", () => {
      const { pulls } = ledger();
      pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      for (const [post, number] of [
        ["p1", 7],
        ["p2", 8],
      ] as const) {
        audit({ post: postId(post), kind: "create-issue", side: "tracker" });
        linkPost(ledger(), post, createIssue(number));
      }
      ledger().commit([
        { kind: "end-links", project, post: postId("p1"), issues: [refOf(createIssue(7))], at: noon },
      ]);
      prune();
      expect(history().map(({ post }) => post)).toEqual(["p1"]);
      const marked = { issue: refOf(createIssue(7)), project, posts: [postId("p1")], isOwn: true };
      expect(pulls.mark(marked).isExplained).toBe(true);
    });

    it("stops after a bounded number of lines, and goes on with the next call", () => {
      auditMany(12_000);
      prune();
      expect(history().length).toBe(2000);
      prune();
      expect(history()).toEqual([]);
    });

    it("keeps what an intent has become as long as the audit asks for it", () => {
      const { journal } = ledger();
      auditMany(10_000);
      const intent = journal.prepare(createIntent({ kind: "patch-post" }));
      ledger().commit([{ kind: "mark-sent", intent, at: noon }]);
      audit({ run: 9, intent, outcome: "unknown" });
      ledger().commit([{ kind: "resolve", intent, state: "DONE", at: noon, message: "found out" }]);
      prune();
      expect(journal.writesOf(9)).toMatchObject([{ outcome: "applied" }]);
    });
  });

  describe("runs that told nothing new", () => {
    it("are counted by the hour after a day, and the first, the last and those with news stay", () => {
      const reports = [
        { failed: 0 },
        { failed: 0 },
        { failed: 1, errors: ["no"] },
        { failed: 1, errors: ["no"] },
        { failed: 0 },
        { failed: 0 },
        { failed: 0 },
      ];
      const runs = reports.map((report, index) => finishRun(noon + index, report));
      const before = ledger().browse.runs(noon, hourMs);
      prune(noon + dayMs + 1000);
      expect(ledger().browse.runs(noon, hourMs)).toEqual(before);
      expect(before).toMatchObject({ spans: [{ span: 0, runs: 7, failures: 2, longestMs: 1000 }] });
      expect(ledger().runs.last("one")?.run).toBe(runs.at(-1));
      prune(noon + dayMs + 2000);
      expect(countRuns()).toBe(7);
    });

    it("stay for a day", () => {
      const minuteMs = 60_000;
      const atFive = noon + 5 * minuteMs;
      const spans = () =>
        ledger()
          .browse.runs(noon, minuteMs)
          .spans.map(({ span, runs }) => [span, runs]);
      for (let run = 0; run < 5; run += 1) finishRun(atFive);
      prune(atFive + dayMs);
      expect(spans()).toEqual([[5, 5]]);
      prune(atFive + dayMs + 1);
      expect(spans()).toEqual([
        [0, 3],
        [5, 2],
      ]);
    });

    it("are forgotten when the history is", () => {
      for (let run = 0; run < 5; run += 1) finishRun(noon);
      prune(noon + dayMs + 1);
      expect(countRuns()).toBe(5);
      prune(noon + keepMs + hourMs);
      expect(countRuns()).toBe(1);
    });

    it("are none of those that wrote something", () => {
      const runs = [1, 2, 3, 4].map(() => finishRun(noon));
      audit({ run: Number(runs[1]), at: noon });
      audit({ run: Number(runs[2]), at: noon });
      prune(noon + dayMs + 1);
      expect(runs.map((run) => ledger().journal.writesOf(run).length)).toEqual([0, 1, 1, 0]);
    });
  });

  describe("the size of the state", () => {
    it("is told with what of it is free, and how many links it holds", () => {
      pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      linkPost(ledger(), "p1", createIssue(7));
      linkPost(ledger(), "p2", createIssue(7));
      auditMany(3000);
      const full = ledger().upkeep.size();
      expect(full).toMatchObject({ links: 2 });
      expect(full.bytes).toBeGreaterThan(300_000);
      prune();
      const empty = ledger().upkeep.size();
      expect(empty.freeBytes).toBeGreaterThan(full.freeBytes + 300_000);
      auditMany(2000);
      expect(ledger().upkeep.size().bytes).toBe(empty.bytes);
    });
  });
}
