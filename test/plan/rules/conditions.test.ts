import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Issue, Milestone, Signals } from "../../../src/model/issue.ts";
import type { Condition, Rule } from "../../../src/plan/ground/settings.ts";
import { factsOf, type IssueFacts, isFulfilled, isImplied } from "../../../src/plan/rules/conditions.ts";
import { impossibleRules } from "../../../src/plan/rules/useless.ts";
import { known, makeIssue, makePullRequest, unreadable } from "../make.ts";

const open: Milestone = { number: 1, title: "v1", state: "open" };
const closed: Milestone = { number: 2, title: "v2", state: "closed" };

/** What a test names of an issue: parts of its record, and its signals. */
type Given = Partial<Issue> & Signals;

function makeFacts(
  { pullRequests, subIssues, projectStatus, isReleased, canonical: _, ...record }: Given,
  rules: readonly Rule[],
): IssueFacts {
  const signals = {
    ...(pullRequests && { pullRequests }),
    ...(subIssues && { subIssues }),
    ...(projectStatus && { projectStatus }),
    ...(isReleased && { isReleased }),
  };
  return factsOf({ issue: makeIssue(record), signals }, rules);
}

function findClash(when: Condition): string | undefined {
  return impossibleRules([{ when, set: {} }])[0]?.why;
}

/** The reasons that the other rules name. */
const usual = ["completed", "not_planned", "duplicate"];

type Answer = boolean | "unknown" | "unnamed";

/** `unknown` or `unnamed` where that is the answer, whatever its words are. */
function ask(given: Given, when: Condition, others: readonly string[] = usual): Answer {
  const rules = [when, { reason: others }].map((one) => ({ when: one, set: {} }));
  const verdict = isFulfilled(makeFacts(given, rules), when);
  return typeof verdict === "boolean" ? verdict : verdict.kind;
}

const draft = makePullRequest({ isDraft: true });
const ready = makePullRequest();
const merged = makePullRequest({ state: "merged" });
const rejected = makePullRequest({ state: "closed" });
const stranger = makePullRequest({ isOutside: true });
const board = { owner: "Acme", project: 7, field: "Status" };
const key = "acme/7/status";
const unknown = unreadable("no permission");

