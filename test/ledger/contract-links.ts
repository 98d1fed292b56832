import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Issue } from "../../src/model/issue.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import {
  content,
  createIssue,
  createParked,
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
  settleAll,
} from "./samples.ts";

const [p1, p2] = [postId("p1"), postId("p2")];
const [one, two] = [createIssue(1), createIssue(2)];

export function describeLinks(ledger: () => Ledger): void {
  const endedIn = (of: ProjectId, post: PostId, issue: Issue): readonly PostId[] =>
    ledger().pulls.mark({ issue: refOf(issue), isOwn: true, project: of, posts: [post] }).ended;

  const adopt = (id: string): void => {
    const link = { post: postId(id), issue: refOf(one), origin: "adopted" } as const;
    ledger().commit([{ kind: "link", project, link, issue: one, content: undefined }]);
  };
  const mark = (): void => {
    ledger().commit([
      {
        kind: "store-issues",
        issues: [one],
        marked: [{ issue: refOf(one), isOwn: true, project, posts: [p1] }],
      },
    ]);
  };

  describe("links that a person ends", () => {
    it("are gone, and the issue's mark says nothing of the post any more", () => {
      pullPosts(ledger(), [createPost("p1")]);
      linkPost(ledger(), "p1", one);
      mark();
      settleAll(ledger());
      ledger().commit([{ kind: "end-links", project, post: p1, issues: [refOf(one), refOf(two)], at: noon }]);
      expect(readRow(ledger(), "p1")).toMatchObject({ links: [], unlinkedAt: noon });
      expect(dueIds(ledger())).toEqual(["p1"]);
      mark();
      expect(ledger().pulls.marked(project, p1)).toBeUndefined();
      expect(endedIn(project, p1, one)).toEqual([p1]);
      expect(endedIn(project, p1, two)).toEqual([]);
      expect(endedIn(otherProject, p1, one)).toEqual([]);
    });

    it("leave the others as they are, and the post is no unlinked one", () => {
      pullPosts(ledger(), [createPost("p1")]);
      for (const issue of [one, two]) linkPost(ledger(), "p1", issue);
      ledger().commit([{ kind: "end-links", project, post: p1, issues: [refOf(one)], at: noon }]);
      const row = readRow(ledger(), "p1");
      expect(row.links.map(({ link }) => link.issue.number)).toEqual([2]);
      expect(row).not.toHaveProperty("unlinkedAt");
    });

    it("take with them what is known of a post as long as it has an issue", () => {
      pullPosts(ledger(), [createPost("p1")]);
      linkPost(ledger(), "p1", one);
      const base = {
        target: { kind: "none" },
        post: undefined,
        foreign: undefined,
        written: undefined,
        pending: undefined,
        ruled: undefined,
      } as const;
      ledger().commit([
        { kind: "record-row", project, post: p1, record: createRecord({ base: { status: base } }) },
        { kind: "park", project, post: p1, parked: createParked() },
        { kind: "end-links", project, post: p1, issues: [refOf(one)], at: noon },
      ]);
      expect(readRow(ledger(), "p1")).toMatchObject({ base: {}, parked: [] });
    });

    it("can be made again, and another issue may be opened when a person says so", () => {
      pullPosts(ledger(), [createPost("p1")]);
      linkPost(ledger(), "p1", one);
      ledger().commit([
        { kind: "end-links", project, post: p1, issues: [refOf(one)], at: noon },
        { kind: "reopen", project, post: p1 },
      ]);
      expect(readRow(ledger(), "p1")).not.toHaveProperty("unlinkedAt");
      expect(endedIn(project, p1, one)).toEqual([p1]);
      ledger().commit([{ kind: "end-links", project, post: p1, issues: [], at: noon }]);
      adopt("p1");
      expect(readRow(ledger(), "p1")).not.toHaveProperty("unlinkedAt");
      expect(endedIn(project, p1, one)).toEqual([]);
    });
  });

  describe("an issue of several posts", () => {
    it("shows its further posts to the row of the one whose text it has", () => {
      pullPosts(ledger(), [createPost("p1"), createPost("p2", { title: "Two" }), createPost("p3")]);
      linkPost(ledger(), "p1", one);
      linkPost(ledger(), "p1", two);
      expect(readRow(ledger(), "p1").links[0]).not.toHaveProperty("others");
      for (const id of ["p3", "p2", "unlisted"]) adopt(id);
      const [second, third] = ["p2", "p3"].map((id) => readRow(ledger(), id).post);
      const others = [second, third, { id: "unlisted", values: {} }];
      expect(readRow(ledger(), "p1").links.map((link) => link.others)).toEqual([others, undefined]);
      expect(readRow(ledger(), "p2").links[0]).not.toHaveProperty("others");
    });

    it("hands its text on when that post's link is ended", () => {
      pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      linkPost(ledger(), "p1", one);
      adopt("p2");
      expect(ledger().links.hasContent(refOf(one))).toBe(true);
      settleAll(ledger());
      ledger().commit([{ kind: "end-links", project, post: p1, issues: [refOf(one)], at: noon }]);
      expect(readRow(ledger(), "p2").links).toMatchObject([{ content }]);
      expect(dueIds(ledger())).toEqual(["p1", "p2"]);
      ledger().commit([{ kind: "end-links", project, post: p2, issues: [refOf(one)], at: noon }]);
      expect(ledger().links.hasContent(refOf(one))).toBe(false);
    });
  });
}
