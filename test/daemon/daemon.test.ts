import { describe, expect, it } from "vitest";
import type { Times } from "../../src/config/times.ts";
import { createDaemon, type DaemonOptions, type DaemonProject, type Ran } from "../../src/daemon/daemon.ts";
import { StateError } from "../../src/errors.ts";
import type { Clock } from "../../src/model/surroundings.ts";
import { createFakeClock, createGate, type Gate, settle } from "./fake-clock.ts";
import { createMemoryLog } from "./memory-log.ts";

const start = Date.parse("2026-03-06T12:00:00Z");
const minute = 60_000;
const beatMs = 15_000;

/** A schedule whose times the test makes. */
interface FakeSchedule extends Times {
  readonly calls: readonly string[];
  start(fire: () => void): void;
  stop(): void;
  fire(): void;
}

/** Where the daemon's clock that nobody can set begins. */
const origin = 1000;

function createFakeSchedule(periodMs = 5 * minute): FakeSchedule {
  const calls: string[] = [];
  let onTime = (): void => {
    throw new Error("The schedule is not started");
  };
  return {
    calls,
    start(fire) {
      calls.push("start");
      onTime = fire;
    },
    stop: () => calls.push("stop"),
    next: () => Number.POSITIVE_INFINITY,
    periodMs: () => periodMs,
    fire: () => onTime(),
  };
}

const timekeeper: DaemonOptions["timekeeper"] = {
  keep(times, fire) {
    const schedule = times as FakeSchedule;
    schedule.start(fire);
    return () => schedule.stop();
  },
};

interface Given {
  readonly projects?: readonly Partial<DaemonProject>[];
  readonly isGated?: boolean;
  /** The clock wakes sleepers only some time after the signal. */
  readonly isSlow?: boolean;
  readonly random?: () => number;
  readonly runProject?: DaemonOptions["runProject"];
  readonly beat?: DaemonOptions["beat"];
}

function slowDown(clock: Clock): Clock {
  const sleep: Clock["sleep"] = async (ms, signal) => {
    await clock.sleep(ms, signal);
    for (let turn = 0; turn < 10; turn += 1) await settle();
  };
  return { now: clock.now, sleep };
}

/** A daemon that has been started, and what it did. */
function givenDaemon(given: Given = {}) {
  const clock = createFakeClock(start);
  const controller = new AbortController();
  const log = createMemoryLog();
  const schedules: FakeSchedule[] = [];
  const events: string[] = [];
  /** How much had happened before each rest. */
  const rests: number[] = [];
  const beats: number[] = [];
  const lastBeats: number[] = [];
  const gates = new Map<string, Gate>();
  const wanted = given.projects ?? [{ key: "acme" }];
  const projects = wanted.map((project, index) => {
    const schedule = createFakeSchedule();
    schedules.push(schedule);
    return { key: `p${index}`, schedule, lastRunAt: undefined, ...project };
  });
  const runProject = async (key: string): Promise<Ran> => {
    events.push(`${key} starts at ${clock.now() - start}`);
    const gate = createGate();
    gates.set(key, gate);
    if (given.isGated !== true) gate.open();
    await gate.opened;
    events.push(`${key} ends`);
    return "fine";
  };
  let end: "running" | "ended" | { error: unknown } = "running";
  const daemon = createDaemon({
    projects,
    runProject: given.runProject ?? runProject,
    rest: () => rests.push(events.length),
    beat: given.beat ?? (async (at, isLast) => void (isLast ? lastBeats : beats).push(at - start)),
    clock: given.isSlow === true ? slowDown(clock) : clock,
    monotonic: () => origin + clock.now() - start,
    timekeeper,
    random: given.random ?? (() => 0.5),
    log,
    signal: controller.signal,
  });
  const ending = daemon.run().then(
    () => {
      end = "ended";
    },
    (error: unknown) => {
      end = { error };
    },
  );
  return {
    clock,
    log,
    schedules,
    events,
    rests,
    beats,
    lastBeats,
    daemon,
    ending,
    gate: (key: string) => gates.get(key) ?? createGate(),
    schedule: (index: number) => schedules[index] ?? createFakeSchedule(),
    abort: () => controller.abort("SIGTERM"),
    end: () => end,
    starts: () => events.filter((event) => event.includes("starts")),
    messages: (level: string) =>
      log.lines.filter((line) => line.level === level).map(({ message }) => message),
  };
}

