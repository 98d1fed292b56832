import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  estimateEnd,
  isTooFar,
  type NextWrite,
  nextWriteAt,
  type PaceLimits,
  partOf,
  type RecentWrites,
  timesOf,
} from "../../src/plan/pace.ts";

const pace: PaceLimits = { minIntervalMs: 1000, createsPerMinute: 2, createsPerHour: 4, writesPerHour: 5 };
const minute = 60_000;
const hour = 60 * minute;

describe("the next write", () => {
  it.each<[string, RecentWrites, "create" | "other", number, NextWrite]>([
    ["goes at once when nothing was sent", { all: [], creates: [] }, "create", 50, { at: 50, limit: "none" }],
    ["keeps the interval", { all: [100], creates: [] }, "other", 900, { at: 1100, limit: "interval" }],
    [
      "goes at once when the interval is over",
      { all: [100], creates: [] },
      "other",
      1100,
      { at: 1100, limit: "none" },
    ],
    [
      "waits for the minute's room for new issues",
      { all: [0, 5000], creates: [0, 5000] },
      "create",
      10_000,
      { at: minute, limit: "minute" },
    ],
    [
      "may be another one while new issues wait",
      { all: [0, 5000], creates: [0, 5000] },
      "other",
      10_000,
      { at: 10_000, limit: "none" },
    ],
    [
      "waits for the hour's room for new issues",
      { all: [0, minute, 2 * minute, 3 * minute], creates: [0, minute, 2 * minute, 3 * minute] },
      "create",
      5 * minute,
      { at: hour, limit: "hour" },
    ],
    [
      "waits for the hour's room for any write",
      { all: [7, 2000, 4000, 6000, 8000], creates: [] },
      "other",
      minute,
      { at: hour + 7, limit: "hour" },
    ],
  ])("%s", (_, recent, kind, now, expected) => {
    expect(nextWriteAt(recent, kind, pace, now)).toEqual(expected);
  });

  it("never exceeds a limit in any window, and never waits for nothing", () => {
    const limits = fc.record({
      minIntervalMs: fc.integer({ min: 0, max: 5000 }),
      createsPerMinute: fc.integer({ min: 1, max: 5 }),
      createsPerHour: fc.integer({ min: 1, max: 12 }),
      writesPerHour: fc.integer({ min: 1, max: 20 }),
    });
    const wishes = fc.array(
      fc.record({
        kind: fc.constantFrom("create", "other"),
        pauseMs: fc.integer({ min: 0, max: 20 * minute }),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(limits, wishes, (bounds, wanted) => {
        const all: number[] = [];
        const creates: number[] = [];
        let now = 0;
        for (const { kind, pauseMs } of wanted) {
          now += pauseMs;
          const next = nextWriteAt({ all, creates }, kind, bounds, now);
          expect(next.at).toBeGreaterThanOrEqual(now);
          expect(next.limit === "none").toBe(next.at === now);
          now = next.at;
          all.push(now);
          if (kind === "create") creates.push(now);
        }
        expect(mostWithin(creates, minute)).toBeLessThanOrEqual(bounds.createsPerMinute);
        expect(mostWithin(creates, hour)).toBeLessThanOrEqual(bounds.createsPerHour);
        expect(mostWithin(all, hour)).toBeLessThanOrEqual(bounds.writesPerHour);
        expect(mostWithin(all, bounds.minIntervalMs)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

/** The most times that any window of this length (its end not included) holds. */
function mostWithin(times: readonly number[], windowMs: number): number {
  return Math.max(
    0,
    ...times.map((start) => times.filter((time) => time >= start && time < start + windowMs).length),
  );
}

it("the recent writes are all that were sent, and those that opened issues", () => {
  const sent = [
    { at: 5, isCreate: false },
    { at: 7, isCreate: true },
    { at: 9, isCreate: false },
  ];
  expect(timesOf(sent)).toEqual({ all: [5, 7, 9], creates: [7] });
});

describe("the part of a project", () => {
  it.each([
    ["all of it for whoever is alone", 1, 4, 5],
    ["an equal one among two", 2, 2, 2],
    ["one write at least", 9, 1, 1],
  ])("is %s", (_, projects, createsPerHour, writesPerHour) => {
    expect(partOf(pace, projects)).toEqual({ ...pace, createsPerHour, writesPerHour });
  });
});

describe("whether a run waits", () => {
  const now = 1e12;
  it.each<[string, NextWrite, boolean]>([
    ["for the minute", { at: now + 59_000, limit: "minute" }, true],
    ["not for what comes after its time", { at: now + minute + 1, limit: "minute" }, false],
    ["for the last seconds of an hour", { at: now + 10_000, limit: "hour" }, true],
    ["not for more of an hour", { at: now + 10_001, limit: "hour" }, false],
  ])("%s", (_, next, waits) => {
    expect(isTooFar(next, now, now + minute)).toBe(!waits);
  });
});

describe("the end of an import", () => {
  const limits = { minIntervalMs: 1000, createsPerMinute: 20, createsPerHour: 150, writesPerHour: 450 };
  const seconds = 1000;
  const hour = 3_600_000;
  it.each<[string, number, number]>([
    ["now, with nothing to open", 0, 0],
    ["now, with one", 1, 0],
    ["by what a minute allows", 20, 57 * seconds],
    ["by the minute", 21, 60 * seconds],
    ["within the hour", 150, (7 * 60 + 27) * seconds],
    ["by the hour", 151, hour],
    ["by many hours", 5000, 33 * hour + (2 * 60 + 27) * seconds],
  ])("is told %s", (_, creates, after) => {
    expect(estimateEnd({ all: [], creates: [] }, creates, limits, 1e12)).toBe(1e12 + after);
  });

  it("counts with what the last hour has used up already", () => {
    const now = 1e12;
    const used = Array.from({ length: 150 }, (_, index) => now - 1_800_000 + index * 1000);
    expect(estimateEnd({ all: used, creates: used }, 1, limits, now)).toBe(now + 1_800_000);
  });

  it.each([
    [[]],
    [[-50 * minute, -49 * minute, -10 * minute]],
    [Array.from({ length: 100 }, (_, index) => (index - 600) * seconds)],
  ])("is within a minute of that of the pace, whatever was opened before (%#)", (before) => {
    const used = before.map((at) => 1e12 + at);
    const all = [...used];
    let now = 1e12;
    for (let opened = 0; opened < 340; opened += 1) {
      now = nextWriteAt({ all, creates: all }, "create", limits, now).at;
      all.push(now);
    }
    const told = estimateEnd({ all: used, creates: used }, 340, limits, 1e12);
    expect(Math.abs(told - now)).toBeLessThan(minute);
  });
});
