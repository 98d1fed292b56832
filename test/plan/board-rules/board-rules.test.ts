import { describe, expect, it } from "vitest";
import type { Row, Target } from "../../../src/model/link.ts";
import { type PostField, postFields } from "../../../src/model/post.ts";
import {
  type BoardDerivation,
  changedFields,
  deriveBoard,
  describeMatch,
  lookedAt,
  shadowedBoardRules,
  viewBoardRules,
} from "../../../src/plan/board-rules/board-rules.ts";
import { fieldsOf } from "../../../src/plan/ground/issue-fields.ts";
import type { BoardRule, IssueChange, PostCondition } from "../../../src/plan/ground/settings.ts";
import { aim, makeRow, noTarget } from "../make.ts";

const close: IssueChange = { state: "closed", reason: "not_planned" };

function rule(when: PostCondition, set: IssueChange = close): BoardRule {
  return { when, set };
}

function derive(
  values: Row["post"]["values"],
  boardRules: readonly BoardRule[],
  { seen = postFields, ...place }: Partial<Row> & { seen?: readonly PostField[] } = {},
): BoardDerivation | undefined {
  return deriveBoard(makeRow(values, place), { boardRules }, new Set(seen));
}

/** The target of the state where there is one, else why there is none. */
function stateOf(derived: BoardDerivation | undefined): Target | string | undefined {
  return derived === undefined ? "undecided" : derived.targets.get("state");
}

describe("a condition of a board rule", () => {
  it.each<[PostCondition, Row["post"]["values"], boolean]>([
    [{ status: "In Progress" }, { status: "in_progress" }, true],
    [{ status: "declined" }, { status: "planned" }, false],
    [{ status: "declined" }, { status: null }, false],
    [{ category: "7" }, { categoryId: 7 }, true],
    [{ category: "7" }, { categoryId: "8" }, false],
    [{ category: "null" }, { categoryId: null }, false],
    [{ archived: true }, { isArchived: true }, true],
    [{ archived: true }, {}, false],
    [{ archived: false }, {}, true],
    [{ onRoadmap: true }, { onRoadmap: true }, true],
    [{ onRoadmap: false }, { onRoadmap: true }, false],
    [{ reviewed: true }, { isReviewed: true }, true],
    [{ reviewed: false }, { isReviewed: false }, true],
    [{ missing: false }, {}, true],
    [{ missing: true }, {}, false],
  ])("%j holds for %j: %s", (when, values, isMatch) => {
    expect(stateOf(derive(values, [rule(when)]))).toEqual(isMatch ? aim("closed:not_planned") : noTarget);
  });

  it("is unknown where nobody knows yet what its category's name means", () => {
    const openCategories = { words: { Security: null }, written: [], known: ["8"] };
    const boardRules = [rule({ category: "Security" })];
    const stateIn = (categoryId: string): Target | string | undefined =>
      stateOf(deriveBoard(makeRow({ categoryId }), { boardRules, openCategories }, new Set(postFields)));
    expect([stateIn("7"), stateIn("8")]).toEqual(["undecided", noTarget]);
  });

  it("that may be of its category is no, all the same, where another one says so", () => {
    const openCategories = { words: { Security: null }, written: [], known: [] };
    const boardRules = [rule({ category: "Security", status: "declined" }), rule({ status: "open" })];
    const row = makeRow({ categoryId: "7", status: "open" });
    expect(stateOf(deriveBoard(row, { boardRules, openCategories }, new Set(postFields)))).toEqual(
      aim("closed:not_planned"),
    );
  });

  it("must hold together with all others of its rule", () => {
    const both = [rule({ status: "declined", reviewed: true })];
    expect(stateOf(derive({ status: "declined", isReviewed: true }, both))).toEqual(
      aim("closed:not_planned"),
    );
    expect(stateOf(derive({ status: "declined", isReviewed: false }, both))).toEqual(noTarget);
  });

  it("on a field that the board does not show is unknown, unless another one says no", () => {
    const rules = [rule({ archived: true, status: "declined" }), rule({ status: "planned" })];
    const seen: readonly PostField[] = ["status"];
    expect(stateOf(derive({ status: "declined" }, rules, { seen }))).toBe("undecided");
    expect(stateOf(derive({ status: "planned" }, rules, { seen }))).toEqual(aim("closed:not_planned"));
  });
});

