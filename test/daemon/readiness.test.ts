import { describe, expect, it } from "vitest";
import { findLate, type Punctuality } from "../../src/daemon/readiness.ts";

const minute = 60_000;
const now = Date.parse("2026-03-06T12:00:00Z");
/** An hour ago. */
const startedAt = now - 60 * minute;

function given(project: Partial<Punctuality>): Punctuality {
  const times = [now - 14 * minute, now - 9 * minute, now - 4 * minute];
  return { key: "acme", periodMs: 5 * minute, lastSuccessAt: now, times, ...project };
}

function lateOf(...projects: readonly Partial<Punctuality>[]): readonly string[] {
  return findLate(projects.map(given), startedAt, now).map(({ project }) => project);
}

describe("a project is late", () => {
  it.each([
    ["whose last success is younger than three periods", { lastSuccessAt: now - 15 * minute + 1 }, false],
    ["whose last success is three periods old", { lastSuccessAt: now - 15 * minute }, true],
    ["that never had a success", { lastSuccessAt: undefined }, true],
    ["that has just had one", { lastSuccessAt: now }, false],
    ["whose success lies ahead, because the clock was set back", { lastSuccessAt: now + minute }, false],
    ["that has one time only and ran", { periodMs: Number.POSITIVE_INFINITY, lastSuccessAt: 1 }, false],
    [
      "whose schedule pauses since its success",
      { lastSuccessAt: now - 59 * minute, times: [now - 59 * minute - 1] },
      false,
    ],
    [
      "that missed two times since a pause",
      { lastSuccessAt: now - 59 * minute, times: [now - 6 * minute, now - minute] },
      false,
    ],
    ["that missed three times since a pause", { lastSuccessAt: now - 59 * minute }, true],
    [
      "whose last success was long before the daemon's start",
      { lastSuccessAt: startedAt - 1, times: [] },
      true,
    ],
  ])("or not: one %s", (_case, project, isLate) => {
    expect(lateOf(project)).toEqual(isLate ? ["acme"] : []);
  });

  it("by itself: the others are not", () => {
    expect(lateOf({}, { key: "late", lastSuccessAt: undefined }, { key: "other" })).toEqual(["late"]);
  });

  it("and the reason says how often it is to run", () => {
    const [late] = findLate([given({ lastSuccessAt: now - 20 * minute })], startedAt, now);
    expect(late?.reason).toBe("it is to run every 300 s");
  });
});
