import type { Issue, Pin, Signals } from "../../model/issue.ts";
import { includesName } from "../ground/issue-fields.ts";
import type { Condition, Rule, Settings } from "../ground/settings.ts";
import { type IssueCondition, type IssueFacts, stateOf, type Truth, type Unreadable } from "./condition.ts";
import { recordConditions } from "./record-conditions.ts";
import { signalConditions } from "./signal-conditions.ts";

/** Every condition there is. */
const conditions: Readonly<Record<keyof Condition, IssueCondition>> = {
  ...recordConditions,
  ...signalConditions,
};

const all = Object.values(conditions);

/** Whether an issue fulfils every part of a rule's `when`. One that it doesn't is enough for a no, whatever else is unknown. */
export function isFulfilled(facts: IssueFacts, when: Condition): Truth {
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

/** Two parts of one `when` that no issue fulfils together, in words; undefined where they go together. */
type Clash = (when: Condition) => string | undefined;

const clashes: readonly Clash[] = [
  ({ state, reason }) =>
    state !== undefined && reason?.every((one) => stateOf(one) !== state)
      ? `an issue that is ${state} is never ${reason.join(" or ")}`
      : undefined,
  ({ labels = [], noLabel = [] }) => {
    const both = labels.find((label) => includesName(noLabel, label));
    return both === undefined ? undefined : `\`labels\` and \`noLabel\` both name ${both}`;
  },
  ({ anyLabel, noLabel = [] }) =>
    anyLabel?.every((label) => includesName(noLabel, label))
      ? "`noLabel` names all of `anyLabel`"
      : undefined,
  ({ milestone, milestoneState }) =>
    milestone === "none" && milestoneState !== undefined
      ? "an issue without a milestone has no `milestoneState`"
      : undefined,
  ({ milestoneState, released }) =>
    milestoneState === "closed" && released === false
      ? "an issue whose milestone is closed counts as `released`"
      : undefined,
];

/** Why no issue whatever can fulfil `when`, in words; undefined where nothing is seen that speaks against it. */
export function findClash(when: Condition): string | undefined {
  for (const clash of clashes) {
    const why = clash(when);
    if (why !== undefined) return why;
  }
  return undefined;
}

/**
 * Whether a decision about an issue may hang on anything beside its own record, so that it must be read again in each run:
 * going by the record alone, some rule that names a signal might be the first to match. Most issues that were closed long ago
 * are decided by a rule above. What is final counts as known: a release that contains an issue contains it for good.
 */
export function isSignalNeeded(
  issue: Issue,
  known: Signals,
  { rules }: Pick<Settings, "rules">,
  pins: readonly Pin[] = [],
): boolean {
  const { isReleased } = known;
  const isFinal = isReleased?.kind === "known" && isReleased.value;
  return matchRule({ issue, signals: isFinal ? { isReleased } : undefined, pins }, rules).doubt !== undefined;
}

/** What holds for an issue that has just been opened; whether a project has taken it up at once is not known. */
export const signalsOfNew: Signals = {
  pullRequests: { kind: "known", value: [] },
  subIssues: { kind: "known", value: { total: 0, closed: 0 } },
  isReleased: { kind: "known", value: false },
};
