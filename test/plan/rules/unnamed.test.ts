import { describe, expect, it } from "vitest";
import type { Issue, Signals } from "../../../src/model/issue.ts";
import type { FieldBase, LinkedIssue, Row } from "../../../src/model/link.ts";
import type { Rule, Settings } from "../../../src/plan/ground/settings.ts";
import { adoptRow, planRow } from "../../../src/plan/plan.ts";
import { deriveTarget } from "../../../src/plan/rules/rules.ts";
import {
  aim,
  known,
  makeBase,
  makeContext,
  makeIssue,
  makeLink,
  makePullRequest,
  makeRow,
  makeSettings,
  noTarget,
  unreadable,
} from "../make.ts";

/** A reason that no rule names says nothing of what the closing meant: it is neither a yes nor a no. */

const milestone = { number: 1, title: "Next", state: "open" } as const;
const completed: Rule = { when: { state: "closed", reason: ["completed"] }, set: { status: "completed" } };
const planned: Rule = { when: { milestone: "any" }, set: { status: "planned" } };
const shut: Partial<Issue> = { state: "closed", stateReason: null, milestone };

/** The status that the rules ask for, `none`, or what is in doubt. */
function statusOf(
  links: readonly LinkedIssue[],
  rules: readonly Rule[],
  several: Settings["several"] = "all",
): unknown {
  const found = deriveTarget(links, makeSettings({ rules, several, followDuplicates: true })).get("status");
  if (found?.kind !== "derived") return found?.kind;
  return found.target.kind === "value" ? found.target.value : "none";
}

const set = (status: string) => ({ set: { status } });

it.each<[string, readonly Rule[], Partial<Issue>, string]>([
  ["no reason", [completed, planned], shut, "unnamed"],
  ["a new reason", [completed, planned], { ...shut, stateReason: "abandoned" }, "unnamed"],
  [
    "a known reason that no rule names",
    [completed, planned],
    { ...shut, stateReason: "not_planned" },
    "unnamed",
  ],
  [
    "a reason left over from being open",
    [completed, planned],
    { ...shut, stateReason: "reopened" },
    "unnamed",
  ],
  ["with nothing below", [completed], { state: "closed", stateReason: null }, "unnamed"],
  ["an open issue needs no reason", [completed, planned], { milestone }, "planned"],
  [
    "what is left over on an open issue is none",
    [completed, planned],
    { milestone, stateReason: "completed" },
    "planned",
  ],
  ["a rule above decides", [planned, completed], shut, "planned"],
  [
    "a rule for closed issues below catches it",
    [completed, { when: { state: "closed" }, ...set("closed") }, planned],
    shut,
    "closed",
  ],
  [
    "a rule that asks for a label, too, is no doubt without it",
    [{ when: { reason: ["completed"], labels: ["x"] }, ...set("x") }, planned],
    shut,
    "planned",
  ],
  [
    "a rule below that sets the same leaves no doubt",
    [completed, { when: { milestone: "any" }, ...set("Completed") }],
    shut,
    "Completed",
  ],
  [
    "`other` catches it",
    [completed, { when: { reason: ["other"] }, ...set("closed") }, planned],
    shut,
    "closed",
  ],
  [
    "`other` in a list catches it",
    [{ when: { reason: ["completed", "other"] }, ...set("done") }, planned],
    shut,
    "done",
  ],
  [
    "`other` catches a new one",
    [completed, { when: { reason: ["other"] }, ...set("closed") }],
    { ...shut, stateReason: "abandoned" },
    "closed",
  ],
  [
    "`other` of a rule that does not match is a no",
    [completed, { when: { reason: ["other"], labels: ["x"] }, ...set("x") }, planned],
    shut,
    "planned",
  ],
  [
    "`other` leaves named reasons to their rules",
    [{ when: { reason: ["other"] }, ...set("closed") }, completed],
    { ...shut, stateReason: "completed" },
    "completed",
  ],
  [
    "rules that look at no reason decide as they say",
    [{ when: { state: "open" }, ...set("open") }, planned],
    shut,
    "planned",
  ],
  ["and so they do with none that matches", [{ when: { state: "open" }, ...set("open") }], shut, "none"],
])("%s", (_, rules, issue, expected) => {
  expect(statusOf([makeLink(makeIssue(issue))], rules)).toBe(expected);
});

