import { describe, expect, it } from "vitest";
import type { PostId } from "../../src/model/post.ts";
import {
  categoryWords,
  meantCategories,
  nameCategories,
  openCategories,
  pinCategories,
} from "../../src/plan/categories.ts";
import { openWordsOf } from "../../src/plan/ground/fields.ts";
import type { Settings } from "../../src/plan/ground/settings.ts";

const billing = { id: "cat_1", name: "Billing" };
const mobile = { id: "cat_2", name: "Mobile app" };
const settings = {
  select: {
    categories: ["billing", "cat_2"],
    any: [{ categories: ["Billing"] }, { minVotes: 1 }],
    not: { categories: ["other"] },
    isArchivedDefault: true,
  },
  route: [
    { category: "Billing", repo: "acme/api" },
    { status: "open", repo: "acme/app" },
  ],
  issue: { labels: [], categoryLabels: { Billing: "area: billing", other: "x" }, assignees: [] },
  rules: [
    { when: { state: "closed" }, set: { categoryId: "Billing" } },
    { when: { state: "open" }, set: { categoryId: null, status: "open" } },
  ],
  boardRules: [
    { when: { category: "Billing" }, set: { state: "closed" } },
    { when: { archived: true }, set: { state: "closed" } },
  ],
} as unknown as Settings;

describe("the words of the config for categories", () => {
  it("are found wherever it names one, each once", () => {
    expect(categoryWords(settings)).toEqual(["billing", "cat_2", "Billing", "other"]);
  });

  it("mean an id before a name, and a name in any case", () => {
    const odd = { id: "billing", name: "Odd" };
    expect(meantCategories("cat_1", [billing, mobile])).toEqual([billing]);
    expect(meantCategories(" BILLING ", [billing, mobile])).toEqual([billing]);
    expect(meantCategories("billing", [billing, odd])).toEqual([odd]);
    expect(meantCategories("none", [billing])).toEqual([]);
  });
});

describe("what a name means", () => {
  const pins = [{ word: "Billing", id: "cat_1" }];
  const renamed = { id: "cat_1", name: "Invoices" };

  it.each([
    ["is the category of that name", [billing, mobile], [], pins],
    ["stays, where the category is renamed", [renamed, mobile], pins, pins],
    ["stays, where another category takes the name", [renamed, { id: "cat_9", name: "Billing" }], pins, pins],
    ["stays, where nothing is shown any more", [], pins, pins],
    [
      "is the one that is called so now, where the other is gone",
      [{ id: "cat_9", name: "Billing" }],
      pins,
      [{ word: "Billing", id: "cat_9" }],
    ],
    ["is none of several that are called so", [billing, { id: "cat_9", name: "billing" }], [], []],
    ["is nothing where none is called so", [mobile], [], []],
    ["is an id as it is", [{ id: "Billing", name: "x" }], [], []],
  ])("%s", (_, categories, known, expected) => {
    expect(pinCategories(["Billing"], { categories, pins: known })).toEqual(expected);
  });
});

describe("settings with names", () => {
  const pins = [
    { word: "Billing", id: "cat_1" },
    { word: "billing", id: "cat_1" },
  ];

  it("get the ids in their place, wherever a category stands", () => {
    expect(nameCategories(settings, pins)).toEqual({
      select: {
        categories: ["cat_1", "cat_2"],
        any: [{ categories: ["cat_1"] }, { minVotes: 1 }],
        not: { categories: ["other"] },
        isArchivedDefault: true,
      },
      route: [
        { category: "cat_1", repo: "acme/api" },
        { status: "open", repo: "acme/app" },
      ],
      issue: { labels: [], categoryLabels: { cat_1: "area: billing", other: "x" }, assignees: [] },
      rules: [
        { when: { state: "closed" }, set: { categoryId: "cat_1" } },
        { when: { state: "open" }, set: { categoryId: null, status: "open" } },
      ],
      boardRules: [
        { when: { category: "cat_1" }, set: { state: "closed" } },
        { when: { archived: true }, set: { state: "closed" } },
      ],
    });
  });

  it("stay as they are where no name means anything yet, and rules alone get theirs, too", () => {
    expect(nameCategories(settings, [])).toBe(settings);
    const { boardRules } = settings;
    expect(nameCategories({ boardRules }, pins)).toEqual({
      boardRules: [{ when: { category: "cat_1" }, set: { state: "closed" } }, boardRules[1]],
    });
    expect(nameCategories({}, pins)).toEqual({});
  });
});

describe("what nobody knows of the words yet", () => {
  const known = { categories: [billing, mobile], pins: [] };
  const wordsOf = (categoryId: string | number | null | undefined, names = known): readonly string[] => {
    const open = openCategories(settings, names);
    const values = { title: "A", description: "", ...(categoryId !== undefined && { categoryId }) };
    return openWordsOf({ id: "p1" as PostId, values }, open === undefined ? {} : { openCategories: open });
  };

  it("is nothing where a list has told all there are", () => {
    expect(wordsOf("cat_9")).toEqual([]);
  });

  it("is what a category means that no list has shown, while the list can't be read", () => {
    const unlisted = { ...known, categories: [mobile], isUnlisted: true };
    expect(wordsOf("cat_9", unlisted)).toEqual(["billing", "Billing", "other"]);
    expect(wordsOf("cat_2", unlisted)).toEqual([]);
    expect(wordsOf("other", unlisted)).toEqual(["billing", "Billing"]);
    expect(wordsOf("cat_9", { ...unlisted, pins: [{ word: "other", id: "cat_3" }] } as never)).not.toContain(
      "other",
    );
    expect([wordsOf(null, unlisted), wordsOf(undefined, unlisted)]).toEqual([[], []]);
  });

  it("is which one of several of a name a word means", () => {
    const twice = {
      ...known,
      categories: [...known.categories, { id: "cat_3", name: "Other" }, { id: "cat_4", name: "other" }],
    };
    expect(wordsOf("cat_4", twice)).toEqual(["other"]);
    expect(wordsOf("cat_1", twice)).toEqual([]);
  });
});
