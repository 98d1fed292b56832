import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Issue, LinkedPullRequest, Signals } from "../../../src/model/issue.ts";
import type { LinkedIssue } from "../../../src/model/link.ts";
import type { Rule, Settings } from "../../../src/plan/ground/settings.ts";
import {
  advancedValues,
  defaultRules,
  deriveTarget,
  matchFields,
  ruledFields,
} from "../../../src/plan/rules/rules.ts";
import { impossibleRules, shadowedRules } from "../../../src/plan/rules/useless.ts";
import {
  aim,
  done,
  known,
  makeIssue,
  makeLink,
  makePullRequest,
  noTarget,
  scheduled,
  started,
  statusRules,
  unreadable,
  untouched,
} from "../make.ts";

const notPlanned = makeIssue({ state: "closed", stateReason: "not_planned" });
const duplicate = makeIssue({ state: "closed", stateReason: "duplicate" });

const whole = { several: "all", followDuplicates: false } as const;

/** The status that the rules derive from these issues, `none`, or why they can't say. */
function statusOf(
  links: readonly LinkedIssue[],
  several: Settings["several"],
  rules = statusRules,
  followDuplicates: Settings["followDuplicates"] = false,
): unknown {
  const derived = deriveTarget(links, { rules, several, followDuplicates }).get("status");
  if (derived?.kind !== "derived") return derived?.message;
  return derived.target.kind === "value" ? derived.target.value : "none";
}

it.each([
  ["closed as completed", done, 0],
  ["labelled", started, 1],
  ["in a milestone", scheduled, 2],
  ["labelled and in a milestone", { ...scheduled, labels: ["started"] }, 1],
  ["as it was opened", untouched, statusRules.length],
])("the first rule that matches wins: %s", (_, issue, expected) => {
  const matches = matchFields({ issue }, statusRules);
  expect(matches).toEqual(new Map([["status", { possible: [expected], doubt: undefined }]]));
});

it("the fields that any rule sets are looked at, in one order", () => {
  const rules: readonly Rule[] = [
    { when: {}, set: { categoryId: null, roadmapOrder: 0 } },
    { when: {}, set: { status: "open", isReviewed: false } },
  ];
  expect(ruledFields(rules)).toEqual(["status", "roadmapOrder", "isReviewed", "categoryId"]);
});

it("each field comes with its rule and the issue that decides", () => {
  const rules: readonly Rule[] = [
    { when: { state: "closed" }, set: { status: "completed" } },
    { when: {}, set: { status: "open", onRoadmap: true } },
    { when: { state: "open" }, set: { isReviewed: true } },
  ];
  const found = { kind: "derived", issue: done, duplicate: undefined };
  expect(deriveTarget([makeLink(done)], { ...whole, rules })).toEqual(
    new Map([
      ["status", { ...found, field: "status", target: aim("completed"), rule: 0 }],
      ["onRoadmap", { ...found, field: "onRoadmap", target: aim(true), rule: 1 }],
      ["isReviewed", { ...found, field: "isReviewed", target: noTarget, rule: undefined }],
    ]),
  );
});

it("a rule may clear a field", () => {
  const rules: readonly Rule[] = [{ when: {}, set: { categoryId: null } }];
  const derived = deriveTarget([makeLink(done)], { ...whole, rules });
  expect(derived.get("categoryId")).toMatchObject({ target: aim(null), rule: 0 });
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
  const cantRead = "issue #12 can't be read";

  it.each<[string, Settings["several"], readonly LinkedIssue[], string]>([
    ["one that is gone is left out", "all", [gone, one], "in_progress"],
    ["all gone: nothing can be said", "any", [gone, gone], "every linked issue is gone from the tracker"],
    ["one unread: nothing can be said", "all", [one, unread], cantRead],
    ["one unread that is gone is left out", "all", [one, { ...unread, isGone: true }], "in_progress"],
    [
      "one unread changes nothing where another is the least advanced already",
      "all",
      [three, unread],
      "none",
    ],
    [
      "one unread changes nothing where another is the most advanced already",
      "any",
      [unread, two],
      "completed",
    ],
    ["one unread may be more advanced", "any", [one, unread], cantRead],
    ["one unread may be the only one that anybody works on", "any", [unread, makeLink(duplicate)], cantRead],
    ["one unread behind the primary is not needed", "primary", [one, unread], "in_progress"],
    [
      "one unread behind a primary that is left out is needed",
      "primary",
      [makeLink(duplicate), unread],
      cantRead,
    ],
  ])("%s", (_, several, links, expected) => {
    expect(statusOf(links, several)).toBe(expected);
  });

  it("rules that set nothing ask for nothing, whatever is known of the issue", () => {
    expect(deriveTarget([unread], { ...whole, rules: [] })).toEqual(new Map());
  });
});

