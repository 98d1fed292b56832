import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { RequestId } from "../../src/ledger/orders.ts";
import { pausedByPerson } from "../../src/model/link.ts";
import {
  createIssue,
  createParked,
  createPatchLine,
  createPost,
  createRecord,
  dueIds,
  linkPost,
  noon,
  otherProject,
  postId,
  project,
  pullPosts,
  quarantinePost,
  readRow,
  refOf,
  settleAll,
} from "./samples.ts";

const p1 = postId("p1");
const held = {
  post: p1,
  kind: "patch-post",
  signature: "s1",
  message: "26 posts, the guard allows 25",
} as const;

export function describeRequests(ledger: () => Ledger): void {
  describe("what people ask for", () => {
    it("waits for a run, in the order in which it came", async () => {
      const { requests } = ledger();
      const retry = { kind: "retry", posts: [p1], project, at: noon } as const;
      const approve = { kind: "approve", actions: [held], isWhole: true, project, at: noon + 1 } as const;
      await ledger().commit([
        { kind: "add-request", request: retry },
        { kind: "add-request", request: approve },
        { kind: "add-request", request: { kind: "release", posts: [], project: otherProject, at: noon } },
      ]);
      expect(await requests.pending(project)).toEqual([
        { ...retry, id: 1 },
        { ...approve, id: 2 },
      ]);
    });

    it("is gone when a run has finished it", async () => {
      const { requests } = ledger();
      await ledger().commit([
        { kind: "add-request", request: { kind: "discard", posts: [p1], project, at: noon } },
        { kind: "add-request", request: { kind: "approve", actions: [], isWhole: false, project, at: noon } },
      ]);
      const [first, second] = await requests.pending(project);
      if (first === undefined || second === undefined) throw new Error("two requests were added");
      await ledger().commit([{ kind: "end-request", request: first.id }]);
      expect(await requests.pending(project)).toEqual([second]);
    });

    it("says what is newest of each project", async () => {
      const retry = { kind: "retry", posts: [p1] } as const;
      await ledger().commit([
        { kind: "add-request", request: { ...retry, project, at: noon } },
        { kind: "add-request", request: { ...retry, project: otherProject, at: noon + 1 } },
        { kind: "add-request", request: { ...retry, project, at: noon + 2 } },
      ]);
      const newest = await ledger().requests.newest();
      expect(newest.toSorted((one, other) => one.id - other.id)).toEqual([
        { project: otherProject, id: 2, at: noon + 1 },
        { project, id: 3, at: noon + 2 },
      ]);
    });

    it("is nothing for a project that nobody knows", async () => {
      expect(await ledger().requests.pending(otherProject)).toEqual([]);
    });

    it("goes with a post that moves to another project; of several posts, the part about that one", async () => {
      const p2 = postId("p2");
      const other = { ...held, post: p2 };
      const asked = [
        { kind: "unlink", post: p1, issues: [] },
        { kind: "unlink", post: p2, issues: [] },
        { kind: "retry", posts: [p1, p2] },
        { kind: "approve", actions: [other, held], isWhole: false },
        { kind: "release", posts: [p2] },
        { kind: "accept-size" },
      ] as const;
      await ledger().commit(
        asked.map((request) => ({ kind: "add-request", request: { ...request, project, at: noon } })),
      );
      await ledger().commit([{ kind: "move-post", project, post: p1, to: otherProject }]);
      const [, unlink, , , release, acceptSize] = asked;
      expect(await ledger().requests.pending(project)).toMatchObject([
        unlink,
        { kind: "retry", posts: [p2] },
        { kind: "approve", actions: [other], isWhole: false },
        release,
        acceptSize,
      ]);
      expect(await ledger().requests.pending(otherProject)).toMatchObject([
        { kind: "unlink", post: p1 },
        { kind: "retry", posts: [p1] },
        { kind: "approve", actions: [held], isWhole: false },
      ]);
    });
  });

  describe("a pause of a whole", () => {
    const pauses = () => ledger().rows.wholePauses(project);
    const request = { kind: "resume-project", isDiscard: false } as const;
    const askResume = async (): Promise<RequestId> => {
      await ledger().commit([{ kind: "add-request", request: { ...request, project, at: noon } }]);
      const [found] = await ledger().requests.pending(project);
      if (found === undefined) throw new Error("a request was added");
      return found.id;
    };

    it("is of one project or of all, that of all first, and stands in each row of it", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      expect(await pauses()).toEqual([]);
      await ledger().commit([{ kind: "pause-whole", project, at: noon }]);
      await ledger().commit([{ kind: "pause-whole", project, at: noon + 1 }]);
      expect(await pauses()).toEqual([{ of: "project", since: noon }]);
      expect(await ledger().rows.wholePauses(otherProject)).toEqual([]);
      expect(await ledger().rows.wholePauses(undefined)).toEqual([]);
      await ledger().commit([{ kind: "pause-whole", project: undefined, at: noon + 2 }]);
      expect(await pauses()).toEqual([
        { of: "all", since: noon + 2 },
        { of: "project", since: noon },
      ]);
      expect(await ledger().rows.wholePauses(otherProject)).toEqual([{ of: "all", since: noon + 2 }]);
      expect((await readRow(ledger(), "p1")).wholePause).toEqual({ of: "all", since: noon + 2 });
      expect(await ledger().rows.row(project, p1, noon)).not.toHaveProperty("pausedAt");
    });

    it("ends as long as that is asked for, and a pause that is made once more takes that back", async () => {
      await ledger().commit([{ kind: "pause-whole", project, at: noon }]);
      const first = await askResume();
      await ledger().commit([{ kind: "pause-whole", project, at: noon + 1 }]);
      expect(await ledger().requests.pending(project)).toEqual([]);
      await ledger().commit([{ kind: "resume-whole", project, request: first }]);
      expect(await pauses()).toHaveLength(1);
      const second = await askResume();
      await ledger().commit([{ kind: "resume-whole", project, request: second }]);
      expect(await pauses()).toEqual([]);
    });

    it("that is of all takes back what was asked for of any project, and ends without a request", async () => {
      await ledger().commit([{ kind: "pause-whole", project, at: noon }]);
      await askResume();
      await ledger().commit([{ kind: "pause-whole", project: undefined, at: noon }]);
      expect(await ledger().requests.pending(project)).toEqual([]);
      await ledger().commit([{ kind: "resume-whole", project: undefined, request: undefined }]);
      expect(await pauses()).toEqual([{ of: "project", since: noon }]);
    });

    it("makes what waits for a time due, and at its end what it held up, which is listed until then", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      await settleAll(ledger());
      const planned = { place: null, changes: [], notifies: 3 } as const;
      const action = { kind: "patch-post" } as const;
      const record = (post: typeof p1, kind: "settling" | "paused" | "held") =>
        ({
          kind: "note-action",
          project,
          post,
          of: action,
          notes: [
            {
              kind,
              cause: kind === "paused" ? "project-paused" : "turn",
              message: "why",
              since: noon,
              planned,
              action,
            },
          ],
        }) as const;
      await ledger().commit([record(p1, "settling"), { kind: "pause-whole", project, at: noon }]);
      expect(await dueIds(ledger())).toEqual(["p1"]);
      await settleAll(ledger());
      await ledger().commit([record(p1, "paused"), record(postId("p2"), "held")]);
      const line = { kind: "paused", post: "p1", message: "why", cause: "project-paused", planned };
      expect(await ledger().rows.waiting(project, 9, ["paused"])).toMatchObject([line]);
      expect(await ledger().rows.counts(project)).toMatchObject({ paused: 0, held: 1, waiting: 0 });
      await ledger().commit([{ kind: "resume-whole", project: undefined, request: undefined }]);
      expect(await dueIds(ledger())).toEqual(["p1"]);
    });
  });

  describe("quarantined posts", () => {
    it("are listed, and counted but for those that are paused", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      await ledger().commit([
        quarantinePost(project, p1),
        quarantinePost(project, postId("p2")),
        { kind: "pause", project, post: postId("p2"), at: noon },
      ]);
      const posts = (await ledger().rows.waiting(project, 9, ["quarantined"])).map(({ post }) => post);
      expect(posts).toEqual(["p1", "p2"]);
      expect(await ledger().rows.counts(project)).toMatchObject({ quarantined: 1 });
    });
  });

  describe("a pause", () => {
    const pausedAt = async (): Promise<number | undefined> => (await readRow(ledger(), "p1")).pausedAt;
    const pause = (at: number): Promise<void> => ledger().commit([{ kind: "pause", project, post: p1, at }]);
    const resume = async (): Promise<RequestId> => {
      await ledger().commit([
        { kind: "add-request", request: { kind: "resume", posts: [p1], project, at: noon } },
      ]);
      const [request] = await ledger().requests.pending(project);
      if (request === undefined) throw new Error("a request was added");
      return request.id;
    };

    it("stands from when it was made first, makes the row due, and is of one post", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      await settleAll(ledger());
      expect(await ledger().rows.row(project, p1, noon)).not.toHaveProperty("pausedAt");
      await pause(noon);
      await pause(noon + 1);
      expect(await pausedAt()).toBe(noon);
      expect(await dueIds(ledger())).toEqual(["p1"]);
      expect(await ledger().rows.row(project, p1, noon)).toHaveProperty("pausedAt");
      expect(await ledger().rows.row(project, postId("p2"), noon)).not.toHaveProperty("pausedAt");
      expect((await ledger().rows.row(otherProject, p1, noon))?.pausedAt).toBeUndefined();
    });

    it("ends where that is asked for", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      await pause(noon);
      const request = await resume();
      await settleAll(ledger());
      await ledger().commit([
        { kind: "resume", project, post: p1, request },
        { kind: "end-request", request },
      ]);
      expect(await readRow(ledger(), "p1")).not.toHaveProperty("pausedAt");
      expect(await dueIds(ledger())).toEqual(["p1"]);
    });

    it("that is made once more takes back what was asked for of its end, also where a run has read that", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      await pause(noon);
      const request = await resume();
      await pause(noon + 1);
      expect(await ledger().requests.pending(project)).toEqual([]);
      await ledger().commit([{ kind: "resume", project, post: p1, request }]);
      expect(await pausedAt()).toBe(noon);
    });

    it("leaves what was asked for of another post", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      await pause(noon);
      await resume();
      await ledger().commit([{ kind: "pause", project, post: postId("p2"), at: noon }]);
      expect(await ledger().requests.pending(project)).toHaveLength(1);
    });

    it("is counted, and nothing else of its post is", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      const planned = { place: null, changes: [], notifies: 3 } as const;
      const said = { message: "why", since: noon, planned } as const;
      const action = { kind: "patch-post", signature: "s1" } as const;
      const notes = [
        { ...said, kind: "held", cause: "guard", action },
        { ...said, kind: "settling", cause: "settling", until: noon },
        { ...said, kind: "disagreement", cause: "differs" },
        { ...said, kind: "quarantined", cause: "quarantined" },
      ] as const;
      await ledger().commit([
        { kind: "record-row", project, post: p1, record: createRecord({ notes }) },
        { kind: "park", project, post: p1, parked: createParked() },
      ]);
      const counted = {
        held: 1,
        approvable: 1,
        voters: 6,
        parked: 1,
        quarantined: 1,
        waiting: 1,
        differs: 1,
      };
      expect(await ledger().rows.counts(project)).toMatchObject({ ...counted, paused: 0, nextAt: noon });
      await pause(noon);
      const none = { held: 0, approvable: 0, voters: 0, parked: 0, quarantined: 0, waiting: 0, differs: 0 };
      expect(await ledger().rows.counts(project)).toMatchObject({ ...none, paused: 1, nextAt: null });
    });

    it("is listed with what it holds up, and without that where a run has not told", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      await pause(noon);
      const line = {
        post: p1,
        kind: "paused",
        cause: "paused",
        message: pausedByPerson,
        since: noon,
      } as const;
      expect(await ledger().rows.waiting(project, 9)).toMatchObject([{ ...line, planned: undefined }]);
      const planned = { place: null, changes: [], notifies: 3 } as const;
      const said = { message: pausedByPerson, since: noon + 1, planned } as const;
      const record = async (...kinds: ("paused" | "held")[]): Promise<void> => {
        const notes = kinds.map((kind) => ({ ...said, kind, cause: "paused" }) as const);
        await ledger().commit([{ kind: "record-row", project, post: p1, record: createRecord({ notes }) }]);
      };
      for (const kinds of [["held"], ["paused"], ["paused", "held"]] as const) {
        await record(...kinds);
        expect(await ledger().rows.waiting(project, 9)).toMatchObject([{ ...line, planned }]);
        expect(await ledger().rows.waiting(project, 9, ["paused"])).toHaveLength(1);
        expect(await ledger().rows.waiting(project, 9, ["held"])).toEqual([]);
      }
    });
  });

  describe("a text that a person wants left unwritten", () => {
    it("is told with its link, until another one is written", async () => {
      const issue = createIssue(1);
      await pullPosts(ledger(), [createPost("p1")]);
      await linkPost(ledger(), "p1", issue);
      const left = { titleHash: "t9", blockHash: "b9" };
      const of = { project, post: p1, issue: refOf(issue) };
      const links = async () => (await readRow(ledger(), "p1")).links;
      expect((await links())[0]?.text).not.toHaveProperty("left");
      await ledger().commit([{ kind: "leave-text", ...of, content: left }]);
      expect(await links()).toMatchObject([{ text: { left } }]);
      await ledger().commit([{ kind: "set-content", ...of, content: left }]);
      expect((await links())[0]?.text).not.toHaveProperty("left");
    });
  });

  describe("held actions", () => {
    it("are named by the notes that hold them", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      const { message, kind, signature } = held;
      const changes = [{ field: "status", from: "planned", to: "completed" }];
      const planned = { place: "acme/app#1", changes, notifies: 3 };
      const note = {
        kind: "held",
        cause: "guard",
        message,
        since: noon,
        action: { kind, signature },
        planned,
      } as const;
      await ledger().commit([
        { kind: "record-row", project, post: p1, record: createRecord({ notes: [note] }) },
        {
          kind: "record-row",
          project,
          post: postId("p2"),
          record: createRecord({ notes: [{ kind: "held", cause: "guard", message, since: noon }] }),
        },
      ]);
      expect(await ledger().rows.held(project)).toEqual([
        { ...held, cause: "guard", title: expect.any(String), planned },
      ]);
      expect(await ledger().rows.held(otherProject)).toEqual([]);
    });

    it("that only a board that shrank holds are told by themselves", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      const action = { kind: "patch-post" } as const;
      const note = { kind: "held", cause: "shrank", message: "half is gone", since: noon, action } as const;
      await ledger().commit([
        { kind: "record-row", project, post: p1, record: createRecord({ notes: [note] }) },
      ]);
      expect(await ledger().rows.held(project)).toEqual([]);
      expect(await ledger().rows.held(project, "shrank")).toMatchObject([
        { post: p1, kind: "patch-post", cause: "shrank", message: "half is gone" },
      ]);
    });
  });

  describe("a release", () => {
    it("makes earlier status writes count no more", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      const status = [{ field: "status", value: "planned" }];
      for (const at of [noon - 2, noon - 1, noon + 1])
        await ledger().commit([{ kind: "audit", entry: { ...createPatchLine(), at, fields: status } }]);
      await ledger().commit([quarantinePost(project, p1), { kind: "release", project, post: p1, at: noon }]);
      expect(await readRow(ledger(), "p1")).toMatchObject({ statusWrites: [noon + 1] });
      expect((await readRow(ledger(), "p1")).notes).toBeUndefined();
    });
  });
}
