import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCronFault } from "../../src/config/cron.ts";
import { createTimes } from "../../src/config/times.ts";

describe("a cron expression", () => {
  it.each([
    "* * * * *",
    "*/5 * * * *",
    "0 */10 * * * *",
    "  0   3 * *   mon-fri ",
    "0,30 8-18/2 1,15 JAN-Mar 0,7",
    "59 23 31 12 7",
    "59 59 23 31 12 sun",
  ])("%j is fine, for the scheduler, too", (expression) => {
    expect(findCronFault(expression)).toBeUndefined();
    expect(() => createTimes(expression, "UTC")).not.toThrow();
  });

  it.each([
    ["", "must be a cron expression of five fields"],
    ["* * * *", "must be a cron expression of five fields"],
    ["* * * * * * *", "must be a cron expression of five fields"],
    ["@daily", "must be a cron expression of five fields"],
    ["60 * * * *", "has `60` as minute: write `*`, `*/2`, or numbers from 0 to 59"],
    ["60 * * * * *", "has `60` as second"],
    ["* 24 * * *", "has `24` as hour"],
    ["* * 0 * *", "has `0` as day of the month"],
    ["* * * 13 *", "has `13` as month"],
    ["* * * * 8", "has `8` as day of the week"],
    ["* * * * mo", "has `mo` as day of the week"],
    ["mon * * * *", "has `mon` as minute"],
    ["*-5 * * * *", "has `*-5` as minute"],
    ["5/10 * * * *", "has `5/10` as minute"],
    ["*/0 * * * *", "has `*/0` as minute: the step must be from 1 to 59"],
    ["*/60 * * * *", "has `*/60` as minute: the step must be from 1 to 59"],
    ["5-1 * * * *", "has `5-1` as minute: the range ends before it begins"],
    ["1,,2 * * * *", "has `` as minute"],
    ["1, * * * *", "has `` as minute"],
    ["-1 * * * *", "has `-1` as minute"],
    ["1-2-3 * * * *", "has `1-2-3` as minute"],
    ["001 * * * *", "has `001` as minute"],
    ["1.5 * * * *", "has `1.5` as minute"],
    ["L * * * *", "has `L` as minute"],
    ["0 0 30 2 *", "has `30` as day of the month, which `2` never has"],
    ["0 0 31 apr,jun-sep/3 *", "has `31` as day of the month, which `apr,jun-sep/3` never has"],
    ["0 0 0 30,31 feb *", "has `30,31` as day of the month, which `feb` never has"],
  ])("%j is refused with what is wrong", (expression, fault) => {
    expect(findCronFault(expression)).toContain(fault);
  });

  it("that is fine is one that the scheduler takes", () => {
    const term = fc.oneof(
      fc.constantFrom("*", "*/2", "1-3/2", "jan", "mon-wed", "feb-apr/2"),
      fc.integer({ min: -1, max: 61 }).map(String),
      fc.tuple(fc.nat(61), fc.nat(61)).map(([from, to]) => `${from}-${to}`),
      fc.tuple(fc.nat(61), fc.nat(61), fc.nat(61)).map(([from, to, step]) => `${from}-${to}/${step}`),
    );
    const field = fc.array(term, { minLength: 1, maxLength: 3 }).map((terms) => terms.join(","));
    const expression = fc
      .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom("*", "1", "*/2") }, field), {
        minLength: 5,
        maxLength: 6,
      })
      .map((fields) => fields.join(" "));
    fc.assert(
      fc.property(expression, (text) => {
        if (findCronFault(text) === undefined) expect(createTimes(text, "UTC").next(0)).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});
