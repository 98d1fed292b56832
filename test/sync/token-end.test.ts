import { describe, expect, it } from "vitest";
import { describeTokenEnd, isTokenNews, lastTokenEnd } from "../../src/sync/tell/stored-report.ts";
import { hourMs, openStage, type Stage } from "../support/stage.ts";

const dayMs = 24 * hourMs;
const now = Date.parse("2026-11-25T10:00:00Z");

describe("a token's end", () => {
  it.each([
    [undefined, undefined],
    [null, undefined],
    [now + 14 * dayMs + 1, undefined],
    [now + 14 * dayMs, "ends in 14 days, at 2026-12-09T10:00:00.000Z"],
    [now + dayMs, "ends in 1 day, at"],
    [now + hourMs, "ends in less than a day, at"],
    [now, "ended at 2026-11-25T10:00:00.000Z"],
    [now - dayMs, "ended at"],
  ])("at %s is told as %s", (endsAt, expected) => {
    const told = describeTokenEnd(endsAt, now);
    if (expected === undefined) expect(told).toBeUndefined();
    else expect(told).toContain(expected);
  });

  it.each([
    ["never looked at before", now + dayMs, undefined, true],
    ["told when a day more was left", now + dayMs - 1, { endsAt: now + dayMs - 1, at: now - hourMs }, true],
    [
      "told when as many days were left",
      now + dayMs + 2 * hourMs,
      { endsAt: now + dayMs + 2 * hourMs, at: now - hourMs },
      false,
    ],
    ["told with another end", now + dayMs, { endsAt: now + 2 * dayMs, at: now - 1 }, true],
    ["far away", now + 30 * dayMs, undefined, false],
  ])("is news where it was %s", (_, endsAt, before, expected) => {
    expect(isTokenNews(endsAt, now, before)).toBe(expected);
  });
});

/** GitHub tells this from now on. */
function tell(stage: Stage, endsAt: number | null | undefined): void {
  stage.bend((world) => ({
    ...world,
    tracker: Object.create(world.tracker, { credentialEnds: { value: () => endsAt } }),
  }));
}

const warnings = (stage: Stage): number => stage.log.filter((line) => line.includes("tracker.token")).length;

describe("a run whose token ends soon", () => {
  it("says so once a day, and keeps it for `status`", async () => {
    const stage = await openStage();
    const endsAt = stage.clock.now() + 10 * dayMs + 12 * hourMs;
    tell(stage, endsAt);
    await stage.plan();
    expect(warnings(stage)).toBe(0);
    for (let hour = 0; hour < 3; hour += 1) {
      expect((await stage.syncOne()).tokenEnds).toBe(new Date(endsAt).toISOString());
      stage.clock.skip(hourMs);
    }
    expect(warnings(stage)).toBe(1);
    stage.clock.skip(dayMs);
    await stage.sync();
    expect(warnings(stage)).toBe(2);
    expect((await lastTokenEnd(stage.ledger, ["acme-app"]))?.endsAt).toBe(endsAt);
    tell(stage, endsAt - dayMs);
    await stage.sync();
    expect(warnings(stage)).toBe(3);
  });

  it("keeps the end through a run that GitHub gave no answer, and forgets it with another token", async () => {
    const stage = await openStage();
    const endsAt = stage.clock.now() + 10 * dayMs;
    tell(stage, endsAt);
    await stage.sync();
    tell(stage, undefined);
    expect((await stage.syncOne()).tokenEnds).toBe(new Date(endsAt).toISOString());
    tell(stage, null);
    expect(await stage.syncOne()).not.toHaveProperty("tokenEnds");
  });

  it("is a warning of `check`", async () => {
    const stage = await openStage();
    tell(stage, stage.clock.now() + dayMs);
    expect(await stage.check()).toContainEqual(
      expect.objectContaining({
        level: "warning",
        code: "tracker.token",
        message: expect.stringContaining("ends in 1 day"),
      }),
    );
  });
});
