import { describe, expect, it } from "vitest";
import { createTimes, nextTime } from "../../src/config/times.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The next times of an expression after a moment, as `DDTHH:MM:SS` in UTC. */
function timesOf(expression: string, timezone: string, from: string, count: number): readonly string[] {
  const times = createTimes(expression, timezone);
  const found: string[] = [];
  for (let at = Date.parse(from); found.length < count; ) {
    at = times.next(at);
    found.push(new Date(at).toISOString().slice(8, 19));
  }
  return found;
}

describe("the times of a schedule", () => {
  it.each([
    ["*/5 * * * *", "UTC", "2026-03-06T12:02:00Z", ["06T12:05:00", "06T12:10:00"]],
    ["*/20 * * * * *", "UTC", "2026-03-06T12:02:00Z", ["06T12:02:20", "06T12:02:40"]],
    ["0 9 * * 1-5", "UTC", "2026-03-06T12:02:00Z", ["09T09:00:00", "10T09:00:00"]],
    ["0 9 * * *", "Asia/Tokyo", "2026-03-06T12:02:00Z", ["07T00:00:00", "08T00:00:00"]],
    ["0 12 * * *", "UTC", "2026-03-06T12:00:00Z", ["07T12:00:00"]],
    ["0 0 29 feb *", "UTC", "2026-03-06T12:00:00Z", ["29T00:00:00"]],
    ["0 0 31 * *", "Asia/Kathmandu", "2026-01-31T00:00:00Z", ["30T18:15:00", "30T18:15:00"]],
    ["0 0 * * 7", "UTC", "2026-03-06T12:00:00Z", ["08T00:00:00", "15T00:00:00"]],
  ])("%s in %s come after %s", (expression, timezone, from, times) => {
    expect(timesOf(expression, timezone, from, times.length)).toEqual(times);
  });

  it.each([
    ["Europe/Berlin", "2026-10-24T23:55:00Z"],
    ["America/New_York", "2026-11-01T04:55:00Z"],
    ["Australia/Lord_Howe", "2026-04-04T13:55:00Z"],
    ["America/St_Johns", "2010-11-07T01:55:00Z"],
  ])("go on by elapsed time through the hour that occurs twice in %s", (timezone, from) => {
    const times = createTimes("*/5 * * * *", timezone);
    let at = Date.parse(from);
    for (let count = 0; count < 30; count += 1) {
      expect(times.next(at) - at).toBe(5 * minute);
      at = times.next(at);
    }
  });

  it.each([
    // The hour from 2 to 3 is left out on 29 March 2026, and occurs twice on 25 October.
    ["30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", ["25T00:30:00", "26T01:30:00"]],
    ["0,30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", ["25T00:00:00", "25T00:30:00", "26T01:00:00"]],
    ["30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", ["29T01:00:00", "30T00:30:00"]],
    ["0 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", ["29T01:00:00", "30T00:00:00"]],
    ["15,45 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", ["29T01:00:00", "30T00:15:00"]],
    ["15 2-3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", ["29T01:00:00", "29T01:15:00", "30T00:15:00"]],
    // By half an hour: from 2 to half past on 4 October 2026.
    ["15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", ["03T15:30:00", "04T15:15:00"]],
    ["45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00:00Z", ["04T14:45:00", "05T15:15:00"]],
    // At midnight, so that the day begins at 1.
    ["0 0 * * *", "Asia/Beirut", "2026-03-28T12:00:00Z", ["28T22:00:00", "29T21:00:00"]],
    // The last hour of 28 March 2026.
    ["30 23 * * sat", "America/Nuuk", "2026-03-28T12:00:00Z", ["29T01:00:00", "05T00:30:00"]],
  ])(
    "%s in %s are after %s once where it occurs twice, and right after the gap where it is skipped",
    (expression, timezone, from, times) => {
      expect(timesOf(expression, timezone, from, times.length)).toEqual(times);
    },
  );

  it.each([
    ["*/30 * * * *", "Europe/Berlin", "2026-03-29T00:20:00Z", ["29T00:30:00", "29T01:00:00", "29T01:30:00"]],
    ["0 */2 * * *", "Europe/Berlin", "2026-10-24T23:20:00Z", ["25T00:00:00", "25T01:00:00", "25T03:00:00"]],
    ["* * * * * *", "Europe/Berlin", "2026-03-29T00:59:58Z", ["29T00:59:59", "29T01:00:00", "29T01:00:01"]],
    ["* * * * * *", "Europe/Berlin", "2026-10-25T00:59:58Z", ["25T00:59:59", "25T01:00:00", "25T01:00:01"]],
  ])("%s in %s are after %s whatever the clocks show then", (expression, timezone, from, times) => {
    expect(timesOf(expression, timezone, from, times.length)).toEqual(times);
  });

  it("are found however far away they lie", () => {
    const next = (expression: string, from: string): string =>
      new Date(createTimes(expression, "UTC").next(Date.parse(from))).toISOString();
    expect(next("0 0 29 2 *", "2096-02-29T00:00:00Z")).toBe("2104-02-29T00:00:00.000Z");
    expect(next("* * 29 2 *", "2096-02-29T23:59:00Z")).toBe("2104-02-29T00:00:00.000Z");
    expect(next("59 59 23 29 2 *", "1896-02-29T23:59:59Z")).toBe("1904-02-29T23:59:59.000Z");
  });

  it.each([
    ["*/5 * * * *", "2026-03-06T12:02:00Z", 5 * minute],
    ["*/10 * * * * *", "2026-03-06T12:02:00Z", 10_000],
    ["0 0 1 1 *", "2026-03-06T12:02:00Z", 365 * day],
    ["0 9 * * 1-5", "2026-03-05T12:00:00Z", day],
    ["0 9 * * 1-5", "2026-03-06T12:00:00Z", day],
    ["0,5 * * * *", "2026-03-06T12:06:00Z", 5 * minute],
    ["0,30 9-17 * * *", "2026-03-06T17:15:00Z", 30 * minute],
  ])("%s have, at %s, this period", (expression, now, periodMs) => {
    expect(createTimes(expression, "UTC").periodMs(Date.parse(now))).toBe(periodMs);
  });

  it.each([0, -1, Date.parse("1970-01-01"), 8.64e15, 1e300, Number.MAX_SAFE_INTEGER])(
    "are told whatever the clock shows: %d",
    (now) => {
      expect(createTimes("*/5 * * * *", "Europe/Berlin").next(now)).toBeGreaterThan(now);
      expect(createTimes("*/5 * * * *", "Europe/Berlin").periodMs(now)).toBeGreaterThan(0);
    },
  );
});

it("the next time is undefined where the clock is beyond all times", () => {
  expect(nextTime("*/5 * * * *", "UTC", Date.parse("2026-03-06T12:02:00Z"))).toBe(
    Date.parse("2026-03-06T12:05:00Z"),
  );
  expect(nextTime("*/5 * * * *", "UTC", 8.64e15)).toBeUndefined();
});
