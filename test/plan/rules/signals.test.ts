import { describe, expect, it } from "vitest";
import type { Condition } from "../../../src/plan/ground/settings.ts";
import {
  looksBesideRecord,
  neededSignals,
  projectFieldKey,
  type SignalNeeds,
} from "../../../src/plan/rules/signals.ts";

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
    [{ released: false }, { released: true, milestones: true }],
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
