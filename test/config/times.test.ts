import { describe, expect, it } from "vitest";
import { createTimes, nextTime } from "../../src/config/times.ts";
import { ConfigError } from "../../src/errors.ts";

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
  ])("%s in %s come after %s", (expression, timezone, from, times) => {
    expect(timesOf(expression, timezone, from, times.length)).toEqual(times);
  });

  it("are those of either day where day of the month and weekday are both given", () => {
    const fridays = ["03T00:00:00", "10T00:00:00", "13T00:00:00", "17T00:00:00"];
    expect(timesOf("0 0 13 * fri", "UTC", "2026-04-01T00:00:00Z", 4)).toEqual(fridays);
  });

  it.each([
    ["Europe/Berlin", "2026-10-24T23:55:00Z"],
    ["America/New_York", "2026-11-01T04:55:00Z"],
    ["Australia/Lord_Howe", "2026-04-04T13:55:00Z"],
  ])("go on by elapsed time through the hour that occurs twice in %s", (timezone, from) => {
    const times = createTimes("*/5 * * * *", timezone);
    let at = Date.parse(from);
    for (let count = 0; count < 30; count += 1) {
      expect(times.next(at) - at).toBe(5 * minute);
      at = times.next(at);
    }
  });

  it("are once what occurs twice, and right after the gap what is skipped", () => {
    const berlin = "Europe/Berlin";
    expect(timesOf("30 2 * * *", berlin, "2026-10-24T12:00:00Z", 2)).toEqual(["25T00:30:00", "26T01:30:00"]);
    expect(timesOf("30 2 * * *", berlin, "2026-03-28T12:00:00Z", 2)).toEqual(["29T01:00:00", "30T00:30:00"]);
    expect(timesOf("*/30 * * * *", berlin, "2026-03-29T00:20:00Z", 3)).toEqual([
      "29T00:30:00",
      "29T01:00:00",
      "29T01:30:00",
    ]);
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

  it.each(["0 0 30 2 *", "0 0 31 4,6 *"])("%s are none at all, and refused", (expression) => {
    expect(() => createTimes(expression, "UTC")).toThrow(ConfigError);
    expect(() => createTimes(expression, "UTC")).toThrow(
      `The schedule \`${expression}\` can't be kept: it names a time that never comes.`,
    );
  });
});

it("the next time is undefined where the clock is beyond all times", () => {
  expect(nextTime("*/5 * * * *", "UTC", Date.parse("2026-03-06T12:02:00Z"))).toBe(
    Date.parse("2026-03-06T12:05:00Z"),
  );
  expect(nextTime("*/5 * * * *", "UTC", 8.64e15)).toBeUndefined();
});
