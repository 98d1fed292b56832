import { describe, expect, it } from "vitest";
import type { LinkedIssue } from "../../src/model/link.ts";
import {
  advancedValues,
  defaultRules,
  deriveTarget,
  matchRule,
  ruledFields,
  shadowedRules,
} from "../../src/plan/rules.ts";
import type { Rule, Settings } from "../../src/plan/settings.ts";
import {
  aim,
  done,
  makeIssue,
  makeLink,
  noTarget,
  scheduled,
  started,
  statusRules,
  untouched,
} from "./make.ts";

const notPlanned = makeIssue({ state: "closed", stateReason: "not_planned" });
const duplicate = makeIssue({ state: "closed", stateReason: "duplicate" });

/** The status that the rules derive from these issues, `none`, or why they can't say. */
function statusOf(links: readonly LinkedIssue[], several: Settings["several"], rules = statusRules): unknown {
  const derived = deriveTarget(links, { rules, several });
  if (derived.kind === "undecided") return derived.message;
  const target = derived.targets.get("status");
  return target?.kind === "value" ? target.value : target?.kind;
}

it.each([
  ["closed as completed", done, 0],
  ["labelled", started, 1],
  ["in a milestone", scheduled, 2],
  ["labelled and in a milestone", { ...scheduled, labels: ["started"] }, 1],
  ["as it was opened", untouched, undefined],
])("the first rule that matches wins: %s", (_, issue, expected) => {
  expect(matchRule(issue, statusRules)).toBe(expected);
});

it("the fields that any rule sets are looked at, in one order", () => {
  const rules: readonly Rule[] = [
    { when: {}, set: { categoryId: null, roadmapOrder: 0 } },
    { when: {}, set: { status: "open", isReviewed: false } },
  ];
  expect(ruledFields(rules)).toEqual(["status", "roadmapOrder", "isReviewed", "categoryId"]);
});

it("a field that the matching rule does not name has no target, even where a later rule names it", () => {
  const rules: readonly Rule[] = [
    { when: { state: "closed" }, set: { status: "completed" } },
    { when: {}, set: { status: "open", onRoadmap: true } },
  ];
  const derived = deriveTarget([makeLink(done)], { rules, several: "all" });
  expect(derived).toEqual({
    kind: "derived",
    issue: done,
    rule: 0,
    targets: new Map([
      ["status", aim("completed")],
      ["onRoadmap", noTarget],
    ]),
  });
});

it("a rule may clear a field", () => {
  const rules: readonly Rule[] = [{ when: {}, set: { categoryId: null } }];
  expect(deriveTarget([makeLink(done)], { rules, several: "all" })).toMatchObject({
    targets: new Map([["categoryId", aim(null)]]),
  });
});

describe("a post with several issues", () => {
  const one = makeLink(started);
  const two = makeLink({ ...done, number: 13 });
  const three = makeLink({ ...untouched, number: 14 });

  it.each<[string, Settings["several"], readonly LinkedIssue[], string]>([
    ["all: the least advanced decides", "all", [two, one], "in_progress"],
    ["all: an issue without a rule is the least advanced", "all", [two, three, one], "none"],
    ["any: the most advanced decides", "any", [one, three, two], "completed"],
    ["primary: the first link decides", "primary", [one, two], "in_progress"],
    ["primary: even without a rule", "primary", [three, two], "none"],
  ])("%s", (_, several, links, expected) => {
    expect(statusOf(links, several)).toBe(expected);
  });

  const rules: readonly Rule[] = [
    ...statusRules,
    { when: { reason: ["not_planned", "duplicate"] }, set: { status: "closed" } },
  ];

  it.each<[string, Settings["several"], readonly LinkedIssue[], string]>([
    ["not planned, all", "all", [makeLink(notPlanned), one], "in_progress"],
    ["duplicate, any", "any", [makeLink(duplicate), one], "in_progress"],
    ["not planned, primary", "primary", [makeLink(notPlanned), one], "in_progress"],
    ["alone", "all", [makeLink(notPlanned)], "closed"],
    ["all of them", "primary", [makeLink(notPlanned), makeLink(duplicate)], "closed"],
    ["beside one that is gone", "all", [makeLink(duplicate), { ...one, isGone: true }], "closed"],
  ])(
    "an issue that nobody will work on is left out while there is another: %s",
    (_, several, links, expected) => {
      expect(statusOf(links, several, rules)).toBe(expected);
    },
  );

  const unread = makeLink(undefined);
  const gone = makeLink(done, { isGone: true });

  it.each<[string, Settings["several"], readonly LinkedIssue[], string]>([
    ["one that is gone is left out", "all", [gone, one], "in_progress"],
    ["all gone: nothing can be said", "any", [gone, gone], "every linked issue is gone from the tracker"],
    ["one unread: nothing can be said", "all", [one, unread], "issue #12 can't be read"],
    ["one unread that is gone is left out", "all", [one, { ...unread, isGone: true }], "in_progress"],
    ["one unread behind the primary is not needed", "primary", [one, unread], "in_progress"],
    [
      "one unread behind a primary that is left out is needed",
      "primary",
      [makeLink(duplicate), unread],
      "issue #12 can't be read",
    ],
  ])("%s", (_, several, links, expected) => {
    expect(statusOf(links, several)).toBe(expected);
  });
});

it("more advanced rules are those above the matching one that name the field", () => {
  const rules: readonly Rule[] = [
    { when: { state: "closed" }, set: { categoryId: null } },
    { when: {}, set: { status: "b" } },
    { when: {}, set: { status: "c", categoryId: "x" } },
  ];
  expect(advancedValues(rules, 2, "categoryId")).toEqual([null]);
  expect(advancedValues(rules, 2, "status")).toEqual(["b"]);
  expect(advancedValues(rules, 0, "status")).toEqual([]);
});

it.each([
  ["closed as completed", done, "COMPLETED"],
  ["open with an assignee", makeIssue({ assignees: ["ada"] }), "IN_PROGRESS"],
  ["open without one", untouched, undefined],
  ["closed as not planned", { ...notPlanned, assignees: ["ada"] }, undefined],
])("without rules only the roadmap's column follows: %s", (_, issue, expected) => {
  const rules = defaultRules();
  const index = matchRule(issue, rules);
  expect(ruledFields(rules)).toEqual(["roadmapColumn"]);
  expect(index === undefined ? undefined : rules[index]?.set.roadmapColumn).toBe(expected);
});

describe("a rule that can never be the first match", () => {
  const set = { status: "x" };

  it("is named with the rule above it that takes everything", () => {
    const rules: readonly Rule[] = [
      { when: { state: "closed" }, set },
      { when: { state: "open", labels: ["a"] }, set },
      { when: { reason: ["completed"] }, set },
      { when: { state: "open", labels: ["a", "b"] }, set },
      { when: {}, set },
      { when: { type: "Bug" }, set },
    ];
    expect(shadowedRules(rules)).toEqual([
      { index: 2, by: 0 },
      { index: 3, by: 1 },
      { index: 5, by: 4 },
    ]);
  });

  it("is not found where every rule adds something", () => {
    expect(shadowedRules(statusRules)).toEqual([]);
  });
});
