import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Issue, Signals } from "../../../src/model/issue.ts";
import type { LinkedIssue, Row } from "../../../src/model/link.ts";
import type { FieldValue, PostChange, PostField } from "../../../src/model/post.ts";
import { changeOf } from "../../../src/plan/ground/action.ts";
import type { Rule, Settings } from "../../../src/plan/ground/settings.ts";
import { planRow, recordApplied } from "../../../src/plan/plan.ts";
import { deriveTarget } from "../../../src/plan/rules/rules.ts";
import {
  known,
  makeContext,
  makeIssue,
  makeLink,
  makePullRequest,
  makeRow,
  makeSettings,
  unreadable,
} from "../make.ts";

/** Each field takes its value from the first rule, from the top, that matches and names this field. */

const milestone = { number: 1, title: "Next", state: "open" } as const;
const a: Partial<Issue> = { labels: ["a"] };
const ab: Partial<Issue> = { labels: ["a", "b"] };
const closed = { state: "closed", stateReason: "completed" } as const;

type Chosen = Partial<Settings> & Pick<Settings, "rules">;

/** What the rules ask for: of each field its value, `none`, or that it is not known. */
function targetsOf(links: readonly LinkedIssue[], chosen: Chosen): Readonly<Record<string, unknown>> {
  const derived = deriveTarget(links, makeSettings(chosen));
  return Object.fromEntries(
    [...derived].map(([field, found]) => {
      if (found.kind !== "derived") return [field, found.kind];
      return [field, found.target.kind === "value" ? found.target.value : "none"];
    }),
  );
}

const ruleA = (set: PostChange): Rule => ({ when: { labels: ["a"] }, set });
const ruleB = (set: PostChange): Rule => ({ when: { labels: ["b"] }, set });

it.each<[string, readonly Rule[], Partial<Issue>, Readonly<Record<string, unknown>>]>([
  [
    "rules that name different fields all count",
    [ruleA({ status: "x" }), ruleB({ onRoadmap: true })],
    ab,
    { status: "x", onRoadmap: true },
  ],
  [
    "of rules that name the same field the upper one counts",
    [ruleA({ status: "x", onRoadmap: true }), ruleB({ status: "y", roadmapPublic: true })],
    ab,
    { status: "x", onRoadmap: true, roadmapPublic: true },
  ],
  [
    "a rule that does not match leaves its fields to those below",
    [ruleA({ status: "x", onRoadmap: true }), ruleB({ status: "y" })],
    { labels: ["b"] },
    { status: "y", onRoadmap: "none" },
  ],
  [
    "three rules fill up one another",
    [
      ruleA({ status: "x" }),
      ruleB({ status: "y", roadmapOrder: 3 }),
      { when: {}, set: { status: "z", roadmapOrder: 4, isReviewed: true } },
    ],
    a,
    { status: "x", roadmapOrder: 4, isReviewed: true },
  ],
  [
    "`false`, 0 and null are values like others",
    [
      ruleA({ onRoadmap: false, roadmapOrder: 0, categoryId: null }),
      ruleB({ onRoadmap: true, roadmapOrder: 1, categoryId: "c", isArchived: false }),
    ],
    ab,
    { onRoadmap: false, roadmapOrder: 0, categoryId: null, isArchived: false },
  ],
  [
    "what no matching rule names has no rule",
    [ruleA({ status: "x" }), ruleB({ roadmapColumn: "PLANNED" })],
    a,
    { status: "x", roadmapColumn: "none" },
  ],
])("%s", (_, rules, issue, expected) => {
  expect(targetsOf([makeLink(makeIssue(issue))], { rules })).toEqual(expected);
});