describe("at its start the daemon", () => {
  it.each([
    ["never ran", undefined, true],
    ["ran longer ago than its period", start - 5 * minute - 1, true],
    ["ran exactly a period ago", start - 5 * minute, true],
    ["ran within its period", start - 5 * minute + 1, false],
    ["ran just now", start, false],
    ["ran in the future, because the clock was set back", start + minute, true],
  ])("looks at a project that %s", async (_case, lastRunAt, isRun) => {
    const { clock, starts } = givenDaemon({ projects: [{ key: "acme", lastRunAt }] });
    await clock.advance(minute);
    expect(starts()).toHaveLength(isRun ? 1 : 0);
  });

  it.each([
    [5 * minute, 0, 0],
    [5 * minute, 0.5, 1000],
    [5 * minute, 0.999, 1998],
    [10_000, 0.5, 500],
    [10_000, 0, 0],
    [Number.POSITIVE_INFINITY, 0.5, 1000],
  ])("delays a run of a period of %d ms by a random %d to %d ms", async (periodMs, random, delayMs) => {
    const { clock, events } = givenDaemon({
      projects: [{ key: "acme", schedule: createFakeSchedule(periodMs) }],
      random: () => random,
    });
    await clock.advance(minute);
    expect(events).toEqual([`acme starts at ${delayMs}`, "acme ends"]);
  });

  it("runs a project without any coming time once, and not after a restart", async () => {
    const schedule = createFakeSchedule(Number.POSITIVE_INFINITY);
    const first = givenDaemon({ projects: [{ key: "acme", schedule }] });
    const second = givenDaemon({ projects: [{ key: "acme", schedule, lastRunAt: 0 }] });
    await first.clock.advance(minute);
    await second.clock.advance(minute);
    expect(first.starts()).toHaveLength(1);
    expect(second.starts()).toHaveLength(0);
  });

  it("runs the projects one after another, in the order of their delays", async () => {
    const delays = [0.9, 0.1, 0.5];
    const { clock, events } = givenDaemon({
      projects: [{ key: "a" }, { key: "b" }, { key: "c" }],
      random: () => delays.shift() ?? 0,
      isGated: true,
    });
    await clock.advance(minute);
    expect(events).toEqual(["b starts at 200"]);
  });

  it("is rejected, with every schedule stopped, when a schedule can't be started", async () => {
    const broken: FakeSchedule = {
      ...createFakeSchedule(),
      start: () => {
        throw new Error("no such time");
      },
    };
    const { clock, ending, end, schedule, events } = givenDaemon({
      projects: [{ key: "a" }, { key: "b", schedule: broken }],
    });
    await ending;
    expect(end()).toEqual({ error: new Error("no such time") });
    expect(schedule(0).calls).toEqual(["start", "stop"]);
    await clock.advance(minute);
    expect(events).toEqual([]);
  });

  it("is rejected, with every schedule stopped, when a period can't be told", async () => {
    const broken: FakeSchedule = {
      ...createFakeSchedule(),
      periodMs: () => {
        throw new Error("no period");
      },
    };
    const { clock, ending, end, schedule, events } = givenDaemon({
      projects: [{ key: "a" }, { key: "b", schedule: broken }],
    });
    await ending;
    expect(end()).toEqual({ error: new Error("no period") });
    expect(schedule(0).calls).toEqual(["start", "stop"]);
    expect(clock.sleepers()).toBe(0);
    expect(events).toEqual([]);
  });
});

