import { describe, expect, it } from "vitest";
import type { RepositoryName } from "../../src/model/issue.ts";
import { type FieldValue, type PostField, postFields } from "../../src/model/post.ts";
import { dayMs, hourMs, minuteMs } from "../../src/model/time.ts";
import type { Select, Settings } from "../../src/plan/ground/settings.ts";
import {
  labelsFor,
  routePost,
  type SelectLook,
  selectPost,
  turnsAt,
  unseenConditions,
  viewSelection,
} from "../../src/plan/select.ts";
import { makeRow, makeSettings } from "./make.ts";

type Values = Readonly<Partial<Record<PostField, FieldValue>>>;

const byDefault: Select = { archived: false, isArchivedDefault: true };
const everything = new Set(postFields);

const now = Date.UTC(2026, 5, 15);
const look: SelectLook = { seen: everything, now };

function select(wanted: Partial<Select>, values: Values, seen: ReadonlySet<PostField> = everything) {
  return selectPost(makeRow(values).post, { select: { ...byDefault, ...wanted } }, { seen, now });
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
  createdBefore: [
    [{ createdBefore: "2026-01-01" }, { createdAt: "2025-12-31T23:59:59Z" }, true],
    [{ createdBefore: "2026-01-01" }, { createdAt: "2026-01-01T00:00:00Z" }, false],
    [{ createdBefore: "2026-01-01" }, { createdAt: "yesterday" }, false],
    [{ createdBefore: "2026-01-01" }, {}, false],
  ],
  olderThan: [
    [{ olderThan: 14 * dayMs }, { createdAt: "2026-06-01T00:00:00Z" }, true],
    [{ olderThan: 14 * dayMs }, { createdAt: "2026-06-01T00:00:01Z" }, false],
    [{ olderThan: 14 * dayMs }, { createdAt: "2027-06-01" }, false],
    [{ olderThan: 1000 }, {}, false],
  ],
  maxVotes: [
    [{ maxVotes: 5 }, { votes: 5 }, true],
    [{ maxVotes: 5 }, { votes: 6 }, false],
    [{ maxVotes: 5 }, { votes: "none" }, false],
    [{ maxVotes: 0 }, {}, true],
  ],
  roadmapColumn: [
    [{ roadmapColumn: ["PLANNED", "IN_PROGRESS"] }, { roadmapColumn: "In progress" }, true],
    [{ roadmapColumn: ["PLANNED"] }, { roadmapColumn: "COMPLETED" }, false],
    [{ roadmapColumn: ["PLANNED"] }, {}, false],
  ],
  title: [
    [{ title: ["dark mode", "café"] }, { title: "Please: DARK MODE!" }, true],
    [{ title: ["dark mode", "café"] }, { title: "Cafe\u0301 map" }, true],
    [{ title: ["(a+)+$", ".*"] }, { title: "aaaa" }, false],
    [{ title: ["(a+)+$"] }, { title: "what is (A+)+$?" }, true],
    [{ title: ["x"] }, { title: null }, false],
  ],
  any: [
    [{ any: [{ minVotes: 10 }, { statuses: ["planned"] }] }, { votes: 10, status: "open" }, true],
    [{ any: [{ minVotes: 10 }, { statuses: ["planned"] }] }, { votes: 1, status: "planned" }, true],
    [{ any: [{ minVotes: 10 }, { statuses: ["planned"] }] }, { votes: 1, status: "open" }, false],
    [{ any: [{ minVotes: 10, statuses: ["planned"] }] }, { votes: 10, status: "open" }, false],
    [{ any: [{ minVotes: 10 }], statuses: ["planned"] }, { votes: 10, status: "open" }, false],
    [{ any: [{ not: { minVotes: 10 } }] }, { votes: 1 }, true],
    [{ any: [{ createdAfter: "2026-01-01" }, { minVotes: 1 }] }, { createdAt: "soon", votes: 1 }, true],
    [{ any: [{ createdAfter: "2026-01-01" }, { minVotes: 2 }] }, { createdAt: "soon", votes: 1 }, false],
    [{ any: [{ archived: true }], isArchivedDefault: false }, { isArchived: false }, false],
  ],
  not: [
    [{ not: { title: ["test"] } }, { title: "A test" }, false],
    [{ not: { title: ["test"] } }, { title: "Dark mode" }, true],
    [{ not: { statuses: ["closed"], maxVotes: 3 } }, { status: "closed", votes: 9 }, true],
    [{ not: { statuses: ["closed"], maxVotes: 3 } }, { status: "closed", votes: 3 }, false],
    [{ not: { any: [{ statuses: ["closed"] }, { maxVotes: 3 }] } }, { status: "closed", votes: 9 }, false],
    [{ not: { minVotes: 5 } }, { votes: "many" }, false],
    [{ not: { createdAfter: "2026-01-01" } }, { createdAt: "yesterday" }, false],
    [{ not: { not: { minVotes: 5 } } }, { votes: 5 }, true],
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
    expect(viewSelection(post, { select: wanted }, look)).toEqual([
      { name: "select.archived", wants: "false", shows: "isArchived is `false`", holds: true },
      { name: "select.statuses", wants: "planned, in_progress", shows: "status is `open`", holds: false },
      { name: "select.minVotes", wants: "5 or more", shows: "votes is `9`", holds: true },
    ]);
  });

  it("shows the groups of `any` and `not` behind them", () => {
    const wanted: Select = {
      isArchivedDefault: false,
      any: [{ minVotes: 5 }, { statuses: ["planned"] }],
      not: { title: ["test"], olderThan: 36 * hourMs },
    };
    const of = (values: Values) =>
      viewSelection(makeRow(values).post, { select: wanted }, look).map(
        ({ name, wants, shows, holds }) => `${holds ? "+" : "-"} ${name} wants ${wants}; ${shows}`,
      );
    expect(of({ status: "Planned", votes: 1, title: "Test", createdAt: "2026-06-14" })).toEqual([
      "+ select.any wants one of 2 to hold; select.any[1] holds (status is `Planned`)",
      "- select.any[0].minVotes wants 5 or more; votes is `1`",
      "+ select.any[1].statuses wants planned; status is `Planned`",
      "+ select.not wants this not to hold, as a whole; it does not",
      "+ select.not.title wants a title with test; title is `Test`",
      "- select.not.olderThan wants an age of 36h or more; createdAt is `2026-06-14`",
    ]);
    const shows = (values: Values) => [of(values)[0], of(values)[3]];
    expect(shows({ votes: 1, title: "Test", createdAt: "2026-06-01" })).toEqual([
      "- select.any wants one of 2 to hold; none holds",
      "- select.not wants this not to hold, as a whole; it holds",
    ]);
    expect(shows({ votes: 5, title: "Test", createdAt: "?" })).toEqual([
      "+ select.any wants one of 2 to hold; select.any[0] holds (votes is `5`)",
      "- select.not wants this not to hold, as a whole; nobody can tell",
    ]);
  });

  it("takes no default for met where just this record shows what can't be read", () => {
    const post = { ...makeRow({}).post, unread: ["isArchived"] as const };
    const settings = { select: byDefault };
    expect(selectPost(post, settings, look).isSelected).toBe(false);
    expect(selectPost(post, settings, { ...look, seen: new Set() }).isSelected).toBe(true);
  });

  it("takes no post whose title can't be read", () => {
    const post = { ...makeRow({ isArchived: false }).post, unread: ["title"] as const };
    expect(selectPost(post, { select: byDefault }, look)).toEqual({
      isSelected: false,
      reason: "title can't be read",
    });
  });

  it.each([
    [{ category: "c1" }, "categoryId"],
    [{ label: "area: api" }, "categoryId"],
    [{ status: "open" }, "status"],
  ] as const)("takes no post that `route` can't tell the place of: %j", (when, field) => {
    const route = [{ ...when, repo: "acme/api" as RepositoryName }];
    const { post } = makeRow({ isArchived: false });
    const settings = { select: byDefault, route };
    expect(selectPost(post, settings, look).isSelected).toBe(true);
    expect(selectPost({ ...post, unread: [field] }, settings, look)).toEqual({
      isSelected: false,
      reason: `${field} can't be read, and \`route\` goes by it`,
    });
  });

  it("takes a default for met where the board does not show the field, and what a person asked for not", () => {
    const wanted: Select = { ...byDefault, reviewed: false };
    const views = viewSelection(makeRow({}).post, { select: wanted }, { seen: new Set(), now });
    expect(views.map(({ holds }) => holds)).toEqual([true, false]);
    expect(views[0]?.shows).toBe("isArchived is not shown by the board");
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

  const either = { any: [{ minVotes: 5 }, { title: ["urgent"], archived: false }] };

  it.each<[Partial<Select>, Values, string]>([
    [either, { votes: 9 }, "selected: isArchived is `false`, select.any[0] holds (votes is `9`)"],
    [
      either,
      { votes: 1, title: "Slow" },
      "select.any wants one of these: votes is `1`; select.any[0].minVotes wants 5 or more | title is `Slow`; select.any[1].title wants a title with urgent",
    ],
    [
      { any: [1, 2, 3, 4, 5].map((votes) => ({ minVotes: votes })) },
      { votes: 0 },
      "select.any wants one of these: votes is `0`; select.any[0].minVotes wants 1 or more | votes is `0`; select.any[1].minVotes wants 2 or more | votes is `0`; select.any[2].minVotes wants 3 or more | and 2 more",
    ],
    [
      { not: { title: ["test"], archived: false } },
      { title: "A test" },
      "select.not shuts it out: isArchived is `false`, title is `A test`",
    ],
    [
      { not: { title: ["test"] } },
      { title: "Dark mode" },
      "selected: isArchived is `false`, select.not does not hold (title is `Dark mode`; select.not.title wants a title with test)",
    ],
    [{ not: { minVotes: 5 } }, { votes: "many" }, "votes is `many`; select.not.minVotes wants 5 or more"],
    [
      { olderThan: 90 * minuteMs },
      { createdAt: "2026-06-14T23:59:00Z" },
      "createdAt is `2026-06-14T23:59:00Z`; select.olderThan wants an age of 90m or more",
    ],
    [
      { olderThan: 90_000, createdBefore: "2026-06-15T00:00:00Z" },
      { createdAt: "2026-06-14T23:59:00Z" },
      "createdAt is `2026-06-14T23:59:00Z`; select.olderThan wants an age of 90s or more",
    ],
    [
      { olderThan: 2 * dayMs, createdBefore: "2026-01-01T00:00:00Z" },
      { createdAt: "2026-06-01" },
      "createdAt is `2026-06-01`; select.createdBefore wants earlier than 2026-01-01T00:00:00Z",
    ],
  ])("of %j for %j", (asked, values, reason) => {
    expect(select(asked, values).reason).toBe(reason);
  });

  it("says that nothing is asked for where that is so", () => {
    expect(select({}, {}, new Set()).reason).toBe("selected: every post is");
  });

  it("cuts what a post may hold", () => {
    const { reason } = select(wanted, { status: `${"x".repeat(78)}😀${"x".repeat(100_000)}` });
    expect(reason).toBe(`status is \`${"x".repeat(78)}\uFFFD…\`; select.statuses wants planned, in_progress`);
  });
});

