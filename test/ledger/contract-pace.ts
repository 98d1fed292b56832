import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { inOrder } from "../../src/select.ts";
import { noon, otherProject, paceWrite, project } from "./samples.ts";

export function describeBacklogs(ledger: () => Ledger): void {
  describe("what projects have left", () => {
    it("is told as the last run left it, with what was opened since it began", async () => {
      const { pace } = ledger();
      await ledger().commit([
        {
          kind: "note-backlog",
          project,
          budget: "",
          left: { creates: 40, others: 2, created: 10 },
          at: noon,
        },
        {
          kind: "note-backlog",
          project: otherProject,
          budget: "",
          left: { creates: 0, others: 1, created: 0 },
          at: noon,
        },
        {
          kind: "note-backlog",
          project,
          budget: "acme",
          left: { creates: 1, others: 0, created: 0 },
          at: noon,
        },
        {
          kind: "note-backlog",
          project,
          budget: "",
          left: { creates: 30, others: 0, created: 10 },
          at: noon + 5,
        },
      ]);
      expect(await pace.backlogs()).toEqual([
        { project, budget: "", creates: 30, others: 0, created: 20, at: noon + 5 },
        { project: otherProject, budget: "", creates: 0, others: 1, created: 0, at: noon },
        { project, budget: "acme", creates: 1, others: 0, created: 0, at: noon },
      ]);
    });

    it("ends with what was left", async () => {
      const { pace } = ledger();
      await ledger().commit([
        {
          kind: "note-backlog",
          project,
          budget: "",
          left: { creates: 40, others: 0, created: 10 },
          at: noon,
        },
        { kind: "note-backlog", project, budget: "", left: { creates: 0, others: 0, created: 40 }, at: noon },
      ]);
      expect(await pace.backlogs()).toEqual([]);
      await ledger().commit([
        {
          kind: "note-backlog",
          project,
          budget: "",
          left: { creates: 1, others: 0, created: 0 },
          at: noon + 1,
        },
      ]);
      expect(await pace.backlogs()).toMatchObject([{ created: 0 }]);
    });
  });

  describe("whose the writes were", () => {
    it("is remembered for each budget", async () => {
      const { pace } = ledger();
      await paceWrite(ledger(), {});
      await paceWrite(ledger(), { isCreate: false });
      await paceWrite(ledger(), { budget: "acme" });
      await paceWrite(ledger(), { project: otherProject });
      await paceWrite(ledger(), { at: noon - 1, project: otherProject });
      const whose = async (budget: string) =>
        (await pace.writes(noon, budget)).map((write) => [write.project, write.isCreate]);
      expect(await whose("")).toEqual([
        [project, true],
        [project, false],
        [otherProject, true],
      ]);
      expect(await whose("acme")).toEqual([[project, true]]);
    });
  });

  describe("the limits", () => {
    it("keeps the limit of each side that was remembered last", async () => {
      const { pace } = ledger();
      expect([await pace.limit("board", ""), await pace.limit("tracker", "")]).toEqual([
        undefined,
        undefined,
      ]);
      await ledger().commit([
        { kind: "limit", side: "tracker", budget: "", until: noon + 2, at: noon },
        { kind: "limit", side: "board", budget: "", until: noon + 3, at: noon },
        { kind: "limit", side: "tracker", budget: "", until: noon + 1, at: noon },
      ]);
      expect([await pace.limit("board", ""), await pace.limit("tracker", "")]).toEqual([noon + 3, noon + 1]);
    });

    it("keeps the limits of each budget by themselves", async () => {
      const { pace } = ledger();
      await ledger().commit([
        { kind: "limit", side: "tracker", budget: "acme", until: noon + 1, at: noon },
        { kind: "limit", side: "tracker", budget: "other", until: noon + 2, at: noon },
      ]);
      expect(await inOrder(["acme", "other", ""], async (budget) => pace.limit("tracker", budget))).toEqual([
        noon + 1,
        noon + 2,
        undefined,
      ]);
    });
  });
}
