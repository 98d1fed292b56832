import { describe, expect, it } from "vitest";
import type { Issue, Signals } from "../../../src/model/issue.ts";
import type { Condition, Rule } from "../../../src/plan/ground/settings.ts";
import { viewIssue } from "../../../src/plan/rules/explain.ts";
import {
  done,
  known,
  makeIssue,
  makeLink,
  makePullRequest,
  scheduled,
  statusRules,
  unreadable,
  untouched,
} from "../make.ts";

const plain = { rules: statusRules, followDuplicates: false };
const project = { owner: "Acme", project: 7, field: "Status", is: ["In progress", "In review"] };
const key = "acme/7/status";
const closed = { number: 2, title: "v2", state: "closed" } as const;

/** The one condition of a rule, held against an issue. */
function view(when: Condition, record: Partial<Issue>, signals?: Signals) {
  const rules: readonly Rule[] = [{ when, set: { status: "x" } }];
  const linked = makeLink(makeIssue(record), signals && { signals });
  const { rules: views } = viewIssue(linked, { rules, followDuplicates: false });
  return views[0]?.conditions[0];
}

/** For each condition: what it asks for, an issue, and what is said of both. */
const rows: Readonly<
  Record<
    keyof Condition,
    readonly (readonly [Condition, Partial<Issue>, Signals | undefined, string, string, string])[]
  >
> = {
  state: [[{ state: "closed" }, {}, undefined, "closed", "open", "fails"]],
  reason: [
    [
      { reason: ["completed", "duplicate"] },
      { state: "closed", stateReason: "duplicate" },
      undefined,
      "completed, duplicate",
      "duplicate",
      "holds",
    ],
    [{ reason: ["completed"] }, {}, undefined, "completed", "none", "fails"],
    [
      { reason: ["completed"] },
      { state: "closed" },
      undefined,
      "completed",
      "none, which no rule names",
      "unknown",
    ],
  ],
  labels: [
    [{ labels: ["a", "b"] }, { labels: ["a", "c"] }, undefined, "a, b", "a, c", "fails"],
    [{ labels: ["a"] }, {}, undefined, "a", "none", "fails"],
  ],
  anyLabel: [[{ anyLabel: ["a", "b"] }, { labels: ["a"] }, undefined, "a, b", "a", "holds"]],
  noLabel: [[{ noLabel: ["a"] }, { labels: ["a"] }, undefined, "a", "a", "fails"]],
  assigned: [
    [{ assigned: true }, { assignees: ["ann", "bob"] }, undefined, "true", "ann, bob", "holds"],
    [{ assigned: true }, {}, undefined, "true", "nobody", "fails"],
  ],
  milestone: [
    [{ milestone: "any" }, { milestone: closed }, undefined, "any", "v2", "holds"],
    [{ milestone: "any" }, {}, undefined, "any", "none", "fails"],
  ],
  milestoneState: [
    [{ milestoneState: "closed" }, { milestone: closed }, undefined, "closed", "closed", "holds"],
    [{ milestoneState: "closed" }, {}, undefined, "closed", "no milestone", "fails"],
  ],
  type: [
    [{ type: "Bug" }, { type: "Feature" }, undefined, "Bug", "Feature", "fails"],
    [{ type: "Bug" }, {}, undefined, "Bug", "none", "fails"],
  ],
  subIssues: [
    [
      { subIssues: "all-closed" },
      {},
      { subIssues: known({ total: 3, closed: 2 }) },
      "all-closed",
      "2 of 3 closed",
      "fails",
    ],
    [
      { subIssues: "all-closed" },
      {},
      { subIssues: known({ total: 0, closed: 0 }) },
      "all-closed",
      "none",
      "fails",
    ],
    [{ subIssues: "all-closed" }, {}, undefined, "all-closed", "not read yet", "unknown"],
  ],
  projectStatus: [
    [
      { projectStatus: project },
      {},
      { projectStatus: { [key]: known("In Progress") } },
      "In progress, In review in Status of project Acme/7",
      "In Progress",
      "holds",
    ],
    [
      { projectStatus: project },
      {},
      { projectStatus: { [key]: known(null) } },
      "In progress, In review in Status of project Acme/7",
      "no option, or not in the project",
      "fails",
    ],
    [
      { projectStatus: project },
      {},
      { projectStatus: { [key]: unreadable("no permission") } },
      "In progress, In review in Status of project Acme/7",
      "can't be read: no permission",
      "unknown",
    ],
  ],
  pullRequest: [
    [
      { pullRequest: "ready" },
      {},
      {
        pullRequests: known([
          makePullRequest({ isDraft: true }),
          makePullRequest({ number: 31, state: "merged" }),
        ]),
      },
      "ready",
      "acme/app#30 open (draft), acme/app#31 merged",
      "fails",
    ],
    [{ pullRequest: "none" }, {}, { pullRequests: known([]) }, "none", "none", "holds"],
    [
      { pullRequest: "open from anyone" },
      {},
      { pullRequests: known([makePullRequest({ isOutside: true })]) },
      "open from anyone",
      "acme/app#30 open (by somebody without write access)",
      "holds",
    ],
  ],
  released: [
    [{ released: true }, { milestone: closed }, undefined, "true", "its milestone is closed", "holds"],
    [{ released: true }, {}, { isReleased: known(true) }, "true", "yes", "holds"],
    [{ released: true }, {}, { isReleased: known(false) }, "true", "no", "fails"],
  ],
};

