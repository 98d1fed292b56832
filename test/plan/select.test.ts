import { describe, expect, it } from "vitest";
import { type FieldValue, type PostField, postFields } from "../../src/model/post.ts";
import type { Select, Settings } from "../../src/plan/ground/settings.ts";
import { labelsFor, routePost, selectPost, unseenConditions, viewSelection } from "../../src/plan/select.ts";
import { makeRow, makeSettings } from "./make.ts";

type Values = Readonly<Partial<Record<PostField, FieldValue>>>;

const byDefault: Select = { archived: false, isArchivedDefault: true };
const everything = new Set(postFields);

function select(wanted: Partial<Select>, values: Values, seen: ReadonlySet<PostField> = everything) {
  return selectPost(makeRow(values).post, { select: { ...byDefault, ...wanted } }, seen);
}

/** For each condition: what it asks for, a post, and whether that is selected. */
const rows: Readonly<
  Record<keyof Omit<Select, "isArchivedDefault">, readonly (readonly [Partial<Select>, Values, boolean])[]>
> = {
  statuses: [
    [{ statuses: ["planned", "in_progress"] }, { status: "In Progress" }, true],
    [{ statuses: ["planned"] }, { status: "open" }, false],
    [{ statuses: ["planned"] }, {}, false],
  ],
  categories: [
    [{ categories: ["c1", "7"] }, { categoryId: "c1" }, true],
    [{ categories: ["c1", "7"] }, { categoryId: 7 }, true],
    [{ categories: ["c1"] }, { categoryId: "c2" }, false],
    [{ categories: ["c1"] }, {}, false],
  ],
  reviewed: [
    [{ reviewed: true }, { isReviewed: true }, true],
    [{ reviewed: true }, { isReviewed: false }, false],
    [{ reviewed: true }, {}, false],
    [{ reviewed: false }, {}, true],
  ],
  onRoadmap: [
    [{ onRoadmap: true }, { onRoadmap: true }, true],
    [{ onRoadmap: false }, { onRoadmap: true }, false],
  ],
  minVotes: [
    [{ minVotes: 5 }, { votes: 5 }, true],
    [{ minVotes: 5 }, { votes: 4 }, false],
    [{ minVotes: 5 }, { votes: "many" }, false],
    [{ minVotes: 0 }, {}, true],
  ],
  archived: [
    [{}, { isArchived: false }, true],
    [{}, { isArchived: true }, false],
    [{}, {}, true],
    [{ archived: true, isArchivedDefault: false }, { isArchived: true }, true],
    [{ archived: true, isArchivedDefault: false }, {}, false],
  ],
  createdAfter: [
    [{ createdAfter: "2026-01-01" }, { createdAt: "2026-01-01T00:00:00Z" }, true],
    [{ createdAfter: "2026-01-01" }, { createdAt: "2025-12-31T23:59:59Z" }, false],
    [{ createdAfter: "2026-01-01" }, { createdAt: Date.UTC(2026, 0, 2) }, true],
    [{ createdAfter: "2026-01-01" }, { createdAt: Date.UTC(2026, 0, 2) / 1000 }, true],
    [{ createdAfter: "2026-01-01" }, { createdAt: Date.UTC(2025, 0, 2) / 1000 }, false],
    [{ createdAfter: "2026-01-01" }, { createdAt: "yesterday" }, false],
    [{ createdAfter: "2026-01-01" }, {}, false],
  ],
};

describe.each(Object.entries(rows))("`select.%s`", (_, cases) => {
  it.each(cases)("%j of %j: %s", (wanted, values, expected) => {
    expect(select(wanted, values).isSelected).toBe(expected);
  });
});

describe("the view of a selection", () => {
  it("shows every condition, met or not", () => {
    const wanted: Select = { ...byDefault, statuses: ["planned", "in_progress"], minVotes: 5 };
    const post = makeRow({ status: "open", votes: 9 }).post;
    expect(viewSelection(post, { select: wanted }, everything)).toEqual([
      { name: "select.archived", field: "isArchived", wants: "false", shows: "`false`", holds: true },
      {
        name: "select.statuses",
        field: "status",
        wants: "planned, in_progress",
        shows: "`open`",
        holds: false,
      },
      { name: "select.minVotes", field: "votes", wants: "5 or more", shows: "`9`", holds: true },
    ]);
  });

  it("takes a default for met where the board does not show the field, and what a person asked for not", () => {
    const wanted: Select = { ...byDefault, reviewed: false };
    const views = viewSelection(makeRow({}).post, { select: wanted }, new Set());
    expect(views.map(({ holds }) => holds)).toEqual([true, false]);
    expect(views[0]?.shows).toBe("not shown by the board");
  });
});