describe("on its schedule the daemon", () => {
  it("rests when nothing waits any more, and not between two runs", async () => {
    const ran = { lastRunAt: start };
    const { schedule, events, rests } = givenDaemon({ projects: [ran, ran] });
    schedule(0).fire();
    schedule(1).fire();
    await settle();
    expect(events).toHaveLength(4);
    expect(rests).toEqual([4]);
  });

  it("runs a project at each of its times", async () => {
    const { clock, schedule, events } = givenDaemon({ projects: [{ key: "acme", lastRunAt: start }] });
    await clock.advance(minute);
    schedule(0).fire();
    await clock.advance(minute);
    schedule(0).fire();
    await settle();
    expect(events).toEqual([
      `acme starts at ${minute}`,
      "acme ends",
      `acme starts at ${2 * minute}`,
      "acme ends",
    ]);
  });

  it("leaves a time out, and says so, while the project runs or waits", async () => {
    const { clock, schedule, starts, gate, log } = givenDaemon({
      projects: [{ key: "a" }, { key: "b" }],
      isGated: true,
    });
    await clock.advance(minute);
    expect(starts()).toEqual(["a starts at 1000"]);
    schedule(0).fire();
    schedule(1).fire();
    await settle();
    expect(log.lines.filter(({ message }) => message.includes("left out"))).toEqual(
      ["a", "b"].map((project) => ({
        level: "info",
        fields: { project },
        message: "Still waiting or running since an earlier time; this time is left out",
      })),
    );
    gate("a").open();
    await settle();
    gate("b").open();
    await settle();
    expect(starts()).toEqual(["a starts at 1000", `b starts at ${minute}`]);
  });

  it("queues 200 projects of the same schedule, and runs each once, never two at once", async () => {
    let running = 0;
    let most = 0;
    const ran: string[] = [];
    const { schedules } = givenDaemon({
      projects: Array.from({ length: 200 }, () => ({ lastRunAt: start })),
      runProject: async (key) => {
        running += 1;
        most = Math.max(most, running);
        await settle();
        ran.push(key);
        running -= 1;
        return "fine";
      },
    });
    for (const schedule of schedules) schedule.fire();
    while (ran.length < 200) await settle();
    await settle();
    expect(ran).toEqual(Array.from({ length: 200 }, (_, index) => `p${index}`));
    expect(most).toBe(1);
  });

  it("tells each run when it was asked for last, and who waits behind it", async () => {
    const places: unknown[] = [];
    const gates = new Map<string, Gate>();
    const { clock, schedules, schedule, daemon } = givenDaemon({
      projects: ["a", "b", "c"].map((key) => ({ key, lastRunAt: start })),
      runProject: async (key, { dueAt, waiting }) => {
        places.push([key, dueAt - start, waiting]);
        const gate = createGate();
        gates.set(key, gate);
        await gate.opened;
        return "fine";
      },
    });
    for (const one of schedules) one.fire();
    await settle();
    // What the hint is about must be seen by the run that waits already.
    daemon.hint("b", false);
    await clock.advance(minute);
    schedule(2).fire();
    for (const key of ["a", "b", "c"]) {
      gates.get(key)?.open();
      await settle();
    }
    expect(places).toEqual([
      ["a", 0, ["b", "c"]],
      ["b", 1000, ["c"]],
      ["c", minute, []],
    ]);
  });

  it("logs the error that ends a run, and goes on with the others and with the next time", async () => {
    const error = new StateError("The state file is full");
    const ran: string[] = [];
    const { clock, schedule, log, end } = givenDaemon({
      projects: [{ key: "a" }, { key: "b" }],
      runProject: async (key) => {
        ran.push(key);
        await settle();
        if (key === "a") throw error;
        return "fine";
      },
    });
    await clock.advance(minute);
    await settle();
    schedule(0).fire();
    await settle();
    expect(ran).toEqual(["a", "b", "a"]);
    await settle();
    expect(log.lines.filter(({ level }) => level === "error")).toEqual(
      [1, 2].map(() => ({
        level: "error",
        fields: { project: "a", err: error },
        message: "The run ended with an error",
      })),
    );
    expect(end()).toBe("running");
  });
});

describe("the sign of life", () => {
  it("is written at the start and every 15 s", async () => {
    const { clock, beats } = givenDaemon();
    await clock.advance(minute);
    expect(beats).toEqual([0, beatMs, 2 * beatMs, 3 * beatMs, 4 * beatMs]);
  });

  it("is written while a run takes long", async () => {
    const { clock, beats } = givenDaemon({ isGated: true });
    await clock.advance(10 * minute);
    expect(beats).toHaveLength(41);
  });

  it("is tried again after it could not be written, and the daemon goes on", async () => {
    const error = new StateError("The disk is full");
    let tries = 0;
    const { clock, starts, log } = givenDaemon({
      beat: async () => {
        tries += 1;
        if (tries <= 2) throw error;
      },
    });
    await clock.advance(minute);
    expect(tries).toBe(5);
    expect(starts()).toHaveLength(1);
    expect(log.lines.filter(({ message }) => message.startsWith("The sign of life"))).toEqual([
      { level: "error", fields: { err: error }, message: "The sign of life could not be written" },
      {
        level: "info",
        fields: { since: new Date(start).toISOString(), failures: 2 },
        message: "The sign of life is written again",
      },
    ]);
  });
});

