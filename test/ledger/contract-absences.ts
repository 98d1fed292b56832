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

function linkOne(ledger: Ledger): void {
  pullPosts(ledger, [createPost("p1")]);
  linkPost(ledger, "p1", createIssue(1));
  settleAll(ledger);
}

function linked(ledger: Ledger): readonly IssueRef[] {
  return readRow(ledger, "p1").links.map(({ link }) => link.issue);
}

export function describeAbsences(ledger: () => Ledger): void {
  describe("absent issues", () => {
    it.each<[Absence, boolean, boolean]>([
      [{ kind: "missing", since: noon }, false, false],
      [moved, false, false],
      [{ kind: "lost", since: noon }, true, true],
      [{ kind: "deleted", since: noon }, true, true],
    ])("%j: its facts are no longer relied on, until it is there again", (absence, isGone, isKnown) => {
      linkOne(ledger());
      for (const next of [absence, absence, undefined, undefined]) {
        const before = ledger().absences.of(one);
        settleAll(ledger());
        ledger().commit([{ kind: "set-absence", issue: one, absence: next }]);
        expect(ledger().absences.of(one)).toEqual(next);
        expect(dueIds(ledger())).toEqual(before?.kind === next?.kind ? [] : ["p1"]);
        const [link] = readRow(ledger(), "p1").links;
        expect([link?.isGone, link?.issue !== undefined]).toEqual(
          next === undefined ? [false, true] : [isGone, isKnown],
        );
      }
    });

    it.each<[Absence["kind"], boolean]>([
      ["missing", true],
      ["lost", true],
      ["deleted", false],
      ["moved", false],
    ])("%s: there again when a list shows it: %s", (kind, isThere) => {
      linkOne(ledger());
      ledger().commit([
        { kind: "set-absence", issue: one, absence: kind === "moved" ? moved : { kind, since: noon } },
      ]);
      settleAll(ledger());
      const marked = [{ issue: one, isOwn: true, project, posts: [postId("p2")] }];
      ledger().commit([{ kind: "store-issues", issues: [createIssue(1)], marked }]);
      expect(ledger().absences.of(one) === undefined).toBe(isThere);
      expect(dueIds(ledger())).toEqual(isThere ? ["p1"] : []);
      expect(ledger().pulls.marked(project, postId("p2")) !== undefined).toBe(isThere);
    });

    it("are listed by repository and by project, as long as they are linked", () => {
      pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      linkPost(ledger(), "p2", createIssue(1));
      linkPost(ledger(), "p1", createIssue(2));
      linkPost(ledger(), "p1", createIssue(1));
      const absence = { kind: "missing", since: noon } as const;
      for (const number of [1, 2, 3])
        ledger().commit([{ kind: "set-absence", issue: { repositoryId: 10, number }, absence }]);
      const two = refOf(createIssue(2));
      expect(ledger().absences.ofRepository(10)).toEqual([
        { issue: one, absence },
        { issue: two, absence },
      ]);
      expect(ledger().absences.ofRepository(20)).toEqual([]);
      expect(ledger().absences.ofProject(project)).toEqual([
        { post: "p1", issue: two, absence },
        { post: "p1", issue: one, absence },
        { post: "p2", issue: one, absence },
      ]);
      expect(ledger().absences.ofProject(otherProject)).toEqual([]);
    });
  });

  describe("a transfer", () => {
    it("is suspected of due posts whose mark shows elsewhere on an issue of the same age", () => {
      linkOne(ledger());
      const older = createIssue(8, { createdAt: "2020-01-01T00:00:00Z" });
      const marked = [there, older].map((issue) => ({
        issue: refOf(issue),
        isOwn: true,
        isFirst: true,
        project,
        posts: [postId("p1")],
      }));
      ledger().commit([{ kind: "store-issues", issues: [older], marked: marked.slice(1) }]);
      expect(ledger().absences.suspects(project)).toEqual([]);
      ledger().commit([{ kind: "store-issues", issues: [there], marked }]);
      expect(ledger().absences.suspects(project)).toEqual([one]);
      expect(ledger().absences.suspects(otherProject)).toEqual([]);
      settleAll(ledger());
      expect(ledger().absences.suspects(project)).toEqual([]);
    });

    it("takes links, marks and texts along, of every project, and is for good", () => {
      linkOne(ledger());
      const link = { post: postId("q1"), issue: one, origin: "adopted" as const };
      ledger().commit([
        { kind: "link", project: otherProject, link, issue: createIssue(1), content: undefined },
      ]);
      const marked = [{ issue: one, isOwn: true, project, posts: [postId("p1")] }];
      ledger().commit([{ kind: "store-issues", issues: [createIssue(1)], marked }]);
      settleAll(ledger());
      ledger().commit([{ kind: "follow-transfer", from: one, to: there, moved }]);
      expect(readRow(ledger(), "p1").links).toEqual([
        { link: { post: "p1", issue: refOf(there), origin: "opened" }, issue: there, isGone: false, content },
      ]);
      expect(dueIds(ledger())).toEqual(["p1"]);
      expect(ledger().pulls.marked(project, postId("p1"))?.issue).toEqual(there);
      expect(ledger().absences.of(one)).toEqual(moved);
      expect(ledger().absences.ofProject(project)).toEqual([]);
      expect(ledger().absences.linkedRepositories(project)).toEqual([20]);
      linkPost(ledger(), "p2", createIssue(2));
      expect(ledger().absences.linkedRepositories(project)).toEqual([10, 20]);
    });

    it("of an issue whose post is linked to both places leaves one link", () => {
      linkOne(ledger());
      linkPost(ledger(), "p1", there);
      ledger().commit([{ kind: "follow-transfer", from: one, to: there, moved }]);
      expect(linked(ledger())).toEqual([refOf(there)]);
    });
  });

  describe("a retired link", () => {
    it("is gone with its mark, which no list brings back", () => {
      linkOne(ledger());
      const marked = [{ issue: one, isOwn: true, project, posts: [postId("p1")] }];
      ledger().commit([
        { kind: "store-issues", issues: [createIssue(1)], marked },
        { kind: "set-absence", issue: one, absence: { kind: "deleted", since: noon } },
      ]);
      settleAll(ledger());
      ledger().commit([{ kind: "retire-issues", project, post: postId("p1") }]);
      expect([linked(ledger()), dueIds(ledger())]).toEqual([[], ["p1"]]);
      ledger().commit([{ kind: "store-issues", issues: [createIssue(1)], marked }]);
      expect(ledger().pulls.marked(project, postId("p1"))).toBeUndefined();
      expect(ledger().absences.of(one)).toMatchObject({ kind: "deleted" });
    });
  });
}
