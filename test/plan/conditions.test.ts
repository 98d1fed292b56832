import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Issue, Milestone } from "../../src/model/issue.ts";
import { isFulfilled, isImplied, type RecordCondition } from "../../src/plan/conditions.ts";
import type { Condition } from "../../src/plan/settings.ts";
import { makeIssue } from "./make.ts";

const open: Milestone = { number: 1, title: "v1", state: "open" };
const closed: Milestone = { number: 2, title: "v2", state: "closed" };

/** For each condition: what it asks for, an issue, and whether that fulfils it. */
const rows: Readonly<Record<RecordCondition, readonly (readonly [Condition, Partial<Issue>, boolean])[]>> = {
  state: [
    [{ state: "open" }, { state: "open" }, true],
    [{ state: "open" }, { state: "closed" }, false],
    [{ state: "closed" }, { state: "closed" }, true],
  ],
  reason: [
    [{ reason: ["completed"] }, { state: "closed", stateReason: "completed" }, true],
    [{ reason: ["not_planned", "duplicate"] }, { state: "closed", stateReason: "duplicate" }, true],
    [{ reason: ["not_planned", "duplicate"] }, { state: "closed", stateReason: "completed" }, false],
    [{ reason: ["completed"] }, { state: "closed", stateReason: null }, false],
    [{ reason: ["completed"] }, { state: "open", stateReason: "completed" }, false],
    [{ reason: ["reopened"] }, { state: "open", stateReason: "reopened" }, true],
    [{ reason: ["reopened"] }, { state: "open", stateReason: null }, false],
  ],
  labels: [
    [{ labels: ["Bug"] }, { labels: ["ui", "bug"] }, true],
    [{ labels: ["bug", "ui"] }, { labels: ["ui", "bug"] }, true],
    [{ labels: ["bug", "ui"] }, { labels: ["bug"] }, false],
  ],
  anyLabel: [
    [{ anyLabel: ["bug", "ui"] }, { labels: ["UI"] }, true],
    [{ anyLabel: ["bug", "ui"] }, { labels: ["docs"] }, false],
    [{ anyLabel: ["bug"] }, {}, false],
  ],
  noLabel: [
    [{ noLabel: ["bug", "ui"] }, { labels: ["docs"] }, true],
    [{ noLabel: ["bug", "ui"] }, { labels: ["docs", "UI"] }, false],
  ],
  assigned: [
    [{ assigned: true }, { assignees: ["ada"] }, true],
    [{ assigned: true }, {}, false],
    [{ assigned: false }, {}, true],
    [{ assigned: false }, { assignees: ["ada"] }, false],
  ],
  milestone: [
    [{ milestone: "any" }, { milestone: open }, true],
    [{ milestone: "any" }, {}, false],
    [{ milestone: "none" }, {}, true],
    [{ milestone: "none" }, { milestone: open }, false],
    [{ milestone: "v1" }, { milestone: open }, true],
    [{ milestone: "V1" }, { milestone: open }, false],
    [{ milestone: "v1" }, {}, false],
  ],
  milestoneState: [
    [{ milestoneState: "closed" }, { milestone: closed }, true],
    [{ milestoneState: "closed" }, { milestone: open }, false],
    [{ milestoneState: "open" }, {}, false],
  ],
  type: [
    [{ type: "feature" }, { type: "Feature" }, true],
    [{ type: "feature" }, { type: "Bug" }, false],
    [{ type: "feature" }, {}, false],
  ],
};

const names = Object.keys(rows) as RecordCondition[];

describe.each(names)("the condition `%s`", (name) => {
  it.each(rows[name])("%j on %j: %s", (when, issue, expected) => {
    expect(isFulfilled(makeIssue(issue), when)).toBe(expected);
  });
});

it("a rule without conditions matches every issue", () => {
  expect(isFulfilled(makeIssue(), {})).toBe(true);
});

/** Of one issue: what it fulfils and what it doesn't. */
const sample = makeIssue({
  state: "closed",
  stateReason: "completed",
  labels: ["bug"],
  milestone: open,
  type: "Bug",
});
const answers: Readonly<Record<RecordCondition, { readonly yes: Condition; readonly no: Condition }>> = {
  state: { yes: { state: "closed" }, no: { state: "open" } },
  reason: { yes: { reason: ["completed"] }, no: { reason: ["duplicate"] } },
  labels: { yes: { labels: ["bug"] }, no: { labels: ["ui"] } },
  anyLabel: { yes: { anyLabel: ["bug", "ui"] }, no: { anyLabel: ["ui"] } },
  noLabel: { yes: { noLabel: ["ui"] }, no: { noLabel: ["bug"] } },
  assigned: { yes: { assigned: false }, no: { assigned: true } },
  milestone: { yes: { milestone: "v1" }, no: { milestone: "none" } },
  milestoneState: { yes: { milestoneState: "open" }, no: { milestoneState: "closed" } },
  type: { yes: { type: "bug" }, no: { type: "feature" } },
};
const pairs = names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other] as const));

