import { expect, it } from "vitest";
import { createLasting } from "../../src/daemon/lasting.ts";
import { createFakeClock } from "./fake-clock.ts";
import { createMemoryLog } from "./memory-log.ts";

const start = Date.parse("2026-03-06T12:00:00Z");
const minute = 60_000;

it("what fails each second for an hour is said once a minute, and once that it is over", async () => {
  const [clock, log] = [createFakeClock(start), createMemoryLog()];
  const lasting = createLasting({ clock, log }, "No answer", "An answer again");
  const error = new Error("The server is gone");
  for (let second = 0; second < 3600; second += 1) {
    await lasting.attempt(() => Promise.reject(error));
    await clock.advance(1000);
  }
  expect(log.lines).toHaveLength(60);
  expect(log.lines[0]).toEqual({ level: "error", fields: { err: error }, message: "No answer" });
  const since = new Date(start).toISOString();
  const fields = { reason: "The server is gone", since, failures: 61 };
  expect(log.lines[1]).toEqual({ level: "error", fields, message: "No answer" });
  for (const _ of [1, 2]) await lasting.attempt(() => Promise.resolve());
  expect(log.lines.slice(60)).toEqual([
    { level: "info", fields: { since, failures: 3600 }, message: "An answer again" },
  ]);
  await lasting.attempt(() => Promise.reject(error));
  expect(log.lines.at(-1)).toEqual({ level: "error", fields: { err: error }, message: "No answer" });
});

it("goes on saying it where the clock was set back", async () => {
  const [clock, log] = [createFakeClock(start), createMemoryLog()];
  const lasting = createLasting({ clock, log }, "No answer", "An answer again");
  const fail = (): Promise<void> => lasting.attempt(() => Promise.reject(new Error("gone")));
  await fail();
  clock.leap(-60 * minute);
  await fail();
  expect(log.lines).toHaveLength(2);
});