it("says at its start when a project comes next that does not run at once", async () => {
  const schedule = { ...createFakeSchedule(), next: (now: number) => now + 5 * minute };
  const { log } = givenDaemon({ projects: [{ key: "a", lastRunAt: start, schedule }, { key: "b" }] });
  await settle();
  expect(log.lines.filter(({ message }) => message === "Next run")).toMatchObject([
    { fields: { project: "a", at: new Date(start + 5 * minute).toISOString() } },
  ]);
});

describe("after a signal the daemon", () => {
  it("ends at once when nothing runs, with its schedules stopped and nobody left sleeping", async () => {
    const { clock, abort, ending, end, schedules, log } = givenDaemon({
      projects: [{ key: "a", lastRunAt: start }, { key: "b" }],
    });
    await settle();
    abort();
    await ending;
    expect(end()).toBe("ended");
    expect(clock.sleepers()).toBe(0);
    for (const schedule of schedules) expect(schedule.calls).toEqual(["start", "stop"]);
    expect(log.lines.map(({ fields, message }) => ({ fields, message }))).toEqual([
      { fields: { projects: ["a", "b"] }, message: "Daemon started" },
      {
        fields: { signal: "SIGTERM" },
        message: "Daemon stopping: the write in hand is finished, nothing new is started",
      },
    ]);
  });

  it("starts no run that was still delayed", async () => {
    const { clock, abort, ending, events } = givenDaemon();
    await clock.advance(500);
    abort();
    await ending;
    await clock.advance(minute);
    expect(events).toEqual([]);
  });

  it("waits for what runs and starts nothing that waits", async () => {
    const { clock, abort, ending, end, events, gate } = givenDaemon({
      projects: [{ key: "a" }, { key: "b" }],
      isGated: true,
    });
    await clock.advance(minute);
    abort();
    await clock.advance(minute);
    expect(end()).toBe("running");
    gate("a").open();
    await ending;
    expect(end()).toBe("ended");
    expect(events).toEqual(["a starts at 1000", "a ends"]);
  });

  it("starts nothing that waits even if what runs gives the signal and ends at once", async () => {
    const ran: string[] = [];
    const { clock, abort, ending, end } = givenDaemon({
      projects: [{ key: "a" }, { key: "b" }, { key: "c" }],
      isSlow: true,
      runProject: async (key) => {
        ran.push(key);
        for (let turn = 0; turn < 20; turn += 1) await settle();
        abort();
        return "fine";
      },
    });
    await clock.advance(minute);
    await ending;
    expect(end()).toBe("ended");
    expect(ran).toEqual(["a"]);
  });

  it("starts nothing at a time that comes while it ends", async () => {
    const { clock, abort, ending, schedule, starts, gate, messages } = givenDaemon({
      projects: [{ key: "a" }, { key: "b", lastRunAt: start }],
      isGated: true,
    });
    await clock.advance(minute);
    abort();
    schedule(1).fire();
    await settle();
    schedule(1).fire();
    gate("a").open();
    await ending;
    expect(starts()).toEqual(["a starts at 1000"]);
    expect(messages("info")).toEqual(["Daemon started", expect.stringMatching(/^Daemon stopping/)]);
  });

  it("ends although the run in hand fails", async () => {
    const { clock, abort, ending, end, gate, messages } = givenDaemon({ isGated: true });
    await clock.advance(minute);
    abort();
    gate("acme").fail(new Error("cut"));
    await ending;
    expect(end()).toBe("ended");
    expect(messages("error")).toEqual(["The run ended with an error"]);
  });

  it("writes a last sign of life at once, while what runs ends, and none after it", async () => {
    const { clock, abort, beats, lastBeats } = givenDaemon({ isGated: true });
    await clock.advance(minute);
    const before = beats.length;
    expect(lastBeats).toEqual([]);
    abort();
    await clock.advance(minute);
    expect(beats).toHaveLength(before);
    expect(lastBeats).toEqual([minute]);
  });

  it("that came before its start does nothing at all", async () => {
    const controller = new AbortController();
    controller.abort("SIGINT");
    const schedule = createFakeSchedule();
    const done: string[] = [];
    const daemon = createDaemon({
      projects: [{ key: "acme", schedule, lastRunAt: undefined }],
      runProject: async (key) => {
        await settle();
        done.push(key);
        return "fine";
      },
      rest: () => done.push("rest"),
      beat: async () => void done.push("beat"),
      clock: createFakeClock(start),
      monotonic: () => origin,
      timekeeper,
      random: () => 0,
      log: createMemoryLog(),
      signal: controller.signal,
    });
    await daemon.run();
    expect(done).toEqual([]);
    expect(schedule.calls).toEqual(["start", "stop"]);
  });
});