describe("beside what can't be read", () => {
  const merged = (when: Rule["when"] = {}): Rule => ({
    when: { ...when, pullRequest: "merged" },
    ...set("merged"),
  });
  const lost: Signals = { pullRequests: unreadable("no permission") };
  const read: Signals = { pullRequests: known([makePullRequest({ state: "merged" })]) };

  it.each<[string, readonly Rule[], Signals, string]>([
    ["a rule above may decide", [merged(), completed, planned], lost, "unknown"],
    ["a rule above decides", [merged(), completed, planned], read, "merged"],
    ["a rule below makes no difference", [completed, merged(), planned], lost, "unnamed"],
    [
      "a rule below for closed issues may decide",
      [completed, merged({ state: "closed" }), planned],
      lost,
      "unknown",
    ],
    [
      "a rule below for closed issues decides",
      [completed, merged({ state: "closed" }), planned],
      read,
      "merged",
    ],
    [
      "one rule hangs on both",
      [{ when: { reason: ["completed"], pullRequest: "merged" }, ...set("x") }, planned],
      lost,
      "unknown",
    ],
  ])("%s", (_, rules, signals, expected) => {
    expect(statusOf([makeLink(makeIssue(shut), { signals })], rules)).toBe(expected);
  });
});

describe("of several issues", () => {
  const unnamed = makeLink(makeIssue(shut));
  const at = (number: number, facts: Partial<Issue>): LinkedIssue =>
    makeLink(makeIssue({ number, ...facts }));
  const done = at(2, { state: "closed", stateReason: "completed" });
  const dropped = { when: { reason: ["not_planned"] }, ...set("closed") };
  const rules = [completed, dropped, planned];

  it.each<[string, Settings["several"], readonly LinkedIssue[], string]>([
    ["all: it may be the least advanced", "all", [done, unnamed], "unnamed"],
    ["all: another one is less advanced at any rate", "all", [at(2, {}), unnamed], "none"],
    ["any: another one is more advanced at any rate", "any", [unnamed, done], "completed"],
    ["any: it may be more advanced", "any", [unnamed, at(2, { milestone })], "unnamed"],
    ["primary", "primary", [unnamed, done], "unnamed"],
    [
      "it counts before one that was dropped",
      "all",
      [at(2, { state: "closed", stateReason: "not_planned" }), unnamed],
      "unnamed",
    ],
    ["one that can't be read is said first", "any", [unnamed, at(2, {}), makeLink(undefined)], "unknown"],
  ])("%s", (_, several, links, expected) => {
    expect(statusOf(links, rules, several)).toBe(expected);
  });

  it("a duplicate takes the doubt of the issue that stands in its place", () => {
    const ref = { repositoryId: 7, number: 7 };
    const duplicate = makeLink(makeIssue({ state: "closed", stateReason: "duplicate" }), {
      signals: { canonical: known(ref) },
      canonical: { issue: makeIssue({ ...shut, ...ref }) },
    });
    const found = deriveTarget([duplicate], makeSettings({ rules, followDuplicates: true })).get("status");
    expect(found).toEqual({
      kind: "unnamed",
      message:
        "issue #12, a duplicate of #7 was closed without a reason, which no rule names (`reason: other` would)",
    });
  });
});

