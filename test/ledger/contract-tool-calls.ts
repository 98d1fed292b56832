import { describe, expect, it } from "vitest";
import type { AuditEntry, CallKey, SentCall, ToolCallChange } from "../../src/ledger/journal.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { noon, otherProject, postId, project } from "./samples.ts";

const draft: CallKey = { project, purpose: "changelogCreate", subject: "v1.2" };

const send = (key: CallKey = draft, hash = "h1"): SentCall => ({
  kind: "send-call",
  ...key,
  run: 3,
  hash,
  reason: "v1.2 was published",
  at: noon,
});
const end = (
  state: "DONE" | "REJECTED" | "UNKNOWN" | "PREPARED",
  facts: Partial<Extract<ToolCallChange, { kind: "end-call" }>> = {},
): ToolCallChange => ({ kind: "end-call", ...draft, state, at: noon + 2, message: "so it was", ...facts });

/** Calls of the board's own tools. */
export function describeToolCalls(ledger: () => Ledger): void {
  const sent = (call: SentCall): Promise<unknown> =>
    ledger().commitSent([call], { project: call.project, post: undefined });
  const commit = async (...changes: readonly (ToolCallChange | SentCall)[]): Promise<void> => {
    for (const change of changes)
      await (change.kind === "send-call" ? sent(change) : ledger().commit([change]));
  };
  const state = async (key: CallKey = draft): Promise<unknown> => {
    const found = await ledger().toolCalls.find(key);
    return found && [found.state, found.attempts, found.hash];
  };

  describe("a call of a tool", () => {
    it("comes back as it was sent, by its project, purpose and subject", async () => {
      expect(await ledger().toolCalls.list(project)).toEqual([]);
      expect(await ledger().toolCalls.find(draft)).toBeUndefined();
      await commit(send(), send({ ...draft, purpose: "feedbackCreate", subject: "10#7" }));
      const { kind: _, at, ...known } = send();
      const expected = { ...known, state: "SENT", preparedAt: at, sentAt: at, attempts: 1 };
      expect(await ledger().toolCalls.find(draft)).toMatchObject(expected);
      const { toolCalls } = ledger();
      expect((await toolCalls.list(project)).map(({ subject }) => subject)).toEqual(["v1.2", "10#7"]);
      expect((await toolCalls.list(project, "feedbackCreate")).map(({ subject }) => subject)).toEqual([
        "10#7",
      ]);
      expect(await toolCalls.list(otherProject)).toEqual([]);
      expect(await toolCalls.find({ ...draft, project: otherProject })).toBeUndefined();
    });

    it("is unsettled until it is done, and known by what it has made from then on", async () => {
      const { toolCalls } = ledger();
      const find = async (of = project) => [
        (await toolCalls.unsettled(of)).map(({ subject }) => subject),
        (await toolCalls.unsettled(of, "feedbackCreate")).map(({ subject }) => subject),
        await toolCalls.hasMade(of, draft.purpose, "e1"),
      ];
      expect(await find()).toEqual([[], [], false]);
      await commit(send(), send({ ...draft, purpose: "feedbackCreate", subject: "10#7" }));
      expect(await find()).toEqual([["v1.2", "10#7"], ["10#7"], false]);
      await commit({ ...end("DONE"), result: "e1" });
      expect(await find()).toEqual([["10#7"], ["10#7"], true]);
      expect(await find(otherProject)).toEqual([[], [], false]);
      expect(await toolCalls.hasMade(project, "feedbackCreate", "e1")).toBe(false);
    });

    it("is looked for in other projects: made, or perhaps", async () => {
      const isMade = (but: typeof project) => ledger().toolCalls.isMadeElsewhere({ ...draft, project: but });
      expect(await isMade(otherProject)).toBe(false);
      await commit(send());
      expect(await isMade(otherProject)).toBe(true);
      expect(await isMade(project)).toBe(false);
      await commit(end("UNKNOWN"));
      expect(await isMade(otherProject)).toBe(true);
      await commit(end("REJECTED"));
      expect(await isMade(otherProject)).toBe(false);
      await commit(send(), end("DONE"));
      expect(await isMade(otherProject)).toBe(true);
    });

    it("ends with what the board calls what was made", async () => {
      await commit(send(), end("DONE", { result: "e1", url: "https://b.example/e1" }));
      expect(await ledger().toolCalls.find(draft)).toMatchObject({
        state: "DONE",
        attempts: 1,
        sentAt: noon,
        endedAt: noon + 2,
        result: "e1",
        url: "https://b.example/e1",
        message: "so it was",
      });
      await expect(ledger().commit([end("UNKNOWN")])).rejects.toThrow("not open");
    });

    it("is as good as done where what it asks for was there already", async () => {
      const { kind: _, ...written } = send();
      const there = { ...written, kind: "take-call", message: "it was there already" } as const;
      await commit({ ...there, result: "e1", url: undefined });
      expect({ sentAt: undefined, ...(await ledger().toolCalls.find(draft)) }).toMatchObject({
        ...{ state: "DONE", attempts: 0, sentAt: undefined, endedAt: noon, result: "e1", hash: "h1" },
      });
      await expect(commit({ ...there, result: "e2", url: undefined })).rejects.toThrow("done");
    });

    it("that is done is never sent again, one that is refused is, and what changes an entry always", async () => {
      await commit(send());
      await expect(sent(send())).rejects.toThrow("under way");
      await commit(end("UNKNOWN"));
      await expect(sent(send())).rejects.toThrow("under way");
      await commit(end("PREPARED"), send());
      expect(await state()).toEqual(["SENT", 2, "h1"]);
      await commit(end("REJECTED"), send(draft, "h2"));
      expect(await state()).toEqual(["SENT", 1, "h2"]);
      await commit(end("DONE"));
      await expect(sent(send(draft, "h3"))).rejects.toThrow("done");
      const update: CallKey = { ...draft, purpose: "changelogUpdate" };
      await commit(send(update), end("DONE", update), send(update, "h2"));
      expect(await state(update)).toEqual(["SENT", 1, "h2"]);
    });

    it("that never left counts as no attempt", async () => {
      await commit(send(), end("PREPARED"), send(), end("PREPARED", { isUnsent: true }));
      expect(await state()).toEqual(["PREPARED", 1, "h1"]);
    });

    it("that is stuck starts anew where a person wants it so, as if it had never been sent", async () => {
      await commit(send(), end("UNKNOWN", { isUnsure: true }));
      expect(await ledger().toolCalls.find(draft)).toMatchObject({ isUnsure: true, attempts: 1 });
      await commit(end("PREPARED", { isAnew: true }));
      expect({ unknownAt: undefined, ...(await ledger().toolCalls.find(draft)) }).toMatchObject({
        ...{ state: "PREPARED", isUnsure: false, attempts: 0, unknownAt: undefined },
      });
      await commit(send(), end("REJECTED"));
      await expect(ledger().commit([end("PREPARED")])).rejects.toThrow("not open");
      await commit(end("PREPARED", { isAnew: true }), send(), end("DONE"));
      await expect(ledger().commit([end("PREPARED", { isAnew: true })])).rejects.toThrow("not open");
    });

    it("that was under way when its process ended is unknown from then on, and is in the history", async () => {
      const other = { ...draft, project: otherProject };
      await commit(send(), send(other));
      expect(await ledger().journal.recover(noon + 9, [project])).toBe(1);
      expect(await ledger().journal.recover(noon + 9, [project])).toBe(0);
      expect(await ledger().toolCalls.find(draft)).toMatchObject({ state: "UNKNOWN", unknownAt: noon + 9 });
      expect(await state(other)).toEqual(["SENT", 1, "h1"]);
      const history = () => ledger().journal.history(project, undefined, 9);
      const line: Partial<AuditEntry> = { kind: "create-entry", subject: "v1.2", side: "board" };
      expect(await history()).toMatchObject([{ ...line, outcome: "unknown" }]);
      expect((await history())[0]?.post).toBe(undefined);
      await commit(end("UNKNOWN", { at: noon + 20 }));
      expect(await ledger().toolCalls.find(draft)).toMatchObject({ unknownAt: noon + 9 });
      await commit(end("DONE", { result: "e1", message: "found by its title", post: postId("p9") }));
      expect(await history()).toMatchObject([
        { ...line, outcome: "applied", message: "found by its title", post: "p9" },
      ]);
    });

    it("that provably was not made is so in the history, too", async () => {
      await commit(send());
      await ledger().journal.recover(noon + 9, [project]);
      await commit(end("PREPARED"));
      expect({ unknownAt: undefined, ...(await ledger().toolCalls.find(draft)) }).toMatchObject({
        state: "PREPARED",
        unknownAt: undefined,
        attempts: 1,
      });
      const [line] = await ledger().journal.history(project, undefined, 9);
      expect(line).toMatchObject({ outcome: "not-applied" });
    });
  });
}
