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
    function openLinked(): Ledger {
      const ledger = current();
      pullPosts(ledger, [createPost("p1"), createPost("p2")]);
      linkPost(ledger, "p1", issue);
      ledger.commit([
        {
          kind: "record-row",
          project,
          post: p1,
          record: createRecord({ issueBases: [{ issue: refOf(issue), base: full }] }),
        },
      ]);
      settleAll(ledger);
      return ledger;
    }

    it("come back as they were recorded, each with its issue, and replace only themselves", () => {
      const ledger = openLinked();
      const other = createIssue(2);
      linkPost(ledger, "p1", other);
      const links = () => readRow(ledger, "p1").links.map(({ base }) => base);
      expect(links()).toEqual([full, undefined]);
      const changed = { issue: refOf(other), base: { milestone: plain } };
      ledger.commit([
        { kind: "record-row", project, post: p1, record: createRecord({ issueBases: [changed] }) },
      ]);
      expect(links()).toEqual([full, { milestone: plain }]);
    });

    it("move by themselves, and make the row due", () => {
      const ledger = openLinked();
      const base = { status: { ...plain, isAwaited: true } as const };
      ledger.commit([
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
      expect(readRow(ledger, "p1").base).toEqual(base);
      expect(readRow(ledger, "p1").links[0]?.base).toEqual({ ...full, state: plain });
      expect(dueIds(ledger)).toEqual(["p1"]);
    });

    it("follow a transfer, and end with the link", () => {
      const ledger = openLinked();
      const moved = createIssue(5, { repositoryId: 20 });
      ledger.commit([
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
      expect(readRow(ledger, "p1").links[0]).toMatchObject({ link: { issue: refOf(moved) }, base: full });
      ledger.commit([{ kind: "retire-issues", project, post: p1 }]);
      linkPost(ledger, "p1", moved);
      expect(readRow(ledger, "p1").links[0]?.base).toBeUndefined();
    });

    it("of an earlier link count no more when the two are linked again", () => {
      const ledger = openLinked();
      linkPost(ledger, "p2", createIssue(3));
      ledger.commit([
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
      linkPost(ledger, "p2", issue);
      expect(readRow(ledger, "p2").links.map(({ base }) => base)).toEqual([undefined, undefined]);
    });
  });

  describe("an issue of several posts", () => {
    it("names all of them, of every project", () => {
      const ledger = current();
      pullPosts(ledger, [createPost("p1"), createPost("p2")]);
      linkPost(ledger, "p2", issue);
      linkPost(ledger, "p1", issue);
      const link = { post: p1, issue: refOf(issue), origin: "adopted" } as const;
      ledger.commit([{ kind: "link", project: otherProject, link, issue, content: undefined }]);
      expect(ledger.rows.linkedTo(issue)).toEqual([
        { project, post: "p1" },
        { project, post: "p2" },
        { project: otherProject, post: "p1" },
      ]);
      expect(ledger.rows.linkedTo(createIssue(9))).toEqual([]);
    });

    it("is followed by the posts of its duplicates, too, which see that it is under change", () => {
      const ledger = current();
      pullPosts(ledger, [createPost("p1"), createPost("p2")]);
      const duplicate = createIssue(8);
      linkPost(ledger, "p1", issue);
      linkPost(ledger, "p2", duplicate);
      expect(ledger.rows.linkedTo(issue, "withDuplicates")).toEqual([{ project, post: "p1" }]);
      ledger.commit([
        {
          kind: "store-signals",
          issue: refOf(duplicate),
          signals: { canonical: { kind: "known", value: refOf(issue) } },
          isFill: false,
        },
      ]);
      expect(ledger.rows.linkedTo(issue, "withDuplicates")).toEqual([
        { project, post: "p1" },
        { project, post: "p2" },
      ]);
      expect(ledger.rows.linkedTo(duplicate, "withDuplicates")).toEqual([{ project, post: "p2" }]);
      const canonical = () => readRow(ledger, "p2").links[0]?.canonical;
      expect(canonical()).toEqual({ issue });
      const change = sendIntent(ledger, { kind: "change-issue", repository: 10, number: 1 });
      expect(canonical()).toEqual({ issue, isChanging: true });
      ledger.commit([{ kind: "resolve", intent: change, state: "DONE", at: noon, message: "accepted" }]);
      expect(canonical()).toEqual({ issue });
    });

    it("tells each of them what the others ask for, unless that is to end", () => {
      const ledger = current();
      pullPosts(ledger, [createPost("p1"), createPost("p2")]);
      linkPost(ledger, "p1", issue);
      linkPost(ledger, "p2", issue);
      const closed = { kind: "value", value: "closed:not_planned" } as const;
      const set = (post: string, state: Partial<FieldBase>): void => {
        const base = { state: { ...plain, ...state }, milestone: plain };
        const issueBases = [{ issue: refOf(issue), base }];
        ledger.commit([
          { kind: "record-row", project, post: postId(post), record: createRecord({ issueBases }) },
        ]);
      };
      const claimed = (post: string) => readRow(ledger, post).links[0]?.claimed;
      set("p1", { target: closed });
      set("p2", {});
      expect([claimed("p1"), claimed("p2")]).toEqual([undefined, undefined]);
      set("p2", { pending: { target: closed, since: noon } });
      expect([claimed("p1"), claimed("p2")]).toEqual([["state"], undefined]);
      set("p2", { target: closed });
      expect([claimed("p1"), claimed("p2")]).toEqual([["state"], ["state"]]);
      set("p2", { target: closed, pending: { target: { kind: "none" }, since: noon } });
      expect([claimed("p1"), claimed("p2")]).toEqual([undefined, ["state"]]);
    });

    it("tells each of them what may arrive once more of a change that counts as made", () => {
      const ledger = current();
      pullPosts(ledger, [createPost("p1"), createPost("p2")]);
      const duplicate = createIssue(8);
      linkPost(ledger, "p1", issue);
      linkPost(ledger, "p2", duplicate);
      ledger.commit([
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
      const id = sendIntent(ledger, change);
      const other = sendIntent(ledger, { ...change, post: postId("p2") });
      for (const one of [id, other])
        ledger.commit([{ kind: "resolve", intent: one, state: "UNKNOWN", at: noon, message: "no answer" }]);
      const shown = () => readRow(ledger, "p1").links[0];
      expect(shown()).toMatchObject({ isChanging: true });
      expect(shown()?.mayArrive).toBeUndefined();
      ledger.commit([{ kind: "take-up", intent: id, at: noon }]);
      expect(shown()).toMatchObject({ isChanging: true });
      ledger.commit([{ kind: "take-up", intent: other, at: noon }]);
      const { field, value } = write;
      expect(shown()?.isChanging).toBeUndefined();
      expect(shown()?.mayArrive).toEqual([
        { field, value },
        { field, value },
      ]);
      expect(readRow(ledger, "p2").links[0]?.canonical?.mayArrive).toHaveLength(2);
      for (const one of [id, other])
        ledger.commit([
          { kind: "resolve", intent: one, state: "DONE", at: noon, message: "the issue shows it" },
        ]);
      expect(shown()?.mayArrive).toBeUndefined();
    });

    it("is under change for each of them while one changes it, and only by a change", () => {
      const ledger = current();
      pullPosts(ledger, [createPost("p1"), createPost("p2")]);
      linkPost(ledger, "p1", issue);
      linkPost(ledger, "p2", issue);
      const place = { repository: 10, number: 1 };
      const isChanging = () => readRow(ledger, "p2").links[0]?.isChanging;
      sendIntent(ledger, { kind: "comment-issue", ...place });
      const update = sendIntent(ledger, { kind: "update-issue", ...place });
      expect(isChanging()).toBeUndefined();
      const change = sendIntent(ledger, { kind: "change-issue", ...place });
      expect(isChanging()).toBe(true);
      ledger.commit([
        { kind: "resolve", intent: change, state: "PREPARED", at: noon, message: "not applied" },
      ]);
      expect(isChanging()).toBeUndefined();
      ledger.commit([{ kind: "mark-sent", intent: change, at: noon }]);
      ledger.commit([{ kind: "resolve", intent: change, state: "UNKNOWN", at: noon, message: "no answer" }]);
      expect(isChanging()).toBe(true);
      ledger.commit([
        { kind: "resolve", intent: change, state: "DONE", at: noon, message: "accepted" },
        { kind: "resolve", intent: update, state: "DONE", at: noon, message: "accepted" },
      ]);
      expect(isChanging()).toBeUndefined();
    });
  });

  describe("an issue that only a trusted account's mark links", () => {
    it.each([
      ["adopted", false, true],
      ["adopted", true, undefined],
      ["opened", false, undefined],
    ] as const)("%s, our own mark: %s → read only: %s", (origin, isOwn, expected) => {
      const ledger = current();
      pullPosts(ledger, [createPost("p1")]);
      ledger.commit([
        {
          kind: "store-issues",
          issues: [issue],
          marked: [{ issue: refOf(issue), isOwn, project, posts: [p1] }],
        },
        { kind: "link", project, link: { post: p1, issue: refOf(issue), origin }, issue, content: undefined },
      ]);
      expect(readRow(ledger, "p1").links[0]?.isReadOnly).toBe(expected);
    });
  });

  describe("a list that lags", () => {
    it("brings back no older state of an issue, unless it is another issue or was not found", () => {
      const ledger = current();
      pullPosts(ledger, [createPost("p1")]);
      linkPost(ledger, "p1", createIssue(1, { state: "closed", updatedAt: "2026-01-03T00:00:00Z" }));
      const state = () => readRow(ledger, "p1").links[0]?.issue?.state;
      ledger.commit([{ kind: "store-issues", issues: [issue], marked: [] }]);
      expect(state()).toBe("closed");
      ledger.commit([
        { kind: "set-absence", issue: refOf(issue), absence: { kind: "missing", since: noon } },
        { kind: "store-issues", issues: [issue], marked: [] },
      ]);
      expect(state()).toBe("open");
      ledger.commit([
        {
          kind: "store-issues",
          issues: [createIssue(1, { nodeId: "I_x", state: "closed", updatedAt: "2020-01-01T00:00:00Z" })],
          marked: [],
        },
      ]);
      expect(state()).toBe("closed");
    });
  });
}
