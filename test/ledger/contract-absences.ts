import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Absence, IssueRef } from "../../src/model/issue.ts";
import {
  content,
  createIssue,
  createPost,
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

const one = refOf(createIssue(1));
const there = createIssue(7, { repositoryId: 20, labels: [] });
const moved = { kind: "moved", since: noon, to: refOf(there), name: "acme/api" } as const;

async function linkOne(ledger: Ledger): Promise<void> {
  await pullPosts(ledger, [createPost("p1")]);
  await linkPost(ledger, "p1", createIssue(1));
  await settleAll(ledger);
}

async function linked(ledger: Ledger): Promise<readonly IssueRef[]> {
  return (await readRow(ledger, "p1")).links.map(({ link }) => link.issue);
}

export function describeAbsences(ledger: () => Ledger): void {
  describe("absent issues", () => {
    it.each<[Absence, boolean, boolean]>([
      [{ kind: "missing", since: noon }, false, false],
      [{ kind: "refused", since: noon }, false, false],
      [moved, false, false],
      [{ kind: "lost", since: noon }, true, true],
      [{ kind: "deleted", since: noon }, true, true],
    ])("%j: its facts are no longer relied on, until it is there again", async (absence, isGone, isKnown) => {
      await linkOne(ledger());
      for (const next of [absence, absence, undefined, undefined]) {
        const before = await ledger().absences.of(one);
        await settleAll(ledger());
        await ledger().commit([{ kind: "set-absence", issue: one, absence: next }]);
        expect(await ledger().absences.of(one)).toEqual(next);
        expect(await dueIds(ledger())).toEqual(before?.kind === next?.kind ? [] : ["p1"]);
        const [link] = (await readRow(ledger(), "p1")).links;
        expect([link?.isGone, link?.known !== undefined]).toEqual(
          next === undefined ? [false, true] : [isGone, isKnown],
        );
      }
    });

    it.each<[Absence["kind"], boolean]>([
      ["missing", true],
      ["refused", true],
      ["lost", true],
      ["deleted", false],
      ["moved", false],
    ])("%s: there again when a list shows it: %s", async (kind, isThere) => {
      await linkOne(ledger());
      await ledger().commit([
        { kind: "set-absence", issue: one, absence: kind === "moved" ? moved : { kind, since: noon } },
      ]);
      await settleAll(ledger());
      const marked = [{ issue: one, isOwn: true, project, posts: [postId("p2")] }];
      await ledger().commit([{ kind: "store-issues", issues: [createIssue(1)], marked }]);
      expect((await ledger().absences.of(one)) === undefined).toBe(isThere);
      expect(await dueIds(ledger())).toEqual(isThere ? ["p1"] : []);
      expect((await ledger().pulls.marked(project, postId("p2"))) !== undefined).toBe(isThere);
    });

    it("are listed by repository and by project, as long as they are linked", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      await linkPost(ledger(), "p2", createIssue(1));
      await linkPost(ledger(), "p1", createIssue(2));
      await linkPost(ledger(), "p1", createIssue(1));
      const absence = { kind: "missing", since: noon } as const;
      for (const number of [1, 2, 3])
        await ledger().commit([{ kind: "set-absence", issue: { repositoryId: 10, number }, absence }]);
      const two = refOf(createIssue(2));
      expect(await ledger().absences.ofRepository(10)).toEqual([
        { issue: one, absence },
        { issue: two, absence },
      ]);
      expect(await ledger().absences.ofRepository(20)).toEqual([]);
      const three = { repositoryId: 10, number: 3 };
      const canonical = { kind: "known", value: three } as const;
      const signals = { canonical };
      await ledger().commit([{ kind: "store-signals", issue: createIssue(1), signals, isFill: false }]);
      expect(await ledger().absences.ofRepository(10, "withDuplicates")).toHaveLength(3);
      expect(await ledger().absences.ofProject(project)).toEqual([
        { post: "p1", issue: two, absence },
        { post: "p1", issue: one, absence },
        { post: "p2", issue: one, absence },
      ]);
      expect(await ledger().absences.ofProject(otherProject)).toEqual([]);
    });
  });

  describe("a transfer", () => {
    it("is suspected of due posts whose mark shows elsewhere on an issue of the same age", async () => {
      await linkOne(ledger());
      const older = createIssue(8, { createdAt: "2020-01-01T00:00:00Z" });
      const marked = [there, older].map((issue) => ({
        issue: refOf(issue),
        isOwn: true,
        isFirst: true,
        project,
        posts: [postId("p1")],
      }));
      await ledger().commit([{ kind: "store-issues", issues: [older], marked: marked.slice(1) }]);
      expect(await ledger().absences.suspects(project)).toEqual([]);
      await ledger().commit([{ kind: "store-issues", issues: [there], marked }]);
      expect(await ledger().absences.suspects(project)).toEqual([one]);
      expect(await ledger().absences.suspects(otherProject)).toEqual([]);
      await settleAll(ledger());
      expect(await ledger().absences.suspects(project)).toEqual([]);
    });

    it("takes links, marks and texts along, of every project, and is for good", async () => {
      await linkOne(ledger());
      const link = { post: postId("q1"), issue: one, origin: "adopted" as const };
      await ledger().commit([
        { kind: "link", project: otherProject, link, issue: createIssue(1), content: undefined },
      ]);
      const marked = [{ issue: one, isOwn: true, project, posts: [postId("p1")] }];
      await ledger().commit([{ kind: "store-issues", issues: [createIssue(1)], marked }]);
      await settleAll(ledger());
      await ledger().commit([{ kind: "follow-transfer", from: one, to: there, moved }]);
      expect((await readRow(ledger(), "p1")).links).toEqual([
        {
          link: { post: "p1", issue: refOf(there), origin: "opened" },
          known: { issue: there },
          isGone: false,
          text: { content, others: [] },
        },
      ]);
      expect(await dueIds(ledger())).toEqual(["p1"]);
      expect((await ledger().pulls.marked(project, postId("p1")))?.issue).toEqual(there);
      expect(await ledger().absences.of(one)).toEqual(moved);
      expect(await ledger().absences.ofProject(project)).toEqual([]);
      expect(await ledger().absences.linkedRepositories(project)).toEqual([20]);
      await linkPost(ledger(), "p2", createIssue(2));
      expect(await ledger().absences.linkedRepositories(project)).toEqual([10, 20]);
    });

    it("of an issue whose post is linked to both places leaves one link", async () => {
      await linkOne(ledger());
      await linkPost(ledger(), "p1", there);
      await ledger().commit([{ kind: "follow-transfer", from: one, to: there, moved }]);
      expect(await linked(ledger())).toEqual([refOf(there)]);
    });

    it.each(["lost", "deleted"] as const)("to where an issue was %s: it is there after all", async (kind) => {
      await linkOne(ledger());
      await linkPost(ledger(), "p2", there);
      await ledger().commit([{ kind: "set-absence", issue: refOf(there), absence: { kind, since: noon } }]);
      await ledger().commit([{ kind: "follow-transfer", from: one, to: there, moved }]);
      expect(await ledger().absences.of(refOf(there))).toBeUndefined();
      const [link] = (await readRow(ledger(), "p1")).links;
      expect([link?.isGone, link?.known?.issue]).toEqual([false, there]);
      expect((await ledger().signals.of(refOf(there)))?.issue).toEqual(there);
    });
  });

  describe("a link that is given up", () => {
    it.each(["deleted", "lost"] as const)(
      "of a %s issue is gone with its mark, which no list brings back",
      async (kind) => {
        await linkOne(ledger());
        const marked = [{ issue: one, isOwn: true, project, posts: [postId("p1")] }];
        await ledger().commit([
          { kind: "store-issues", issues: [createIssue(1)], marked },
          { kind: "set-absence", issue: one, absence: { kind, since: noon } },
        ]);
        await settleAll(ledger());
        const place = { project, post: postId("p1") };
        await ledger().commit([
          { ...place, kind: "end-links", issues: [one], at: noon },
          { ...place, kind: "reopen" },
        ]);
        expect([await linked(ledger()), await dueIds(ledger())]).toEqual([[], ["p1"]]);
        await ledger().commit([{ kind: "store-issues", issues: [createIssue(1)], marked }]);
        expect(await ledger().pulls.marked(project, postId("p1"))).toBeUndefined();
        const [known] = await ledger().pulls.marks(marked);
        expect(known).toEqual({ strange: [], isExplained: true, ended: ["p1"] });
        expect((await ledger().absences.of(one))?.kind).toBe(kind === "deleted" ? kind : undefined);
      },
    );
  });
}
