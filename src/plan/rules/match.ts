import type { Rule } from "../settings.ts";
import type { IssueFacts } from "./condition.ts";
import { isFulfilled } from "./conditions.ts";

/**
 * Which rule is an issue's first match, as an index; the number of rules where none is. What is unknown leaves a range, from
 * the most advanced rule that may be it (`best`) to the least.
 */
export interface Match {
  readonly best: number;
  readonly worst: number;
  /** Which rule may match as well as not, and why, in words; undefined where the two are the same. */
  readonly doubt: string | undefined;
}

/** The first rule that matches an issue. What can't be read counts only where no rule above has matched. */
export function matchRule(facts: IssueFacts, rules: readonly Rule[]): Match {
  let first: Omit<Match, "worst"> | undefined;
  for (const [index, { when }] of rules.entries()) {
    const verdict = isFulfilled(facts, when);
    if (verdict === true) return { ...(first ?? { best: index, doubt: undefined }), worst: index };
    if (verdict !== false) first ??= { best: index, doubt: `rule ${index + 1} asks for ${verdict.message}` };
  }
  return { ...(first ?? { best: rules.length, doubt: undefined }), worst: rules.length };
}
