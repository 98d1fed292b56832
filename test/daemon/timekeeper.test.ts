import { describe, expect, it } from "vitest";
import { createTimes } from "../../src/config/times.ts";
import { createTimekeeper } from "../../src/daemon/timekeeper.ts";
import { createFakeClock, settle } from "./fake-clock.ts";
import { createMemoryLog } from "./memory-log.ts";

const start = Date.parse("2026-03-06T12:02:00Z");
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A schedule that is kept, and the minutes of true time at which it fires. */
function given(expression = "*/5 * * * *", timezone = "UTC") {
  const clock = createFakeClock(start);
  const log = createMemoryLog();
  const fired: number[] = [];
  let looks = 0;
  const times = createTimes(expression, timezone);
  const counted = {
    ...times,
    next: (after: number) => {
      looks += 1;
      return times.next(after);
    },
  };
  const keeper = createTimekeeper({ clock, monotonic: clock.elapsed, log });
  const stop = keeper.keep(counted, () => fired.push(clock.elapsed() / minute));
  return { clock, log, keeper, fired, stop, looks: () => looks };
}

it("fires at the times, and only then", async () => {
  const { clock, fired } = given();
  await clock.advance(14 * minute);
  expect(fired).toEqual([3, 8, 13]);
});

it("fires at seconds", async () => {
  const { clock, fired } = given("*/20 * * * * *");
  await clock.advance(minute);
  expect(fired.map((at) => Math.round(at * 60))).toEqual([20, 40, 60]);
});

it("keeps several schedules, each by itself, and leaves nobody sleeping when the last one is stopped", async () => {
  const { clock, keeper, fired, stop } = given();
  const others: number[] = [];
  const stopOther = keeper.keep(createTimes("* * * * *", "UTC"), () => others.push(clock.elapsed() / minute));
  await clock.advance(3 * minute);
  stop();
  await clock.advance(3 * minute);
  expect(fired).toEqual([3]);
  expect(others).toEqual([1, 2, 3, 4, 5, 6]);
  stopOther();
  await settle();
  expect(clock.sleepers()).toBe(0);
  keeper.keep(createTimes("* * * * *", "UTC"), () => others.push(clock.elapsed() / minute));
  await clock.advance(minute);
  expect(others.at(-1)).toBe(7);
});

describe("a clock that is set back", () => {
  it.each([
    ["10 minutes", 10 * minute],
    ["a year", 365 * day],
    ["to 1970", start],
  ])("by %s keeps no schedule waiting for more than two periods, and is said once", async (_, ms) => {
    const { clock, fired, log } = given();
    await clock.advance(4 * minute);
    clock.leap(-ms);
    await clock.advance(20 * minute);
    const gaps = fired.map((at, index) => at - (fired[index - 1] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10);
    expect(fired.length).toBeGreaterThanOrEqual(5);
    expect(log.lines).toEqual([
      {
        level: "warn",
        fields: { seconds: Math.round(ms / second) },
        message: "The clock was set back: the next times are reckoned from what it shows now",
      },
    ]);
  });

  it("by 9 s costs a schedule of every second nothing", async () => {
    const { clock, fired, log } = given("* * * * * *");
    await clock.advance(10 * second);
    clock.leap(-9 * second);
    await clock.advance(10 * second);
    expect(fired.length).toBeGreaterThanOrEqual(18);
    expect(log.lines).toEqual([]);
  });

  it("every few seconds, by as much, does not stop time", async () => {
    const { clock, fired } = given("*/10 * * * * *");
    for (let step = 0; step < 60; step += 1) {
      await clock.advance(5 * second);
      clock.leap(-5 * second);
    }
    // The clock shows the same seconds for five minutes.
    const gaps = fired.map((at, index) => at - (fired[index - 1] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(20 / 60);
    expect(fired.length).toBeGreaterThanOrEqual(15);
  });
});

it("a clock that was beyond all times and comes back is followed again", async () => {
  const { clock, fired } = given();
  const far = Date.parse("9500-01-01T00:00:00Z") - start;
  clock.leap(far);
  await clock.advance(30 * minute);
  expect(fired).toHaveLength(1);
  clock.leap(-far);
  await clock.advance(30 * minute);
  expect(fired.length).toBeGreaterThanOrEqual(6);
  expect(fired.length).toBeLessThanOrEqual(8);
});

describe("a clock that leaps ahead", () => {
  it.each([
    ["an hour", hour],
    ["a year", 365 * day],
    ["56 years", 56 * 365 * day],
  ])("by %s makes up once for what was due, and reckons one time", async (_, ms) => {
    const { clock, fired, log, looks } = given();
    await clock.advance(minute);
    const before = looks();
    clock.leap(ms);
    await clock.advance(15 * second);
    expect(fired).toHaveLength(1);
    expect(looks() - before).toBe(1);
    expect(log.lines.map(({ message }) => message)).toEqual([
      "The clock went ahead, or the machine slept: what was due meanwhile is done once",
    ]);
    await clock.advance(10 * minute);
    expect(fired).toHaveLength(3);
  });
});

it("a clock that is adjusted little by little is followed without a word", async () => {
  const { clock, fired, log } = given();
  for (let step = 0; step < 240; step += 1) {
    await clock.advance(15 * second);
    clock.leap(step % 2 === 0 ? -400 : 300);
  }
  expect(fired).toHaveLength(12);
  expect(log.lines).toEqual([]);
});
