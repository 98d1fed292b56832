import { beforeEach, expect, it, vi } from "vitest";
import { systemClock } from "../../../src/commands/open/clock.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000 });
  return () => void vi.useRealTimers();
});

it("tells the time of the machine", () => {
  expect(systemClock.now()).toBe(1_000);
});

it("sleeps as long as it is told", async () => {
  const woken = systemClock.sleep(30).then(() => systemClock.now());
  await vi.advanceTimersByTimeAsync(100);
  expect(await woken).toBe(1_030);
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
