import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { LinkedPullRequest, Readable, Signals } from "../../src/model/issue.ts";
import {
  createIssue,
  createPost,
  createRepositoryMemory,
  dueIds,
  hourMs,
  linkPost,
  noon,
  otherProject,
  project,
  pullPosts,
  readRow,
  refOf,
  settleAll,
} from "./samples.ts";

const one = refOf(createIssue(1));
/** In a repository of which no list is read. */
const far = createIssue(9, { repositoryId: 90, labels: [], milestone: null });
const pull: LinkedPullRequest = { repository: "acme/app", number: 5, state: "open", isDraft: false };
const unknown = { kind: "unknown", message: "The token can't see the project." } as const;
const full: Signals = {
  pullRequests: known([pull]),
  subIssues: known({ total: 3, closed: 1 }),
  projectStatus: { "acme/7/status": known("In progress"), "acme/8/status": unknown },
  isReleased: known(false),
  canonical: known(null),
};

function known<T>(value: T): Readable<T> {
  return { kind: "known", value };
}

/** Three posts with an issue each. */
async function linkThree(ledger: Ledger): Promise<void> {
  await pullPosts(ledger, [createPost("p1"), createPost("p2"), createPost("p3")]);
  for (const number of [1, 2, 3]) await linkPost(ledger, `p${number}`, createIssue(number));
  await settleAll(ledger);
}

async function firstLink(ledger: Ledger, id: string) {
  return (await readRow(ledger, id)).links[0];
}