describe("the post stays as it is, and that is listed", () => {
  const rules = [completed, { when: { reason: ["completed"] }, set: { onRoadmap: false } }, planned];
  const why = "issue #12 was closed without a reason, which no rule names (`reason: other` would)";
  const stays = (field: string) => ({
    kind: "disagreement",
    field,
    message: `${field} stays as it is: ${why}`,
  });

  function plan(
    base: Row["base"],
    facts: Partial<Issue> = shut,
    chosen: Partial<Settings> = {},
    status = "planned",
  ) {
    const row = makeRow({ status, onRoadmap: true }, { links: [makeLink(makeIssue(facts))], base });
    return planRow(row, makeContext({ settings: makeSettings({ rules, ...chosen }) }));
  }
  const ours: FieldBase = makeBase(aim("planned"), "planned", {
    foreign: "open",
    written: { sent: "planned", shown: "planned" },
  });
  const agreed = { status: ours, onRoadmap: makeBase(noTarget, true, { foreign: true }) };

  it("nothing is written, restored or failed", () => {
    expect(plan(agreed)).toMatchObject({
      actions: [],
      base: {},
      notes: [stays("status"), stays("onRoadmap")],
    });
  });

  it("what a person makes of it meanwhile is the person's", () => {
    const { actions, base } = plan(agreed, shut, {}, "declined");
    expect(actions).toEqual([]);
    expect(base.status).toEqual(makeBase(aim("planned"), "declined", { foreign: "declined" }));
  });

  it("what was to settle is forgotten", () => {
    const pending = { ...ours, pending: { target: aim("completed"), since: 1 } };
    const { actions, base } = plan({ ...agreed, status: pending }, shut, { settleMs: 60_000 });
    expect([actions, base]).toEqual([[], { status: ours }]);
  });

  it("what other rules hold stays held for later", () => {
    const ruled = { ...ours, target: aim("next"), ruled: { from: aim("planned"), since: 1 } };
    expect(plan({ ...agreed, status: ruled })).toMatchObject({ actions: [], base: {} });
  });

  it("a target that is still awaited stays so", () => {
    const awaited = { ...ours, isAwaited: true as const };
    expect(plan({ ...agreed, status: awaited })).toMatchObject({ actions: [], base: {} });
    const row = makeRow({ status: "x" }, { links: [makeLink(makeIssue(shut))], base: { status: awaited } });
    expect(adoptRow(row, makeContext({ settings: makeSettings({ rules }) })).base.status).toBeUndefined();
  });

  it("that a write did not stick is said all the same", () => {
    const sent = { ...ours, written: { sent: "planned", shown: undefined } };
    const kinds = plan({ ...agreed, status: sent }, shut, {}, "declined").notes.map(({ kind }) => kind);
    expect(kinds).toEqual(["did-not-stick", "disagreement", "disagreement"]);
  });

  it("a new issue has asked for nothing yet, and is followed from there", () => {
    const first = plan({});
    expect(first).toMatchObject({
      actions: [],
      base: { status: makeBase(noTarget, "planned", { foreign: "planned" }) },
    });
    const later = plan(first.base, { state: "closed", stateReason: "completed" });
    expect(later.actions).toMatchObject([{ writes: [{ value: "completed" }, { value: false }] }]);
  });

  it("a pair that is taken as it is keeps what the issue asked for", () => {
    const row = makeRow(
      { status: "x", onRoadmap: true },
      { links: [makeLink(makeIssue(shut))], base: agreed },
    );
    const { base } = adoptRow(row, makeContext({ settings: makeSettings({ rules }) }));
    expect(base).toEqual({ status: makeBase(aim("planned"), "x", { foreign: "x" }) });
    const fresh = adoptRow({ ...row, base: {} }, makeContext({ settings: makeSettings({ rules }) }));
    expect(fresh.base.status).toEqual(makeBase(noTarget, "x", { foreign: "x" }));
  });

  it("reopened as it was before, nothing has happened", () => {
    expect(plan(agreed, { milestone })).toMatchObject({ actions: [], base: {}, notes: [] });
  });
});
