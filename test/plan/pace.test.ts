import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type NextWrite, nextWriteAt, type PaceLimits, type RecentWrites } from "../../src/plan/pace.ts";

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
