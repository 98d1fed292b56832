import { describe, expect, it } from "vitest";
import type { Issue, Signals } from "../../../src/model/issue.ts";
import type { Rule } from "../../../src/plan/ground/settings.ts";
import { isSignalNeeded } from "../../../src/plan/rules/rules.ts";
import { makeIssue } from "../make.ts";

const rules: readonly Rule[] = [
  { when: { state: "closed", reason: ["completed"] }, set: { status: "completed" } },
  { when: { released: true }, set: { status: "shipped" } },
  { when: { state: "open", pullRequest: "open" }, set: { status: "in_progress" } },
];
const closed = { state: "closed", stateReason: "completed" } as const;
const milestone = { number: 1, title: "1.0", state: "closed" } as const;

describe("signals of an issue are read again in each run", () => {
  it.each<[string, Partial<Issue>, Signals, boolean]>([
    ["while a rule that names one may be the first to match", {}, {}, true],
    ["not when a rule above decides by the issue's record", closed, {}, false],
    ["not when its record shows what the rule asks for", { milestone }, {}, false],
    ["not when it was released, which is for good", {}, { isReleased: known(true) }, false],
    ["when it was not released yet", {}, { isReleased: known(false) }, true],
    ["when a pull request decided last time, which may change", {}, { pullRequests: known([]) }, true],
  ])("%s", (_, facts, signals, isNeeded) => {
    expect(isSignalNeeded(makeIssue(facts), signals, { rules })).toBe(isNeeded);
  });

  it("never where no rule that may match names one", () => {
    const [, , last] = rules;
    const issue = makeIssue({ state: "closed", stateReason: "not_planned" });
    expect(isSignalNeeded(issue, {}, { rules: last === undefined ? [] : [last] })).toBe(false);
  });
});

function known<T>(value: T): { readonly kind: "known"; readonly value: T } {
  return { kind: "known", value };
}