describe("several issues, field by field", () => {
  const rules: readonly Rule[] = [
    { when: { state: "closed", reason: ["completed"] }, set: { status: "done", onRoadmap: false } },
    { when: { state: "closed", reason: ["not_planned"] }, set: { status: "dropped" } },
    ruleA({ status: "started" }),
    ruleB({ onRoadmap: true, roadmapOrder: 2 }),
  ];
  const link = (number: number, facts: Partial<Issue>): LinkedIssue =>
    makeLink(makeIssue({ number, ...facts }));
  const done = link(1, closed);
  const [startedOne, planned, both] = [link(2, a), link(3, { labels: ["b"] }), link(4, ab)];
  const dropped = link(5, { state: "closed", stateReason: "not_planned", labels: ["b"] });
  const unread: LinkedIssue = makeLink(undefined, {
    link: { post: makeRow({}).post.id, issue: { repositoryId: 7, number: 9 }, origin: "opened" },
  });

  it.each<[string, Settings["several"], readonly LinkedIssue[], Readonly<Record<string, unknown>>]>([
    [
      "all: each field has its own least advanced issue",
      "all",
      [done, both],
      { status: "started", onRoadmap: true, roadmapOrder: "none" },
    ],
    [
      "all: one without a rule for a field leaves it without",
      "all",
      [startedOne, planned],
      { status: "none", onRoadmap: "none", roadmapOrder: "none" },
    ],
    [
      "any: each field has its own most advanced issue",
      "any",
      [startedOne, planned],
      { status: "started", onRoadmap: true, roadmapOrder: 2 },
    ],
    [
      "any: another field of another issue",
      "any",
      [done, planned],
      { status: "done", onRoadmap: false, roadmapOrder: 2 },
    ],
    [
      "primary: the first issue decides all fields",
      "primary",
      [planned, done],
      { status: "none", onRoadmap: true, roadmapOrder: 2 },
    ],
    [
      "one that is dropped is left out of every field",
      "any",
      [dropped, startedOne],
      { status: "started", onRoadmap: "none", roadmapOrder: "none" },
    ],
    ["alone it decides", "all", [dropped], { status: "dropped", onRoadmap: true, roadmapOrder: 2 }],
    [
      "all: one unread leaves open only what is not lost anyway",
      "all",
      [startedOne, unread],
      { status: "unknown", onRoadmap: "none", roadmapOrder: "none" },
    ],
    [
      "any: one unread leaves open only what is not won already",
      "any",
      [done, unread],
      { status: "done", onRoadmap: false, roadmapOrder: "unknown" },
    ],
  ])("%s", (_, several, links, expected) => {
    expect(targetsOf(links, { rules, several })).toEqual(expected);
  });
});

describe("what can't be read leaves open the fields that hang on it, and no other", () => {
  const merged = (set: PostChange): Rule => ({ when: { pullRequest: "merged" }, set });
  const at = (signals: Signals): readonly LinkedIssue[] => [makeLink(makeIssue(a), { signals })];
  const lost = at({ pullRequests: unreadable("no permission") });

  it.each<[string, readonly Rule[], Readonly<Record<string, unknown>>]>([
    ["below a rule that decides it", [ruleA({ status: "x" }), merged({ status: "y" })], { status: "x" }],
    [
      "above a rule that would decide it",
      [merged({ status: "y" }), ruleA({ status: "x" })],
      { status: "unknown" },
    ],
    [
      "above, for another field",
      [merged({ onRoadmap: true }), ruleA({ status: "x" })],
      { status: "x", onRoadmap: "unknown" },
    ],
    [
      "above, for one of two fields",
      [merged({ onRoadmap: true, status: "x" }), ruleA({ status: "x", onRoadmap: false })],
      { status: "x", onRoadmap: "unknown" },
    ],
    [
      "the same status in another spelling",
      [merged({ status: "In Progress" }), ruleA({ status: "in_progress" })],
      { status: "in_progress" },
    ],
    ["with nothing below", [merged({ status: "x" })], { status: "unknown" }],
    [
      "below, for another field",
      [ruleA({ status: "x" }), merged({ onRoadmap: true })],
      { status: "x", onRoadmap: "unknown" },
    ],
  ])("%s", (_, rules, expected) => {
    expect(targetsOf(lost, { rules })).toEqual(expected);
  });

  it("writes what can be decided, lists the row as undecided, and leaves the base of the rest", () => {
    const rules = [merged({ onRoadmap: true }), ruleA({ status: "x" })];
    const row = makeRow({ status: "open", onRoadmap: false }, { links: lost });
    const { actions, base, notes, dueAt } = planRow(row, makeContext({ settings: makeSettings({ rules }) }));
    expect(actions).toMatchObject([
      { writes: [{ field: "status", value: "x" }], reason: "issue #12 open → rule 2" },
    ]);
    expect(Object.keys(base)).toEqual(["status"]);
    const message = "issue #12: rule 1 asks for `pullRequest`, which can't be read: no permission";
    expect(notes).toEqual([{ kind: "undecided", cause: "undecided", message }]);
    expect(dueAt).toBeUndefined();
  });

  it("says one missing fact once, whatever hangs on it", () => {
    const rules = [merged({ onRoadmap: true, status: "y" })];
    const row = makeRow({ status: "open", onRoadmap: false }, { links: lost });
    expect(planRow(row, makeContext({ settings: makeSettings({ rules }) }))).toMatchObject({
      actions: [],
      base: {},
      notes: [{ kind: "undecided" }],
    });
  });

  it("is decided by what can be read of the rest", () => {
    const rules = [merged({ status: "y" }), ruleA({ status: "x" })];
    expect(targetsOf(at({ pullRequests: known([makePullRequest({ state: "merged" })]) }), { rules })).toEqual(
      { status: "y" },
    );
    expect(targetsOf(at({ pullRequests: known([]) }), { rules })).toEqual({ status: "x" });
  });
});