/** For each condition: what it asks for, an issue, and whether that fulfils it. */
const rows: Readonly<Record<keyof Condition, readonly (readonly [Condition, Given, Answer])[]>> = {
  state: [
    [{ state: "open" }, { state: "open" }, true],
    [{ state: "open" }, { state: "closed" }, false],
    [{ state: "closed" }, { state: "closed" }, true],
  ],
  reason: [
    [{ reason: ["completed"] }, { state: "closed", stateReason: "completed" }, true],
    [{ reason: ["not_planned", "duplicate"] }, { state: "closed", stateReason: "duplicate" }, true],
    [{ reason: ["not_planned", "duplicate"] }, { state: "closed", stateReason: "completed" }, false],
    [{ reason: ["completed"] }, { state: "closed", stateReason: null }, "unnamed"],
    [{ reason: ["completed"] }, { state: "closed", stateReason: "abandoned" }, "unnamed"],
    [{ reason: ["completed", "reopened"] }, { state: "closed", stateReason: "reopened" }, "unnamed"],
    [{ reason: ["abandoned"] }, { state: "closed", stateReason: "abandoned" }, true],
    [{ reason: ["other"] }, { state: "closed", stateReason: null }, true],
    [{ reason: ["other"] }, { state: "closed", stateReason: "abandoned" }, true],
    [{ reason: ["other"] }, { state: "closed", stateReason: "reopened" }, true],
    [{ reason: ["completed", "other"] }, { state: "closed", stateReason: null }, true],
    [{ reason: ["completed", "other"] }, { state: "closed", stateReason: "completed" }, true],
    [{ reason: ["other"] }, { state: "closed", stateReason: "completed" }, false],
    [{ reason: ["other"] }, { state: "open", stateReason: null }, false],
    [{ reason: ["other"] }, { state: "open", stateReason: "completed" }, false],
    [{ reason: ["completed"] }, { state: "open", stateReason: "completed" }, false],
    [{ reason: ["reopened"] }, { state: "open", stateReason: "reopened" }, true],
    [{ reason: ["reopened"] }, { state: "open", stateReason: null }, false],
    [{ reason: ["reopened"] }, { state: "closed", stateReason: "reopened" }, false],
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
  subIssues: [
    [{ subIssues: "all-closed" }, { subIssues: known({ total: 2, closed: 2 }) }, true],
    [{ subIssues: "all-closed" }, { subIssues: known({ total: 2, closed: 1 }) }, false],
    [{ subIssues: "all-closed" }, { subIssues: known({ total: 0, closed: 0 }) }, false],
    [{ subIssues: "some-closed" }, { subIssues: known({ total: 2, closed: 2 }) }, true],
    [{ subIssues: "some-closed" }, { subIssues: known({ total: 2, closed: 1 }) }, true],
    [{ subIssues: "some-closed" }, { subIssues: known({ total: 2, closed: 0 }) }, false],
    [{ subIssues: "some-closed" }, { subIssues: known({ total: 0, closed: 0 }) }, false],
    [{ subIssues: "some-closed" }, { subIssues: unknown }, "unknown"],
    [{ subIssues: "some-closed" }, {}, "unknown"],
  ],
  projectStatus: [
    [
      { projectStatus: { ...board, is: ["todo", "DONE"] } },
      { projectStatus: { [key]: known("Done") } },
      true,
    ],
    [{ projectStatus: { ...board, is: ["Todo"] } }, { projectStatus: { [key]: known("Done") } }, false],
    [{ projectStatus: { ...board, is: ["Todo"] } }, { projectStatus: { [key]: known(null) } }, false],
    [{ projectStatus: { ...board, is: ["Todo"] } }, { projectStatus: { [key]: unknown } }, "unknown"],
    [
      { projectStatus: { ...board, is: ["Todo"] } },
      { projectStatus: { "acme/8/status": known("Todo") } },
      "unknown",
    ],
    [{ projectStatus: { ...board, is: ["Todo"] } }, {}, "unknown"],
  ],
  pullRequest: [
    [{ pullRequest: "open" }, { pullRequests: known([merged, draft]) }, true],
    [{ pullRequest: "open" }, { pullRequests: known([merged, rejected]) }, false],
    [{ pullRequest: "ready" }, { pullRequests: known([draft, ready]) }, true],
    [{ pullRequest: "ready" }, { pullRequests: known([draft, merged]) }, false],
    [{ pullRequest: "merged" }, { pullRequests: known([rejected, merged]) }, true],
    [{ pullRequest: "merged" }, { pullRequests: known([merged, draft]) }, false],
    [{ pullRequest: "merged" }, { pullRequests: known([rejected]) }, false],
    [{ pullRequest: "none" }, { pullRequests: known([]) }, true],
    [{ pullRequest: "none" }, { pullRequests: known([rejected]) }, true],
    [{ pullRequest: "none" }, { pullRequests: known([merged]) }, false],
    [{ pullRequest: "none" }, { pullRequests: known([draft]) }, false],
    [{ pullRequest: "open" }, { pullRequests: known([stranger]) }, false],
    [{ pullRequest: "open" }, { pullRequests: known([stranger, draft]) }, true],
    [{ pullRequest: "ready" }, { pullRequests: known([stranger]) }, false],
    [{ pullRequest: "none" }, { pullRequests: known([stranger]) }, true],
    [{ pullRequest: "merged" }, { pullRequests: known([stranger, merged]) }, true],
    [{ pullRequest: "open from anyone" }, { pullRequests: known([stranger]) }, true],
    [{ pullRequest: "ready from anyone" }, { pullRequests: known([stranger]) }, true],
    [{ pullRequest: "none from anyone" }, { pullRequests: known([stranger]) }, false],
    [{ pullRequest: "merged from anyone" }, { pullRequests: known([stranger, merged]) }, false],
    [{ pullRequest: "none" }, { pullRequests: unknown }, "unknown"],
    [{ pullRequest: "none" }, {}, "unknown"],
  ],
  released: [
    [{ released: true }, { isReleased: known(true) }, true],
    [{ released: true }, { isReleased: known(false) }, false],
    [{ released: true }, { isReleased: known(false), milestone: closed }, true],
    [{ released: true }, { milestone: closed }, true],
    [{ released: false }, { isReleased: unknown, milestone: closed }, false],
    [{ released: false }, { isReleased: known(false), milestone: open }, true],
    [{ released: false }, { isReleased: known(true) }, false],
    [{ released: false }, { isReleased: unknown, milestone: open }, "unknown"],
    [{ released: true }, {}, "unknown"],
  ],
};

const names = Object.keys(rows) as (keyof Condition)[];

describe.each(names)("the condition `%s`", (name) => {
  it.each(rows[name])("%j on %j: %s", (when, issue, expected) => {
    expect(ask(issue, when)).toBe(expected);
  });
});

it("a rule without conditions matches every issue", () => {
  expect(ask({}, {})).toBe(true);
});

describe("what can't be read is said with its condition and the reason", () => {
  it.each<[Condition, Given, string]>([
    [{ subIssues: "all-closed" }, {}, "`subIssues`, which has not been read yet"],
    [{ released: true }, { isReleased: unknown }, "`released`, which can't be read: no permission"],
    [
      { pullRequest: "open", projectStatus: { ...board, is: ["Todo"] } },
      { projectStatus: { [key]: unknown } },
      "`projectStatus` (Status of project Acme/7), which can't be read: no permission",
    ],
  ])("%j", (when, given, message) => {
    expect(isFulfilled(makeFacts(given, []), when)).toEqual({ kind: "unknown", message });
  });
});

/** Of one issue: what it fulfils and what it doesn't. */
const sample: Given = {
  state: "closed",
  stateReason: "completed",
  labels: ["bug"],
  milestone: open,
  type: "Bug",
  subIssues: known({ total: 2, closed: 1 }),
  projectStatus: { [key]: known("Done"), "acme/8/status": unknown },
  pullRequests: known([merged]),
  isReleased: known(false),
};
const answers: Readonly<Record<keyof Condition, { readonly yes: Condition; readonly no: Condition }>> = {
  state: { yes: { state: "closed" }, no: { state: "open" } },
  reason: { yes: { reason: ["completed"] }, no: { reason: ["duplicate"] } },
  labels: { yes: { labels: ["bug"] }, no: { labels: ["ui"] } },
  anyLabel: { yes: { anyLabel: ["bug", "ui"] }, no: { anyLabel: ["ui"] } },
  noLabel: { yes: { noLabel: ["ui"] }, no: { noLabel: ["bug"] } },
  assigned: { yes: { assigned: false }, no: { assigned: true } },
  milestone: { yes: { milestone: "v1" }, no: { milestone: "none" } },
  milestoneState: { yes: { milestoneState: "open" }, no: { milestoneState: "closed" } },
  type: { yes: { type: "bug" }, no: { type: "feature" } },
  subIssues: { yes: { subIssues: "some-closed" }, no: { subIssues: "all-closed" } },
  projectStatus: {
    yes: { projectStatus: { ...board, is: ["Done"] } },
    no: { projectStatus: { ...board, is: ["Todo"] } },
  },
  pullRequest: { yes: { pullRequest: "merged" }, no: { pullRequest: "open" } },
  released: { yes: { released: false }, no: { released: true } },
};
it.each<[string, readonly string[], string | null, Answer]>([
  ["a reason that another rule names is none of this one's", ["duplicate"], "duplicate", false],
  ["a known reason that no rule names has no name here", ["completed"], "duplicate", "unnamed"],
  ["another rule is for what no rule names", ["other"], null, false],
  ["another rule is for what no rule names, a new reason", ["other"], "abandoned", false],
])("the reasons of all rules of the project count: %s", (_, others, stateReason, expected) => {
  expect(ask({ state: "closed", stateReason }, { reason: ["not_planned"] }, others)).toBe(expected);
});

it("what can't be read is said before a reason without a name", () => {
  const given = { state: "closed", stateReason: null } as const;
  expect(ask(given, { reason: ["completed"], pullRequest: "merged" })).toBe("unknown");
  expect(ask(given, { reason: ["completed"], labels: ["x"] })).toBe(false);
});

const pairs = names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other] as const));

