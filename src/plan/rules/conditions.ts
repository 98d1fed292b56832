import type { Condition } from "../settings.ts";
import type { IssueCondition, IssueFacts, Unreadable, Verdict } from "./condition.ts";
import { recordConditions } from "./record-conditions.ts";
import { signalConditions } from "./signal-conditions.ts";

/** Every condition there is. */
const conditions: Readonly<Record<keyof Condition, IssueCondition>> = {
  ...recordConditions,
  ...signalConditions,
};

const all = Object.values(conditions);

/** Whether an issue fulfils every part of a rule's `when`. One that it doesn't is enough for a no, whatever else is unknown. */
export function isFulfilled(facts: IssueFacts, when: Condition): Verdict {
  let doubt: Unreadable | undefined;
  for (const condition of all) {
    const verdict = condition.holds(facts, when);
    if (verdict === false) return false;
    if (verdict !== true) doubt ??= verdict;
  }
  return doubt ?? true;
}

/** Whether an issue that fulfils `when` certainly fulfils `earlier`. */
export function isImplied(when: Condition, earlier: Condition): boolean {
  return all.every((condition) => condition.follows(when, earlier));
}
