import { describe, expect, it } from "vitest";
import { tellTimes } from "../../src/sync/tell/times.ts";

const now = Date.parse("2026-12-31T13:53:00Z");
const minuteMs = 60_000;
const dayMs = 86_400_000;

describe("a time is told by how far away it is, and by the clock of the config's zone", () => {
  it.each([
    ["Europe/Berlin", 12 * minuteMs, "in 12 minutes (15:05)"],
    ["UTC", 12 * minuteMs, "in 12 minutes (14:05 UTC)"],
    ["UTC", 0, "just now (13:53 UTC)"],
    ["UTC", -3 * minuteMs, "3 minutes ago (13:50 UTC)"],
    ["UTC", -2 * dayMs, "2 days ago (29 Dec, 13:53 UTC)"],
    ["UTC", 2 * dayMs, "in 2 days (2 Jan 2027, 13:53 UTC)"],
    ["Pacific/Auckland", -3 * 60 * minuteMs, "3 hours ago (31 Dec 2026, 23:53)"],
  ])("in %s, %i ms from now", (zone, ms, words) => {
    expect(tellTimes(now, zone).show(now + ms)).toBe(words);
  });
});

it.each([
  [
    "The board wants no request before 2026-12-31T14:05:00.000Z.",
    "The board wants no request before 15:05 (in 12 minutes).",
  ],
  ["since 2026-12-31 13:50:00 UTC; again", "since 14:50 (3 minutes ago); again"],
  ['no milestone "Sprint 7", nor `Phase 2`', 'no milestone "Sprint 7", nor `Phase 2`'],
  [
    "a day such as 2026-01-31, and 2026-99-99T99:99:99Z",
    "a day such as 2026-01-31, and 2026-99-99T99:99:99Z",
  ],
  [
    '`2026-12-31T09:00:00Z`, “Down since 2026-12-31 13:50:00 UTC” and "2026-12-31T09:00:00Z"',
    '`2026-12-31T09:00:00Z`, “Down since 2026-12-31 13:50:00 UTC” and "2026-12-31T09:00:00Z"',
  ],
])("in %j every time for machines is told", (text, told) => {
  expect(tellTimes(now, "Europe/Berlin").tell(text)).toBe(told);
});