export function describeSignals(ledger: () => Ledger): void {
  describe("signals", () => {
    it("come back with their issue's row, which is due where one of them has changed", async () => {
      await linkThree(ledger());
      expect((await firstLink(ledger(), "p1"))?.known).not.toHaveProperty("signals");
      await ledger().commit([{ kind: "store-signals", issue: one, signals: full, isFill: false }]);
      expect((await firstLink(ledger(), "p1"))?.known?.signals).toEqual(full);
      expect(await dueIds(ledger())).toEqual(["p1"]);
      await settleAll(ledger());
      const { canonical, isReleased, ...rest } = full;
      await ledger().commit([
        {
          kind: "store-signals",
          issue: one,
          signals: { isReleased: known(false), canonical: known(null), ...rest },
          isFill: false,
        },
      ]);
      expect(await dueIds(ledger())).toEqual([]);
      await ledger().commit([
        {
          kind: "store-signals",
          issue: one,
          signals: { subIssues: known({ total: 3, closed: 2 }) },
          isFill: false,
        },
      ]);
      expect(await dueIds(ledger())).toEqual(["p1"]);
    });

    it("that were not read again stay, and so do other fields of projects", async () => {
      await linkThree(ledger());
      await ledger().commit([
        { kind: "store-signals", issue: one, signals: full, isFill: false },
        {
          kind: "store-signals",
          issue: one,
          signals: {
            projectStatus: { "acme/8/status": known(null) },
            isReleased: known(true),
          },
          isFill: false,
        },
      ]);
      expect((await firstLink(ledger(), "p1"))?.known?.signals).toEqual({
        ...full,
        isReleased: known(true),
        projectStatus: { "acme/7/status": known("In progress"), "acme/8/status": known(null) },
      });
    });

    it("that were read for the first time are laid under those that are known", async () => {
      await linkThree(ledger());
      await ledger().commit([
        {
          kind: "store-signals",
          issue: one,
          signals: {
            isReleased: known(true),
            projectStatus: { "acme/7/status": known("Done") },
          },
          isFill: false,
        },
      ]);
      await settleAll(ledger());
      await ledger().commit([{ kind: "store-signals", issue: one, signals: full, isFill: true }]);
      const projectStatus = { ...full.projectStatus, "acme/7/status": known("Done") };
      expect((await firstLink(ledger(), "p1"))?.known?.signals).toEqual({
        ...full,
        isReleased: known(true),
        projectStatus,
      });
      expect(await dueIds(ledger())).toEqual(["p1"]);
      await ledger().commit([{ kind: "store-signals", issue: one, signals: full, isFill: true }]);
    });

    it("go along with a transferred issue", async () => {
      await linkThree(ledger());
      await ledger().commit([{ kind: "store-signals", issue: one, signals: full, isFill: false }]);
      const there = createIssue(7, { repositoryId: 20 });
      const moved = { kind: "moved", since: noon, to: refOf(there), name: "acme/api" } as const;
      await ledger().commit([{ kind: "follow-transfer", from: one, to: there, moved }]);
      expect((await firstLink(ledger(), "p1"))?.known?.signals).toEqual(full);
    });

    it("are those of nothing where an issue can't be relied on", async () => {
      await linkThree(ledger());
      await ledger().commit([{ kind: "store-signals", issue: one, signals: full, isFill: false }]);
      expect(await ledger().signals.of(one)).toEqual({ issue: createIssue(1), signals: full });
      expect(await ledger().signals.of(refOf(createIssue(2)))).toEqual({
        issue: createIssue(2),
        signals: {},
      });
      expect(await ledger().signals.of(refOf(far))).toBeUndefined();
      await ledger().commit([{ kind: "set-absence", issue: one, absence: { kind: "missing", since: noon } }]);
      expect(await ledger().signals.of(one)).toBeUndefined();
    });

    it("are asked for in parts, of issues that are linked and can be relied on, each once", async () => {
      await linkThree(ledger());
      await linkPost(ledger(), "p3", createIssue(1));
      await linkPost(ledger(), "p1", far);
      await ledger().commit([
        { kind: "set-absence", issue: refOf(createIssue(2)), absence: { kind: "missing", since: noon } },
        { kind: "store-signals", issue: one, signals: full, isFill: false },
      ]);
      const first = await ledger().signals.linked(project, undefined, 2);
      expect(first).toEqual([
        { issue: createIssue(1), signals: full },
        { issue: createIssue(3), signals: {} },
      ]);
      expect(await ledger().signals.linked(project, refOf(createIssue(3)), 2)).toEqual([
        { issue: far, signals: {} },
      ]);
      expect(await ledger().signals.linked(project, refOf(far), 2)).toEqual([]);
      expect(await ledger().signals.linked(otherProject, undefined, 2)).toEqual([]);
      const duplicate = createIssue(3, { state: "closed", stateReason: "duplicate" });
      expect(await ledger().signals.linked(project, undefined, 2, "duplicates")).toEqual([]);
      await ledger().commit([{ kind: "store-facts", issue: duplicate }]);
      expect(await ledger().signals.linked(project, undefined, 2, "duplicates")).toEqual([
        { issue: duplicate, signals: {} },
      ]);
      await ledger().commit([{ kind: "store-facts", issue: createIssue(3) }]);
      await ledger().commit([
        { kind: "remember-repository", memory: createRepositoryMemory({ pausedAt: noon }) },
      ]);
      expect((await ledger().signals.linked(project, undefined, 9)).map(({ issue }) => issue)).toEqual([far]);
    });
  });

  describe("an issue that another one is a duplicate of", () => {
    async function followFar(ledger: Ledger): Promise<void> {
      await linkThree(ledger);
      await ledger.commit([
        { kind: "store-facts", issue: far },
        { kind: "store-signals", issue: one, signals: { canonical: known(refOf(far)) }, isFill: false },
      ]);
      await settleAll(ledger);
    }

    it("comes with the rows that follow it, and makes them due", async () => {
      await followFar(ledger());
      expect((await firstLink(ledger(), "p1"))?.known?.canonical).toEqual({ issue: far });
      const signals: Signals = { pullRequests: known([]) };
      await ledger().commit([{ kind: "store-signals", issue: refOf(far), signals, isFill: false }]);
      expect((await firstLink(ledger(), "p1"))?.known?.canonical).toEqual({ issue: far, signals });
      expect(await dueIds(ledger())).toEqual(["p1"]);
      await settleAll(ledger());
      await ledger().commit([{ kind: "store-facts", issue: { ...far, state: "closed" } }]);
      expect((await firstLink(ledger(), "p1"))?.known?.canonical?.issue.state).toBe("closed");
      expect(await dueIds(ledger())).toEqual(["p1"]);
    });

    it("is kept up to date by lists, like one that is linked", async () => {
      await followFar(ledger());
      await ledger().commit([{ kind: "store-issues", issues: [{ ...far, state: "closed" }], marked: [] }]);
      expect((await firstLink(ledger(), "p1"))?.known?.canonical?.issue.state).toBe("closed");
      expect(await dueIds(ledger())).toEqual(["p1"]);
    });

    it("is left to the lists while it is linked itself, unless it has changed since", async () => {
      await linkThree(ledger());
      const renamed = createIssue(2, { labels: ["renamed"] });
      await ledger().commit([{ kind: "store-facts", issue: renamed }]);
      expect((await firstLink(ledger(), "p2"))?.known?.issue).toEqual(createIssue(2));
      expect(await dueIds(ledger())).toEqual([]);
      const later = createIssue(2, { state: "closed", updatedAt: "2030-01-01T00:00:00Z" });
      await ledger().commit([{ kind: "store-facts", issue: { ...later, nodeId: "I_another" } }]);
      expect((await firstLink(ledger(), "p2"))?.known?.issue).toEqual(createIssue(2));
      await ledger().commit([{ kind: "store-facts", issue: later }]);
      expect((await firstLink(ledger(), "p2"))?.known?.issue).toEqual(later);
      expect(await dueIds(ledger())).toEqual(["p2"]);
      // Within a second it may have changed again.
      const again = { ...later, state: "open" } as const;
      await ledger().commit([{ kind: "store-facts", issue: again }]);
      expect((await firstLink(ledger(), "p2"))?.known?.issue).toEqual(again);
    });

    it("is left to the lists while it is linked and absent", async () => {
      await linkThree(ledger());
      const absent = { kind: "missing", since: noon } as const;
      await ledger().commit([
        { kind: "set-absence", issue: refOf(createIssue(2)), absence: absent },
        { kind: "store-facts", issue: createIssue(2, { updatedAt: "2030-01-01T00:00:00Z" }) },
      ]);
      expect(await ledger().absences.of(refOf(createIssue(2)))).toEqual(absent);
    });

    it("is not known any more once it is absent, until it is there again", async () => {
      await followFar(ledger());
      await ledger().commit([
        { kind: "set-absence", issue: refOf(far), absence: { kind: "missing", since: noon } },
      ]);
      expect(await firstLink(ledger(), "p1")).not.toHaveProperty("canonical");
      expect(await dueIds(ledger())).toEqual(["p1"]);
      await settleAll(ledger());
      await ledger().commit([{ kind: "store-facts", issue: far }]);
      expect((await firstLink(ledger(), "p1"))?.known?.canonical).toEqual({ issue: far });
      expect(await dueIds(ledger())).toEqual(["p1"]);
    });

    it("is followed no more by an issue that is a duplicate of another one, or of none", async () => {
      await followFar(ledger());
      await ledger().commit([
        {
          kind: "store-signals",
          issue: one,
          signals: { canonical: known(refOf(createIssue(2))) },
          isFill: false,
        },
      ]);
      expect((await firstLink(ledger(), "p1"))?.known?.canonical).toEqual({ issue: createIssue(2) });
      await ledger().commit([
        { kind: "store-signals", issue: one, signals: { canonical: known(null) }, isFill: false },
      ]);
      expect(await firstLink(ledger(), "p1")).not.toHaveProperty("canonical");
      await settleAll(ledger());
      await ledger().commit([{ kind: "store-facts", issue: { ...far, state: "closed" } }]);
      expect(await dueIds(ledger())).toEqual([]);
    });
  });

  describe("labels and milestones of linked issues", () => {
    it("are known as they were read", async () => {
      await linkThree(ledger());
      await linkPost(ledger(), "p1", createIssue(4, { labels: ["bug", "feedback"], milestone: null }));
      await ledger().commit([{ kind: "store-facts", issue: createIssue(5, { labels: ["not linked"] }) }]);
      expect([...(await ledger().signals.catalogue(10)).labels].sort()).toEqual(["bug", "feedback"]);
      expect((await ledger().signals.catalogue(10)).milestones).toEqual([
        { number: 3, title: "Backlog", state: "open" },
      ]);
      expect(await ledger().signals.catalogue(20)).toEqual({ labels: [], milestones: [], ids: [] });
    });

    it("get another milestone where it was renamed or closed, and their rows are due", async () => {
      await linkThree(ledger());
      await linkPost(
        ledger(),
        "p3",
        createIssue(4, { milestone: { number: 8, title: "Backlog", state: "open" } }),
      );
      const absent = { kind: "missing", since: noon - hourMs } as const;
      await ledger().commit([{ kind: "set-absence", issue: refOf(createIssue(3)), absence: absent }]);
      await settleAll(ledger());
      const backlog = { number: 3, title: "Backlog", state: "open" } as const;
      const closed = { ...backlog, title: "1.0", state: "closed" } as const;
      await ledger().commit([{ kind: "replace-milestone", repository: 10, known: backlog, now: closed }]);
      expect(await dueIds(ledger())).toEqual(["p1", "p2"]);
      expect((await firstLink(ledger(), "p1"))?.known?.issue.milestone).toEqual(closed);
      expect(await ledger().absences.of(refOf(createIssue(3)))).toEqual(absent);
      expect((await readRow(ledger(), "p3")).links[1]?.known?.issue.milestone?.number).toBe(8);
    });
  });

  describe("what names in the rules of a project mean", () => {
    it("is what was told last", async () => {
      const pin = { repositoryId: 10, kind: "label", name: "bug", id: "LA_1", now: "defect" } as const;
      const lost = { ...pin, name: "old", id: "LA_2", now: undefined };
      await ledger().commit([{ kind: "set-pins", project, pins: [lost, pin] }]);
      expect(await ledger().signals.pins(project)).toEqual([pin, lost]);
      await ledger().commit([{ kind: "set-pins", project, pins: [pin] }]);
      expect(await ledger().signals.pins(project)).toEqual([pin]);
      expect(await ledger().signals.pins(otherProject)).toEqual([]);
    });
  });
}
