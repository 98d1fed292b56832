import { getTasks } from "node-cron";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSchedule, nextTime } from "../../src/daemon/schedule.ts";
import { ConfigError } from "../../src/errors.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** node-cron takes no clock, so that here the machine's own stands still. */
beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-03-06T12:02:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The times at which a started schedule fires. */
function givenStarted(expression: string, timezone = "UTC") {
  const fired: string[] = [];
  const schedule = createSchedule(expression, timezone);
  schedule.start(() => fired.push(new Date().toISOString().slice(0, 19)));
  return { schedule, fired };
}

describe("a schedule", () => {
  it.each([
    ["*/5 * * * *", "UTC", 11 * minute, ["2026-03-06T12:05:00", "2026-03-06T12:10:00"]],
    ["*/20 * * * * *", "UTC", 45_000, ["2026-03-06T12:02:20", "2026-03-06T12:02:40"]],
    ["0 9 * * 1-5", "UTC", 3 * day, ["2026-03-09T09:00:00"]],
    ["0 9 * * *", "Asia/Tokyo", day, ["2026-03-07T00:00:00"]],
  ])("%s in %s fires at its times and only then", async (expression, timezone, ms, times) => {
    const { schedule, fired } = givenStarted(expression, timezone);
    await vi.advanceTimersByTimeAsync(ms);
    expect(fired).toEqual(times);
    schedule.stop();
  });

  it("does not fire before it is started", async () => {
    const schedule = createSchedule("* * * * * *", "UTC");
    await vi.advanceTimersByTimeAsync(3000);
    expect(vi.getTimerCount()).toBe(0);
    schedule.stop();
  });

  it("leaves nothing behind when it is stopped: no timer, so that the process can end, and no task", async () => {
    const tasks = getTasks().size;
    const { schedule, fired } = givenStarted("* * * * * *");
    await vi.advanceTimersByTimeAsync(2000);
    expect(fired).toHaveLength(2);
    schedule.stop();
    expect(vi.getTimerCount()).toBe(0);
    expect(getTasks().size).toBe(tasks);
    await vi.advanceTimersByTimeAsync(5000);
    expect(fired).toHaveLength(2);
  });

  it("can be stopped without having been started", () => {
    const tasks = getTasks().size;
    createSchedule("* * * * *", "UTC").stop();
    expect(getTasks().size).toBe(tasks);
  });

  it("makes up once for the times that passed while the process was suspended", async () => {
    const { schedule, fired } = givenStarted("*/5 * * * *");
    vi.setSystemTime(Date.parse("2026-03-06T14:03:10Z"));
    await vi.advanceTimersByTimeAsync(3 * minute);
    expect(fired).toEqual(["2026-03-06T14:06:10"]);
    await vi.advanceTimersByTimeAsync(5 * minute);
    expect(fired).toEqual(["2026-03-06T14:06:10", "2026-03-06T14:10:00"]);
    schedule.stop();
  });

  it.each([
    ["*/5 * * * *", "2026-03-06T12:02:00Z", 5 * minute],
    ["*/10 * * * * *", "2026-03-06T12:02:00Z", 10_000],
    ["0 0 1 1 *", "2026-03-06T12:02:00Z", 365 * day],
  ])("%s has a period of its own", (expression, now, periodMs) => {
    vi.setSystemTime(Date.parse(now));
    const schedule = createSchedule(expression, "UTC");
    expect(schedule.periodMs()).toBe(periodMs);
    schedule.stop();
  });

  it.each([
    ["0 9 * * 1-5", day, ["2026-03-05T12:00:00Z", "2026-03-06T12:00:00Z", "2026-03-07T12:00:00Z"]],
    ["0,5 * * * *", 5 * minute, ["2026-03-06T12:02:00Z", "2026-03-06T12:06:00Z"]],
    ["0,30 9-17 * * *", 30 * minute, ["2026-03-06T12:00:00Z", "2026-03-06T17:15:00Z"]],
  ])("%s is uneven and has the same period whenever it is asked", (expression, periodMs, times) => {
    for (const now of times) {
      vi.setSystemTime(Date.parse(now));
      const schedule = createSchedule(expression, "UTC");
      expect(schedule.periodMs()).toBe(periodMs);
      schedule.stop();
    }
  });

  it("keeps its times through the change to summer time", async () => {
    vi.setSystemTime(Date.parse("2026-03-28T12:00:00Z"));
    const { schedule, fired } = givenStarted("0 9 * * *", "Europe/Berlin");
    expect(schedule.periodMs()).toBe(day);
    await vi.advanceTimersByTimeAsync(2 * day);
    expect(fired).toEqual(["2026-03-29T07:00:00", "2026-03-30T07:00:00"]);
    schedule.stop();
  });

  it.each(["0 0 30 2 *", "0 0 31 4,6 *"])("%s has no time at all and is refused", (expression) => {
    const tasks = getTasks().size;
    expect(() => createSchedule(expression, "UTC")).toThrow(ConfigError);
    expect(() => createSchedule(expression, "UTC")).toThrow(
      `The schedule \`${expression}\` can't be kept: it names a time that never comes.`,
    );
    expect(getTasks().size).toBe(tasks);
  });
});

describe("the next time", () => {
  it.each([
    ["*/5 * * * *", "UTC", "2026-03-06T12:05:00"],
    ["0 9 * * *", "Asia/Tokyo", "2026-03-07T00:00:00"],
    ["0 0 30 2 *", "UTC", undefined],
  ])("of %s in %s is %s", (expression, timezone, expected) => {
    const before = getTasks().size;
    const next = nextTime(expression, timezone);
    expect(next === undefined ? undefined : new Date(next).toISOString().slice(0, 19)).toBe(expected);
    expect(getTasks().size).toBe(before);
  });
});
