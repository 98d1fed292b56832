import { describe, expect, it } from "vitest";
import { pausedAsWhole, pausedByPerson } from "../../../src/model/link.ts";
import { pauseOf } from "../../../src/plan/ground/obstacle.ts";
import { makeRow } from "../make.ts";

describe("the pause of a post", () => {
  it("is none where nobody has paused it, or its project", () => {
    expect(pauseOf(makeRow({}))).toBeUndefined();
  });

  it("is its own where a person has paused it", () => {
    expect(pauseOf(makeRow({}, { pausedAt: 0 }))).toEqual({ cause: "paused", why: pausedByPerson });
  });

  it.each([
    ["project", "project-paused"],
    ["all", "all-paused"],
  ] as const)("is that of the whole (`%s`), also of a post that is paused itself", (of, cause) => {
    const wholePause = { of, since: 0 };
    const whole = { cause, why: pausedAsWhole[of] };
    expect(pauseOf(makeRow({}, { wholePause }))).toEqual(whole);
    expect(pauseOf(makeRow({}, { wholePause, pausedAt: 0 }))).toEqual(whole);
  });
});
