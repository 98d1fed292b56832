import { describe, expect, it } from "vitest";
import { fightingRules } from "../../../src/plan/board-rules/fights.ts";
import type { BoardRule, Rule } from "../../../src/plan/ground/settings.ts";

const dropped: Rule = { when: { state: "closed", reason: ["not_planned"] }, set: { status: "closed" } };
const shipped: Rule = { when: { state: "closed" }, set: { status: "completed", roadmapColumn: "COMPLETED" } };
const started: Rule = { when: { labels: ["started"] }, set: { onRoadmap: true } };

describe("a board rule and a rule that stand against each other", () => {
  it.each<[string, BoardRule, readonly number[]]>([
    [
      "closing for a status, and a status for what is closed",
      { when: { status: "declined" }, set: { state: "closed", reason: "not_planned" } },
      [0],
    ],
    [
      "with another status for another reason",
      { when: { status: "declined" }, set: { state: "closed" } },
      [1],
    ],
    ["by a label", { when: { onRoadmap: false }, set: { addLabels: ["Started"] } }, [2]],
    ["where the rule sets what is there", { when: { status: "Completed" }, set: { state: "closed" } }, []],
    ["where the rule sets something else", { when: { category: "c" }, set: { addLabels: ["started"] } }, []],
    ["where no rule looks at it", { when: { status: "declined" }, set: { addLabels: ["x"] } }, []],
    [
      "of a missing post, which no rule moves",
      { when: { missing: true, status: "x" }, set: { state: "closed" } },
      [],
    ],
    [
      "in other conditions than a status",
      { when: { archived: true, reviewed: true, status: "a" }, set: { state: "closed" } },
      [1],
    ],
  ])("%s", (_, boardRule, expected) => {
    const found = fightingRules({ rules: [dropped, shipped, started], boardRules: [boardRule] });
    expect(found).toEqual(expected.map((rule) => ({ boardRule: 0, rule })));
  });

  it("are not named where it hangs on what only the tracker can tell", () => {
    const rules: readonly Rule[] = [
      { when: { state: "closed", released: true }, set: { status: "completed" } },
    ];
    const boardRules: readonly BoardRule[] = [{ when: { status: "x" }, set: { state: "closed" } }];
    expect(fightingRules({ rules, boardRules })).toEqual([]);
  });
});