describe("the time when a post has another age", () => {
  const at = Date.UTC(2026, 5, 10);
  const times = (values: Values, seen: ReadonlySet<PostField> = everything) =>
    turnsAt(
      makeRow(values).post,
      {
        select: {
          ...byDefault,
          any: [{ olderThan: 7 * dayMs }, { not: { olderThan: 9 * dayMs } }],
          olderThan: dayMs,
        },
      },
      { seen, now },
    );

  it.each<[string, Values, number | undefined]>([
    ["is the next of all", { createdAt: at }, at + 7 * dayMs],
    ["is over where all are", { createdAt: at - 30 * dayMs }, undefined],
    ["is the next whole millisecond", { createdAt: at + 0.25 }, at + 7 * dayMs + 1],
    ["is none without a time", { createdAt: "soon" }, undefined],
    ["is none for a time that is none", { createdAt: 1e300 }, undefined],
    ["is none without the field", {}, undefined],
  ])("%s", (_, values, expected) => {
    expect(times(values)).toBe(expected);
  });

  it("is none where nothing asks for the age", () => {
    expect(turnsAt(makeRow({ createdAt: at }).post, { select: byDefault }, look)).toBeUndefined();
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
    [{ maxVotes: 1 }, "votes is not shown by the board; select.maxVotes wants 1 or fewer"],
    [{ not: { minVotes: 1 } }, "votes is not shown by the board; select.not.minVotes wants 1 or more"],
  ])("selects nothing where a person asked for it: %j", (wanted, reason) => {
    expect(select(wanted, {}, unseen)).toEqual({ isSelected: false, reason });
  });

  it("fulfils a default", () => {
    expect(select({}, {}, unseen).isSelected).toBe(true);
  });

  it("is named for every setting that hangs on it", () => {
    const settings = makeSettings({
      select: {
        ...byDefault,
        minVotes: 1,
        statuses: ["planned"],
        any: [{ olderThan: 1000 }],
        not: { onRoadmap: true },
      },
      route: [
        { category: "c1", repo: "acme/api" },
        { status: "planned", repo: "acme/next" },
      ],
      issue: { labels: [], categoryLabels: { c1: "billing" }, voteLabels: { 10: "hot" }, assignees: [] },
      rules: [{ when: {}, set: { status: "open", onRoadmap: true } }],
      boardRules: [{ when: { status: "declined" }, set: { state: "closed" } }],
    });
    expect(unseenConditions(settings, everything)).toEqual([]);
    expect(unseenConditions(settings, unseen)).toEqual([
      "select.statuses",
      "select.minVotes",
      "select.any[0].olderThan",
      "select.not.onRoadmap",
      "route.category",
      "route.status",
      "issue.categoryLabels",
      "issue.voteLabels",
      "rules.set.status",
      "rules.set.onRoadmap",
      "boardRules.when.status",
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
