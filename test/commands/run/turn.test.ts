import { describe, expect, it } from "vitest";
import { isUnfinished } from "../../../src/commands/run/turn.ts";
import type { ProjectReport, RunReport } from "../../../src/sync/ground/reports.ts";

const minuteMs = 60_000;

function createReport(durationMs: number, project: Partial<ProjectReport>): RunReport {
  const none = { waiting: 0, created: 0, issueWrites: 0, postWrites: 0 };
  return {
    run: 1,
    result: "ok",
    startedAt: "",
    durationMs,
    projects: [{ ...none, ...project } as ProjectReport],
  };
}

describe("a run goes on at once", () => {
  it.each<[string, number, Partial<ProjectReport>, boolean]>([
    ["when its time was over in the middle of an import", 10 * minuteMs, { waiting: 9, created: 200 }, true],
    [
      "when the next minute's room would have come too late",
      9.5 * minuteMs,
      { waiting: 9, created: 180 },
      true,
    ],
    ["also in the middle of other writes", 10 * minuteMs, { waiting: 1, postWrites: 3 }, true],
    ["also in the middle of drafts", 10 * minuteMs, { waiting: 1, entryWrites: 2 }, true],
    ["but not when the hour's limit ended it", 7.5 * minuteMs, { waiting: 9, created: 150 }, false],
    ["but not when nothing is left", 10 * minuteMs, { created: 200 }, false],
    ["but not when it could write nothing", 10 * minuteMs, { waiting: 9 }, false],
  ])("%s", (_, durationMs, project, goesOn) => {
    expect(isUnfinished(createReport(durationMs, project), 10 * minuteMs)).toBe(goesOn);
  });
});