it.each(pairs)("`%s` and `%s` together hold when both do", (one, other) => {
  for (const first of ["yes", "no"] as const) {
    for (const second of ["yes", "no"] as const) {
      const when = { ...answers[one][first], ...answers[other][second] };
      expect(ask(sample, when)).toBe(first === "yes" && second === "yes");
    }
  }
});

const signals = ["subIssues", "projectStatus", "pullRequest", "released"] as const;
const doubts = names.flatMap((name) =>
  signals.filter((signal) => signal !== name).map((signal) => [signal, name] as const),
);

it.each(doubts)("where `%s` is unknown, `%s` decides by a no, and only by that", (signal, name) => {
  const { subIssues, projectStatus, pullRequests, isReleased, ...record } = sample;
  const others = {
    ...(signal !== "subIssues" && { subIssues }),
    ...(signal !== "projectStatus" && { projectStatus }),
    ...(signal !== "pullRequest" && { pullRequests }),
    ...(signal !== "released" && { isReleased }),
  } as Signals;
  const given = { ...record, ...others };
  for (const answer of ["yes", "no"] as const) {
    expect(ask(given, { ...answers[signal][answer], ...answers[name].no })).toBe(false);
    expect(ask(given, { ...answers[signal][answer], ...answers[name].yes })).toBe("unknown");
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
    [{ reason: ["reopened"] }, { state: "open" }, true],
    [{ subIssues: "all-closed" }, { subIssues: "some-closed" }, true],
    [{ subIssues: "some-closed" }, { subIssues: "some-closed" }, true],
    [{ subIssues: "some-closed" }, { subIssues: "all-closed" }, false],
    [{ pullRequest: "ready" }, { pullRequest: "open" }, true],
    [{ pullRequest: "open" }, { pullRequest: "ready" }, false],
    [{ pullRequest: "none" }, { pullRequest: "none" }, true],
    [{ pullRequest: "ready" }, { pullRequest: "open from anyone" }, true],
    [{ pullRequest: "open from anyone" }, { pullRequest: "open" }, false],
    [{ pullRequest: "none from anyone" }, { pullRequest: "none" }, true],
    [{ pullRequest: "merged" }, { pullRequest: "merged from anyone" }, false],
    [{ pullRequest: "none" }, { pullRequest: "merged" }, false],
    [{ released: false }, { released: false }, true],
    [{ milestoneState: "closed" }, { released: true }, true],
    [{ milestoneState: "open" }, { released: true }, false],
    [{ milestoneState: "closed" }, { released: false }, false],
    [
      { projectStatus: { ...board, is: ["done"] } },
      { projectStatus: { owner: "acme", project: 7, field: "STATUS", is: ["Todo", "Done"] } },
      true,
    ],
    [
      { projectStatus: { ...board, is: ["Todo", "Done"] } },
      { projectStatus: { ...board, is: ["Done"] } },
      false,
    ],
    [
      { projectStatus: { ...board, is: ["Done"] } },
      { projectStatus: { ...board, project: 8, is: ["Done"] } },
      false,
    ],
    [{}, { projectStatus: { ...board, is: ["Done"] } }, false],
  ])("%j implies %j: %s", (when, earlier, expected) => {
    expect(isImplied(when, earlier)).toBe(expected);
  });
});