describe("a rule that hangs on what is not known", () => {
  const rules: readonly Rule[] = [
    { when: { state: "closed" }, set: { status: "completed" } },
    { when: { pullRequest: "open" }, set: { status: "in_progress" } },
    { when: { labels: ["next"] }, set: { status: "planned" } },
    { when: { subIssues: "some-closed" }, set: { status: "open" } },
  ];
  const next = makeIssue({ labels: ["next"] });
  const linked = (issue: Issue, signals?: Signals, number = issue.number): LinkedIssue =>
    makeLink({ ...issue, number }, signals === undefined ? {} : { signals });
  const asked = "issue #12: rule 2 asks for `pullRequest`, which";

  it.each<[string, LinkedIssue, string]>([
    ["leaves its row undecided", linked(next), `${asked} has not been read yet`],
    [
      "says why it can't be read",
      linked(next, { pullRequests: unreadable("no permission") }),
      `${asked} can't be read: no permission`,
    ],
    ["does not matter where a rule above matched", linked(done), "completed"],
    ["matters no more once it is known", linked(next, { pullRequests: known([]) }), "planned"],
    [
      "is the first that does",
      linked(untouched, { subIssues: unreadable("no permission") }),
      `${asked} has not been read yet`,
    ],
    [
      "may be the last",
      linked(untouched, { pullRequests: known([]), subIssues: unreadable("no permission") }),
      "issue #12: rule 4 asks for `subIssues`, which can't be read: no permission",
    ],
  ])("%s", (_, link, expected) => {
    expect(statusOf([link], "all", rules)).toBe(expected);
  });

  const calm = linked(untouched, { pullRequests: known([]), subIssues: known({ total: 0, closed: 0 }) }, 14);
  const busy = linked(untouched, { pullRequests: known([makePullRequest()]) }, 15);
  const doubtful = linked(next);

  it.each<[string, Settings["several"], readonly LinkedIssue[], string]>([
    ["all: another is less advanced at any rate", "all", [doubtful, calm], "none"],
    ["all: it may be the least advanced", "all", [busy, doubtful], `${asked} has not been read yet`],
    ["any: another is more advanced at any rate", "any", [doubtful, linked(done, {}, 16)], "completed"],
    ["any: another is as advanced as it may be", "any", [doubtful, busy], "in_progress"],
    ["any: it may be the most advanced", "any", [doubtful, calm], `${asked} has not been read yet`],
    ["primary: another one is behind it", "primary", [calm, doubtful], "none"],
    ["primary: it is the one", "primary", [doubtful, calm], `${asked} has not been read yet`],
  ])("matters only where it changes what several issues come to: %s", (_, several, links, expected) => {
    expect(statusOf(links, several, rules)).toBe(expected);
  });
});

