import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { ImportChange } from "../../src/ledger/pulls.ts";
import type { Parked } from "../../src/model/link.ts";
import {
  createIssue,
  createPost,
  linkPost,
  noon,
  otherProject,
  postId,
  project,
  pullPosts,
} from "./samples.ts";

const seven = { repositoryId: 10, number: 7 };
const name = postId("acme/app#7");

const store = (facts: Partial<Extract<ImportChange, { kind: "store-import" }>> = {}): ImportChange => ({
  ...{ kind: "store-import", project, post: name, issue: seven, title: "CSV export", reason: undefined },
  ...{ updatedAt: "2026-01-01T00:00:00Z", url: "https://github.com/acme/app/issues/7", ...facts },
});

/** Issues that may become posts. */
export function describeImports(ledger: () => Ledger): void {
  const row = (post = name) => ledger().rows.row(project, post, noon);

  describe("an issue that may become a post", () => {
    it("has a row that is no post's, and that no list of the board touches", async () => {
      await ledger().commit([store()]);
      await ledger().commit([{ kind: "mark-due", project, which: "all" }]);
      await pullPosts(ledger(), [createPost("p1")]);
      await pullPosts(ledger(), [createPost("p1")], 2);
      expect(await row()).toMatchObject({
        isImport: true,
        missing: 0,
        post: { values: { title: "CSV export" } },
      });
      expect((await ledger().rows.due(project, noon, undefined, 9)).map(({ post }) => post.id)).toEqual([
        "p1",
      ]);
      expect(await ledger().rows.counts(project)).toMatchObject({ posts: 1, missing: 0, skipped: 0 });
      expect((await row(postId("p1")))?.isImport).toBeUndefined();
    });

    it("comes back as it was judged last, with what people want of it", async () => {
      expect(await ledger().imports.known(project)).toEqual([]);
      await ledger().commit([store(), store({ project: otherProject })]);
      const url = "https://github.com/acme/app/issues/7";
      const known = {
        ...{ post: name, issue: seven, title: "CSV export", url, updatedAt: "2026-01-01T00:00:00Z" },
      };
      const free = { reason: undefined, isDiscarded: false, isParked: false };
      expect(await ledger().imports.known(project)).toEqual([{ ...known, ...free }]);
      const parked: Parked = {
        ...{ kind: "parked", cause: "refused", code: "board.tool", message: "no", since: noon },
        action: { kind: "create-post", signature: "s" },
      };
      await ledger().commit([
        store({ title: "Export", reason: "a stranger's" }),
        { kind: "end-links", project, post: name, issues: [], at: noon },
        { kind: "park", project, post: name, parked },
      ]);
      expect(await ledger().imports.known(project)).toEqual([
        { ...known, title: "Export", reason: "a stranger's", isDiscarded: true, isParked: true },
      ]);
    });

    it("is gone with all that stood there once it is dropped; a post is not", async () => {
      const of = { kind: "create-post" } as const;
      const note = { kind: "held", cause: "guard", message: "held", since: noon, action: of } as const;
      await pullPosts(ledger(), [createPost("p1")]);
      await ledger().commit([store(), { kind: "note-action", project, post: name, of, notes: [note] }]);
      expect(await ledger().rows.counts(project)).toMatchObject({ held: 1 });
      await ledger().commit([
        { kind: "drop-import", project, post: name },
        { kind: "drop-import", project, post: postId("p1") },
      ]);
      expect(await row()).toBeUndefined();
      expect(await row(postId("p1"))).toBeDefined();
      expect(await ledger().imports.known(project)).toEqual([]);
      expect(await ledger().rows.counts(project)).toMatchObject({ held: 0 });
    });

    it("tells which issues of other repositories have become posts", async () => {
      const [there, here] = [createIssue(7, { repositoryId: 11 }), createIssue(8)];
      for (const [post, issue] of [
        ["p1", there],
        ["p2", here],
      ] as const) {
        const link = {
          post: postId(post),
          issue: { repositoryId: issue.repositoryId, number: issue.number },
        };
        await ledger().commit([
          { kind: "link", project, link: { ...link, origin: "imported" }, issue, content: undefined },
        ]);
      }
      await linkPost(ledger(), "p3", createIssue(9, { repositoryId: 11 }));
      expect(await ledger().imports.elsewhere(project, here.repositoryId)).toEqual([there]);
      expect(await ledger().imports.elsewhere(otherProject, here.repositoryId)).toEqual([]);
    });

    it("remembers what makes the next look at a repository conditional, for these labels", async () => {
      const list = { kind: "note-import-list", project, repository: 10, by: "idea" } as const;
      expect(await ledger().imports.validator(project, 10, "idea")).toBeUndefined();
      await ledger().commit([{ ...list, etag: "one" }]);
      expect(await ledger().imports.validator(project, 10, "idea")).toBe("one");
      expect(await ledger().imports.validator(project, 10, "other")).toBeUndefined();
      expect(await ledger().imports.validator(project, 11, "idea")).toBeUndefined();
      await ledger().commit([{ ...list, etag: undefined }]);
      expect(await ledger().imports.validator(project, 10, "idea")).toBeUndefined();
    });
  });

  describe("posts that an issue may have become", () => {
    const address = "https://github.com/acme/a_b/issues/7";
    const none = { texts: [], titles: [], listedSince: undefined };
    const alike = async (wish: object) =>
      (await ledger().imports.alike(project, { ...none, ...wish })).map(({ post }) => post);
    const posts = [
      createPost("p1", { description: `So it is.\n\n${address.toUpperCase()}`, createdAt: "2026-01-01" }),
      createPost("p2", { title: "Csv EXPORT 100%" }),
      createPost("p3", { description: "https://github.com/acme/aXb/issues/7" }),
    ];

    it("are found by a text or a title, in any case, to the letter", async () => {
      await pullPosts(ledger(), posts);
      expect(await alike({})).toEqual([]);
      expect(await alike({ texts: [address] })).toEqual(["p1"]);
      expect(await alike({ titles: ["csv export 100%"] })).toEqual(["p2"]);
      expect(await alike({ texts: ['"Quoted" \\ !'], titles: ["csv"] })).toEqual([]);
    });

    it("are found by the time since which they are listed", async () => {
      await pullPosts(ledger(), posts.slice(0, 1));
      await pullPosts(ledger(), posts, 2, noon + 10);
      expect(await alike({ listedSince: noon + 10 })).toEqual(["p2", "p3"]);
    });

    it("tell what they are, and whether they have an issue", async () => {
      await pullPosts(ledger(), posts);
      const found = { texts: [address], titles: [], listedSince: undefined };
      const [first] = await ledger().imports.alike(project, found);
      expect(first).toEqual({
        ...{ post: "p1", title: "Title of p1", text: `So it is.\n\n${address.toUpperCase()}` },
        ...{ createdAt: "2026-01-01", listedSince: noon, isTaken: false },
      });
      await linkPost(ledger(), "p1", createIssue(1));
      await ledger().commit([{ kind: "end-links", project, post: postId("p2"), issues: [], at: noon }]);
      const all = await ledger().imports.alike(project, { ...found, listedSince: noon });
      expect(all.map(({ post, isTaken }) => [post, isTaken])).toEqual([
        ["p1", true],
        ["p2", true],
        ["p3", false],
      ]);
      expect(await ledger().imports.alike(otherProject, found)).toEqual([]);
    });
  });
}
