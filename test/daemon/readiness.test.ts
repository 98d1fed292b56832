import { describe, expect, it } from "vitest";
import { describeLate, type Punctuality } from "../../src/daemon/readiness.ts";

const minute = 60_000;
const wall = Date.parse("2026-03-06T12:00:00Z");
/** The daemon was started an hour ago; what the wall clock shows says nothing of that. */
const monotonic = 60 * minute;

function given(project: Partial<Punctuality>): Punctuality {
  const times = [monotonic - 14 * minute, monotonic - 9 * minute, monotonic - 4 * minute];
  return {
    periodMs: 5 * minute,
    lastSuccessAt: wall,
    succeededAt: monotonic,
    times,
    ...project,
  };
}

function lateOf(project: Partial<Punctuality>): string | undefined {
  return describeLate(given(project), { wall, monotonic });
}

const none = { succeededAt: undefined, times: [] };

describe("a project is late", () => {
  it.each<[string, Partial<Punctuality>, boolean]>([
    ["whose last success is younger than three periods", { succeededAt: monotonic - 15 * minute + 1 }, false],
    ["whose last success is three periods old", { succeededAt: monotonic - 15 * minute }, true],
    ["that never had a success", { ...none, lastSuccessAt: undefined }, true],
    ["that has just had one", {}, false],
    ["that has one time only and ran", { periodMs: Number.POSITIVE_INFINITY, succeededAt: 1 }, false],
    ["whose schedule pauses since its success", { succeededAt: minute, times: [minute - 1] }, false],
    [
      "that missed two times since a pause",
      { succeededAt: minute, times: [monotonic - 6 * minute, monotonic - minute] },
      false,
    ],
    ["that missed three times since a pause", { succeededAt: minute }, true],
    [
      "whose success lies long ahead by the wall clock, and has just come",
      { lastSuccessAt: wall * 2 },
      false,
    ],
    [
      "whose success lies ahead by the wall clock, and has long been",
      { lastSuccessAt: wall + minute, succeededAt: monotonic - 20 * minute },
      true,
    ],
    ["that had its success before the daemon's start", { ...none, lastSuccessAt: wall - 14 * minute }, false],
    ["that had it three periods ago, before that", { ...none, lastSuccessAt: wall - 15 * minute }, true],
    ["whose success of an earlier daemon lies ahead", { ...none, lastSuccessAt: wall + minute }, true],
  ])("or not: one %s", (_case, project, isLate) => {
    expect(lateOf(project) !== undefined).toBe(isLate);
  });

  it("and the reason says how often it is to run", () => {
    expect(lateOf({ succeededAt: monotonic - 20 * minute })).toBe("it is to run every 300 s");
  });
});
