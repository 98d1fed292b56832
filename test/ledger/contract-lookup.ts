import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import {
  createIssue,
  createPost,
  createRecord,
  hourMs,
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

export function describeLookup(ledger: () => Ledger): void {
  describe("what people ask for by name", () => {
    it("finds what the last record said of a post, in its order", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      await settleAll(ledger());
      const action = { kind: "patch-post", signature: "s1" } as const;
      const notes = [
        { kind: "held", cause: "guard", message: "too many", since: noon, action },
        { kind: "disagreement", cause: "differs", message: "apart", since: noon },
      ] as const;
      await ledger().commit([
        { kind: "record-row", project, post: postId("p1"), record: createRecord({ notes }) },
      ]);
      expect((await readRow(ledger(), "p1")).notes).toEqual(notes);
      expect((await readRow(ledger(), "p2")).notes).toBeUndefined();
    });

    it("finds the last pull that saw the board, and none that broke off", async () => {
      const { lookup, pulls } = ledger();
      expect(await lookup.lastPull(project)).toBeUndefined();
      await pullPosts(ledger(), [createPost("p1")], 1, noon);
      await pullPosts(ledger(), [createPost("p1")], 2, noon + hourMs);
      await ledger().commit([
        {
          kind: "end-pull",
          pull: await pulls.begin(project, 3, noon + 2 * hourMs),
          end: "incomplete",
          at: noon + 2 * hourMs,
        },
      ]);
      expect(await lookup.lastPull(project)).toEqual({ beganAt: noon + hourMs, kind: "complete" });
      expect(await lookup.lastPull(otherProject)).toBeUndefined();
    });

    it("finds a post of the same id in another project that has an issue, and moves all of it", async () => {
      const { lookup } = ledger();
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")], 1, noon);
      await linkPost(ledger(), "p1", createIssue(1));
      await ledger().commit([{ kind: "pause", project, post: postId("p1"), at: noon }]);
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")], 2, noon + hourMs, otherProject);
      const namesake = { post: "p1", project, listedSince: noon + hourMs, pulledAt: noon };
      const known = { ...namesake, issues: [refOf(createIssue(1))], isUnderWay: false };
      expect(await lookup.namesakes(otherProject, undefined)).toMatchObject([{ ...known, isGone: false }]);
      expect(await lookup.namesakes(otherProject, [postId("p2")])).toEqual([]);
      expect(await lookup.namesakes(project, undefined)).toEqual([]);
      expect(await lookup.namesakes("prj_none" as typeof project, undefined)).toEqual([]);
      const move = { kind: "move-post", project, post: postId("p1"), to: otherProject } as const;
      await expect(ledger().commit([move])).rejects.toThrow("not what it was");
      await pullPosts(ledger(), [createPost("p2")], 3, noon + 2 * hourMs);
      expect(await lookup.namesakes(otherProject, [postId("p1")])).toMatchObject([
        { ...known, isGone: true, pulledAt: noon + 2 * hourMs },
      ]);
      await ledger().commit([move]);
      const there = await ledger().rows.row(otherProject, postId("p1"), noon);
      expect(there?.links.map(({ link }) => link.issue)).toEqual([refOf(createIssue(1))]);
      expect(await ledger().rows.row(otherProject, postId("p1"), noon)).toHaveProperty("pausedAt");
      expect((await readRow(ledger(), "p1")).links).toEqual([]);
      expect(await ledger().rows.row(project, postId("p1"), noon)).not.toHaveProperty("pausedAt");
      expect(await lookup.namesakes(otherProject, undefined)).toEqual([]);
      expect(await ledger().pulls.marked(project, postId("p1"))).toBeUndefined();
    });

    it("finds what is known of a post's id elsewhere, and of posts that have an issue", async () => {
      const { lookup } = ledger();
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      await pullPosts(ledger(), [createPost("p2")], 2, noon + hourMs, otherProject);
      expect(await lookup.elsewhere(postId("p1"), [project, otherProject])).toEqual([
        { project, isListed: true, pulledAt: noon },
        { project: otherProject, isListed: false, pulledAt: noon + hourMs },
      ]);
      await linkPost(ledger(), "p1", createIssue(1));
      const posts = [postId("p1"), postId("p2")];
      expect(await lookup.linkedPosts(project, posts)).toEqual(new Map([["p1", createPost("p1").values]]));
    });

    it("finds which pages several posts show", async () => {
      const pages = [
        ["p1", "https://b/1"],
        ["p2", "https://b/2"],
        ["p3", "https://b/2"],
        ["p4", undefined],
      ] as const;
      await pullPosts(
        ledger(),
        pages.map(([id, url]) => createPost(id, url === undefined ? {} : { url })),
      );
      const { lookup } = ledger();
      const urls = ["https://b/1", "https://b/2", "https://b/3"];
      expect(await lookup.sharedPages(project, urls)).toEqual(new Set(["https://b/2"]));
      expect(await lookup.sharedPages(project, [])).toEqual(new Set());
      expect(await lookup.sharedPages(otherProject, urls)).toEqual(new Set());
    });

    it("finds posts whose ids begin alike, then those of about the same length", async () => {
      const { lookup } = ledger();
      await pullPosts(
        ledger(),
        ["cat", "cats", "caterpillar", "dog", "horses"].map((id) => createPost(id)),
      );
      await ledger().commit([{ kind: "mark-missing", project, post: postId("cat-2") }]);
      expect(await lookup.postsLike(project, "cat", 9)).toEqual(["caterpillar", "cats", "cat", "dog"]);
      expect(await lookup.postsLike(project, "cat", 1)).toEqual(["caterpillar", "cat"]);
      expect(await lookup.postsLike(otherProject, "cat", 9)).toEqual([]);
    });
  });
}
