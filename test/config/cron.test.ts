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
    "0\t3 * *\nmon-fri",
    "0,30 8-18/2 1,15 JAN-Mar *",
    "07 09 01 01 *",
    "*/007 * * * *",
    "*,5 */23 */31 */12 *",
    "0 0 * * 0,7",
    "0 0 * * 5-7",
    "0 0 * * */7",
    "59 23 31 12 *",
    "59 59 23 * 12 sun",
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
    ["0 0 L * *", "has `L` as day of the month"],
    ["0 0 L-3 * *", "has `L-3` as day of the month"],
    ["0 0 15W * *", "has `15W` as day of the month"],
    ["0 0 ? * mon", "has `?` as day of the month"],
    ["0 0 * * 5L", "has `5L` as day of the week"],
    ["0 0 * * 5#2", "has `5#2` as day of the week"],
    ["0 0 * * monday", "has `monday` as day of the week"],
    ["0 0 * january *", "has `january` as month"],
    ["0 0 * jan1 *", "has `jan1` as month"],
    ["0 0 * janfeb *", "has `janfeb` as month"],
    ["0 0 * * sunmon", "has `sunmon` as day of the week"],
    ["0 0 * mon *", "has `mon` as month"],
    ["0 0 * * jan", "has `jan` as day of the week"],
    ["1* * * * *", "has `1*` as minute"],
    ["*5 * * * *", "has `*5` as minute"],
    ["1-* * * * *", "has `1-*` as minute"],
    ["0-9999999999 * * * *", "has `0-9999999999` as minute"],
    ["0 20-24/5 * * *", "has `20-24/5` as hour: write"],
    ["50-62/15 * * * *", "has `50-62/15` as minute: write"],
    ["0 0 23-32/2 * *", "has `23-32/2` as day of the month: write"],
    ["0 0 * 10-13/2 *", "has `10-13/2` as month: write"],
    ["0 0 * * 5-8/2", "has `5-8/2` as day of the week: write"],
    ["70-5 * * * *", "has `70-5` as minute: write"],
    ["0 22-2 * * *", "has `22-2` as hour: the range ends before it begins"],
    ["0 0 * * sat-sun", "has `sat-sun` as day of the week: the range ends before it begins"],
    ["0 0 * * 7-5", "has `7-5` as day of the week: the range ends before it begins"],
    ["0 0 * nov-feb *", "has `nov-feb` as month: the range ends before it begins"],
    ["0 0 * * */8", "has `*/8` as day of the week: the step must be from 1 to 7"],
    ["0 0 30 2 *", "has `30` as day of the month, which `2` never has"],
    ["0 0 31 apr,jun-sep/3 *", "has `31` as day of the month, which `apr,jun-sep/3` never has"],
    ["0 0 0 30,31 feb *", "has `30,31` as day of the month, which `feb` never has"],
  ])("%j is refused with what is wrong", (expression, fault) => {
    expect(findCronFault(expression)).toContain(fault);
  });

  it.each([
    ["0 9 13 * fri", "13", "fri"],
    ["0 0 9 1,15 jan-mar 1-5", "1,15", "1-5"],
    ["0 9 */2 * mon", "*/2", "mon"],
    ["0 9 13 * */2", "13", "*/2"],
    ["0 9 1-31 * 0-6", "1-31", "0-6"],
    ["0 9 31 2 mon", "31", "mon"],
  ])(
    "%j is refused, since cron programs disagree about a day of the month with a weekday",
    (expression, day, weekday) => {
      expect(findCronFault(expression)).toBe(
        `has both \`${day}\` as day of the month and \`${weekday}\` as day of the week, about which cron programs disagree: write \`*\` for one of the two`,
      );
    },
  );

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