describe("an issue closed as duplicate", () => {
  const rules: readonly Rule[] = [
    ...statusRules,
    { when: { reason: ["not_planned", "duplicate"] }, set: { status: "closed" } },
  ];
  const ref = { repositoryId: 7, number: 7 };
  const of = (canonical: Signals["canonical"], issue?: Issue, signals?: Signals): LinkedIssue =>
    makeLink(duplicate, {
      ...(canonical && { signals: { canonical } }),
      ...(issue && { canonical: { issue: { ...issue, ...ref }, ...(signals && { signals }) } }),
    });
  const name = "issue #12 was closed as a duplicate";

  it.each<[string, LinkedIssue, unknown]>([
    ["gives its place to the other issue", of(known(ref), done), "completed"],
    ["even where no rule matches that one", of(known(ref), untouched), "none"],
    ["is what it is where there is none to follow", of(known(null)), "closed"],
    ["waits until it is known which", of(undefined), `${name}, and of which issue has not been read yet`],
    ["says why that can't be read", of(unreadable("x")), `${name}, and of which issue can't be read: x`],
    ["waits for the facts of the other", of(known(ref)), `${name} of #7, which has not been read yet`],
    [
      "says where that one is",
      of(known({ ...ref, repositoryId: 8 })),
      `${name} of #7 of another repository, which has not been read yet`,
    ],
  ])("%s", (_, link, expected) => {
    expect(statusOf([link], "all", rules, true)).toBe(expected);
  });

  it("goes by a stranger's issue only where those are followed, too", () => {
    const links = [of(known({ ...ref, isOutside: true }), done)];
    expect(statusOf(links, "all", rules, true)).toBe("closed");
    expect(statusOf(links, "all", rules, "anyone")).toBe("completed");
  });

  it("is asked for nothing where duplicates are not followed", () => {
    expect(statusOf([of(known(ref), done)], "all", rules)).toBe("closed");
  });

  it("gives way to no other issue any more, for the one that stands in its place does not", () => {
    const links = [of(known(ref), untouched), makeLink({ ...done, number: 13 })];
    expect(statusOf(links, "all", rules, true)).toBe("none");
    expect(statusOf([of(known(ref), notPlanned), makeLink(started)], "all", rules, true)).toBe("in_progress");
  });

  it("brings the signals of the other, too, and says whose they are", () => {
    const merged: readonly Rule[] = [{ when: { pullRequest: "merged" }, set: { status: "completed" } }];
    const shipped = { pullRequests: known([makePullRequest({ state: "merged" })]) };
    expect(statusOf([of(known(ref), started, shipped)], "all", merged, true)).toBe("completed");
    expect(statusOf([of(known(ref), started)], "all", merged, true)).toBe(
      "issue #12, a duplicate of #7: rule 1 asks for `pullRequest`, which has not been read yet",
    );
    expect(
      deriveTarget([of(known(ref), done)], { rules, several: "all", followDuplicates: true }).get("status"),
    ).toMatchObject({
      issue: { number: 7 },
      duplicate: { number: 12 },
      rule: 0,
    });
  });
});

it("what is decided stays so whatever else is read", () => {
  const rules: readonly Rule[] = [
    { when: { state: "closed", subIssues: "all-closed" }, set: { status: "a" } },
    { when: { pullRequest: "open" }, set: { status: "b" } },
    { when: { subIssues: "some-closed" }, set: { status: "c" } },
    { when: { pullRequest: "merged", labels: ["x"] }, set: { status: "d" } },
  ];
  const signals = fc.record({
    pullRequests: fc
      .constantFrom("open" as const, "merged" as const)
      .map((state) => known([makePullRequest({ state })])),
    subIssues: fc.constantFrom(0, 1, 2).map((closed) => known({ total: 2, closed })),
    canonical: fc.constant(known({ repositoryId: 7, number: 7 })),
  });
  const issue = fc.constantFrom(
    untouched,
    makeIssue({ labels: ["x"] }),
    makeIssue({ state: "closed" }),
    notPlanned,
    duplicate,
  );
  const link = fc
    .record({
      issue,
      signals,
      canonical: fc.record({ issue, signals }),
      lost: fc.subarray(["pullRequests", "subIssues", "canonical", "signals", "issue", "other"]),
    })
    .map(({ lost, ...found }) => {
      const left = Object.entries(found.signals).filter(([name]) => !lost.includes(name));
      const all = makeLink(found.issue, { signals: found.signals, canonical: found.canonical });
      const canonical = lost.includes("signals") ? { issue: found.canonical.issue } : found.canonical;
      const part = makeLink(lost.includes("issue") ? undefined : found.issue, {
        signals: Object.fromEntries(left),
        ...(!lost.includes("other") && { canonical }),
      });
      return { all, part };
    });
  const several = fc.constantFrom("all" as const, "any" as const, "primary" as const);
  fc.assert(
    fc.property(
      fc.array(link, { minLength: 1, maxLength: 3 }),
      several,
      fc.boolean(),
      (links, how, follows) => {
        const part = links.map((one) => one.part);
        const everything = links.map((one) => one.all);
        const derived = deriveTarget(part, { rules, several: how, followDuplicates: follows });
        const whole = deriveTarget(everything, { rules, several: how, followDuplicates: follows });
        for (const [field, found] of derived) {
          expect(whole.get(field)?.kind).toBe("derived");
          if (found.kind === "derived") expect(whole.get(field)).toMatchObject({ target: found.target });
        }
      },
    ),
    { numRuns: 1000 },
  );
});