describe("parts of one rule that no issue fulfils together", () => {
  it.each<[Condition, string | undefined]>([
    [
      { state: "open", reason: ["completed", "duplicate"] },
      "an issue that is open is never completed or duplicate",
    ],
    [{ state: "closed", reason: ["reopened"] }, "an issue that is closed is never reopened"],
    [{ state: "open", reason: ["other"] }, "an issue that is open is never closed for another reason"],
    [
      { state: "open", reason: ["completed", "other"] },
      "an issue that is open is never completed or closed for another reason",
    ],
    [{ state: "closed", reason: ["other"] }, undefined],
    [{ state: "open", reason: ["completed", "reopened"] }, undefined],
    [{ reason: ["completed"] }, undefined],
    [{ labels: ["a", "b"], noLabel: ["B"] }, "`labels` and `noLabel` both name b"],
    [{ labels: ["a"], noLabel: ["b"] }, undefined],
    [{ noLabel: ["b"] }, undefined],
    [{ anyLabel: ["a", "b"], noLabel: ["B", "A"] }, "`noLabel` names all of `anyLabel`"],
    [{ anyLabel: ["a", "b"], noLabel: ["b"] }, undefined],
    [{ anyLabel: ["a"] }, undefined],
    [{ milestone: "none", milestoneState: "open" }, "an issue without a milestone has no `milestoneState`"],
    [{ milestone: "any", milestoneState: "open" }, undefined],
    [
      { milestoneState: "closed", released: false },
      "an issue whose milestone is closed counts as `released`",
    ],
    [{ milestoneState: "closed", released: true }, undefined],
    [{ milestone: "none", released: true }, undefined],
  ])("%j: %s", (when, why) => {
    expect(findClash(when)).toBe(why);
  });
});