describe("a hint", () => {
  it("brings the run of its project forward by one second, and later hints until then are the same one", async () => {
    const { clock, daemon, starts } = givenDaemon({
      projects: [
        { key: "a", lastRunAt: start },
        { key: "b", lastRunAt: start },
      ],
    });
    daemon.hint("b", false);
    await clock.advance(900);
    daemon.hint("b", false);
    await clock.advance(minute);
    expect(starts()).toEqual(["b starts at 1000"]);
  });

  it("that comes while the project runs brings on another run after it", async () => {
    const { clock, daemon, starts, gate } = givenDaemon({ isGated: true });
    await clock.advance(minute);
    daemon.hint("acme", false);
    await clock.advance(minute);
    expect(starts()).toEqual(["acme starts at 1000"]);
    gate("acme").open();
    await settle();
    gate("acme").open();
    await clock.advance(minute);
    expect(starts()).toEqual(["acme starts at 1000", `acme starts at ${2 * minute}`]);
  });

  it("is for nothing while its project waits for another one's run", async () => {
    const { clock, daemon, starts, gate } = givenDaemon({
      projects: [{ key: "a" }, { key: "b" }],
      isGated: true,
    });
    await clock.advance(minute);
    daemon.hint("b", false);
    await clock.advance(minute);
    gate("a").open();
    await settle();
    gate("b").open();
    await clock.advance(minute);
    expect(starts()).toEqual(["a starts at 1000", `b starts at ${2 * minute}`]);
  });

  it("brings no more than six runs of a project forward in a minute", async () => {
    const { clock, daemon, starts } = givenDaemon({ projects: [{ key: "a", lastRunAt: start }] });
    for (let second = 0; second < 120; second += 1) {
      daemon.hint("a", false);
      await clock.advance(1000);
    }
    const early = [1, 2, 3, 4, 5, 6].map((second) => `a starts at ${second * 1000}`);
    expect(starts().slice(0, 6)).toEqual(early);
    expect(starts()[6]).toBe(`a starts at ${minute + 1000}`);
    expect(starts()).toHaveLength(12);
  });

  it("by our own account is an echo while a run is under way and for half a minute after it", async () => {
    const { clock, daemon, starts, gate } = givenDaemon({
      projects: [{ key: "a" }, { key: "b", lastRunAt: start }],
      isGated: true,
    });
    await clock.advance(2000);
    daemon.hint("a", true);
    daemon.hint("b", true);
    gate("a").open();
    await clock.advance(29_999);
    daemon.hint("a", true);
    await clock.advance(1);
    expect(starts()).toHaveLength(1);
    daemon.hint("a", true);
    await clock.advance(minute);
    expect(starts()).toEqual(["a starts at 1000", "a starts at 33000"]);
  });

  it("of a project that is not there, or after the signal, does nothing", async () => {
    const { clock, daemon, abort, ending, starts } = givenDaemon({
      projects: [{ key: "a", lastRunAt: start }],
    });
    daemon.hint("stranger", false);
    daemon.hint("a", false);
    await clock.advance(500);
    abort();
    daemon.hint("a", false);
    await ending;
    await clock.advance(minute);
    expect(starts()).toEqual([]);
    expect(clock.sleepers()).toBe(0);
  });
});

