import { describe, expect, it } from "vitest";
import { type FieldValue, type PostField, postFields } from "../../../src/model/post.ts";
import { deriveBoard } from "../../../src/plan/board-rules/board-rules.ts";
import { reverseField } from "../../../src/plan/fields/undo.ts";
import { isSameValue, readField, votersOf } from "../../../src/plan/ground/fields.ts";
import type { PostCondition, Rule, Select } from "../../../src/plan/ground/settings.ts";
import { adoptRow, planRow } from "../../../src/plan/plan.ts";
import { routePost, selectPost } from "../../../src/plan/select.ts";
import {
  aim,
  done,
  makeBase,
  makeContext,
  makeLink,
  makeRow,
  makeSettings,
  noTarget,
  untouched,
} from "../make.ts";

const everything: ReadonlySet<PostField> = new Set(postFields);
const flags = ["roadmapPublic", "onRoadmap", "isReviewed", "isArchived"] as const;

/** Of each field: what it counts as where the record leaves it out, and where it shows null. */
const absent: Readonly<Record<PostField, readonly [FieldValue, FieldValue]>> = {
  status: [null, null],
  roadmapColumn: [null, null],
  roadmapOrder: [0, null],
  roadmapPublic: [false, false],
  onRoadmap: [false, false],
  isReviewed: [false, false],
  isArchived: [false, false],
  categoryId: [null, null],
  title: ["", ""],
  description: ["", ""],
  votes: [0, 0],
  url: [null, null],
  createdAt: [null, null],
  updatedAt: [null, null],
};

describe.each(postFields)("`%s`, where other records show it", (field) => {
  const [leftOut, shownAsNull] = absent[field];

  it("counts as its empty value where a record leaves it out, and as unseen where none shows it", () => {
    expect(readField(makeRow({}).post, field, everything)).toBe(leftOut);
    expect(readField(makeRow({}).post, field, new Set())).toBeUndefined();
  });

  it("counts the same where a record shows null, but for an order, which may be none", () => {
    expect(readField(makeRow({ [field]: null }).post, field, everything)).toBe(shownAsNull);
  });
});

describe.each(flags)("a rule that sets `%s`", (field) => {
  const rules: readonly Rule[] = [{ when: { state: "closed" }, set: { [field]: true } }];
  const falseRules: readonly Rule[] = [{ when: { state: "closed" }, set: { [field]: false } }];
  const open = makeContext({ settings: makeSettings({ rules }) });

  it.each<[string, Readonly<Partial<Record<PostField, FieldValue>>>]>([
    ["leaves it out", {}],
    ["shows null", { [field]: null }],
    ["shows false", { [field]: false }],
  ])("to false agrees with a record that %s, also where both are taken as they are", (_, values) => {
    const context = makeContext({ settings: makeSettings({ rules: falseRules }) });
    const row = makeRow(values, { links: [makeLink(done)] });
    for (const { actions, notes, base } of [planRow(row, context), adoptRow(row, context)]) {
      expect(actions).toEqual([]);
      expect(notes).toEqual([]);
      expect(base).toEqual({ [field]: makeBase(aim(false), false, { foreign: false }) });
    }
  });

  it("puts false back where the record left it out before", () => {
    const first = planRow(makeRow({}, { links: [makeLink(done)] }), open);
    const [patch] = first.actions;
    expect(patch).toMatchObject({ writes: [{ field, before: false, value: true }] });
    const base = makeBase(aim(true), true, { foreign: false, written: { sent: true, shown: true } });
    const reopened = makeRow({ [field]: true }, { links: [makeLink(untouched)], base: { [field]: base } });
    expect(planRow(reopened, open).actions).toMatchObject([{ writes: [{ field, value: false }] }]);
  });

  it("takes the null of a base that an earlier version has stored for false: no person moved it", () => {
    const stored = makeBase(aim(false), null, { foreign: null });
    const row = makeRow({}, { links: [makeLink(done)], base: { [field]: stored } });
    const context = makeContext({ settings: makeSettings({ rules: falseRules, conflict: "hold" }) });
    expect(planRow(row, context)).toMatchObject({ actions: [], base: {}, notes: [] });
    const changed = { ...row, base: { [field]: makeBase(noTarget, null, { foreign: null }) } };
    const held = planRow(changed, makeContext({ settings: makeSettings({ rules, conflict: "hold" }) }));
    expect(held.actions).toMatchObject([{ hold: undefined, writes: [{ value: true }] }]);
  });

  it("puts false back where an earlier version has stored null", () => {
    const base = makeBase(aim(true), true, { foreign: null, written: { sent: true, shown: true } });
    const row = makeRow({ [field]: true }, { links: [makeLink(untouched)], base: { [field]: base } });
    expect(planRow(row, open).actions).toMatchObject([{ writes: [{ field, value: false }] }]);
    expect(reverseField({ field, before: null, value: true }, true, base)).toMatchObject({
      write: { value: false },
    });
  });
});