describe("the targets of a post", () => {
  const rules = [
    rule({ status: "declined" }, { state: "closed", addLabels: ["Declined"], comment: "Sorry." }),
    rule({ status: "planned" }, { state: "open", removeLabels: ["declined"], milestone: "Next" }),
  ];

  it("are those of the first rule that matches; of every other field none", () => {
    const derived = derive({ status: "declined" }, [...rules, rule({ archived: false })]);
    expect(Object.fromEntries(derived?.targets ?? [])).toEqual({
      state: aim("closed"),
      "label:declined": aim(true),
      comment: aim(fieldsOf({ comment: "Sorry." }).get("comment") ?? null),
      milestone: noTarget,
    });
    expect(derived?.rule).toBe(0);
  });

  it("are none at all without a matching rule", () => {
    const derived = derive({ status: "open" }, rules);
    expect([...(derived?.targets.values() ?? [])]).toEqual(Array(4).fill(noTarget));
    expect(derived?.rule).toBeUndefined();
  });

  it("can clear a milestone, and take one label in any case as one field", () => {
    const both = [rule({ archived: true }, { milestone: null, addLabels: ["A"], removeLabels: ["b"] })];
    expect(changedFields([...both, rule({ archived: false }, { addLabels: ["a", "B"] })])).toEqual([
      "milestone",
      "label:b",
      "label:a",
    ]);
    const derived = derive({ isArchived: true }, both);
    expect(derived?.targets.get("milestone")).toEqual(aim(null));
  });
});

describe("a post that the board no longer lists", () => {
  const gone = rule({ missing: true }, { state: "closed" });
  const declined = rule({ status: "declined" }, { addLabels: ["declined"], state: "closed" });

  it("is undecided for as long as it may come back", () => {
    expect(stateOf(derive({}, [gone], { missing: 1 }))).toBe("undecided");
    expect(stateOf(derive({}, [gone], { missing: 2, mayHaveMoved: true }))).toBe("undecided");
  });

  it("moves what a rule with `missing: true` names, and nothing else", () => {
    const derived = derive({ status: "declined" }, [declined, gone], { missing: 2 });
    expect(Object.fromEntries(derived?.targets ?? [])).toEqual({
      state: aim("closed"),
    });
    expect(derived?.rule).toBe(1);
  });

  it("is undecided where no rule asks for that, or only for others", () => {
    expect(stateOf(derive({ status: "declined" }, [declined], { missing: 2 }))).toBe("undecided");
    const planned = rule({ missing: true, status: "planned" });
    expect(stateOf(derive({ status: "declined" }, [planned], { missing: 2 }))).toBe("undecided");
  });
});

describe("what can be said of board rules", () => {
  it("names the earlier rule that takes every post of a later one", () => {
    const rules = [
      rule({ status: "In Progress" }),
      rule({ archived: true }),
      rule({ status: "in_progress", reviewed: true }),
      rule({ archived: false }),
      rule({ archived: true, missing: true }),
      rule({ missing: true, archived: true, status: "planned" }),
      rule({ status: "planned" }),
    ];
    expect(shadowedBoardRules(rules)).toEqual([
      { index: 2, by: 0 },
      { index: 5, by: 4 },
    ]);
  });

  it("names the fields of the post that they look at", () => {
    expect(lookedAt([rule({ category: "c", missing: false }), rule({ onRoadmap: true })])).toEqual([
      { name: "category", field: "categoryId" },
      { name: "onRoadmap", field: "onRoadmap" },
    ]);
  });

  it("tells what of the post a rule looked at", () => {
    const row = makeRow({ status: "declined" });
    expect(describeMatch(row, rule({ status: "declined", archived: false }))).toBe(
      "status is `declined`, isArchived is `false`",
    );
    expect(describeMatch({ ...row, missing: 2 }, rule({ missing: true }))).toBe("it is gone from the board");
    expect(describeMatch(row, rule({ missing: false }))).toBe("it is on the board");
  });
});