describe("whatever is asked of whatever issue", () => {
  const label = fc.constantFrom("a", "b", "B");
  const labels = fc.uniqueArray(label);
  const reasons = ["completed", "not_planned", "duplicate", "reopened", "other"];
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
    subIssues: fc.constantFrom("all-closed", "some-closed"),
    projectStatus: fc.record({
      owner: fc.constantFrom("acme", "Acme"),
      project: fc.constantFrom(7, 8),
      field: fc.constant("Status"),
      is: fc.subarray(["Todo", "Done", "done"], { minLength: 1 }),
    }),
    pullRequest: fc.constantFrom("open", "ready", "merged", "none", "open from anyone", "none from anyone"),
    released: fc.boolean(),
  });
  const option = fc.constantFrom("Todo", "Done", null);
  const given: fc.Arbitrary<Given> = fc.record({
    state: fc.constantFrom("open" as const, "closed" as const),
    stateReason: fc.constantFrom(null, "abandoned", ...reasons.slice(0, -1)),
    labels,
    assignees: fc.constantFrom([], ["ada"]),
    milestone: fc.constantFrom(null, open, closed),
    type: fc.constantFrom(null, "Bug", "Feature"),
    pullRequests: fc.subarray([draft, ready, merged, rejected, stranger]).map(known),
    subIssues: fc
      .constantFrom([0, 0], [2, 0], [2, 1], [2, 2])
      .map(([total = 0, closed = 0]) => known({ total, closed })),
    projectStatus: fc
      .tuple(option, option)
      .map(([seven, eight]) => ({ [key]: known(seven), "acme/8/status": known(eight) })),
    isReleased: fc.boolean().map(known),
  });
  /** The same issue, of which not everything has been read. */
  const blurred = fc
    .tuple(given, fc.subarray(["pullRequests", "subIssues", "projectStatus", "isReleased"]), fc.boolean())
    .map(([whole, lost, isRead]) => {
      const left = Object.entries(whole).filter(([name]) => !lost.includes(name));
      const doubtful = lost
        .filter((name) => isRead && name !== "projectStatus")
        .map((name) => [name, unreadable("no permission")]);
      return { whole, part: Object.fromEntries([...left, ...doubtful]) as Given };
    });

  /** Few parts, so that some issues fulfil them; one of the earlier rule, since both questions are asked part by part. */
  const part = fc
    .tuple(condition, fc.constantFrom(...names))
    .map(([all, name]): Condition => ({ [name]: all[name] }));
  const parts = fc.tuple(part, part).map(([one, other]): Condition => ({ ...one, ...other }));

  it("a yes is certain: no issue fulfils the one and not the other", () => {
    const issues = fc.array(given, { minLength: 15, maxLength: 15 });
    fc.assert(
      fc.property(parts, part, issues, (when, earlier, found) => {
        fc.pre(isImplied(when, earlier));
        const witness = found.find((one) => ask(one, when) === true && ask(one, earlier) !== true);
        expect(witness).toBeUndefined();
      }),
      { numRuns: 400 },
    );
  });

  it("no issue fulfils parts that clash", () => {
    const issues = fc.array(given, { minLength: 15, maxLength: 15 });
    fc.assert(
      fc.property(parts, issues, (when, found) => {
        fc.pre(findClash(when) !== undefined);
        expect(found.filter((one) => ask(one, when) !== false)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it("an answer stays what it is when more is read", () => {
    fc.assert(
      fc.property(parts, blurred, (when, { whole, part }) => {
        const answer = ask(part, when);
        expect(ask(whole, when)).not.toBe("unknown");
        if (answer !== "unknown") expect(ask(whole, when)).toBe(answer);
      }),
      { numRuns: 500 },
    );
  });
});
