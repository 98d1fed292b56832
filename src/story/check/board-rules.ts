import { shadowedBoardRules } from "../../plan/board-rules/board-rules.ts";
import { fightingRules } from "../../plan/board-rules/fights.ts";
import type { SyncProject } from "../../sync/ground/world.ts";
import { type Finding, say } from "./findings.ts";

/** What can be said of board rules from their text alone. */
export function checkBoardRules(findings: Finding[], { key, settings }: SyncProject): void {
  for (const { index, by } of shadowedBoardRules(settings.boardRules)) {
    const message = `boardRules[${index}] can never match: boardRules[${by}] above it matches whenever it would.`;
    say(findings, "error", key, message, "config.shadowed");
  }
  for (const { boardRule, rule } of fightingRules(settings)) {
    const message = `boardRules[${boardRule}] and rules[${rule}] stand against each other: an issue that boardRules[${boardRule}] has changed comes under rules[${rule}], which would take the post away from what boardRules[${boardRule}] looks at. Nothing loops: the post keeps what it shows, and the difference is listed until one of the two changes. Let rules[${rule}] set what boardRules[${boardRule}] looks at, or look at something else.`;
    say(findings, "warning", key, message, "config.fight");
  }
}