describe("the reason of a selection", () => {
  const wanted = { statuses: ["planned", "in_progress"], minVotes: 5 };

  it("names the condition that does not hold", () => {
    expect(select(wanted, { status: "open", votes: 9 }).reason).toBe(
      "status is `open`; select.statuses wants planned, in_progress",
    );
  });

  it("names what made it selected", () => {
    expect(select(wanted, { status: "planned", votes: 9, isArchived: false }).reason).toBe(
      "selected: isArchived is `false`, status is `planned`, votes is `9`",
    );
  });

  it("says that nothing is asked for where that is so", () => {
    expect(select({}, {}, new Set()).reason).toBe("selected: every post is");
  });

  it("cuts what a post may hold", () => {
    const { reason } = select(wanted, { status: `${"x".repeat(78)}😀${"x".repeat(100_000)}` });
    expect(reason).toBe(`status is \`${"x".repeat(78)}\uFFFD…\`; select.statuses wants planned, in_progress`);
  });
});

describe("a field that the board does not show", () => {
  const unseen = new Set<PostField>(["title"]);

  it.each<[Partial<Select>, string]>([
    [{ minVotes: 1 }, "votes is not shown by the board; select.minVotes wants 1 or more"],
    [{ reviewed: false }, "isReviewed is not shown by the board; select.reviewed wants false"],
    [
      { createdAfter: "2026-01-01" },
      "createdAt is not shown by the board; select.createdAfter wants 2026-01-01 or later",
    ],
    [{ isArchivedDefault: false }, "isArchived is not shown by the board; select.archived wants false"],
  ])("selects nothing where a person asked for it: %j", (wanted, reason) => {
    expect(select(wanted, {}, unseen)).toEqual({ isSelected: false, reason });
  });

  it("fulfils a default", () => {
    expect(select({}, {}, unseen).isSelected).toBe(true);
  });

  it("is named for every setting that hangs on it", () => {
    const settings = makeSettings({
      select: { ...byDefault, minVotes: 1, statuses: ["planned"] },
      route: [
        { category: "c1", repo: "acme/api" },
        { status: "planned", repo: "acme/next" },
      ],
      issue: { labels: [], categoryLabels: { c1: "billing" }, assignees: [] },
      rules: [{ when: {}, set: { status: "open", onRoadmap: true } }],
    });
    expect(unseenConditions(settings, everything)).toEqual([]);
    expect(unseenConditions(settings, unseen)).toEqual([
      "select.statuses",
      "select.minVotes",
      "route.category",
      "route.status",
      "issue.categoryLabels",
      "rules.set.status",
      "rules.set.onRoadmap",
    ]);
  });

  it("is not named where nothing hangs on it", () => {
    const settings = makeSettings({ rules: [], route: [{ label: "billing", repo: "acme/api" }] });
    expect(unseenConditions(settings, unseen)).toEqual([]);
  });
});

describe("the repository of a new issue", () => {
  const settings: Settings = makeSettings({
    issue: { labels: [], categoryLabels: { c1: "Billing", 7: "seven" }, assignees: [] },
    route: [
      { category: "c2", repo: "acme/two" },
      { label: "billing", status: "planned", repo: "acme/billing-next" },
      { label: "billing", repo: "acme/billing" },
      { status: "in_progress", repo: "acme/now" },
      { category: "7", repo: "acme/seven" },
    ],
  });

  it.each<[Values, string]>([
    [{ categoryId: "c2", status: "in_progress" }, "acme/two"],
    [{ categoryId: "c1", status: "Planned" }, "acme/billing-next"],
    [{ categoryId: "c1", status: "open" }, "acme/billing"],
    [{ categoryId: "c9", status: "In Progress" }, "acme/now"],
    [{ categoryId: 7 }, "acme/seven"],
    [{ categoryId: "constructor" }, "acme/app"],
    [{ categoryId: null, status: null }, "acme/app"],
    [{}, "acme/app"],
  ])("of %j is %s", (values, repo) => {
    expect(routePost(makeRow(values).post, settings)).toBe(repo);
  });
});

describe("the labels of a new issue", () => {
  const settings = makeSettings({
    issue: {
      labels: ["feedback", "Feedback", "ui"],
      categoryLabels: { c1: "billing", c2: "UI" },
      assignees: [],
    },
  });

  it.each<[Values, readonly string[]]>([
    [{ categoryId: "c1" }, ["feedback", "ui", "billing"]],
    [{ categoryId: "c2" }, ["feedback", "ui"]],
    [{ categoryId: "__proto__" }, ["feedback", "ui"]],
    [{}, ["feedback", "ui"]],
  ])("of %j are each there once", (values, labels) => {
    expect(labelsFor(makeRow(values).post, settings)).toEqual(labels);
  });
});