it.each(pairs)("`%s` and `%s` together hold when both do", (one, other) => {
  for (const first of ["yes", "no"] as const) {
    for (const second of ["yes", "no"] as const) {
      const when = { ...answers[one][first], ...answers[other][second] };
      expect(isFulfilled(sample, when)).toBe(first === "yes" && second === "yes");
    }
  }
});

describe("one condition implies another", () => {
  it.each<[Condition, Condition, boolean]>([
    [{ state: "closed" }, {}, true],
    [{}, { state: "closed" }, false],
    [{ state: "closed", labels: ["bug"] }, { state: "closed" }, true],
    [{ reason: ["completed"] }, { state: "closed" }, true],
    [{ reason: ["completed", "reopened"] }, { state: "closed" }, false],
    [{ reason: ["completed"] }, { reason: ["duplicate", "completed"] }, true],
    [{ reason: ["completed", "duplicate"] }, { reason: ["completed"] }, false],
    [{ state: "closed" }, { reason: ["completed"] }, false],
    [{ labels: ["a", "B"] }, { labels: ["b"] }, true],
    [{ labels: ["a"] }, { labels: ["a", "b"] }, false],
    [{}, { labels: ["a"] }, false],
    [{ labels: ["a", "b"] }, { anyLabel: ["b", "c"] }, true],
    [{ anyLabel: ["b"] }, { anyLabel: ["b", "c"] }, true],
    [{ anyLabel: ["a", "b"] }, { anyLabel: ["b"] }, false],
    [{}, { anyLabel: ["b"] }, false],
    [{ noLabel: ["a", "b"] }, { noLabel: ["B"] }, true],
    [{ noLabel: ["a"] }, { noLabel: ["b"] }, false],
    [{}, { noLabel: ["b"] }, false],
    [{ assigned: true }, { assigned: true }, true],
    [{ assigned: true }, { assigned: false }, false],
    [{ milestone: "v1" }, { milestone: "v1" }, true],
    [{ milestone: "v1" }, { milestone: "any" }, true],
    [{ milestoneState: "open" }, { milestone: "any" }, true],
    [{ milestone: "none" }, { milestone: "any" }, false],
    [{}, { milestone: "any" }, false],
    [{ milestone: "any" }, { milestone: "v1" }, false],
    [{ milestoneState: "open" }, { milestoneState: "open" }, true],
    [{ milestone: "any" }, { milestoneState: "open" }, false],
    [{ type: "Bug" }, { type: "bug" }, true],
    [{ type: "Bug" }, { type: "feature" }, false],
    [{}, { type: "feature" }, false],
  ])("%j implies %j: %s", (when, earlier, expected) => {
    expect(isImplied(when, earlier)).toBe(expected);
  });

  const label = fc.constantFrom("a", "b", "B");
  const labels = fc.uniqueArray(label);
  const reasons = ["completed", "not_planned", "duplicate", "reopened"];
  const condition: fc.Arbitrary<Condition> = fc.record({
    state: fc.constantFrom("open", "closed"),
    reason: fc.subarray(reasons),
    labels,
    anyLabel: labels,
    noLabel: labels,
    assigned: fc.boolean(),
    milestone: fc.constantFrom("any", "none", "v1"),
    milestoneState: fc.constantFrom("open", "closed"),
    type: fc.constantFrom("Bug", "bug"),
  });
  const issue = fc
    .record({
      state: fc.constantFrom("open" as const, "closed" as const),
      stateReason: fc.constantFrom(null, ...reasons),
      labels,
      assignees: fc.constantFrom([], ["ada"]),
      milestone: fc.constantFrom(null, open, closed),
      type: fc.constantFrom(null, "Bug", "Feature"),
    })
    .map(makeIssue);

  /** Few parts, so that some issues fulfil them; one of the earlier rule, since both questions are asked part by part. */
  const part = fc
    .tuple(condition, fc.constantFrom(...names))
    .map(([all, name]): Condition => ({ [name]: all[name] }));
  const parts = fc.tuple(part, part).map(([one, other]): Condition => ({ ...one, ...other }));

  it("a yes is certain: no issue fulfils the one and not the other", () => {
    const issues = fc.array(issue, { minLength: 30, maxLength: 30 });
    fc.assert(
      fc.property(parts, part, issues, (when, earlier, found) => {
        fc.pre(isImplied(when, earlier));
        const witness = found.find((one) => isFulfilled(one, when) && !isFulfilled(one, earlier));
        expect(witness).toBeUndefined();
      }),
      { numRuns: 400 },
    );
  });
});