describe("with another config the daemon", () => {
  it("follows the new schedules, runs what is new, and lets what is gone be", async () => {
    const { clock, daemon, schedules, starts } = givenDaemon({
      projects: [
        { key: "stays", lastRunAt: start },
        { key: "goes", lastRunAt: start },
      ],
    });
    await clock.advance(minute);
    const [stays, comes] = [createFakeSchedule(), createFakeSchedule()];
    daemon.reschedule([
      { key: "stays", schedule: stays, lastRunAt: start },
      { key: "comes", schedule: comes, lastRunAt: undefined },
    ]);
    await clock.advance(minute);
    expect(starts()).toEqual([`comes starts at ${minute + 1000}`]);
    expect(schedules.map(({ calls }) => calls.at(-1))).toEqual(["stop", "stop"]);
    stays.fire();
    await settle();
    expect(starts().at(-1)).toBe(`stays starts at ${2 * minute}`);
    expect(daemon.timetable().map(({ key, times }) => [key, times])).toEqual([
      ["stays", [origin + 2 * minute]],
      ["comes", []],
    ]);
  });

  it("does not start what waited and is gone", async () => {
    const { clock, daemon, schedule, starts, gate } = givenDaemon({
      projects: [{ key: "a" }, { key: "b" }],
      isGated: true,
    });
    await clock.advance(minute);
    daemon.reschedule([{ key: "a", schedule: schedule(0), lastRunAt: start }]);
    gate("a").open();
    await clock.advance(minute);
    expect(starts()).toEqual(["a starts at 1000"]);
  });

  it("changes nothing after the signal", async () => {
    const { daemon, abort, ending } = givenDaemon({ projects: [{ key: "a", lastRunAt: start }] });
    abort();
    await ending;
    const late = createFakeSchedule();
    daemon.reschedule([{ key: "late", schedule: late, lastRunAt: undefined }]);
    expect(late.calls).toEqual([]);
  });
});

it("the timetable knows the last three times of a project", async () => {
  const { clock, daemon, schedule } = givenDaemon({ projects: [{ key: "a", lastRunAt: start }] });
  for (let time = 0; time < 5; time += 1) {
    await clock.advance(minute);
    schedule(0).fire();
  }
  expect(daemon.timetable()[0]?.times).toEqual([3, 4, 5].map((count) => origin + count * minute));
});

it("the timetable knows when a run of a project succeeded last, another config or not", async () => {
  let isSuccess = true;
  const { clock, daemon, schedule } = givenDaemon({
    projects: [{ key: "a", lastRunAt: start }],
    runProject: () => Promise.resolve(isSuccess ? "fine" : "failed"),
  });
  expect(daemon.timetable()[0]?.succeededAt).toBeUndefined();
  await clock.advance(minute);
  schedule(0).fire();
  await clock.advance(minute);
  isSuccess = false;
  schedule(0).fire();
  await settle();
  daemon.reschedule([{ key: "a", schedule: createFakeSchedule(), lastRunAt: start }]);
  expect(daemon.timetable()[0]?.succeededAt).toBe(origin + minute);
});

it("the timetable knows what has ended the last run of a project, another config or not", async () => {
  const error = new StateError("The disk is full");
  let isFull = true;
  const { clock, daemon, schedule } = givenDaemon({
    projects: [{ key: "a", lastRunAt: start }],
    runProject: () => (isFull ? Promise.reject(error) : Promise.resolve("failed")),
  });
  expect(daemon.timetable()[0]?.broken).toBeUndefined();
  await clock.advance(minute);
  schedule(0).fire();
  await settle();
  daemon.reschedule([{ key: "a", schedule: createFakeSchedule(), lastRunAt: start }]);
  expect(daemon.timetable()[0]?.broken).toBe(error);
  isFull = false;
  daemon.start("a");
  await settle();
  expect(daemon.timetable()[0]?.broken).toBeUndefined();
});

it("says after each run when the project runs next, and nothing where it never does", async () => {
  const schedule = { ...createFakeSchedule(), next: (now: number) => now + 5 * minute };
  const { clock, log } = givenDaemon({ projects: [{ key: "a", schedule }, { key: "b" }] });
  await clock.advance(minute);
  await settle();
  const said = log.lines.filter(({ message }) => message === "Next run");
  expect(said.map(({ fields }) => fields)).toEqual([
    { project: "a", at: new Date(start + 1000 + 5 * minute).toISOString() },
  ]);
});