/** Plays what people do with an issue; each PATCH is applied, and given back. */
function play(
  rules: readonly Rule[],
  start: PostChange,
  steps: readonly Partial<Issue>[],
  chosen: Partial<Settings> = {},
) {
  let row: Row = makeRow({ ...start, votes: 50 } as Readonly<Partial<Record<PostField, FieldValue>>>);
  const context = makeContext({ settings: makeSettings({ rules, ...chosen }) });
  return steps.map((facts) => {
    row = { ...row, links: [makeLink(makeIssue(facts))] };
    const { actions, base } = planRow(row, context);
    row = { ...row, base: { ...row.base, ...base } };
    const [patch] = actions;
    if (patch?.kind !== "patch-post") return {};
    const change = changeOf(patch);
    row = { ...row, post: { ...row.post, values: { ...row.post.values, ...change } } };
    row = { ...row, base: { ...row.base, ...recordApplied(row, patch, row.post) } };
    return change;
  });
}

describe("a higher rule that comes and goes", () => {
  const rules: readonly Rule[] = [
    { when: { state: "closed", reason: ["completed"] }, set: { status: "completed" } },
    { when: { milestone: "any" }, set: { roadmapColumn: "PLANNED" } },
    { when: { labels: ["accepted"] }, set: { status: "planned" } },
  ];
  const accepted = { labels: ["accepted"] };

  it("takes nothing away that a lower one still names", () => {
    const steps = [
      accepted,
      { ...accepted, milestone },
      { ...accepted, milestone, ...closed },
      { ...accepted, milestone },
      accepted,
    ];
    expect(play(rules, { status: "open", roadmapColumn: "COMPLETED" }, steps)).toEqual([
      { status: "planned" },
      { roadmapColumn: "PLANNED" },
      { status: "completed" },
      { status: "planned" },
      { roadmapColumn: "COMPLETED" },
    ]);
  });

  it("gives a field back only when no matching rule names it any more", () => {
    const steps = [accepted, { ...accepted, ...closed }, closed, {}];
    expect(play(rules, { status: "open", roadmapColumn: "PLANNED" }, steps)).toEqual([
      { status: "planned" },
      { status: "completed" },
      {},
      { status: "open" },
    ]);
  });
});

describe("reasons name the rule of each field that is written", () => {
  const rules: readonly Rule[] = [
    ruleA({ status: "x", roadmapColumn: "PLANNED" }),
    ruleB({ onRoadmap: true }),
    { when: { labels: ["c"] }, set: { isReviewed: true } },
  ];
  const reasonsOf = (
    links: readonly LinkedIssue[],
    chosen: Partial<Settings> = {},
    row = makeRow({ status: "open", onRoadmap: false }),
  ) =>
    planRow({ ...row, links }, makeContext({ settings: makeSettings({ rules, ...chosen }) })).actions.map(
      ({ reason }) => reason,
    );

  it("one for all of them", () => {
    expect(reasonsOf([makeLink(makeIssue(a))])).toEqual(["issue #12 open → rule 1"]);
  });

  it("each beside its fields", () => {
    expect(reasonsOf([makeLink(makeIssue(ab))])).toEqual([
      "issue #12 open → status, roadmapColumn by rule 1, onRoadmap by rule 2",
    ]);
  });

  it("by which of several issues", () => {
    const links = [makeLink(makeIssue(a)), makeLink(makeIssue({ number: 13, labels: ["b"] }))];
    expect(reasonsOf(links, { several: "any" })).toEqual([
      "issue #12 open → status, roadmapColumn by rule 1; issue #13 open → onRoadmap by rule 2",
    ]);
  });
});

it("comes out as whoever reads the rules field by field would have it", () => {
  const names = ["a", "b", "c", "d"];
  const rule = fc.record({
    when: fc.record({ labels: fc.subarray(names, { maxLength: 2 }) }),
    set: fc
      .record(
        {
          status: fc.constantFrom("x", "y"),
          onRoadmap: fc.boolean(),
          roadmapOrder: fc.constantFrom(0, 1),
          categoryId: fc.constantFrom(null, "c"),
        },
        { requiredKeys: [] },
      )
      .map((set): PostChange => set),
  });
  const labels = fc.subarray(names);
  const fields = ["status", "onRoadmap", "roadmapOrder", "categoryId"] as const;
  const several = fc.constantFrom("all" as const, "any" as const, "primary" as const);
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 6 }),
      fc.array(labels, { minLength: 1, maxLength: 3 }),
      several,
      (rules, issues, how) => {
        const links = issues.map((found, index) => makeLink(makeIssue({ number: index + 1, labels: found })));
        const targets = targetsOf(links, { rules, several: how });
        for (const field of fields.filter((name) => rules.some(({ set }) => set[name] !== undefined))) {
          const naming = rules.filter(({ set }) => set[field] !== undefined);
          const places = issues.map((found) => {
            const place = naming.findIndex(({ when }) => when.labels.every((label) => found.includes(label)));
            return place < 0 ? naming.length : place;
          });
          const [first = 0] = places;
          const place = how === "all" ? Math.max(...places) : how === "any" ? Math.min(...places) : first;
          const value = naming[place]?.set[field];
          expect(targets[field]).toEqual(value === undefined ? "none" : value);
        }
      },
    ),
    { numRuns: 1000 },
  );
});
