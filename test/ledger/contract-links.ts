import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Issue } from "../../src/model/issue.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { inOrder } from "../../src/select.ts";
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
  const endedIn = async (of: ProjectId, post: PostId, issue: Issue): Promise<readonly PostId[] | undefined> =>
    (await ledger().pulls.marks([{ issue: refOf(issue), isOwn: true, project: of, posts: [post] }]))[0]
      ?.ended;

  const adopt = async (id: string): Promise<void> => {
    const link = { post: postId(id), issue: refOf(one), origin: "adopted" } as const;
    await ledger().commit([{ kind: "link", project, link, issue: one, content: undefined }]);
  };
  const mark = async (): Promise<void> => {
    await ledger().commit([
      {
        kind: "store-issues",
        issues: [one],
        marked: [{ issue: refOf(one), isOwn: true, project, posts: [p1] }],
      },
    ]);
  };

  describe("links that a person ends", () => {
    it("are gone, and the issue's mark says nothing of the post any more", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      await linkPost(ledger(), "p1", one);
      await mark();
      await settleAll(ledger());
      await ledger().commit([
        { kind: "end-links", project, post: p1, issues: [refOf(one), refOf(two)], at: noon },
      ]);
      expect(await readRow(ledger(), "p1")).toMatchObject({ links: [], unlinkedAt: noon });
      expect(await dueIds(ledger())).toEqual(["p1"]);
      await mark();
      expect(await ledger().pulls.marked(project, p1)).toBeUndefined();
      expect(await endedIn(project, p1, one)).toEqual([p1]);
      expect(await endedIn(project, p1, two)).toEqual([]);
      expect(await endedIn(otherProject, p1, one)).toEqual([]);
    });

    it("leave the others as they are, and the post is no unlinked one", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      for (const issue of [one, two]) await linkPost(ledger(), "p1", issue);
      await ledger().commit([{ kind: "end-links", project, post: p1, issues: [refOf(one)], at: noon }]);
      const row = await readRow(ledger(), "p1");
      expect(row.links.map(({ link }) => link.issue.number)).toEqual([2]);
      expect(row).not.toHaveProperty("unlinkedAt");
    });

    it("take with them what is known of a post as long as it has an issue", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      await linkPost(ledger(), "p1", one);
      const base = {
        target: { kind: "none" },
        post: undefined,
        foreign: undefined,
        written: undefined,
        pending: undefined,
        ruled: undefined,
      } as const;
      await ledger().commit([
        { kind: "record-row", project, post: p1, record: createRecord({ base: { status: base } }) },
        { kind: "park", project, post: p1, parked: createParked() },
        { kind: "end-links", project, post: p1, issues: [refOf(one)], at: noon },
      ]);
      expect(await readRow(ledger(), "p1")).toMatchObject({ base: {} });
    });

    it("can be made again, and another issue may be opened when a person says so", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      await linkPost(ledger(), "p1", one);
      await ledger().commit([
        { kind: "end-links", project, post: p1, issues: [refOf(one)], at: noon },
        { kind: "reopen", project, post: p1 },
      ]);
      expect(await readRow(ledger(), "p1")).not.toHaveProperty("unlinkedAt");
      expect(await endedIn(project, p1, one)).toEqual([p1]);
      await ledger().commit([{ kind: "end-links", project, post: p1, issues: [], at: noon }]);
      await adopt("p1");
      expect(await readRow(ledger(), "p1")).not.toHaveProperty("unlinkedAt");
      expect(await endedIn(project, p1, one)).toEqual([]);
    });
  });

  describe("an issue of several posts", () => {
    it("shows its further posts to the row of the one whose text it has", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2", { title: "Two" }), createPost("p3")]);
      await linkPost(ledger(), "p1", one);
      await linkPost(ledger(), "p1", two);
      const texts = async (id: string) => (await readRow(ledger(), id)).links.map(({ text }) => text);
      const alone = { content, others: [] };
      expect(await texts("p1")).toEqual([alone, alone]);
      for (const id of ["p3", "p2", "unlisted"]) await adopt(id);
      const [second, third] = await inOrder(["p2", "p3"], async (id) => (await readRow(ledger(), id)).post);
      const others = [second, third, { id: "unlisted", values: {} }];
      expect(await texts("p1")).toEqual([{ content, others }, alone]);
      expect(await texts("p2")).toEqual(["none"]);
    });

    it("hands its text on when that post's link is ended", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      await linkPost(ledger(), "p1", one);
      await adopt("p2");
      expect(await ledger().rows.hasContent(refOf(one))).toBe(true);
      await settleAll(ledger());
      await ledger().commit([{ kind: "end-links", project, post: p1, issues: [refOf(one)], at: noon }]);
      expect((await readRow(ledger(), "p2")).links).toMatchObject([{ text: { content } }]);
      expect(await dueIds(ledger())).toEqual(["p1", "p2"]);
      await ledger().commit([{ kind: "end-links", project, post: p2, issues: [refOf(one)], at: noon }]);
      expect(await ledger().rows.hasContent(refOf(one))).toBe(false);
    });
  });

  describe("the line of a post's note", () => {
    it("is due where its links change, until it is recorded", async () => {
      const { backlinks } = ledger();
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      expect(await backlinks.areDue(project)).toBe(false);
      await linkPost(ledger(), "p1", one);
      expect(await backlinks.areDue(project)).toBe(true);
      expect(await backlinks.due(project, [p1, p2])).toEqual([{ post: "p1", line: undefined }]);
      const record = { kind: "record-backlink", project, post: p1, line: "acme/app#1" } as const;
      await ledger().commit([{ ...record, isDue: false }]);
      expect([await backlinks.areDue(project), await backlinks.due(project, [p1])]).toEqual([false, []]);
      await linkPost(ledger(), "p1", two);
      expect(await backlinks.due(project, [p1])).toEqual([{ post: "p1", line: "acme/app#1" }]);
    });
  });
}
