import { describe, expect, it } from "vitest";
import type { AuditEntry, NewIntent } from "../../src/ledger/journal.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { timesOf } from "../../src/plan/pace.ts";
import {
  content,
  createIntent,
  createPatchLine,
  createPost,
  createRepositoryMemory,
  hourMs,
  noon,
  otherProject,
  paceWrite,
  postId,
  prepareIntent,
  project,
  pullPosts,
  readRow,
  sendIntent,
} from "./samples.ts";

const patch: NewIntent = createIntent({
  kind: "patch-post",
  writes: [
    { field: "status", before: "open", value: "planned", target: { kind: "value", value: "planned" } },
    { field: "roadmapOrder", before: undefined, value: null, target: { kind: "none" } },
  ],
  updatedAtBefore: "2026-01-01T00:00:00Z",
  voters: 128,
});

const intents: readonly [string, NewIntent][] = [
  ["a new issue", createIntent({ repository: 10, content })],
  ["a change of an issue", createIntent({ kind: "update-issue", repository: 10, number: 7, content })],
  ["a change of a post", patch],
  [
    "what a board rule asks of an issue",
    createIntent({
      kind: "change-issue",
      repository: 10,
      number: 7,
      issueWrites: [
        { field: "state", before: "open", value: "closed", target: { kind: "value", value: "closed" } },
        { field: "label:no", before: undefined, value: true, target: { kind: "none" } },
      ],
    }),
  ],
];

const line: AuditEntry = {
  at: noon,
  run: 3,
  side: "board",
  project,
  post: postId("p1"),
  issue: { repository: "acme/app", number: 7 },
  kind: "patch-post",
  fields: [
    { field: "status", before: "open", value: "planned" },
    { field: "roadmapOrder", value: null },
  ],
  reason: "closed as completed",
  outcome: "applied",
  message: "accepted",
  isApproved: true,
};

const knownRepository = createRepositoryMemory();

