import { beforeEach, describe, expect, it, vi } from "vitest";
import { createMachineClock, followClock, systemClock } from "../../../src/commands/open/clock.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000 });
  return () => void vi.useRealTimers();
});

it("tells the time of the machine", () => {
  expect(systemClock.now()).toBe(1_000);
});

it("tells another time for as long as it follows that", () => {
  const stop = followClock(() => 5_000);
  expect(systemClock.now()).toBe(5_000);
  stop();
  expect(systemClock.now()).toBe(1_000);
});

it("sleeps as long as it is told", async () => {
  const woken: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    await systemClock.sleep(ms);
    woken.push(ms);
  };
  await Promise.all([sleep(60), sleep(1), sleep(30)]);
  expect(woken).toEqual([1, 30, 60]);
});

it.each([
  ["before", (interruption: AbortController) => interruption.abort()],
  ["while", (interruption: AbortController) => void setTimeout(() => interruption.abort(), 10)],
])("does not sleep on when it is interrupted %s it sleeps", async (_, interrupt) => {
  const interruption = new AbortController();
  interrupt(interruption);
  const woken = systemClock.sleep(60_000, interruption.signal).then(() => systemClock.now());
  await vi.advanceTimersByTimeAsync(100);
  expect(await woken).toBeLessThanOrEqual(1_010);
});

describe("while a run goes on", () => {
  const hour = 3_600_000;

  function setMachine() {
    const machine = { wall: 50 * hour, monotonic: 1_000 };
    const clock = createMachineClock({ wall: () => machine.wall, monotonic: () => machine.monotonic });
    const pass = (ms: number): void => {
      machine.wall += ms;
      machine.monotonic += ms;
    };
    return { machine, clock, pass };
  }

  it("goes on from what it showed where it is set back, and follows the machine when the run has ended", async () => {
    const { machine, clock, pass } = setMachine();
    const shown = await clock.steadily(async () => {
      const first = clock.now();
      machine.wall -= hour;
      pass(5_000);
      return clock.now() - first;
    });
    expect(shown).toBe(5_000);
    expect(clock.now()).toBe(machine.wall);
  });

  it("follows a clock that goes ahead: what was looked at before a sleep of the machine is old", async () => {
    const { machine, clock } = setMachine();
    const shown = await clock.steadily(async () => {
      const first = clock.now();
      machine.wall += hour;
      return clock.now() - first;
    });
    expect(shown).toBe(hour);
  });

  it("holds until the last of several that go on at once has ended", async () => {
    const { machine, clock } = setMachine();
    const first = clock.now();
    await clock.steadily(async () => {
      await clock.steadily(async () => undefined);
      machine.wall -= hour;
      expect(clock.now()).toBe(first);
    });
    expect(clock.now()).toBe(first - hour);
  });

  it("follows the machine again when the run ends with an error", async () => {
    const { machine, clock } = setMachine();
    const failing = clock.steadily(async () => {
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    machine.wall -= hour;
    expect(clock.now()).toBe(machine.wall);
  });
});
