import { describe, expect, it } from "vitest";
import type { AuditEntry } from "../../src/ledger/journal.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { FieldBase } from "../../src/model/link.ts";
import type { RuleField } from "../../src/model/post.ts";
import { parkedOf } from "../../src/plan/ground/obstacle.ts";
import { inOrder } from "../../src/select.ts";
import {
  content,
  createIssue,
  createParked,
  createPatchLine,
  createPost,
  createRecord,
  dueIds,
  hourMs,
  linkPost,
  noon,
  otherProject,
  postId,
  prepareIntent,
  project,
  pullPosts,
  quarantined,
  quarantinePost,
  readRow,
  refOf,
  sendIntent,
  settleAll,
} from "./samples.ts";

const p1 = postId("p1");

const bases: readonly [string, FieldBase][] = [
  [
    "with everything",
    {
      target: { kind: "value", value: "planned" },
      post: "open",
      foreign: "under review",
      written: { sent: "planned", shown: "Planned" },
      pending: { target: { kind: "value", value: null }, since: noon },
      ruled: { from: { kind: "value", value: "closed" }, since: noon },
    },
  ],
  [
    "with nulls",
    {
      target: { kind: "value", value: null },
      post: null,
      foreign: null,
      written: { sent: null, shown: null },
      pending: { target: { kind: "none" }, since: noon },
      ruled: { from: { kind: "none" }, since: noon },
    },
  ],
  [
    "that was never seen",
    {
      target: { kind: "none" },
      post: undefined,
      foreign: undefined,
      written: undefined,
      pending: undefined,
      ruled: undefined,
    },
  ],
  [
    "that was written and not shown yet",
    {
      target: { kind: "value", value: false },
      post: true,
      foreign: 0,
      written: { sent: false, shown: undefined },
      pending: undefined,
      ruled: undefined,
    },
  ],
];