export function describeJournal(ledger: () => Ledger): void {
  describe("an intent", () => {
    it.each(intents)("of %s comes back as it was sent", async (_, intent) => {
      const id = await sendIntent(ledger(), intent, noon + 1);
      expect(await ledger().journal.open(project)).toEqual([
        {
          ...intent,
          id,
          state: "SENT",
          attempts: 1,
          sentAt: noon + 1,
          unknownAt: undefined,
          message: undefined,
        },
      ]);
      expect(await ledger().journal.open(otherProject)).toEqual([]);
    });

    it("of a PATCH that is done shows in the post's row for 24 hours, with what the answer showed", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      const answer = { values: { status: "planned" }, updatedAt: "2026-01-02T00:00:00Z" } as const;
      for (const shown of [answer, undefined]) {
        const id = await sendIntent(ledger(), patch);
        const done = { state: "DONE", at: noon, message: "accepted", answer: shown } as const;
        await ledger().commit([{ kind: "resolve", intent: id, ...done }]);
      }
      const writes = patch.writes?.map(({ field, before, value }) => ({ field, before, value }));
      expect((await readRow(ledger(), "p1")).accepted).toEqual([
        { at: noon, writes, answer },
        { at: noon, writes },
      ]);
      const later = await ledger().rows.row(project, postId("p1"), noon + 25 * hourMs);
      expect(later?.accepted).toBeUndefined();
    });

    it("goes from sent over unknown to prepared and back, and counts its attempts", async () => {
      const { journal } = ledger();
      const id = await sendIntent(ledger(), {}, noon + 1);
      const shown = async (): Promise<object | undefined> => {
        const [intent] = await journal.open(project);
        return intent && [intent.state, intent.attempts, intent.sentAt, intent.unknownAt, intent.message];
      };
      expect(await shown()).toEqual(["SENT", 1, noon + 1, undefined, undefined]);
      await ledger().commit([
        { kind: "resolve", intent: id, state: "UNKNOWN", at: noon + 2, message: "no answer" },
      ]);
      expect(await shown()).toEqual(["UNKNOWN", 1, noon + 1, noon + 2, "no answer"]);
      await ledger().commit([
        { kind: "resolve", intent: id, state: "UNKNOWN", at: noon + 3, message: "the scan broke off" },
      ]);
      expect(await shown()).toEqual(["UNKNOWN", 1, noon + 1, noon + 2, "the scan broke off"]);
      await ledger().commit([
        { kind: "resolve", intent: id, state: "PREPARED", at: noon + 4, message: "not there" },
      ]);
      expect(await shown()).toEqual(["PREPARED", 1, noon + 1, undefined, "not there"]);
      expect(await sendIntent(ledger(), {}, noon + 5)).toBe(id);
      expect(await shown()).toEqual(["SENT", 2, noon + 5, undefined, "not there"]);
      await ledger().commit([
        { kind: "resolve", intent: id, state: "DONE", at: noon + 6, message: "opened" },
      ]);
      expect(await shown()).toBeUndefined();
    });

    it("that never left counts as no attempt", async () => {
      const id = await sendIntent(ledger());
      const end = { kind: "resolve", intent: id, state: "PREPARED", at: noon } as const;
      await ledger().commit([{ ...end, message: "not there" }]);
      await sendIntent(ledger());
      await ledger().commit([{ ...end, message: "not sent", isUnsent: true }]);
      expect(await ledger().journal.open(project)).toMatchObject([{ state: "PREPARED", attempts: 1 }]);
    });

    it.each(["SENT", "UNKNOWN"] as const)("that is %s is the only one of its kind", async (state) => {
      const { journal } = ledger();
      const id = await sendIntent(ledger());
      if (state === "UNKNOWN")
        await ledger().commit([
          { kind: "resolve", intent: id, state: "UNKNOWN", at: noon, message: "no answer" },
        ]);
      await expect(sendIntent(ledger())).rejects.toThrow("under way, or in doubt");
      await expect(sendIntent(ledger(), { bodyHash: "other" })).rejects.toThrow("under way, or in doubt");
      await sendIntent(ledger(), { kind: "patch-post" });
      await sendIntent(ledger(), { post: postId("p2") });
      await sendIntent(ledger(), { project: otherProject });
      expect(await journal.open(project)).toHaveLength(3);
    });

    it.each<[string, Partial<NewIntent>]>([
      ["another content", { bodyHash: "other" }],
      ["another repository", { repository: 102 }],
      ["another issue", { number: 8 }],
      ["other values", { writes: [] }],
    ])("that is prepared ends where %s is sent", async (_, changes) => {
      const { journal } = ledger();
      const place = { repository: 101, number: 7 };
      const id = await prepareIntent(ledger(), place);
      const next = await sendIntent(ledger(), { ...place, ...changes });
      expect(next).not.toBe(id);
      expect(await journal.open(project)).toMatchObject([{ id: next, state: "SENT", attempts: 1 }]);
    });

    it.each(["DONE", "REJECTED"] as const)("that is %s makes room for the next", async (state) => {
      const id = await sendIntent(ledger());
      await ledger().commit([{ kind: "resolve", intent: id, state, at: noon, message: "over" }]);
      expect(await sendIntent(ledger())).not.toBe(id);
      await expect(
        ledger().commit([{ kind: "resolve", intent: id, state: "DONE", at: noon, message: "again" }]),
      ).rejects.toThrow("not open");
    });

    it("of a change is taken up once its outcome is unknown, and stays open", async () => {
      const { journal } = ledger();
      const id = await sendIntent(ledger(), { kind: "change-issue", repository: 101, number: 7 });
      await expect(ledger().commit([{ kind: "take-up", intent: id, at: noon }])).rejects.toThrow(
        "not unknown",
      );
      await ledger().commit([
        { kind: "resolve", intent: id, state: "UNKNOWN", at: noon, message: "no answer" },
      ]);
      expect((await journal.open(project)).map(({ takenAt }) => takenAt)).toEqual([undefined]);
      await ledger().commit([{ kind: "take-up", intent: id, at: noon + 1 }]);
      expect(await journal.open(project)).toMatchObject([
        { state: "UNKNOWN", unknownAt: noon, takenAt: noon + 1 },
      ]);
      await ledger().commit([
        { kind: "resolve", intent: id, state: "DONE", at: noon + 5, message: "the issue shows it" },
      ]);
      expect(await journal.open(project)).toEqual([]);
    });

    it("is sent as one with its turn at the pace, or not at all", async () => {
      const { journal, pace } = ledger();
      const intent = createIntent();
      const sent = { kind: "mark-sent", intent, at: noon } as const;
      const turn = { kind: "pace-write", at: noon, isCreate: true, budget: "", project } as const;
      const taken = { ...turn, seen: { since: 0, writes: 1 } };
      await expect(ledger().commitSent([taken, sent], intent)).rejects.toThrow("not what it was");
      expect(await journal.open(project)).toEqual([]);
      await sendIntent(ledger());
      await expect(ledger().commitSent([turn, sent], intent)).rejects.toThrow("under way");
      expect(await pace.writes(0, "")).toEqual([]);
    });

    it("shows with its line who has paused what by then", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      const intent = createIntent();
      await ledger().commit([
        { kind: "pause", project, post: intent.post, at: noon },
        { kind: "pause-whole", project, at: noon + 1 },
      ]);
      const lines = [{ kind: "mark-sent", intent, at: noon + 2 } as const];
      const sent = await ledger().commitSent(lines, intent);
      const wholePause = { of: "project", since: noon + 1 };
      expect(sent).toEqual({ intent: expect.any(Number), pausedAt: noon, wholePause });
      const other = { project, post: postId("p2") };
      expect(await ledger().commitSent([], other)).toEqual({ intent: undefined, wholePause });
      const elsewhere = { project: otherProject, post: intent.post };
      expect(await ledger().commitSent([], elsewhere)).toEqual({ intent: undefined });
    });
  });

  describe("what a run has written", () => {
    const status: AuditEntry["fields"] = [{ field: "status", before: "open", value: "planned" }];
    const written = (of: Partial<AuditEntry>): AuditEntry => ({
      ...createPatchLine(),
      fields: status,
      ...of,
    });

    it("is told in its order, of all projects, without what never took effect", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      const { journal } = ledger();
      await ledger().commit([{ kind: "remember-repository", memory: knownRepository }]);
      const issue = { repository: "Acme/App", number: 7 };
      const lines = [
        written({ run: 2, issue, side: "tracker", kind: "edit-issue" }),
        written({ run: 2, project: otherProject, issue: { repository: "acme/gone", number: 1 } }),
        written({ run: 2, outcome: "rejected", message: "no" }),
        written({ run: 3 }),
      ];
      for (const entry of lines) await ledger().commit([{ kind: "audit", entry }]);
      expect(await journal.writesOf(2)).toEqual([
        { ...lines[0], repository: 10 },
        { ...lines[1], repository: undefined },
      ]);
      expect(await journal.writesOf(9)).toEqual([]);
    });

    it.each([
      ["took effect", 1, "DONE", "applied"],
      ["took effect, of one of two requests", 2, "DONE", "unknown"],
      ["was never found out", 1, "REJECTED", "unknown"],
      ["is not known yet", 1, "UNKNOWN", "unknown"],
    ] as const)("says where an answer was lost that the write %s", async (_, sends, state, outcome) => {
      await pullPosts(ledger(), [createPost("p1")]);
      const { journal } = ledger();
      const intent = await sendIntent(ledger(), { ...patch, repository: 10 });
      await ledger().commit([{ kind: "resolve", intent, state: "UNKNOWN", at: noon, message: "no answer" }]);
      if (sends === 2) {
        await ledger().commit([
          { kind: "resolve", intent, state: "PREPARED", at: noon, message: "not applied" },
        ]);
        await sendIntent(ledger(), { ...patch, repository: 10 }, noon + 1);
      }
      await ledger().commit([
        { kind: "audit", entry: written({ intent, outcome: "unknown", message: "no answer" }) },
        { kind: "resolve", intent, state, at: noon + 2, message: "looked up" },
      ]);
      expect(await journal.writesOf(1)).toMatchObject([{ repository: 10, outcome }]);
    });

    it("is known by the action that it has ended, once it is known to have taken effect", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      const { journal } = ledger();
      const action = { project, post: patch.post, kind: patch.kind, signature: "asked for" };
      const intent = await sendIntent(ledger(), patch, noon, "asked for");
      await ledger().commit([
        { kind: "audit", entry: written({ intent, at: noon, run: 4, outcome: "unknown" }) },
        { kind: "resolve", intent, state: "UNKNOWN", at: noon, message: "no answer" },
      ]);
      expect(await journal.doneBy(action, noon)).toBeUndefined();
      await ledger().commit([{ kind: "resolve", intent, state: "DONE", at: noon + 1, message: "shown" }]);
      expect(await journal.doneBy(action, noon)).toBe(4);
      expect(await journal.doneBy(action, noon + 1)).toBeUndefined();
      expect(await journal.doneBy({ ...action, signature: "another" }, noon)).toBeUndefined();
      expect(await journal.doneBy({ ...action, kind: "patch-note" }, noon)).toBeUndefined();
      expect(await journal.doneBy({ ...action, project: otherProject }, noon)).toBeUndefined();
    });

    it("names the fields of a change that a crash has interrupted", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      const { journal } = ledger();
      const issueWrites = [
        { field: "label:bug", before: false, value: true, target: { kind: "value", value: true } } as const,
      ];
      await sendIntent(ledger(), { kind: "change-issue", repository: 10, number: 7, issueWrites });
      await journal.recover(noon + 1, [project]);
      const [intent] = await journal.open(project);
      expect(await journal.writesOf(1)).toMatchObject([{ outcome: "unknown", repository: 10 }]);
      if (intent !== undefined)
        await ledger().commit([
          { kind: "resolve", intent: intent.id, state: "DONE", at: noon + 2, message: "the issue shows it" },
        ]);
      expect(await journal.writesOf(1)).toMatchObject([
        {
          outcome: "applied",
          kind: "change-issue",
          fields: [{ field: "label:bug", before: false, value: true }],
        },
      ]);
    });
  });

  describe("a process that starts", () => {
    it("takes everything that was sent for unknown from now on, once", async () => {
      const { journal } = ledger();
      const sent = await sendIntent(ledger());
      const unknown = await sendIntent(ledger(), { kind: "update-issue" });
      await ledger().commit([
        { kind: "resolve", intent: unknown, state: "UNKNOWN", at: noon + 1, message: "no answer" },
      ]);
      const prepared = await prepareIntent(ledger(), patch);
      expect(await journal.recover(noon + hourMs, [project])).toBe(1);
      expect(await journal.recover(noon + 2 * hourMs, [project])).toBe(0);
      const states = (await journal.open(project)).map(({ id, state, unknownAt }) => [id, state, unknownAt]);
      expect(states).toEqual([
        [sent, "UNKNOWN", noon + hourMs],
        [unknown, "UNKNOWN", noon + 1],
        [prepared, "PREPARED", undefined],
      ]);
    });

    it("writes the audit line that the former process could not write: voters may have heard", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      const { journal } = ledger();
      await sendIntent(ledger(), patch);
      expect((await readRow(ledger(), "p1")).statusWrites).toEqual([]);
      await journal.recover(noon + hourMs, [project]);
      expect(await journal.history(project, postId("p1"), 10)).toEqual([
        {
          ...line,
          run: 1,
          issue: undefined,
          reason: "selected",
          outcome: "unknown",
          message: "The process ended before the answer came.",
          isApproved: false,
          voters: 128,
        },
      ]);
      expect((await readRow(ledger(), "p1")).statusWrites).toEqual([noon]);
      expect(await journal.statusWrites(project, noon)).toBe(1);
      expect(await journal.lastTold(project, postId("p1"))).toBe(noon);
      expect(await journal.lastTold(project, postId("p2"))).toBeUndefined();
    });

    it("names the issue whose change was interrupted, where its repository is known", async () => {
      const { journal } = ledger();
      await ledger().commit([{ kind: "remember-repository", memory: knownRepository }]);
      await sendIntent(ledger(), { kind: "update-issue", repository: 10, number: 7 });
      await sendIntent(ledger(), { kind: "update-issue", repository: 99, number: 7, post: postId("p2") });
      await journal.recover(noon, [project]);
      const lines = (await journal.history(project, undefined, 10)).map(({ post, side, issue }) => [
        post,
        side,
        issue,
      ]);
      expect(lines).toEqual([
        ["p2", "tracker", undefined],
        ["p1", "tracker", { repository: "acme/app", number: 7 }],
      ]);
    });
  });

  describe("the audit", () => {
    it("comes back newest first, of a post or of all", async () => {
      const { journal } = ledger();
      const bare: AuditEntry = {
        ...line,
        at: noon + 2,
        post: undefined,
        issue: undefined,
        fields: [],
        message: undefined,
      };
      const other: AuditEntry = { ...line, at: noon + 1, post: postId("p2") };
      for (const entry of [line, bare, other]) await ledger().commit([{ kind: "audit", entry }]);
      expect(await journal.history(project, undefined, 10)).toEqual([bare, other, line]);
      expect(await journal.history(project, undefined, 2)).toEqual([bare, other]);
      expect(await journal.history(project, postId("p1"), 10)).toEqual([line]);
      expect(await journal.history(project, postId("p3"), 10)).toEqual([]);
      expect(await journal.history(otherProject, undefined, 10)).toEqual([]);
    });

    it("counts the status writes that nobody approved and that voters may have heard of", async () => {
      const { journal } = ledger();
      const status = [{ field: "status", value: "planned" }];
      const counted = { ...line, fields: status, isApproved: false };
      const lines: readonly AuditEntry[] = [
        counted,
        { ...counted, outcome: "unknown" },
        { ...counted, at: noon - 1 },
        { ...counted, isApproved: true },
        { ...counted, outcome: "rejected" },
        { ...counted, fields: [{ field: "roadmapColumn", value: "PLANNED" }] },
        { ...counted, project: otherProject },
      ];
      for (const entry of lines) await ledger().commit([{ kind: "audit", entry }]);
      expect(await journal.statusWrites(project, noon)).toBe(2);
      expect(await journal.statusWrites("unknown" as typeof project, noon)).toBe(0);
      const own = { ...counted, kind: "create-issue", fields: [] };
      for (const entry of [own, own, { ...own, at: noon - 1 }, { ...own, outcome: "rejected" as const }])
        await ledger().commit([{ kind: "audit", entry }]);
      expect(await journal.doneSince(project, noon - 1)).toMatchObject({ opened: 2, told: 2 });
      const none = { opened: 0, told: 0, known: 0, unknown: 0 };
      expect(await journal.doneSince("unknown" as typeof project, noon)).toEqual(none);
    });
  });

  describe("what is found out of a write whose answer was lost", () => {
    const status = [{ field: "status", value: "planned" }];
    const lost: AuditEntry = { ...line, fields: status, outcome: "unknown", isApproved: false };

    it("corrects its line: what took no effect no voter has heard of", async () => {
      const { journal, rows } = ledger();
      await pullPosts(ledger(), [createPost("p1")]);
      const id = await sendIntent(ledger(), { kind: "patch-post" });
      await ledger().commit([
        { kind: "resolve", intent: id, state: "UNKNOWN", at: noon, message: "no answer" },
        { kind: "audit", entry: { ...lost, intent: id } },
      ]);
      const count = async () => (await rows.row(project, postId("p1"), noon + 1))?.statusWrites.length;
      expect([await count(), await journal.statusWrites(project, noon)]).toEqual([1, 1]);
      await ledger().commit([
        {
          kind: "resolve",
          intent: id,
          state: "PREPARED",
          at: noon + 1,
          message: "the post shows that it was not applied",
        },
      ]);
      expect([await count(), await journal.statusWrites(project, noon)]).toEqual([0, 0]);
      await sendIntent(ledger(), { kind: "patch-post" }, noon + 2);
      await ledger().commit([
        { kind: "resolve", intent: id, state: "UNKNOWN", at: noon + 2, message: "no answer" },
        { kind: "audit", entry: { ...lost, intent: id, at: noon + 2 } },
        { kind: "resolve", intent: id, state: "DONE", at: noon + 3, message: "the post shows it" },
      ]);
      expect(
        (await journal.history(project, postId("p1"), 9)).map(({ outcome, message }) => [outcome, message]),
      ).toEqual([
        ["applied", "the post shows it"],
        ["not-applied", "the post shows that it was not applied"],
      ]);
      expect([await count(), await journal.statusWrites(project, noon)]).toEqual([1, 1]);
    });

    it("corrects no line of another write, and none whose answer came", async () => {
      const { journal } = ledger();
      const id = await sendIntent(ledger(), { kind: "patch-post" });
      await ledger().commit([
        { kind: "audit", entry: { ...lost } },
        { kind: "audit", entry: { ...lost, intent: id, outcome: "applied" } },
        { kind: "resolve", intent: id, state: "DONE", at: noon, message: "accepted" },
      ]);
      const outcomes = (await journal.history(project, postId("p1"), 9)).map(({ outcome }) => outcome);
      expect(outcomes).toEqual(["applied", "unknown"]);
    });
  });

  describe("an open change of a post", () => {
    it("is to be something else by other rules", async () => {
      const intent = await sendIntent(ledger(), patch);
      const [write] = patch.writes ?? [];
      if (write === undefined) throw new Error("a PATCH writes something");
      const writes = [{ ...write, target: { kind: "none" } as const }];
      await ledger().commit([{ kind: "retarget", intent, writes }]);
      expect(await ledger().journal.open(project)).toMatchObject([{ id: intent, writes }]);
    });
  });

  describe("the pace", () => {
    it("is remembered over all projects, oldest first, creates by themselves", async () => {
      const { pace } = ledger();
      await paceWrite(ledger(), { at: noon + 2, isCreate: false });
      await paceWrite(ledger(), { at: noon + 1 });
      await paceWrite(ledger(), {});
      expect(timesOf(await pace.writes(noon + 1, ""))).toEqual({
        all: [noon + 1, noon + 2],
        creates: [noon + 1],
      });
      expect(timesOf(await pace.writes(noon + 3, ""))).toEqual({ all: [], creates: [] });
    });

    it("is remembered for each budget by itself", async () => {
      const { pace } = ledger();
      await paceWrite(ledger(), { budget: "acme" });
      await paceWrite(ledger(), { at: noon + 1, isCreate: false, budget: "other" });
      expect(timesOf(await pace.writes(noon, "acme"))).toEqual({ all: [noon], creates: [noon] });
      expect(timesOf(await pace.writes(noon, "other"))).toEqual({ all: [noon + 1], creates: [] });
      expect(timesOf(await pace.writes(noon, ""))).toEqual({ all: [], creates: [] });
    });
  });
}
