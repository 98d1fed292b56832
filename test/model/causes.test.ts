import { describe, expect, it } from "vitest";
import {
  type Cause,
  isPassing,
  isPausedAsWhole,
  type LetGoBy,
  letGoBy,
  letting,
} from "../../src/model/causes.ts";

const causes = Object.keys(letting) as readonly Cause[];

describe("what waits", () => {
  it.each<[Cause, LetGoBy]>([
    ["settling", "time"],
    ["in-doubt", "time"],
    ["guard", "approve"],
    ["conflict", "approve"],
    ["refused", "retry"],
    ["quarantined", "release"],
    ["paused", "resume"],
    ["all-paused", "resume"],
    ["writes-off", "config"],
    ["missing", "sides"],
  ])("because of `%s` ends by `%s`", (cause, by) => {
    expect(letGoBy(cause)).toBe(by);
  });

  it("for the place of a new issue is given up with that place, and until then a person may let it go", () => {
    const passing = causes.filter(isPassing);
    expect(passing).toEqual(["public", "named", "other-address", "namesake"]);
    expect(passing.map(letGoBy)).toEqual(passing.map(() => "approve"));
  });

  it("with its whole project, or with all projects, is told from a post that is paused by itself", () => {
    expect(causes.filter(isPausedAsWhole)).toEqual(["project-paused", "all-paused"]);
  });
});
