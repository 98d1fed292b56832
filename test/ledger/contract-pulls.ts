import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { NewOtherMark, PullId } from "../../src/ledger/pulls.ts";
import type { Issue } from "../../src/model/issue.ts";
import { inOrder } from "../../src/select.ts";
import {
  createIssue,
  createPatchLine,
  createPost,
  dueIds,
  hourMs,
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

export function describePulls(ledger: () => Ledger): void {
  describe("posts that are pulled", () => {
    it("are due when they are new, and not again when nothing changed", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      expect(await dueIds(ledger())).toEqual(["p1", "p2"]);
      await settleAll(ledger());
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")], 2);
      expect(await dueIds(ledger())).toEqual([]);
    });

    it("are due when any field of theirs has changed, appeared or gone", async () => {
      await pullPosts(ledger(), [
        createPost("p1"),
        createPost("p2", { votes: 1 }),
        createPost("p3", { votes: 1 }),
      ]);
      await settleAll(ledger());
      await pullPosts(
        ledger(),
        [createPost("p1", { votes: 0 }), createPost("p2"), createPost("p3", { votes: 1 })],
        2,
      );
      expect(await dueIds(ledger())).toEqual(["p1", "p2"]);
    });

    it("are the same whatever the order of their fields", async () => {
      await pullPosts(ledger(), [
        { id: postId("p1"), values: { status: "open", votes: 3, categoryId: null } },
      ]);
      await settleAll(ledger());
      await pullPosts(
        ledger(),
        [{ id: postId("p1"), values: { categoryId: null, votes: 3, status: "open" } }],
        2,
      );
      expect(await dueIds(ledger())).toEqual([]);
    });

    it("come back with exactly the values that were shown", async () => {
      const values = {
        status: "a\u0000b\ud800 \u2028",
        roadmapOrder: -1.5,
        onRoadmap: false,
        categoryId: null,
        description: "ä".repeat(70_000),
      };
      await pullPosts(ledger(), [{ id: postId("__proto__"), values }]);
      expect((await readRow(ledger(), "__proto__")).post).toEqual({ id: "__proto__", values });
    });

    it("never keep a field that is not of the model", async () => {
      const values = { status: "open", internalNote: "secret" };
      await pullPosts(ledger(), [{ id: postId("p1"), values }]);
      expect((await readRow(ledger(), "p1")).post.values).toEqual({ status: "open" });
    });

    it("replace what came before them in the same pull", async () => {
      const pull = await ledger().pulls.begin(project, 1, noon);
      await ledger().commit([
        { kind: "store-posts", pull, posts: [createPost("p1", { votes: 1 })], at: noon },
        { kind: "store-posts", pull, posts: [createPost("p1", { votes: 2 })], at: noon },
      ]);
      expect((await ledger().pulls.measure(pull)).posts).toBe(1);
      expect((await readRow(ledger(), "p1")).post.values.votes).toBe(2);
    });

    it("tell when they were seen last, changed or not", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")], 1, noon);
      await pullPosts(ledger(), [createPost("p1")], 2, noon + hourMs);
      expect((await readRow(ledger(), "p1")).seenAt).toBe(noon + hourMs);
      expect((await readRow(ledger(), "p2")).seenAt).toBe(noon);
    });

    it("belong to their project", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      expect(await ledger().rows.row(otherProject, postId("p1"), noon)).toBeUndefined();
      const pull = await ledger().pulls.begin(otherProject, 1, noon);
      await ledger().commit([
        { kind: "store-posts", pull, posts: [createPost("p1", { votes: 9 })], at: noon },
      ]);
      expect((await ledger().rows.row(otherProject, postId("p1"), noon))?.post.values.votes).toBe(9);
      expect((await readRow(ledger(), "p1")).post.values.votes).toBeUndefined();
    });
  });

  describe("posts that are missing", () => {
    it("are counted once by each complete pull of another run, at most twice, and due when the count moves", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")], 1);
      const history = await inOrder([2, 2, 3, 4], async (run) => {
        await settleAll(ledger());
        await pullPosts(ledger(), [createPost("p2")], run);
        return [(await readRow(ledger(), "p1")).missing, ...(await dueIds(ledger()))];
      });
      expect(history).toEqual([[1, "p1"], [1], [2, "p1"], [2]]);
      expect((await readRow(ledger(), "p2")).missing).toBe(0);
    });

    it.each(["usable", "incomplete"] as const)("are not counted by a pull that is %s", async (kind) => {
      await pullPosts(ledger(), [createPost("p1")], 1);
      const pull = await ledger().pulls.begin(project, 2, noon);
      await ledger().commit([
        { kind: "store-posts", pull, posts: [createPost("p2")], at: noon },
        { kind: "end-pull", pull, end: kind, at: noon },
      ]);
      expect((await readRow(ledger(), "p1")).missing).toBe(0);
    });

    it("are due and there again as soon as any pull shows them", async () => {
      await pullPosts(ledger(), [createPost("p1")], 1);
      await pullPosts(ledger(), [], 2);
      await settleAll(ledger());
      await ledger().commit([
        {
          kind: "store-posts",
          pull: await ledger().pulls.begin(project, 3, noon),
          posts: [createPost("p1")],
          at: noon,
        },
      ]);
      expect((await readRow(ledger(), "p1")).missing).toBe(0);
      expect(await dueIds(ledger())).toEqual(["p1"]);
    });

    it("are none of another project", async () => {
      await pullPosts(ledger(), [createPost("p1")], 1);
      await ledger().commit([
        {
          kind: "end-pull",
          pull: await ledger().pulls.begin(otherProject, 2, noon),
          end: "complete",
          at: noon,
        },
      ]);
      expect((await readRow(ledger(), "p1")).missing).toBe(0);
    });
  });

  describe("a pull", () => {
    it("is measured against what is linked", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2"), createPost("p3")]);
      for (const [id, number] of [
        ["p1", 1],
        ["p1", 2],
        ["p2", 3],
        ["ghost", 4],
      ] as const) {
        await linkPost(ledger(), id, createIssue(number));
      }
      const pull = await ledger().pulls.begin(project, 2, noon);
      await ledger().commit([
        { kind: "store-posts", pull, posts: [createPost("p1"), createPost("p3")], at: noon },
      ]);
      expect(await ledger().pulls.measure(pull)).toEqual({ posts: 2, linked: 3, linkedSeen: 1 });
    });

    it("takes nothing once it has ended", async () => {
      const pull = await pullPosts(ledger(), []);
      await expect(ledger().commit([{ kind: "store-posts", pull, posts: [], at: noon }])).rejects.toThrow(
        "not open",
      );
      await expect(ledger().pulls.measure(99 as PullId)).rejects.toThrow("not open");
      await expect(ledger().commit([{ kind: "end-pull", pull, end: "complete", at: noon }])).rejects.toThrow(
        "not open",
      );
    });
  });

  describe("issues that are pulled", () => {
    it("are stored when they are linked or marked, and left out otherwise", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      await linkPost(ledger(), "p1", createIssue(1));
      const issues = [createIssue(1), createIssue(2), createIssue(3)];
      const marked = [{ issue: refOf(createIssue(2)), isOwn: true, project, posts: [postId("p2")] }];
      await ledger().commit([{ kind: "store-issues", issues, marked }]);
      expect(await ledger().pulls.marked(project, postId("p2"))).toEqual({
        issue: createIssue(2),
        isOwn: true,
        isFirst: true,
        others: [],
      });
      await ledger().commit([{ kind: "store-issues", issues: [createIssue(3)], marked: [] }]);
    });

    it("make every row of theirs due when they changed, and only then", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2"), createPost("p3")]);
      for (const id of ["p1", "p2"]) await linkPost(ledger(), id, createIssue(1));
      await settleAll(ledger());
      await ledger().commit([{ kind: "store-issues", issues: [createIssue(1)], marked: [] }]);
      expect(await dueIds(ledger())).toEqual([]);
      const changed = createIssue(1, { labels: ["feedback", "in progress"], milestone: null });
      await ledger().commit([{ kind: "store-issues", issues: [changed], marked: [] }]);
      expect(await dueIds(ledger())).toEqual(["p1", "p2"]);
      expect((await readRow(ledger(), "p1")).links[0]?.known?.issue).toEqual({
        ...changed,
        formerMilestone: createIssue(1).milestone?.number,
      });
    });

    it("remember the milestone that they were in last, of the very same issue, until they are in another one", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      await linkPost(ledger(), "p1", createIssue(1, { milestone: null }));
      const store = async (changes: Partial<Issue>) => {
        await ledger().commit([{ kind: "store-issues", issues: [createIssue(1, changes)], marked: [] }]);
        return (await readRow(ledger(), "p1")).links[0]?.known?.issue;
      };
      const milestone = { number: 7, title: "7", state: "open" } as const;
      expect(await store({ milestone: null, locked: true })).not.toHaveProperty("formerMilestone");
      expect(await store({ milestone })).not.toHaveProperty("formerMilestone");
      for (const labels of [[], ["other"]])
        expect(await store({ milestone: null, labels })).toMatchObject({ formerMilestone: 7 });
      expect(await store({ milestone })).toEqual(createIssue(1, { milestone }));
      expect(await store({ milestone: null, nodeId: "I_other" })).not.toHaveProperty("formerMilestone");
    });

    it("are in doubt where a list shows them otherwise than they are known of the very same second", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      await linkPost(ledger(), "p1", createIssue(1));
      const { pulls } = ledger();
      for (const change of [
        { state: "closed" as const },
        { labels: [] },
        { assignees: ["ada", "bob"] },
        { milestone: null },
      ]) {
        expect((await pulls.listed([createIssue(1, change)]))[0]?.isInDoubt).toBe(true);
        expect(
          (await pulls.listed([createIssue(1, { ...change, updatedAt: "2030-01-01T00:00:00Z" })]))[0]
            ?.isInDoubt,
        ).toBe(false);
      }
      expect((await pulls.listed([createIssue(1)]))[0]?.isInDoubt).toBe(false);
      expect((await pulls.listed([createIssue(1, { labels: ["renamed"] })]))[0]?.isInDoubt).toBe(false);
      expect(
        (await pulls.listed([createIssue(1, { state: "closed", nodeId: "I_another" })]))[0]?.isInDoubt,
      ).toBe(false);
      expect((await pulls.listed([createIssue(2, { state: "closed" })]))[0]?.isInDoubt).toBe(false);
      const closed = { state: "closed", stateReason: "completed" } as const;
      await ledger().commit([{ kind: "store-issues", issues: [createIssue(1, closed)], marked: [] }]);
      expect(
        (await pulls.listed([createIssue(1, { ...closed, stateReason: "not_planned" })]))[0]?.isInDoubt,
      ).toBe(true);
      expect((await pulls.listed([createIssue(1, { ...closed, stateReason: null })]))[0]?.isInDoubt).toBe(
        false,
      );
    });

    it("that carry a new marker make their posts due, so that they can be adopted", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      await settleAll(ledger());
      const marked = [
        { issue: refOf(createIssue(2)), isOwn: true, project, posts: [postId("p2"), postId("unlisted")] },
      ];
      await ledger().commit([{ kind: "store-issues", issues: [createIssue(2)], marked }]);
      expect(await dueIds(ledger())).toEqual(["p2"]);
      await settleAll(ledger());
      await ledger().commit([{ kind: "store-issues", issues: [createIssue(2)], marked }]);
      expect(await dueIds(ledger())).toEqual([]);
    });

    it.each([
      ["our own", true, []],
      ["another account's", false, ["p1"]],
    ])("that are linked and carry %s new marker leave nothing to adopt", async (_, isOwn, due) => {
      await pullPosts(ledger(), [createPost("p1")]);
      await linkPost(ledger(), "p1", createIssue(1));
      await settleAll(ledger());
      const marked = [{ issue: refOf(createIssue(1)), isOwn, project, posts: [postId("p1")] }];
      await ledger().commit([{ kind: "store-issues", issues: [createIssue(1)], marked }]);
      // What is ours by another account's mark alone is only read.
      expect(await dueIds(ledger())).toEqual(due);
    });

    it("are found by their marker: the lowest number of the lowest repository, then the others", async () => {
      const issues = [
        createIssue(1, { repositoryId: 20 }),
        createIssue(9, { repositoryId: 10 }),
        createIssue(8, { repositoryId: 10 }),
      ];
      const marked = issues.map((issue) => ({
        issue: refOf(issue),
        isOwn: issue.number === 8,
        project,
        posts: [postId("p1"), postId("p3")],
      }));
      await ledger().commit([{ kind: "store-issues", issues, marked }]);
      expect((await ledger().pulls.marked(project, postId("p3")))?.isFirst).toBe(false);
      expect(await ledger().pulls.marked(project, postId("p1"))).toEqual({
        issue: issues[2],
        isOwn: true,
        isFirst: true,
        others: [issues[1], issues[0]],
      });
      expect(await ledger().pulls.marked(project, postId("p2"))).toBeUndefined();
      expect(await ledger().pulls.marked(otherProject, postId("p1"))).toBeUndefined();
    });

    it.each<[string, boolean, (known: Ledger) => Promise<unknown>]>([
      ["by nothing", false, (known) => pullPosts(known, [createPost("p1"), createPost("p2")])],
      [
        "by a link to the issue",
        true,
        async (known) => {
          await pullPosts(known, [createPost("p2")]);
          await linkPost(known, "p2", createIssue(7));
        },
      ],
      [
        "by another issue of the post",
        true,
        async (known) => {
          await pullPosts(known, [createPost("p1")]);
          await linkPost(known, "p1", createIssue(1));
        },
      ],
      [
        "by a marker for the post",
        true,
        async (known) => {
          const issue = refOf(createIssue(1));
          await known.commit([
            {
              kind: "store-issues",
              issues: [],
              marked: [{ issue, isOwn: true, project, posts: [postId("p1")] }],
            },
          ]);
        },
      ],
      [
        "by a marker on the issue",
        true,
        async (known) => {
          const issue = refOf(createIssue(7));
          await known.commit([
            {
              kind: "store-issues",
              issues: [],
              marked: [{ issue, isOwn: true, project, posts: [postId("p3")] }],
            },
          ]);
        },
      ],
      ["by a request that has left", true, (known) => sendIntent(known)],
      [
        "by a request that has ended, and may have been applied",
        true,
        async (known) => {
          await known.commit([
            {
              kind: "resolve",
              intent: await sendIntent(known),
              state: "REJECTED",
              at: noon,
              message: "not found",
            },
            {
              kind: "audit",
              entry: {
                ...createPatchLine(),
                kind: "create-issue",
                side: "tracker",
                outcome: "unknown",
              },
            },
          ]);
        },
      ],
      [
        "not by one that was refused",
        false,
        async (known) => {
          await known.commit([
            {
              kind: "resolve",
              intent: await sendIntent(known),
              state: "REJECTED",
              at: noon,
              message: "refused",
            },
            {
              kind: "audit",
              entry: {
                ...createPatchLine(),
                kind: "create-issue",
                side: "tracker",
                outcome: "rejected",
              },
            },
          ]);
        },
      ],
      ["not by a post of another project", false, (known) => sendIntent(known, { project: otherProject })],
    ])("with a new marker are explained %s", async (_, isExplained, make) => {
      await make(ledger());
      const marked = { issue: refOf(createIssue(7)), isOwn: true, project, posts: [postId("p1")] };
      expect((await ledger().pulls.marks([marked]))[0]?.isExplained).toBe(isExplained);
    });

    it("are found by the addresses that they name, as they name them by now", async () => {
      const { pulls } = ledger();
      const first = refOf(createIssue(2));
      const second = refOf(createIssue(10));
      const twice = ["https://b/1", "https://b/1", "https://b/2"];
      await ledger().commit([
        {
          kind: "store-naming",
          named: [
            { issue: second, addresses: ["https://b/1"] },
            { issue: first, addresses: twice },
          ],
        },
      ]);
      const naming = async (...paths: readonly string[]) => {
        const found = await pulls.naming(paths.map((path) => `https://b/${path}`));
        return paths.map((path) => found.get(`https://b/${path}`));
      };
      expect(await naming("1", "2", "")).toEqual([first, first, undefined]);
      await ledger().commit([
        { kind: "store-naming", named: [{ issue: first, addresses: ["https://b/3"] }] },
      ]);
      expect(await naming("1", "3")).toEqual([second, first]);
      await ledger().commit([{ kind: "store-naming", named: [{ issue: first, addresses: [] }] }]);
      expect(await naming("3")).toEqual([undefined]);
      expect(await naming()).toEqual([]);
    });

    it("are found with marks of another board address, as they carry them by now, until a person accepts these", async () => {
      const { pulls } = ledger();
      const first = refOf(createIssue(1));
      const second = refOf(createIssue(2));
      const mark = {
        issue: first,
        board: "b1",
        address: "https://b/1",
        project,
        posts: [postId("p1"), postId("p2")],
      };
      const other = { issue: second, board: "b2", address: undefined, project, posts: [postId("p1")] };
      const keep = (marks: readonly NewOtherMark[], at: number): Promise<void> =>
        ledger().commit([{ kind: "store-other-marks", issues: [first, second], marks, at }]);
      await keep([mark, other], noon);
      await keep([mark, other], noon + 1);
      const found = async (): Promise<readonly string[]> =>
        (await pulls.otherMarks(project)).map(
          ({ post, issue, board, address, since }) =>
            `${post} #${issue.number} ${board} ${address} ${since - noon}`,
        );
      expect(await found()).toEqual([
        "p1 #1 b1 https://b/1 0",
        "p1 #2 b2 undefined 0",
        "p2 #1 b1 https://b/1 0",
      ]);
      expect(await pulls.otherMarks(otherProject)).toEqual([]);
      await keep([{ ...mark, posts: [postId("p2")] }], noon + 2);
      expect(await found()).toEqual(["p2 #1 b1 https://b/1 0"]);
      await ledger().commit([{ kind: "accept-other-marks", project, boards: ["b1"], at: noon }]);
      expect(await found()).toEqual([]);
      await keep([{ ...mark, posts: [postId("p2"), postId("p3")] }, other], noon + 3);
      expect(await found()).toEqual(["p1 #2 b2 undefined 3"]);
      // For good: also when no issue carries such a mark for a while.
      await keep([], noon + 4);
      await keep([mark], noon + 5);
      expect(await found()).toEqual([]);
    });

    it("keep a marker that a person has edited away", async () => {
      const marked = [{ issue: refOf(createIssue(1)), isOwn: false, project, posts: [postId("p1")] }];
      await ledger().commit([{ kind: "store-issues", issues: [createIssue(1)], marked }]);
      const edited = createIssue(1, { updatedAt: "2026-01-03T00:00:00Z" });
      await ledger().commit([{ kind: "store-issues", issues: [edited], marked: [] }]);
      expect(await ledger().pulls.marked(project, postId("p1"))).toEqual({
        issue: edited,
        isOwn: false,
        isFirst: true,
        others: [],
      });
    });

    it("tell which posts a mark names that it has not named before, and that are not linked", async () => {
      const { pulls } = ledger();
      await pullPosts(
        ledger(),
        ["p1", "p2", "p3"].map((id) => createPost(id)),
      );
      const issue = refOf(createIssue(1));
      const mark = (...posts: readonly string[]) => ({
        issue,
        isOwn: true,
        project,
        posts: posts.map(postId),
      });
      expect((await pulls.marks([mark("p1")]))[0]?.strange).toEqual([]);
      await ledger().commit([
        { kind: "store-issues", issues: [createIssue(1)], marked: [mark("p1")] },
        {
          kind: "link",
          project,
          link: { post: postId("p2"), issue, origin: "adopted" },
          issue: createIssue(1),
          content: undefined,
        },
      ]);
      expect((await pulls.marks([mark("p1", "p2")]))[0]?.strange).toEqual([]);
      expect((await pulls.marks([mark("p3", "p1")]))[0]?.strange).toEqual(["p3"]);
      expect((await pulls.marks([{ ...mark("p3"), issue: refOf(createIssue(2)) }]))[0]?.strange).toEqual([]);
    });

    it("can be gone before they were ever read", async () => {
      await ledger().commit([
        {
          kind: "set-absence",
          issue: { repositoryId: 10, number: 5 },
          absence: { kind: "deleted", since: noon },
        },
      ]);
      const marked = [
        { issue: { repositoryId: 10, number: 5 }, isOwn: true, project, posts: [postId("p1")] },
      ];
      await ledger().commit([{ kind: "store-issues", issues: [], marked }]);
      expect(await ledger().pulls.marked(project, postId("p1"))).toBeUndefined();
    });

    it("are listed by repository, each once", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      await linkPost(ledger(), "p1", createIssue(2));
      await linkPost(ledger(), "p2", createIssue(2));
      await linkPost(ledger(), "p2", createIssue(1));
      await linkPost(ledger(), "p2", createIssue(7, { repositoryId: 20 }));
      expect(await ledger().pulls.linkedIssues(10)).toEqual([
        { repositoryId: 10, number: 1 },
        { repositoryId: 10, number: 2 },
      ]);
    });
  });
}
