import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { FieldBase, IssueBase } from "../../src/model/link.ts";
import {
  createIssue,
  createPost,
  createRecord,
  dueIds,
  linkPost,
  noon,
  otherProject,
  postId,
  project,
  pullPosts,
  readRow,
  refOf,
  sendIntent,
  settleAll,
} from "./samples.ts";

const p1 = postId("p1");
const issue = createIssue(1);
const plain: FieldBase = {
  target: { kind: "none" },
  post: undefined,
  foreign: undefined,
  written: undefined,
  pending: undefined,
  ruled: undefined,
};
const full: IssueBase = {
  state: {
    ...plain,
    target: { kind: "value", value: "closed:not_planned" },
    post: "closed:not_planned",
    foreign: "open",
    written: { sent: "closed:not_planned", shown: "closed:not_planned" },
    pending: { target: { kind: "none" }, since: noon },
  },
  "label:declined": { ...plain, target: { kind: "value", value: true }, post: false },
  milestone: { ...plain, post: null, foreign: "Next" },
  comment: plain,
};

/** What posts and issues agreed on, and what stands in the way of a write to an issue. */
export function describeIssueBases(current: () => Ledger): void {
  describe("the bases of an issue's fields", () => {
    async function openLinked(): Promise<Ledger> {
      const ledger = current();
      await pullPosts(ledger, [createPost("p1"), createPost("p2")]);
      await linkPost(ledger, "p1", issue);
      await ledger.commit([
        {
          kind: "record-row",
          project,
          post: p1,
          record: createRecord({ issueBases: [{ issue: refOf(issue), base: full }] }),
        },
      ]);
      await settleAll(ledger);
      return ledger;
    }

    it("come back as they were recorded, each with its issue, and replace only themselves", async () => {
      const ledger = await openLinked();
      const other = createIssue(2);
      await linkPost(ledger, "p1", other);
      const links = async () => (await readRow(ledger, "p1")).links.map(({ base }) => base);
      expect(await links()).toEqual([full, undefined]);
      const changed = { issue: refOf(other), base: { milestone: plain } };
      await ledger.commit([
        { kind: "record-row", project, post: p1, record: createRecord({ issueBases: [changed] }) },
      ]);
      expect(await links()).toEqual([full, { milestone: plain }]);
    });

    it("move by themselves, and make the row due", async () => {
      const ledger = await openLinked();
      const base = { status: { ...plain, isAwaited: true } as const };
      await ledger.commit([
        {
          kind: "set-bases",
          project,
          post: p1,
          bases: {
            base,
            issueBases: [{ issue: refOf(issue), base: { state: plain } }],
          },
        },
      ]);
      expect((await readRow(ledger, "p1")).base).toEqual(base);
      expect((await readRow(ledger, "p1")).links[0]?.base).toEqual({ ...full, state: plain });
      expect(await dueIds(ledger)).toEqual(["p1"]);
    });

    it("follow a transfer, and end with the link", async () => {
      const ledger = await openLinked();
      const moved = createIssue(5, { repositoryId: 20 });
      await ledger.commit([
        {
          kind: "follow-transfer",
          from: refOf(issue),
          to: moved,
          moved: {
            kind: "moved",
            since: noon,
            to: refOf(moved),
            name: "acme/api",
          },
        },
      ]);
      expect((await readRow(ledger, "p1")).links[0]).toMatchObject({
        link: { issue: refOf(moved) },
        base: full,
      });
      await ledger.commit([{ kind: "end-links", project, post: p1, issues: [refOf(moved)], at: noon }]);
      await linkPost(ledger, "p1", moved);
      expect((await readRow(ledger, "p1")).links[0]?.base).toBeUndefined();
    });

    it("of an earlier link count no more when the two are linked again", async () => {
      const ledger = await openLinked();
      await linkPost(ledger, "p2", createIssue(3));
      await ledger.commit([
        {
          kind: "set-bases",
          project,
          post: postId("p2"),
          bases: {
            base: {},
            issueBases: [{ issue: refOf(issue), base: full }],
          },
        },
      ]);
      await linkPost(ledger, "p2", issue);
      expect((await readRow(ledger, "p2")).links.map(({ base }) => base)).toEqual([undefined, undefined]);
    });
  });

  describe("an issue of several posts", () => {
    it("names all of them, of every project", async () => {
      const ledger = current();
      await pullPosts(ledger, [createPost("p1"), createPost("p2")]);
      await linkPost(ledger, "p2", issue);
      await linkPost(ledger, "p1", issue);
      const link = { post: p1, issue: refOf(issue), origin: "adopted" } as const;
      await ledger.commit([{ kind: "link", project: otherProject, link, issue, content: undefined }]);
      expect(await ledger.rows.linkedTo(issue)).toEqual([
        { project, post: "p1" },
        { project, post: "p2" },
        { project: otherProject, post: "p1" },
      ]);
      expect(await ledger.rows.linkedTo(createIssue(9))).toEqual([]);
    });

    it("is followed by the posts of its duplicates, too, which see that it is under change", async () => {
      const ledger = current();
      await pullPosts(ledger, [createPost("p1"), createPost("p2")]);
      const duplicate = createIssue(8);
      await linkPost(ledger, "p1", issue);
      await linkPost(ledger, "p2", duplicate);
      expect(await ledger.rows.linkedTo(issue, "withDuplicates")).toEqual([{ project, post: "p1" }]);
      await ledger.commit([
        {
          kind: "store-signals",
          issue: refOf(duplicate),
          signals: { canonical: { kind: "known", value: refOf(issue) } },
          isFill: false,
        },
      ]);
      expect(await ledger.rows.linkedTo(issue, "withDuplicates")).toEqual([
        { project, post: "p1" },
        { project, post: "p2" },
      ]);
      expect(await ledger.rows.linkedTo(duplicate, "withDuplicates")).toEqual([{ project, post: "p2" }]);
      const canonical = async () => (await readRow(ledger, "p2")).links[0]?.known?.canonical;
      expect(await canonical()).toEqual({ issue });
      const change = await sendIntent(ledger, { kind: "change-issue", repository: 10, number: 1 });
      expect(await canonical()).toEqual({ issue, isChanging: true });
      await ledger.commit([
        { kind: "resolve", intent: change, state: "DONE", at: noon, message: "accepted" },
      ]);
      expect(await canonical()).toEqual({ issue });
    });

    it("tells each of them what the others ask for, unless that is to end", async () => {
      const ledger = current();
      await pullPosts(ledger, [createPost("p1"), createPost("p2")]);
      await linkPost(ledger, "p1", issue);
      await linkPost(ledger, "p2", issue);
      const closed = { kind: "value", value: "closed:not_planned" } as const;
      const set = async (post: string, state: Partial<FieldBase>): Promise<void> => {
        const base = { state: { ...plain, ...state }, milestone: plain };
        const issueBases = [{ issue: refOf(issue), base }];
        await ledger.commit([
          { kind: "record-row", project, post: postId(post), record: createRecord({ issueBases }) },
        ]);
      };
      const claimed = async (post: string) => (await readRow(ledger, post)).links[0]?.claimed;
      await set("p1", { target: closed });
      await set("p2", {});
      expect([await claimed("p1"), await claimed("p2")]).toEqual([undefined, undefined]);
      await set("p2", { pending: { target: closed, since: noon } });
      expect([await claimed("p1"), await claimed("p2")]).toEqual([["state"], undefined]);
      await set("p2", { target: closed });
      expect([await claimed("p1"), await claimed("p2")]).toEqual([["state"], ["state"]]);
      await set("p2", { target: closed, pending: { target: { kind: "none" }, since: noon } });
      expect([await claimed("p1"), await claimed("p2")]).toEqual([undefined, ["state"]]);
    });

    it("tells each of them what may arrive once more of a change that counts as made", async () => {
      const ledger = current();
      await pullPosts(ledger, [createPost("p1"), createPost("p2")]);
      const duplicate = createIssue(8);
      await linkPost(ledger, "p1", issue);
      await linkPost(ledger, "p2", duplicate);
      await ledger.commit([
        {
          kind: "store-signals",
          issue: refOf(duplicate),
          signals: { canonical: { kind: "known", value: refOf(issue) } },
          isFill: false,
        },
      ]);
      const target = { kind: "value", value: "closed:completed" } as const;
      const write = { field: "state", before: "open", value: "closed:completed", target } as const;
      const change = { kind: "change-issue", repository: 10, number: 1, issueWrites: [write] } as const;
      const id = await sendIntent(ledger, change);
      const other = await sendIntent(ledger, { ...change, post: postId("p2") });
      for (const one of [id, other])
        await ledger.commit([
          { kind: "resolve", intent: one, state: "UNKNOWN", at: noon, message: "no answer" },
        ]);
      const shown = async () => (await readRow(ledger, "p1")).links[0];
      expect(await shown()).toMatchObject({ isChanging: true });
      expect((await shown())?.mayArrive).toBeUndefined();
      await ledger.commit([{ kind: "take-up", intent: id, at: noon }]);
      expect(await shown()).toMatchObject({ isChanging: true });
      await ledger.commit([{ kind: "take-up", intent: other, at: noon }]);
      const { field, value } = write;
      expect((await shown())?.isChanging).toBeUndefined();
      expect((await shown())?.mayArrive).toEqual([
        { field, value },
        { field, value },
      ]);
      expect((await readRow(ledger, "p2")).links[0]?.known?.canonical?.mayArrive).toHaveLength(2);
      for (const one of [id, other])
        await ledger.commit([
          { kind: "resolve", intent: one, state: "DONE", at: noon, message: "the issue shows it" },
        ]);
      expect((await shown())?.mayArrive).toBeUndefined();
    });

    it("is under change for each of them while one changes it, and only by a change", async () => {
      const ledger = current();
      await pullPosts(ledger, [createPost("p1"), createPost("p2")]);
      await linkPost(ledger, "p1", issue);
      await linkPost(ledger, "p2", issue);
      const place = { repository: 10, number: 1 };
      const isChanging = async () => (await readRow(ledger, "p2")).links[0]?.isChanging;
      await sendIntent(ledger, { kind: "comment-issue", ...place });
      const update = await sendIntent(ledger, { kind: "update-issue", ...place });
      expect(await isChanging()).toBeUndefined();
      const change = await sendIntent(ledger, { kind: "change-issue", ...place });
      expect(await isChanging()).toBe(true);
      await ledger.commit([
        { kind: "resolve", intent: change, state: "PREPARED", at: noon, message: "not applied" },
      ]);
      expect(await isChanging()).toBeUndefined();
      await sendIntent(ledger, { kind: "change-issue", ...place });
      await ledger.commit([
        { kind: "resolve", intent: change, state: "UNKNOWN", at: noon, message: "no answer" },
      ]);
      expect(await isChanging()).toBe(true);
      await ledger.commit([
        { kind: "resolve", intent: change, state: "DONE", at: noon, message: "accepted" },
        { kind: "resolve", intent: update, state: "DONE", at: noon, message: "accepted" },
      ]);
      expect(await isChanging()).toBeUndefined();
    });
  });

  describe("an issue that only a trusted account's mark links", () => {
    it.each([
      ["adopted", false, "read-only"],
      ["adopted", true, "none"],
      ["opened", false, "none"],
    ] as const)("%s, our own mark: %s → %s", async (origin, isOwn, expected) => {
      const ledger = current();
      await pullPosts(ledger, [createPost("p1")]);
      await ledger.commit([
        {
          kind: "store-issues",
          issues: [issue],
          marked: [{ issue: refOf(issue), isOwn, project, posts: [p1] }],
        },
        { kind: "link", project, link: { post: p1, issue: refOf(issue), origin }, issue, content: undefined },
      ]);
      expect((await readRow(ledger, "p1")).links[0]?.text).toBe(expected);
    });
  });

  describe("a list that lags", () => {
    it("brings back no older state of an issue, unless it is another issue or was not found", async () => {
      const ledger = current();
      await pullPosts(ledger, [createPost("p1")]);
      await linkPost(ledger, "p1", createIssue(1, { state: "closed", updatedAt: "2026-01-03T00:00:00Z" }));
      const state = async () => (await readRow(ledger, "p1")).links[0]?.known?.issue.state;
      await ledger.commit([{ kind: "store-issues", issues: [issue], marked: [] }]);
      expect(await state()).toBe("closed");
      await ledger.commit([
        { kind: "set-absence", issue: refOf(issue), absence: { kind: "missing", since: noon } },
        { kind: "store-issues", issues: [issue], marked: [] },
      ]);
      expect(await state()).toBe("open");
      await ledger.commit([
        {
          kind: "store-issues",
          issues: [createIssue(1, { nodeId: "I_x", state: "closed", updatedAt: "2020-01-01T00:00:00Z" })],
          marked: [],
        },
      ]);
      expect(await state()).toBe("closed");
    });
  });
}
