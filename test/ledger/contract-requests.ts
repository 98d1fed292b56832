import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import {
  createPatchLine,
  createPost,
  createRecord,
  noon,
  otherProject,
  postId,
  project,
  pullPosts,
  readRow,
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
  });

  describe("held actions", () => {
    it("are named by the notes that hold them", async () => {
      await pullPosts(ledger(), [createPost("p1"), createPost("p2")]);
      const { message, kind, signature } = held;
      const changes = [{ field: "status", from: "planned", to: "completed" }];
      const planned = { place: "acme/app#1", changes, notifies: 3 };
      const note = { kind: "held", message, since: noon, action: { kind, signature }, planned } as const;
      await ledger().commit([
        { kind: "record-row", project, post: p1, record: createRecord({ notes: [note] }) },
        {
          kind: "record-row",
          project,
          post: postId("p2"),
          record: createRecord({ notes: [{ kind: "held", message, since: noon }] }),
        },
      ]);
      expect(await ledger().rows.held(project)).toEqual([{ ...held, title: expect.any(String), planned }]);
      expect(await ledger().rows.held(otherProject)).toEqual([]);
    });
  });

  describe("a release", () => {
    it("makes earlier status writes count no more", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      const status = [{ field: "status", value: "planned" }];
      for (const at of [noon - 2, noon - 1, noon + 1])
        await ledger().commit([{ kind: "audit", entry: { ...createPatchLine(), at, fields: status } }]);
      await ledger().commit([
        { kind: "quarantine", project, post: p1 },
        { kind: "release", project, post: p1, at: noon },
      ]);
      expect(await readRow(ledger(), "p1")).toMatchObject({ isQuarantined: false, statusWrites: [noon + 1] });
    });
  });
}