describe.each(Object.entries(rows))("`when.%s` is explained", (name, cases) => {
  it.each(cases)("%j of %j and %j", (when, record, signals, wants, shows, verdict) => {
    expect(view(when, record, signals)).toEqual({ name, wants, shows, verdict });
  });
});

describe("an issue that is held against the rules", () => {
  it("shows each with its verdict, and which is the first match", () => {
    const { counts, doubts, match, rules } = viewIssue(makeLink(done), plain);
    expect({ counts, doubts, match }).toEqual({ counts: done, doubts: [], match: 1 });
    expect(rules.map(({ rule, verdict }) => [rule, verdict])).toEqual([
      [1, "holds"],
      [2, "fails"],
      [3, "fails"],
    ]);
    expect(rules[0]?.set).toEqual({ status: "completed" });
    expect(viewIssue(makeLink(scheduled), plain).match).toBe(3);
  });

  it("has no match where no rule holds", () => {
    expect(viewIssue(makeLink(untouched), plain)).toMatchObject({ match: undefined, doubts: [] });
  });

  it("always fulfils a rule without conditions", () => {
    const rules: readonly Rule[] = [{ when: {}, set: { status: "x" } }];
    const view = viewIssue(makeLink(untouched), { rules, followDuplicates: false });
    expect(view).toMatchObject({ match: 1, rules: [{ verdict: "holds", conditions: [] }] });
  });

  it("has no match while a rule above hangs on what can't be read, and says on what", () => {
    const rules: readonly Rule[] = [
      { when: { pullRequest: "merged" }, set: { status: "x" } },
      ...statusRules,
    ];
    const linked = makeLink(done, { signals: { pullRequests: unreadable("no permission") } });
    const view = viewIssue(linked, { rules, followDuplicates: false });
    expect(view.match).toBeUndefined();
    const message = "issue #12: rule 1 asks for `pullRequest`, which can't be read: no permission";
    expect(view.doubts).toEqual([{ kind: "unknown", message }]);
    expect(view.rules.map(({ verdict }) => verdict)).toEqual(["unknown", "holds", "fails", "fails"]);
  });

  it("has none to show while nothing is known of it", () => {
    const { counts, doubts, match, rules } = viewIssue(makeLink(undefined), plain);
    expect({ counts, match, rules }).toEqual({ counts: undefined, match: undefined, rules: [] });
    expect(doubts).toEqual([{ kind: "unknown", message: "issue #12 can't be read" }]);
  });

  it("stands back for the issue that it is a duplicate of", () => {
    const duplicate = makeIssue({ state: "closed", stateReason: "duplicate" });
    const other = makeIssue({ number: 5, state: "closed", stateReason: "completed" });
    const linked = makeLink(duplicate, {
      signals: { canonical: known({ repositoryId: 7, number: 5 }) },
      canonical: { issue: other },
    });
    expect(viewIssue(linked, { ...plain, followDuplicates: true })).toMatchObject({
      counts: { number: 5 },
      match: 1,
    });
  });
});
