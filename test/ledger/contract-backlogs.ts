import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { noon, otherProject, project } from "./samples.ts";

export function describeBacklogs(ledger: () => Ledger): void {
  describe("what projects have left", () => {
    it("is told as the last run left it, with what was opened since it began", () => {
      const { backlogs } = ledger();
      ledger().commit([
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
      const mine = { project, budget: "", creates: 30, others: 0, created: 20, since: noon, at: noon + 5 };
      expect(backlogs.of({ budget: "" })).toEqual([
        mine,
        { project: otherProject, budget: "", creates: 0, others: 1, created: 0, since: noon, at: noon },
      ]);
      expect(backlogs.of({ project })).toEqual([mine, expect.objectContaining({ budget: "acme" })]);
    });

    it("ends with what was left", () => {
      const { backlogs } = ledger();
      ledger().commit([
        {
          kind: "note-backlog",
          project,
          budget: "",
          left: { creates: 40, others: 0, created: 10 },
          at: noon,
        },
        { kind: "note-backlog", project, budget: "", left: { creates: 0, others: 0, created: 40 }, at: noon },
      ]);
      expect(backlogs.of({ project })).toEqual([]);
      ledger().commit([
        {
          kind: "note-backlog",
          project,
          budget: "",
          left: { creates: 1, others: 0, created: 0 },
          at: noon + 1,
        },
      ]);
      expect(backlogs.of({ project })).toMatchObject([{ created: 0, since: noon + 1 }]);
    });
  });

  describe("whose the writes were", () => {
    it("is remembered for each budget, and over all of them", () => {
      const { journal } = ledger();
      ledger().commit([{ kind: "pace-write", at: noon, isCreate: true, budget: "", project }]);
      ledger().commit([{ kind: "pace-write", at: noon, isCreate: false, budget: "", project }]);
      ledger().commit([{ kind: "pace-write", at: noon, isCreate: true, budget: "acme", project }]);
      ledger().commit([{ kind: "pace-write", at: noon, isCreate: true, budget: "", project: otherProject }]);
      ledger().commit([
        { kind: "pace-write", at: noon - 1, isCreate: true, budget: "", project: otherProject },
      ]);
      expect(journal.writesByProject(noon, "")).toEqual([
        { project, all: 2, creates: 1 },
        { project: otherProject, all: 1, creates: 1 },
      ]);
      expect(journal.writesByProject(noon, undefined)).toEqual([
        { project, all: 3, creates: 2 },
        { project: otherProject, all: 1, creates: 1 },
      ]);
    });
  });
}
