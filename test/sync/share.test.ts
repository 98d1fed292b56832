/** @module-tag long */
import { describe, expect, it, onTestFinished } from "vitest";
import { type LongTime, type LongTimeOptions, openLongTime } from "../support/long-time.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** A run of each project by itself, as the daemon's, begins so often. */
const periodMs = 20 * minuteMs;
/** A day is long for a machine that does something else, too. */
const longMs = 90_000;

function open(options: LongTimeOptions): LongTime {
  const time = openLongTime(options);
  onTestFinished(() => time.close());
  return time;
}

/** Plays so long a time; each turn is one run, or one for each of the lists of projects. */
async function play(
  time: LongTime,
  ms: number,
  turns: readonly (readonly string[] | undefined)[],
): Promise<void> {
  const end = time.clock.now() + ms;
  for (let at = time.clock.now(); at < end; at += periodMs) {
    time.clock.skip(Math.max(0, at - time.clock.now()));
    for (const turn of turns) await time.run(turn);
  }
}

/** The most issues that were opened in any window of that length. */
function most({ opened }: LongTime, windowMs: number): number {
  return Math.max(
    0,
    ...opened.map(({ at }) => opened.filter((one) => one.at <= at && one.at > at - windowMs).length),
  );
}

function lastOf({ opened }: LongTime, project: string): number {
  const [first] = opened;
  const last = opened.findLast((one) => one.project === project);
  return first === undefined || last === undefined ? Number.POSITIVE_INFINITY : last.at - first.at;
}

const config = { tracker: { kind: "github", pace: { createsPerMinute: 2, createsPerHour: 4 } } };
const turns = { "one after another in a run": [undefined], "each by itself": [["big"], ["small"], ["tiny"]] };

describe("an import over a day", () => {
  it(
    "uses at least 95 % of the pace, and never exceeds it",
    async () => {
      const time = open({ posts: { big: 100 }, config });
      await play(time, dayMs, [undefined]);
      expect(time.opened.length).toBeGreaterThanOrEqual(0.95 * 24 * 4);
      expect(most(time, hourMs)).toBe(4);
      expect(most(time, minuteMs)).toBe(2);
    },
    longMs,
  );

  it.each(Object.entries(turns))(
    "shares the pace among projects of a token, %s",
    async (_, runs) => {
      const time = open({ posts: { big: 100, small: 10, tiny: 1 }, config });
      await play(time, dayMs, runs);
      expect(lastOf(time, "tiny")).toBeLessThan(hourMs + minuteMs);
      // The first hour was used up before anybody knew of it; then every other one of an hour's four is its own.
      expect(lastOf(time, "small")).toBeLessThan(6 * hourMs + minuteMs);
      expect(time.opened.filter(({ project }) => project === "small")).toHaveLength(10);
      expect(time.opened.length).toBeGreaterThanOrEqual(0.95 * 24 * 4);
      expect(most(time, hourMs)).toBe(4);
    },
    longMs,
  );

  it("lets a project in that comes when another one has used up the hour", async () => {
    const time = open({ posts: { big: 50, small: 0 }, config });
    await play(time, 6 * hourMs, [["big"], ["small"]]);
    for (let post = 0; post < 4; post += 1) time.addPost("small");
    const before = time.opened.length;
    await play(time, 3 * hourMs, [["big"], ["small"]]);
    const later = time.opened.slice(before);
    expect(later.filter(({ project }) => project === "small")).toHaveLength(4);
    expect(later.filter(({ project }) => project === "big").length).toBeGreaterThanOrEqual(6);
  });

  it(
    "keeps nothing for projects that want nothing, fail, or never run",
    async () => {
      const time = open({ posts: { big: 60, idle: 0, never: 3 }, config });
      await play(time, 12 * hourMs, [["big"], ["idle"]]);
      expect(time.opened.length).toBeGreaterThanOrEqual(0.95 * 12 * 4);
    },
    longMs,
  );

  it.each(Object.entries(turns))("lets everybody in when runs are many hours apart, %s", async (_, runs) => {
    const time = open({ posts: { big: 30, small: 4, tiny: 1 }, config });
    for (let day = 0; day < 5; day += 1) {
      for (const turn of runs) await time.run(turn);
      time.clock.skip(dayMs - 2 * hourMs);
    }
    expect(time.opened.filter(({ project }) => project === "small")).toHaveLength(4);
    expect(time.opened.filter(({ project }) => project === "tiny")).toHaveLength(1);
    expect(time.opened.filter(({ project }) => project === "big").length).toBeGreaterThanOrEqual(9);
  });

  it("goes on after the end of a process with what is left of the hour", async () => {
    const time = open({ posts: { big: 12 }, config });
    await time.run();
    expect(time.opened).toHaveLength(4);
    time.restart();
    await play(time, 50 * minuteMs, [undefined]);
    expect(time.opened).toHaveLength(4);
    await play(time, 30 * minuteMs, [undefined]);
    expect(time.opened).toHaveLength(8);
    expect(most(time, hourMs)).toBe(4);
  });

  it("begins each run with another project: its time may end before the last one", async () => {
    const slow = { minIntervalMs: 30_000, createsPerMinute: 60, createsPerHour: 1000, writesPerHour: 1000 };
    const time = open({
      posts: { big: 9, small: 2 },
      config: { budget: "1m", tracker: { kind: "github", pace: slow } },
    });
    const first = await time.run();
    expect(first.projects.map(({ project, created }) => [project, created])).toEqual([
      ["big", 2],
      ["small", 0],
    ]);
    const second = await time.run();
    expect(second.projects.map(({ project, created }) => [project, created])).toEqual([
      ["big", 0],
      ["small", 2],
    ]);
  });
});
