import { describe, expect, it } from "vitest";
import type { LinkedPullRequest, Signals } from "../../../src/model/issue.ts";
import type { Condition } from "../../../src/plan/ground/settings.ts";
import {
  keepCounted,
  looksBesideRecord,
  lostRepositories,
  neededSignals,
  projectFieldKey,
  type SignalNeeds,
} from "../../../src/plan/rules/signals.ts";
import { makePullRequest } from "../make.ts";

const nothing: SignalNeeds = {
  pullRequests: false,
  subIssues: false,
  released: false,
  duplicates: false,
  milestones: false,
  labels: false,
  types: false,
  projects: [],
};
const status = { owner: "Acme", project: 7, field: "Status", is: ["Done"] };

function needsOf(...conditions: readonly Condition[]): SignalNeeds {
  const rules = conditions.map((when) => ({ when, set: { status: "x" } }));
  return neededSignals({ rules, followDuplicates: false });
}

describe("what is read beside an issue's own record", () => {
  it.each<[Condition, Partial<SignalNeeds>]>([
    [{}, {}],
    [{ state: "open", reason: ["reopened"], assigned: true }, {}],
    [{ type: "Bug" }, { types: true }],
    [{ pullRequest: "none" }, { pullRequests: true }],
    [{ subIssues: "all-closed" }, { subIssues: true }],
    [{ released: false }, { pullRequests: true, released: true, milestones: true }],
    [{ milestoneState: "open" }, { milestones: true }],
    [{ milestone: "Next" }, { milestones: true }],
    [{ milestone: "any" }, { milestones: true }],
    [{ milestone: "none" }, { milestones: true }],
    [{ labels: ["a"] }, { labels: true }],
    [{ anyLabel: ["a"] }, { labels: true }],
    [{ noLabel: ["a"] }, { labels: true }],
    [{ projectStatus: status }, { projects: [{ owner: "Acme", project: 7, field: "Status" }] }],
  ])("for %j: %j", (when, needs) => {
    expect(needsOf(when)).toEqual({ ...nothing, ...needs });
  });

  it("is what any rule names, and every field of a project once", () => {
    const other = { ...status, field: "Phase" };
    const again = { ...status, owner: "acme", field: "STATUS", is: ["Todo"] };
    const conditions = [status, other, again].map((projectStatus) => ({ projectStatus }));
    expect(needsOf({ state: "open" }, { subIssues: "some-closed" }, ...conditions)).toEqual({
      ...nothing,
      subIssues: true,
      projects: [
        { owner: "Acme", project: 7, field: "Status" },
        { owner: "Acme", project: 7, field: "Phase" },
      ],
    });
  });

  it("is what a duplicate is one of, where its post follows the other issue", () => {
    expect(neededSignals({ rules: [], followDuplicates: true })).toEqual({ ...nothing, duplicates: true });
  });
});

it.each<[Partial<SignalNeeds>, boolean]>([
  [{}, false],
  [{ duplicates: true }, false],
  [{ milestones: true, labels: true, types: true }, false],
  [{ pullRequests: true }, true],
  [{ subIssues: true }, true],
  [{ released: true }, true],
  [{ projects: [status] }, true],
])(
  "issues are read again for what their records never show, and for nothing else: %j %s",
  (needs, isRead) => {
    expect(looksBesideRecord({ ...nothing, ...needs })).toBe(isRead);
  },
);

it("a field of a project has one key, however it is written", () => {
  expect(projectFieldKey({ owner: "Acme", project: 7, field: "Status" })).toBe("acme/7/status");
});

describe("pull requests by people without write access", () => {
  const inside = makePullRequest({ number: 7 });
  const outside = makePullRequest({ number: 7, isOutside: true });
  const known = (...value: readonly LinkedPullRequest[]): Signals => ({
    pullRequests: { kind: "known", value },
  });
  const unknown: Signals = { pullRequests: { kind: "unknown", message: "not accessible" } };

  it.each<[string, Signals, Signals, Signals]>([
    ["count on if they counted", known(inside), known(outside), known(inside)],
    [
      "count on in any case of the name",
      known({ ...inside, repository: "ACME/App" }),
      known(outside),
      known(inside),
    ],
    ["count from when their author may write", known(outside), known(inside), known(inside)],
    ["do not count if they did not", known(outside), known(outside), known(outside)],
    ["do not count for another's number", known({ ...inside, number: 8 }), known(outside), known(outside)],
    ["do not count if nothing was known", {}, known(outside), known(outside)],
    ["stay unknown", known(inside), unknown, unknown],
  ])("%s", (_, before, now, kept) => expect(keepCounted(before, now, new Set())).toEqual(kept));
});

it("keeps pull requests of a repository that can't be seen as they were", () => {
  const [here, there] = [
    makePullRequest({ number: 7 }),
    makePullRequest({ repository: "Acme/Code", number: 7 }),
  ];
  const known = (...value: readonly LinkedPullRequest[]): Signals => ({
    pullRequests: { kind: "known", value },
  });
  const [before, now] = [known(here, there), known(here)];
  expect(lostRepositories(before, now)).toEqual(["acme/code"]);
  expect(lostRepositories(before, before)).toEqual([]);
  expect([lostRepositories({}, now), lostRepositories(now, {})]).toEqual([[], []]);
  expect(keepCounted(before, now, new Set(["acme/code"]))).toEqual(before);
  expect(keepCounted(before, now, new Set())).toEqual(now);
});

describe("what was released", () => {
  const said = (value: boolean): Signals => ({ isReleased: { kind: "known", value } });
  const linked = (state: "open" | "merged"): Signals => ({
    pullRequests: { kind: "known", value: [makePullRequest({ repository: "Acme/Code", number: 7, state })] },
  });
  const unread: Signals = { pullRequests: { kind: "unknown", message: "" } };

  it.each<[string, Signals, Signals, Signals]>([
    ["is so for good", said(true), said(false), said(true)],
    ["is so from then on", said(false), said(true), said(true)],
    ["is not so before", said(false), said(false), said(false)],
    ["is told of where it is asked for", said(true), {}, {}],
  ])("%s", (_, before, now, kept) => expect(keepCounted(before, now, new Set())).toEqual(kept));

  it.each<[string, Signals, Signals]>([
    ["as long as one of its merges can't be seen", { ...said(false), ...linked("merged") }, said(false)],
    ["and one that is not merged is none", { ...said(false), ...linked("open") }, said(true)],
    ["and what is not known is none", { ...said(false), ...unread }, said(true)],
    [
      "and it is not known where it was not before",
      linked("merged"),
      { isReleased: { kind: "unknown", message: "a merge can't be seen any more" } },
    ],
  ])("becomes no other %s", (_, before, { isReleased }) => {
    expect(keepCounted(before, said(true), new Set(["acme/code"])).isReleased).toEqual(isReleased);
  });
});
