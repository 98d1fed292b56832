import { expect, it } from "vitest";
import { systemClock } from "../../src/commands/clock.ts";

it("tells the time of the machine", () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
});

it("sleeps as long as it is told", async () => {
  const started = performance.now();
  await systemClock.sleep(30);
  expect(performance.now() - started).toBeGreaterThan(25);
});

it.each([
  ["before", (interruption: AbortController) => interruption.abort()],
  ["while", (interruption: AbortController) => void setTimeout(() => interruption.abort(), 10)],
])("does not sleep on when it is interrupted %s it sleeps", async (_, interrupt) => {
  const interruption = new AbortController();
  interrupt(interruption);
  const started = performance.now();
  await systemClock.sleep(60_000, interruption.signal);
  expect(performance.now() - started).toBeLessThan(5000);
});
