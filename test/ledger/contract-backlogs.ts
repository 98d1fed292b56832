import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { noon, otherProject, project } from "./samples.ts";

export function describeBacklogs(ledger: () => Ledger): void {
  describe("what projects have left", () => {
    it("is told as the last run left it, with what was opened since it began", () => {
      const { backlogs } = ledger();
      backlogs.note(project, "", { creates: 40, others: 2, created: 10 }, noon);
      backlogs.note(otherProject, "", { creates: 0, others: 1, created: 0 }, noon);
      backlogs.note(project, "acme", { creates: 1, others: 0, created: 0 }, noon);
      backlogs.note(project, "", { creates: 30, others: 0, created: 10 }, noon + 5);
      const mine = { project, budget: "", creates: 30, others: 0, created: 20, since: noon, at: noon + 5 };
      expect(backlogs.ofBudget("")).toEqual([
        mine,
        { project: otherProject, budget: "", creates: 0, others: 1, created: 0, since: noon, at: noon },
      ]);
      expect(backlogs.ofProject(project)).toEqual([mine, expect.objectContaining({ budget: "acme" })]);
    });

    it("ends with what was left", () => {
      const { backlogs } = ledger();
      backlogs.note(project, "", { creates: 40, others: 0, created: 10 }, noon);
      backlogs.note(project, "", { creates: 0, others: 0, created: 40 }, noon);
      expect(backlogs.ofProject(project)).toEqual([]);
      backlogs.note(project, "", { creates: 1, others: 0, created: 0 }, noon + 1);
      expect(backlogs.ofProject(project)).toMatchObject([{ created: 0, since: noon + 1 }]);
    });
  });

  describe("whose the writes were", () => {
    it("is remembered for each budget, and over all of them", () => {
      const { journal } = ledger();
      journal.paceWrite(noon, true, "", project);
      journal.paceWrite(noon, false, "", project);
      journal.paceWrite(noon, true, "acme", project);
      journal.paceWrite(noon, true, "", otherProject);
      journal.paceWrite(noon - 1, true, "", otherProject);
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
