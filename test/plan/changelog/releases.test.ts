import { describe, expect, it } from "vitest";
import {
  isDone,
  isFirstWith,
  isInMilestone,
  isWanted,
  matchesGlob,
  printRelease,
} from "../../../src/plan/changelog/releases.ts";
import { createIssue } from "../../ledger/samples.ts";
import { expectLinear } from "../../support/growth.ts";
import { createRelease } from "./make.ts";

describe("a pattern of tags", () => {
  it.each([
    ["v*", "v1.2", true],
    ["v*", "v", true],
    ["v*", "internal-v1", false],
    ["*", "", true],
    ["v?.?", "v1.2", true],
    ["v?.?", "v1.", false],
    ["*-app", "v1-app", true],
    ["*-app", "v1-app-rc", false],
    ["v*-*c", "v1-a-bc", true],
    ["", "", true],
    ["", "v", false],
    ["v1", "v1.2", false],
    ["v1.[0-9]", "v1.2", false],
  ])("%s and %s: %s", (pattern, tag, expected) => {
    expect(matchesGlob(pattern, tag)).toBe(expected);
  });

  it("takes no long time, whatever it is", () => {
    expectLinear((size) => matchesGlob("*a*a*b", "a".repeat(size)), "stars");
  });
});

describe("a release", () => {
  it("is wanted by its tag, and as a pre-release only where these are", () => {
    const wanted = { releases: "v*", prereleases: false };
    expect(isWanted(createRelease("v1"), wanted)).toBe(true);
    expect(isWanted(createRelease("w1"), wanted)).toBe(false);
    const early = createRelease("v1", { isPrerelease: true });
    expect([isWanted(early, wanted), isWanted(early, { ...wanted, prereleases: true })]).toEqual([
      false,
      true,
    ]);
  });

  it("is another one when its name, its notes or its address are others", () => {
    const release = createRelease("v1");
    expect(printRelease({ ...release, isPrerelease: true })).toBe(printRelease(release));
    for (const change of [{ name: "n" }, { body: "b" }, { url: "u" }])
      expect(printRelease({ ...release, ...change })).not.toBe(printRelease(release));
  });

  it("ships what is closed as done", () => {
    expect(isDone(createIssue(1, { state: "open" }))).toBe(false);
    const closed = (stateReason: string | null) => isDone(createIssue(1, { state: "closed", stateReason }));
    expect(["completed", null, "not_planned", "duplicate"].map(closed)).toEqual([true, true, false, false]);
  });

  it.each([
    ["v1.2", "Spring", "1.2", true],
    ["v1.2", "Spring", "V1.2 ", true],
    ["1.2", "Spring", "v1.2", true],
    ["v1.2", "Spring", "spring", true],
    ["v1.2", "Spring", "1.20", false],
    ["v1.2", "Spring", undefined, false],
  ])("%s, called %s, has the milestone %s: %s", (tag, name, title, expected) => {
    const milestone = title === undefined ? null : { number: 1, title, state: "closed" as const };
    expect(isInMilestone(createIssue(1, { milestone }), createRelease(tag, { name }))).toBe(expected);
  });

  it("ships what it is the first one to contain, of those that get an entry", () => {
    const releases = [createRelease("v2"), createRelease("v1"), createRelease("nightly-1")];
    const isFirst = (tag: string, tags: readonly string[]) =>
      isFirstWith(tags, {
        release: createRelease(tag),
        releases,
        wanted: { releases: "v*", prereleases: false },
      });
    expect(isFirst("v1", ["nightly-1", "v1", "v2"])).toBe(true);
    expect(isFirst("v2", ["nightly-1", "v1", "v2"])).toBe(false);
    expect(isFirst("v2", ["deleted", "v2"])).toBe(true);
    expect(isFirst("v1", [])).toBe(false);
  });
});
