import { describe, expect, it } from "vitest";
import { namedValues, unshownValues } from "../../src/plan/named-values.ts";

type Settings = Parameters<typeof namedValues>[0];

const nothing: Settings = {
  select: { archived: false, isArchivedDefault: true },
  route: [],
  issue: { labels: [], categoryLabels: {}, assignees: [] },
  rules: [],
  boardRules: [],
};

const all: Settings = {
  select: {
    ...nothing.select,
    statuses: ["planned"],
    categories: ["cat_1"],
    any: [{ statuses: ["planned"], not: { categories: ["cat_1"] } }],
  },
  route: [
    { category: "cat_2", repo: "acme/api" },
    { status: "open", repo: "acme/web" },
  ],
  issue: { ...nothing.issue, categoryLabels: { cat_3: "area: api" } },
  rules: [
    { when: { state: "closed" }, set: { status: "done", categoryId: "cat_4" } },
    { when: { state: "open" }, set: { categoryId: null } },
  ],
  boardRules: [
    { when: { status: "declined" }, set: { state: "closed" } },
    { when: { category: "cat_5" }, set: { state: "closed" } },
  ],
};

describe("the values of the board that a config names", () => {
  it("are none where it names none", () => {
    expect(namedValues(nothing)).toEqual([]);
  });

  it("are those of every setting that looks for one, or writes one", () => {
    expect(
      namedValues(all).map(({ field, value, where, isSought }) => [field, value, where, isSought]),
    ).toEqual([
      ["status", "planned", "select.statuses", true],
      ["categoryId", "cat_1", "select.categories", true],
      ["status", "planned", "select.any[0].statuses", true],
      ["categoryId", "cat_1", "select.any[0].not.categories", true],
      ["categoryId", "cat_2", "route[0].category", true],
      ["status", "open", "route[1].status", true],
      ["categoryId", "cat_3", "issue.categoryLabels", true],
      ["status", "done", "rules[0].set.status", false],
      ["categoryId", "cat_4", "rules[0].set.categoryId", false],
      ["status", "declined", "boardRules[0].when.status", true],
      ["categoryId", "cat_5", "boardRules[1].when.category", true],
    ]);
  });

  it("are shown by a post in another spelling of a status, and by the very id of a category", () => {
    const shown = { status: ["Planned", "OPEN"], categoryId: ["cat_1", "CAT_2"] };
    expect(unshownValues(all, shown).map(({ value }) => value)).toEqual([
      "cat_2",
      "cat_3",
      "declined",
      "cat_5",
    ]);
  });
});
