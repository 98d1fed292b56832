import { describe, expect, it } from "vitest";
import { describeClosings } from "../../src/sync/decide/judge.ts";

const at = (time: string, by: string | null = "dana") => ({ at: `2026-01-05T${time}Z`, by });

describe("what issues that were closed have in common", () => {
  it.each([
    [[], undefined],
    [[at("10:00:00")], undefined],
    [[at("10:00:00"), at("10:00:00")], "2 issues were closed in the same second, all by @dana"],
    [[at("10:02:00"), at("10:00:00"), at("10:01:00")], "3 issues were closed within 2 minutes, all by @dana"],
    [[at("10:00:00"), at("10:02:00", "kim")], "2 issues were closed within 2 minutes, by 2 accounts"],
    [[at("10:00:00"), at("10:02:00", null)], "2 issues were closed within 2 minutes"],
    [[at("10:00:00", null), at("10:02:00", null)], "2 issues were closed within 2 minutes"],
    [[at("10:00:00"), { at: "2026-01-07T10:00:00Z", by: "dana" }], undefined],
    [[at("10:00:00"), { at: "some day", by: "dana" }], undefined],
  ])("%j: %s", (closings, expected) => {
    expect(describeClosings(closings)).toBe(expected);
  });
});
