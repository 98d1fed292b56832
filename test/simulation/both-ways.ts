import type { BoardRule } from "../../src/plan/ground/settings.ts";
import type { Odds } from "./odds.ts";
import type { Random } from "./random.ts";
import type { Scenario } from "./scenario.ts";
import { drawSignalRules } from "./signals.ts";

type Settings = Scenario["settings"];

/**
 * A third of the histories have board rules, another way to count several issues, or a line in the internal notes; they draw
 * that apart, so that the others are what their seeds drew before.
 */
export function addBothWays(scenario: Scenario, random: Random, odds: Odds): Scenario {
  if (!random.chance(odds.bothWays)) return scenario;
  return {
    ...scenario,
    settings: {
      ...scenario.settings,
      boardRules: random.chance(0.7) ? drawBoardRules(random) : [],
      several: drawSeveral(random),
      backlink: random.chance(0.4),
    },
  };
}

/** Few of the others have both what follows duplicates and what writes to issues. */
export function addDuplicates(scenario: Scenario, random: Random, odds: Odds): Scenario {
  if (!random.chance(odds.duplicates)) return scenario;
  return {
    ...scenario,
    settings: {
      ...scenario.settings,
      rules: drawSignalRules(random),
      followDuplicates: true,
      boardRules: random.pick(drawn.slice(0, 2)),
    },
    posts: 2,
  };
}

/** Whether a scenario has anything of what is drawn here. */
export function isBothWays({ boardRules, several, backlink }: Settings): boolean {
  return boardRules.length > 0 || several !== "all" || backlink;
}

export function drawSeveral(random: Random): Settings["several"] {
  return random.pick(["all", "any", "primary"]);
}

const comment = "Moved on the board.";

/** Most of them are answered by some rules for the other direction: only there our own change could be told to the board. */
const drawn: readonly (readonly BoardRule[])[] = [
  [
    { when: { status: "planned" }, set: { state: "closed", reason: "not_planned" } },
    { when: { status: "closed" }, set: { state: "open" } },
  ],
  [
    { when: { status: "planned" }, set: { state: "closed", reason: "completed", comment } },
    { when: { status: "in_progress" }, set: { removeLabels: ["in progress"] } },
    { when: { missing: true }, set: { state: "closed", reason: "not_planned" } },
  ],
  [
    { when: { status: "closed" }, set: { state: "closed", reason: "not_planned", comment } },
    { when: { status: "planned" }, set: { milestone: "Backlog", addLabels: ["accepted"] } },
    { when: { onRoadmap: true }, set: { addLabels: ["in progress", "accepted"] } },
  ],
  [
    { when: { archived: true }, set: { state: "closed", reason: "not_planned", addLabels: ["archived"] } },
    { when: { category: "cat_api", status: "open" }, set: { milestone: null, comment } },
    { when: { reviewed: false }, set: { removeLabels: ["in progress"], milestone: "Backlog" } },
  ],
];

export function drawBoardRules(random: Random): readonly BoardRule[] {
  return random.pick(drawn);
}