describe("an order of the roadmap", () => {
  const rules: readonly Rule[] = [{ when: { state: "closed" }, set: { roadmapOrder: 0 } }];
  const context = makeContext({ settings: makeSettings({ rules }) });

  it("of 0 agrees with a record that leaves it out, and is written where the record shows that it has none", () => {
    const links = [makeLink(done)];
    expect(planRow(makeRow({}, { links }), context)).toMatchObject({ actions: [], notes: [] });
    expect(planRow(makeRow({ roadmapOrder: null }, { links }), context).actions).toMatchObject([
      { writes: [{ field: "roadmapOrder", value: 0 }] },
    ]);
  });
});

describe("what a record leaves out", () => {
  const by = (select: Partial<Select>) =>
    selectPost(
      makeRow({}).post,
      { select: { archived: false, isArchivedDefault: true, ...select } },
      { seen: everything, now: 0 },
    );

  it.each<[Partial<Select>, boolean]>([
    [{}, true],
    [{ onRoadmap: false }, true],
    [{ onRoadmap: true }, false],
    [{ reviewed: false }, true],
    [{ minVotes: 0 }, true],
    [{ minVotes: 1 }, false],
    [{ categories: ["null"] }, false],
    [{ statuses: ["null"] }, false],
  ])("is its empty value for `select` of %j: %s", (select, isSelected) => {
    expect(by(select).isSelected).toBe(isSelected);
  });

  it.each<[PostCondition, number | undefined]>([
    [{ archived: false }, 0],
    [{ onRoadmap: false }, 0],
    [{ reviewed: true }, undefined],
    [{ category: "null" }, undefined],
  ])("is its empty value for the board rule %j", (when, rule) => {
    const boardRules = [{ when, set: { addLabels: ["x"] } }];
    expect(deriveBoard({ post: makeRow({}).post, missing: 0 }, { boardRules }, everything)).toMatchObject({
      rule,
    });
  });

  it("is no category that a route or a label is named after", () => {
    const settings = makeSettings({
      route: [
        { category: "undefined", repo: "acme/a" },
        { category: "null", repo: "acme/b" },
        { label: "none", repo: "acme/c" },
      ],
      issue: { labels: [], assignees: [], categoryLabels: { null: "none", undefined: "none" } },
    });
    expect(routePost(makeRow({}).post, settings)).toBe("acme/app");
    expect(routePost(makeRow({ categoryId: null }).post, settings)).toBe("acme/app");
  });

  it("is no voter, where other posts show how many they have; where none does, nobody knows", () => {
    expect(votersOf(makeRow({}).post, everything)).toBe(0);
    expect(votersOf(makeRow({ votes: 3 }).post, everything)).toBe(3);
    expect(votersOf(makeRow({}).post, new Set())).toBeNull();
    expect(votersOf(makeRow({ votes: "many" }).post, everything)).toBeNull();
    const row = makeRow({ status: "open" }, { links: [makeLink(done)] });
    expect(planRow(row, makeContext()).actions).toMatchObject([{ notifies: 0 }]);
  });
});

describe("null", () => {
  it("is the same as false for a flag, and for no other field", () => {
    for (const field of flags) expect(isSameValue(field, null, false)).toBe(true);
    expect(isSameValue("roadmapOrder", null, 0)).toBe(false);
    expect(isSameValue("status", null, "")).toBe(false);
    expect(isSameValue("state", null, false)).toBe(false);
  });
});