it("more advanced are the rules above that name a field with an order, and not those for dropped issues", () => {
  const rules: readonly Rule[] = [
    { when: { state: "closed" }, set: { categoryId: null, status: "a" } },
    { when: { reason: ["not_planned", "duplicate"] }, set: { status: "dropped", roadmapColumn: "PLANNED" } },
    { when: { reason: ["not_planned", "other"] }, set: { roadmapColumn: "COMPLETED" } },
    { when: {}, set: { status: "c", categoryId: "x", roadmapColumn: "IN_PROGRESS" } },
  ];
  expect(advancedValues(rules, 3, "status")).toEqual(["a"]);
  expect(advancedValues(rules, 3, "roadmapColumn")).toEqual(["COMPLETED"]);
  expect(advancedValues(rules, 0, "status")).toEqual([]);
  expect(advancedValues(rules, 3, "categoryId")).toEqual([]);
});

it.each<[string, Issue, string | undefined | null, (readonly LinkedPullRequest[])?]>([
  ["closed as completed", done, "COMPLETED"],
  ["open with an assignee", makeIssue({ assignees: ["ada"] }), "IN_PROGRESS"],
  ["open with a pull request", untouched, "IN_PROGRESS", [makePullRequest({ isDraft: true })]],
  ["open without either", untouched, undefined, [makePullRequest({ state: "merged" })]],
  ["it stays where it is when closed as not planned", { ...notPlanned, assignees: ["ada"] }, null],
])("without rules only the roadmap's column follows: %s", (_, issue, expected, pullRequests) => {
  const rules = defaultRules();
  const signals = pullRequests && { pullRequests: known(pullRequests) };
  expect(ruledFields(rules)).toEqual(["roadmapColumn"]);
  const links = [makeLink(issue, signals && { signals })];
  const derived = deriveTarget(links, { ...whole, rules }).get("roadmapColumn");
  if (expected === null) expect(derived).toMatchObject({ kind: "unnamed" });
  else expect(derived).toMatchObject({ target: expected === undefined ? noTarget : aim(expected) });
});

describe("a rule that never decides anything", () => {
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
      { index: 2, by: [0] },
      { index: 3, by: [1] },
      { index: 5, by: [4] },
    ]);
  });

  it("is named with all the rules above that take its fields", () => {
    const rules: readonly Rule[] = [
      { when: { state: "closed" }, set: { status: "x" } },
      { when: {}, set: { onRoadmap: true } },
      { when: { state: "closed", labels: ["a"] }, set: { onRoadmap: false, status: "y" } },
    ];
    expect(shadowedRules(rules)).toEqual([{ index: 2, by: [0, 1] }]);
  });

  it("is not found where it still decides about one field", () => {
    const rules: readonly Rule[] = [
      { when: { state: "closed" }, set: { status: "x" } },
      { when: { state: "closed", labels: ["a"] }, set: { status: "y", onRoadmap: false } },
    ];
    expect(shadowedRules(rules)).toEqual([]);
  });

  it("is not found where every rule adds something", () => {
    expect(shadowedRules(statusRules)).toEqual([]);
  });
});

it("a rule whose parts no issue fulfils together is named with the reason", () => {
  const set = { status: "x" };
  const rules: readonly Rule[] = [
    { when: { state: "open", reason: ["completed"] }, set },
    { when: { labels: ["a"] }, set },
    { when: { labels: ["a"], noLabel: ["A"] }, set },
  ];
  expect(impossibleRules(rules)).toEqual([
    { index: 0, why: "an issue that is open is never completed" },
    { index: 2, why: "`labels` and `noLabel` both name a" },
  ]);
});