describe("a post that is held against every board rule", () => {
  const rules = [
    rule({ status: "Not now", archived: true }),
    rule({ missing: true }),
    rule({ onRoadmap: true }),
  ];

  function view(
    values: Row["post"]["values"],
    missing: 0 | 1 | 2 = 0,
    seen: readonly PostField[] = postFields,
  ) {
    return viewBoardRules(makeRow(values, { missing }), { boardRules: rules }, new Set(seen));
  }

  it("shows every condition with its verdict", () => {
    const [first] = view({ status: "not_now", isArchived: false });
    expect(first).toEqual({
      rule: 1,
      verdict: "fails",
      conditions: [
        { name: "missing", wants: "false", shows: "listed", verdict: "holds" },
        { name: "status", wants: "Not now", shows: "`not_now`", verdict: "holds" },
        { name: "archived", wants: "true", shows: "`false`", verdict: "fails" },
      ],
      set: close,
    });
  });

  it.each<[Row["post"]["values"], 0 | 1 | 2, readonly PostField[], readonly string[]]>([
    [{ status: "Not now", isArchived: true, onRoadmap: true }, 0, postFields, ["holds", "fails", "holds"]],
    [{ status: "Not now" }, 0, ["status"], ["unknown", "fails", "unknown"]],
    [{ status: "open" }, 0, ["status"], ["fails", "fails", "unknown"]],
    [{ onRoadmap: true }, 1, postFields, ["fails", "fails", "fails"]],
    [{ onRoadmap: true }, 2, postFields, ["fails", "holds", "fails"]],
  ])("%j, missing %i times, with %j: %j", (values, missing, seen, verdicts) => {
    expect(view(values, missing, seen).map(({ verdict }) => verdict)).toEqual(verdicts);
  });

  it("leaves open what nobody knows yet, as the decision does", () => {
    const openCategories = { words: { Billing: ["7", "8"] }, written: [], known: ["7", "8"] };
    const boardRules = [
      rule({ category: "Billing" }),
      rule({ missing: true, category: "Billing" }),
      rule({ missing: true }),
      rule({ status: "open" }),
    ];
    const of = (missing: 0 | 2) => {
      const row = makeRow({ categoryId: "7", status: "open" }, { missing });
      const settings = { boardRules, openCategories };
      const seen = new Set(postFields);
      const views = viewBoardRules(row, settings, seen);
      return [...views.map(({ verdict }) => verdict), stateOf(deriveBoard(row, settings, seen))];
    };
    expect(of(0)).toEqual(["unknown", "fails", "fails", "holds", "undecided"]);
    expect(of(2)).toEqual(["fails", "unknown", "holds", "fails", "undecided"]);
  });

  it.each([
    [0, "listed"],
    [1, "missing from one list, which is not certain yet"],
    [2, "not listed any more"],
  ] as const)("missing %i times is %s", (missing, words) => {
    expect(view({}, missing)[1]?.conditions[0]?.shows).toBe(words);
  });

  it("missing twice is not gone where another project may list it", () => {
    const row = { ...makeRow({}), missing: 2, mayHaveMoved: true } as const;
    const [found] = viewBoardRules(row, { boardRules: [rule({ missing: true })] }, new Set(postFields));
    expect([found?.verdict, found?.conditions[0]?.shows]).toEqual([
      "fails",
      "not listed any more, and another project may list it: its next list tells",
    ]);
  });
});