export function describeRows(ledger: () => Ledger): void {
  describe("due rows", () => {
    it("come in batches, in the order of their ids", async () => {
      await pullPosts(
        ledger(),
        ["b", "a", "d", "c"].map((id) => createPost(id)),
      );
      const first = await ledger().rows.due(project, noon, undefined, 3);
      expect(first.map(({ post }) => post.id)).toEqual(["a", "b", "c"]);
      const second = await ledger().rows.due(project, noon, postId("c"), 3);
      expect(second.map(({ post }) => post.id)).toEqual(["d"]);
      expect(await ledger().rows.due(project, noon, postId("d"), 3)).toEqual([]);
      expect(await ledger().rows.due(otherProject, noon, undefined, 3)).toEqual([]);
    });

    it.each([
      ["now", noon, 1],
      [noon + hourMs, noon + hourMs - 1, 0],
      [noon + hourMs, noon + hourMs, 1],
      [undefined, noon + 1000 * hourMs, 0],
    ] as const)("recorded with %s are at %i due: %i", async (due, now, count) => {
      await pullPosts(ledger(), [createPost("p1")]);
      await ledger().commit([{ kind: "record-row", project, post: p1, record: createRecord({ due }) }]);
      expect(await dueIds(ledger(), now)).toHaveLength(count);
    });

    it.each([
      ["all", ["p1", "p2", "p3"]],
      ["linked", ["p1"]],
      [[postId("p2"), postId("unknown")], ["p2"]],
    ] as const)("are those that are marked: %s", async (which, expected) => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2"), createPost("p3")]);
      await linkPost(ledger(), "p1", createIssue(1));
      await settleAll(ledger());
      await ledger().commit([{ kind: "mark-due", project, which }]);
      expect(await dueIds(ledger())).toEqual(expected);
    });

    it("are never posts that were not listed", async () => {
      await linkPost(ledger(), "ghost", createIssue(1));
      await ledger().commit([{ kind: "mark-due", project, which: "all" }]);
      expect(await dueIds(ledger())).toEqual([]);
      expect(await ledger().rows.row(project, postId("ghost"), noon)).toBeUndefined();
      await pullPosts(ledger(), [createPost("ghost")]);
      expect((await readRow(ledger(), "ghost")).links).toHaveLength(1);
    });
  });

  describe("a row", () => {
    it("has everything that one decision needs, and nothing of its neighbours", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      await linkPost(ledger(), "p1", createIssue(2));
      await linkPost(ledger(), "p1", createIssue(1));
      await ledger().commit([
        { kind: "park", project, post: p1, parked: createParked() },
        quarantinePost(project, p1),
      ]);
      await sendIntent(ledger(), { kind: "patch-post" });
      const [row, neighbour] = await ledger().rows.due(project, noon, undefined, 10);
      expect(row).toEqual({
        post: createPost("p1"),
        seenAt: noon,
        mark: 0,
        missing: 0,
        links: [2, 1].map((number) => ({
          link: { post: "p1", issue: { repositoryId: 10, number }, origin: "opened" },
          known: { issue: createIssue(number) },
          isGone: false,
          text: { content, others: [] },
        })),
        base: {},
        openIntents: ["patch-post"],
        statusWrites: [],
        notes: [quarantined, createParked()],
      });
      expect(neighbour).toEqual({
        post: createPost("p2"),
        seenAt: noon,
        mark: 0,
        missing: 0,
        links: [],
        base: {},
        openIntents: [],
        statusWrites: [],
      });
    });

    it.each(bases)("gives back a base %s", async (_, base) => {
      await pullPosts(ledger(), [createPost("p1")]);
      await ledger().commit([
        {
          kind: "record-row",
          project,
          post: p1,
          record: createRecord({ base: { status: base, roadmapOrder: base } }),
        },
      ]);
      expect((await readRow(ledger(), "p1")).base).toEqual({ status: base, roadmapOrder: base });
    });

    it("keeps the bases of the fields that a record does not name", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      const base = {
        target: { kind: "none" },
        post: 1,
        foreign: 1,
        written: undefined,
        pending: undefined,
      } as const;
      const record = (field: RuleField, post: number): Promise<void> =>
        ledger().commit([
          {
            kind: "record-row",
            project,
            post: p1,
            record: createRecord({ base: { [field]: { ...base, post } } }),
          },
        ]);
      await record("status", 1);
      await record("isReviewed", 2);
      await record("status", 3);
      expect((await readRow(ledger(), "p1")).base).toEqual({
        status: { ...base, post: 3 },
        isReviewed: { ...base, post: 2 },
      });
    });

    it("keeps what another process has recorded of it since it was read, and stays due", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      const base = bases[0]?.[1] as FieldBase;
      const newer: FieldBase = { ...base, target: { kind: "value", value: "closed" } };
      const read = () => readRow(ledger(), "p1");
      const record = ({ mark = null }: { readonly mark?: number | null }) => {
        const decided = createRecord({ base: { status: base }, mark, due: undefined });
        return ledger().commit([{ kind: "record-row", project, post: p1, record: decided }]);
      };
      const before = await read();
      await ledger().commit([{ kind: "set-bases", project, post: p1, bases: { base: { status: newer } } }]);
      await record(before);
      expect(await read()).toMatchObject({ base: { status: newer }, mark: expect.any(Number) });
      await record(await read());
      expect(await read()).toMatchObject({ base: { status: base } });
      expect(await read()).not.toHaveProperty("mark");
    });

    it("knows the writes of its status in the last 24 hours, oldest first", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      const status = [{ field: "status", value: "planned" }];
      const lines: readonly Partial<AuditEntry>[] = [
        { at: noon - 24 * hourMs, fields: status },
        { at: noon - 1, fields: status, outcome: "unknown", isApproved: true },
        { at: noon - hourMs, fields: status },
        { at: noon - 2, fields: status, outcome: "rejected" },
        { at: noon - 3, fields: [{ field: "roadmapColumn", value: "PLANNED" }] },
        { at: noon - 4, fields: status, post: postId("p2") },
        { at: noon - 5, fields: status, side: "tracker" },
      ];
      for (const line of lines)
        await ledger().commit([{ kind: "audit", entry: { ...createPatchLine(), ...line } }]);
      expect((await readRow(ledger(), "p1")).statusWrites).toEqual([noon - hourMs, noon - 1]);
      expect((await readRow(ledger(), "p1", noon - 1)).statusWrites).toHaveLength(3);
    });

    it("counts intents as open while their outcome is not known, and not before they are sent", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      const openIntents = async (): Promise<readonly string[]> => (await readRow(ledger(), "p1")).openIntents;
      await prepareIntent(ledger(), createPatchIntent());
      expect(await openIntents()).toEqual([]);
      const id = await sendIntent(ledger(), createPatchIntent());
      expect(await openIntents()).toEqual(["patch-post"]);
      await ledger().commit([
        { kind: "resolve", intent: id, state: "UNKNOWN", at: noon, message: "no answer" },
      ]);
      expect(await openIntents()).toEqual(["patch-post"]);
      await ledger().commit([{ kind: "resolve", intent: id, state: "DONE", at: noon, message: "found" }]);
      expect(await openIntents()).toEqual([]);
    });

    it("was not seen since our last write, until any listing shows it again; then it is due", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      await settleAll(ledger());
      await ledger().commit([{ kind: "forget-look", project, post: p1 }]);
      expect((await readRow(ledger(), "p1")).seenAt).toBeUndefined();
      expect(await dueIds(ledger())).toEqual([]);
      await pullPosts(ledger(), [createPost("p1")], 2, noon + hourMs);
      expect((await readRow(ledger(), "p1")).seenAt).toBe(noon + hourMs);
      expect(await dueIds(ledger())).toEqual(["p1"]);
    });
  });

  describe("links", () => {
    it("stay as they were made", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      await linkPost(ledger(), "p1", createIssue(1));
      const again = { post: p1, issue: refOf(createIssue(1)), origin: "adopted" } as const;
      await ledger().commit([
        {
          kind: "link",
          project,
          link: again,
          issue: createIssue(1, { state: "closed" }),
          content: undefined,
        },
      ]);
      const { links } = await readRow(ledger(), "p1");
      expect(links).toEqual([
        {
          link: { ...again, origin: "opened" },
          known: { issue: createIssue(1, { state: "closed" }) },
          isGone: false,
          text: { content, others: [] },
        },
      ]);
    });

    it("make their row due, and those of the issue's other posts", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      await linkPost(ledger(), "p1", createIssue(1));
      await settleAll(ledger());
      await linkPost(ledger(), "p2", createIssue(1));
      expect(await dueIds(ledger())).toEqual(["p1", "p2"]);
    });

    it("remember the content that was written last", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      const link = { post: p1, issue: refOf(createIssue(1)), origin: "adopted" } as const;
      await ledger().commit([{ kind: "link", project, link, issue: createIssue(1), content: undefined }]);
      expect((await readRow(ledger(), "p1")).links[0]?.text).toBe("none");
      await ledger().commit([
        {
          kind: "set-content",
          project,
          post: p1,
          issue: link.issue,
          content: { titleHash: "t2", blockHash: "b2" },
        },
      ]);
      expect((await readRow(ledger(), "p1")).links[0]?.text).toMatchObject({
        content: { titleHash: "t2", blockHash: "b2" },
      });
      const unlinked = { repositoryId: 10, number: 99 };
      await expect(
        ledger().commit([{ kind: "set-content", project, post: p1, issue: unlinked, content }]),
      ).rejects.toThrow("not linked");
    });
  });

  describe("what waits", () => {
    it("is parked by kind: the last line of a kind counts, and ends by kind or all at once", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      await ledger().commit([
        { kind: "park", project, post: p1, parked: createParked() },
        {
          kind: "park",
          project,
          post: p1,
          parked: createParked({ action: { kind: "patch-post", signature: "s2" } }),
        },
        {
          kind: "park",
          project,
          post: p1,
          parked: createParked({ action: { kind: "create-issue", signature: "s1" } }),
        },
      ]);
      const kinds = async (): Promise<readonly string[]> =>
        parkedOf(await readRow(ledger(), "p1")).map(({ action }) => `${action.kind} ${action.signature}`);
      expect(await kinds()).toEqual(["patch-post s2", "create-issue s1"]);
      await ledger().commit([{ kind: "unpark", project, post: p1, of: "patch-post" }]);
      expect(await kinds()).toEqual(["create-issue s1"]);
    });

    it("stays parked and quarantined, whatever is recorded of a decision or an action", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      const said = { cause: "turn", message: "no run has come to it yet", since: noon } as const;
      const action = { kind: "patch-post" } as const;
      const note = { ...said, kind: "waiting", action } as const;
      const kinds = async (): Promise<readonly string[]> =>
        ((await readRow(ledger(), "p1")).notes ?? []).map(({ kind }) => kind);
      await ledger().commit([
        quarantinePost(project, p1),
        { kind: "park", project, post: p1, parked: createParked() },
      ]);
      for (const notes of [[], [note], [{ ...quarantined, message: "it flaps still", since: noon + 1 }]]) {
        await ledger().commit([{ kind: "record-row", project, post: p1, record: createRecord({ notes }) }]);
        const told = notes.map(({ kind }) => kind).filter((kind) => kind === "waiting");
        expect((await kinds()).toSorted()).toEqual(["parked", "quarantined", ...told]);
      }
      expect(await ledger().rows.waiting(project, 9, ["quarantined"])).toMatchObject([
        { message: "it flaps still", since: noon },
      ]);
      for (const notes of [[note], []])
        await ledger().commit([{ kind: "note-action", project, post: p1, of: action, notes }]);
      expect((await kinds()).toSorted()).toEqual(["parked", "quarantined"]);
    });

    it("has nothing of what stood in its place before", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      const plain = { kind: "settling", cause: "settling", message: "the issue rests", since: noon } as const;
      const action = { kind: "patch-post", signature: "s1" } as const;
      const planned = { place: "acme/app#1", changes: [], notifies: 3 } as const;
      const held = {
        ...plain,
        kind: "held",
        cause: "guard",
        code: "guard",
        until: noon + 1,
        action,
        planned,
      } as const;
      const notes = async () => (await readRow(ledger(), "p1")).notes;
      await ledger().commit([
        { kind: "record-row", project, post: p1, record: createRecord({ notes: [held, plain] }) },
      ]);
      expect(await notes()).toEqual([held, plain]);
      await ledger().commit([{ kind: "note-action", project, post: p1, of: action, notes: [held] }]);
      expect(await notes()).toEqual([plain, held]);
      await ledger().commit([{ kind: "note-action", project, post: p1, of: action, notes: [] }]);
      expect(await notes()).toEqual([plain]);
      expect(await ledger().rows.counts(project)).toMatchObject({ waiting: 1, held: 0 });
    });

    it("is missing when the board says so, and due", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      await settleAll(ledger());
      await ledger().commit([{ kind: "mark-missing", project, post: p1 }]);
      expect((await readRow(ledger(), "p1")).missing).toBe(1);
      expect(await dueIds(ledger())).toEqual(["p1"]);
    });

    it("is missing for good only after two complete pulls without it, whatever the board said of it before", async () => {
      await pullPosts(ledger(), [createPost("p1")], 1);
      await pullPosts(ledger(), [createPost("p1")], 2);
      await ledger().commit([{ kind: "mark-missing", project, post: p1 }]);
      const history = await inOrder([3, 4, 5], async (run) => {
        await pullPosts(ledger(), [], run);
        await ledger().commit([{ kind: "mark-missing", project, post: p1 }]);
        return (await readRow(ledger(), "p1")).missing;
      });
      expect(history).toEqual([1, 2, 2]);
    });

    it("tells the statuses that posts show, the most common first, without those of missing posts", async () => {
      expect(await ledger().rows.shown(project, "status")).toEqual([]);
      const shown = ["open", "planned", "planned", null, "gone", "planned"];
      const posts = shown.map((status, index) => createPost(`s${index}`, { status }));
      await pullPosts(ledger(), [...posts, createPost("s9")]);
      await ledger().commit([{ kind: "mark-missing", project, post: postId("s4") }]);
      expect(await ledger().rows.shown(project, "status")).toEqual(["planned", "open"]);
      expect(await ledger().rows.shown(otherProject, "status")).toEqual([]);
      await pullPosts(ledger(), [createPost("s1", { categoryId: "cat_1" })]);
      expect(await ledger().rows.shown(project, "categoryId")).toEqual(["cat_1"]);
    });

    it("is counted", async () => {
      expect(await ledger().rows.counts(project)).toEqual({
        posts: 0,
        issues: 0,
        skipped: 0,
        waiting: 0,
        undecided: 0,
        paused: 0,
        held: 0,
        parked: 0,
        quarantined: 0,
        differs: 0,
        missing: 0,
        approvable: 0,
        voters: 0,
        unknownVotes: 0,
        nextAt: null,
      });
      await pullPosts(
        ledger(),
        ["p1", "p2", "p3", "p4", "p5"].map((id) => createPost(id)),
      );
      for (const [id, number] of [
        ["p1", 1],
        ["p2", 1],
        ["p2", 2],
      ] as const)
        await linkPost(ledger(), id, createIssue(number));
      const skipped = { kind: "skipped", reason: "archived" } as const;
      await ledger().commit([
        { kind: "record-row", project, post: postId("p3"), record: createRecord({ standing: skipped }) },
        { kind: "record-row", project, post: postId("p4"), record: createRecord({ standing: skipped }) },
      ]);
      const held = { kind: "held", cause: "guard", message: "a person has to choose", since: noon } as const;
      const differs = (["disagreement", "did-not-stick", "undecided"] as const).map((kind) => ({
        ...held,
        kind,
      }));
      await ledger().commit([
        { kind: "record-row", project, post: p1, record: createRecord({ notes: [held, held, ...differs] }) },
        { kind: "park", project, post: p1, parked: createParked() },
        {
          kind: "park",
          project,
          post: p1,
          parked: createParked({ action: { kind: "update-issue", signature: "s1" } }),
        },
        quarantinePost(project, postId("p2")),
      ]);
      expect(await ledger().rows.counts(project)).toEqual({
        posts: 5,
        issues: 2,
        skipped: 2,
        waiting: 0,
        undecided: 1,
        paused: 0,
        held: 1,
        parked: 2,
        quarantined: 1,
        differs: 1,
        missing: 0,
        approvable: 0,
        voters: 0,
        unknownVotes: 0,
        nextAt: null,
      });
      const large = { ...held, kind: "undecided", cause: "too-large" } as const;
      await ledger().commit([
        { kind: "record-row", project, post: postId("p5"), record: createRecord({ notes: [large] }) },
      ]);
      expect(await ledger().rows.counts(project)).toMatchObject({ undecided: 1, differs: 2 });
      const action = { kind: "patch-post", signature: "s1" } as const;
      const planned = (notifies: number | null) => ({ place: null, changes: [], notifies });
      const free = [7, 5, null].map((notifies) => ({ ...held, action, planned: planned(notifies) }));
      const settling = { kind: "settling", cause: "settling", message: "later", since: noon } as const;
      const later = [9, 3].map((until) => ({ ...settling, until: noon + until }));
      await ledger().commit([
        { kind: "record-row", project, post: p1, record: createRecord({ notes: [held, ...free, ...later] }) },
      ]);
      expect(await ledger().rows.counts(project)).toMatchObject({
        held: 1,
        approvable: 3,
        voters: 12,
        unknownVotes: 1,
        nextAt: noon + 3,
      });
      await pullPosts(ledger(), [createPost("p1"), createPost("p3")], 2);
      await ledger().commit([
        { kind: "end-pull", pull: await ledger().pulls.begin(project, 3, noon), end: "incomplete", at: noon },
        { kind: "release", project, post: postId("p2"), at: noon },
      ]);
      expect(await ledger().rows.counts(project)).toMatchObject({ posts: 2, skipped: 1, quarantined: 0 });
    });

    it("counts as waiting for a time, a limit, or the outcome of a write, once", async () => {
      await pullPosts(
        ledger(),
        ["p1", "p2", "p3"].map((id) => createPost(id)),
      );
      const notes = [
        { kind: "settling", cause: "settling", message: "until noon", since: noon },
        { kind: "waiting", cause: "pace", message: "the hour's limit", since: noon },
      ] as const;
      await ledger().commit([{ kind: "record-row", project, post: p1, record: createRecord({ notes }) }]);
      await sendIntent(ledger(), { kind: "patch-post" });
      await ledger().commit([
        { kind: "record-row", project, post: postId("p2"), record: createRecord({ notes: notes.slice(1) }) },
      ]);
      expect(await ledger().rows.counts(project)).toMatchObject({ waiting: 2, held: 0 });
    });

    it("keeps the time of a note that stands already, and of what is held or waits whatever is said", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      const sayAt = async (at: number, words: string): Promise<void> => {
        const notes = (["held", "disagreement", "waiting"] as const).map((kind) => ({
          kind,
          cause: "guard" as const,
          message: `${kind} ${words}`,
          since: at,
        }));
        await ledger().commit([{ kind: "record-row", project, post: p1, record: createRecord({ notes }) }]);
      };
      const times = async (): Promise<readonly string[]> =>
        (await ledger().rows.waiting(project, 10))
          .map(({ message, since }) => `${message} ${since - noon}`)
          .toSorted();
      await sayAt(noon, "first");
      await sayAt(noon + 1, "first");
      expect(await times()).toEqual(["disagreement first 0", "held first 0", "waiting first 0"]);
      await sayAt(noon + 2, "second");
      expect(await times()).toEqual(["disagreement second 2", "held second 0", "waiting second 0"]);
      await ledger().commit([{ kind: "record-row", project, post: p1, record: createRecord({ notes: [] }) }]);
      await sayAt(noon + 3, "second");
      expect(await times()).toEqual(["disagreement second 3", "held second 3", "waiting second 3"]);
    });

    it("is recorded of many posts by one commit as of each by itself", async () => {
      const groups = [
        ["a1", "a2", "a3"],
        ["b1", "b2", "b3"],
      ];
      await pullPosts(
        ledger(),
        groups.flat().map((id) => createPost(id)),
      );
      await ledger().commit(
        ["a2", "b2"].map((id) => ({ kind: "park", project, post: postId(id), parked: createParked() })),
      );
      for (const [at, words] of [
        [noon, "first"],
        [noon + 1, "second"],
      ] as const) {
        const note = { kind: "held", cause: "guard", message: words, since: at } as const;
        const [together, one] = groups.map((ids) =>
          ids.map((id) => {
            // Nothing is said any more of the third.
            const notes = words === "second" && id.endsWith("3") ? [] : [note];
            return {
              kind: "record-row",
              project,
              post: postId(id),
              record: createRecord({ notes }),
            } as const;
          }),
        );
        await ledger().commit(together ?? []);
        for (const change of one ?? []) await ledger().commit([change]);
      }
      const notesOf = async (id: string) =>
        (await readRow(ledger(), id)).notes?.map(
          ({ kind, message, since }) => `${kind} ${message} ${since - noon}`,
        );
      expect(await notesOf("a1")).toEqual(["held second 0"]);
      expect(await notesOf("a2")).toHaveLength(2);
      for (const at of ["1", "2", "3"]) expect(await notesOf(`a${at}`)).toEqual(await notesOf(`b${at}`));
    });

    it("is listed, oldest first, with the issues of each post", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      await linkPost(ledger(), "p1", createIssue(2));
      await linkPost(ledger(), "p1", createIssue(1));
      const notes = [
        { kind: "held", cause: "guard", message: "a person has to choose", since: noon + 30 },
        { kind: "disagreement", cause: "differs", message: "the sides differ", since: noon + 10 },
      ] as const;
      await ledger().commit([
        { kind: "record-row", project, post: p1, record: createRecord({ notes }) },
        { kind: "park", project, post: postId("p2"), parked: createParked({ since: noon + 20 }) },
      ]);
      await sendIntent(ledger(), { post: postId("p2"), kind: "create-issue" });
      const lost = await sendIntent(ledger(), { post: postId("p2"), kind: "update-issue" });
      await ledger().commit([
        { kind: "resolve", intent: lost, state: "UNKNOWN", at: noon + 40, message: "no answer" },
      ]);
      await prepareIntent(ledger(), { ...createPatchIntent(), post: postId("p2") });
      const issues = [2, 1].map((number) => ({ repositoryId: 10, number }));
      const waiting = await ledger().rows.waiting(project, 10);
      const told = waiting.map(({ title: _, planned: __, until: ___, isStopped: ____, ...rest }) => rest);
      expect(waiting.map(({ title }) => title)).toEqual(waiting.map(({ post }) => `Title of ${post}`));
      expect(told).toEqual([
        {
          post: "p2",
          issues: [],
          kind: "intent",
          cause: "in-doubt",
          intent: "create-issue",
          code: undefined,
          message: expect.stringContaining("opened"),
          since: noon,
        },
        {
          post: "p1",
          issues,
          kind: "disagreement",
          cause: "differs",
          code: undefined,
          message: "the sides differ",
          since: noon + 10,
        },
        {
          post: "p2",
          issues: [],
          kind: "parked",
          cause: "refused",
          code: "board.rejected",
          message: "The board refuses it.",
          since: noon + 20,
        },
        {
          post: "p1",
          issues,
          kind: "held",
          cause: "guard",
          code: undefined,
          message: "a person has to choose",
          since: noon + 30,
        },
        {
          post: "p2",
          issues: [],
          kind: "intent",
          cause: "in-doubt",
          intent: "update-issue",
          code: undefined,
          message: expect.stringContaining("change of its issue"),
          since: noon + 40,
        },
      ]);
      expect(await ledger().rows.waiting(project, 2)).toEqual(waiting.slice(0, 2));
      const waitingOf = (post: typeof p1) => ledger().rows.waiting(project, 10, undefined, post);
      expect(await waitingOf(p1)).toEqual(waiting.filter(({ post }) => post === p1));
      expect(await waitingOf(postId("p9"))).toEqual([]);
      expect(await ledger().rows.waiting(otherProject, 2)).toEqual([]);
      await ledger().commit([{ kind: "record-row", project, post: p1, record: createRecord() }]);
      expect(await ledger().rows.waiting(project, 10)).toHaveLength(3);
    });
  });
}

function createPatchIntent() {
  return {
    project,
    post: p1,
    kind: "patch-post",
    run: 1,
    at: noon,
    reason: "closed",
    bodyHash: "body",
  } as const;
}
