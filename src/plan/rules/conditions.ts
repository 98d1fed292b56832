import type { Signals, Unreadable } from "../../model/issue.ts";
import { includesName } from "../ground/issue-fields.ts";
import type { Condition } from "../ground/settings.ts";
import { type IssueConditions, type IssueFacts, stateOf, type Truth, type Unnamed } from "./condition.ts";
import { recordConditions } from "./record-conditions.ts";
import { signalConditions } from "./signal-conditions.ts";

/** Every condition there is. */
const conditions: IssueConditions<keyof Condition> = { ...recordConditions, ...signalConditions };

const all = Object.keys(conditions) as (keyof Condition)[];

/**
 * Whether an issue fulfils every part of a rule's `when`. One that it doesn't is enough for a no, whatever else is unknown. What
 * can't be read is said before a reason without a name.
 */
export function isFulfilled(facts: IssueFacts, when: Condition): Truth {
  let unreadable: Unreadable | undefined;
  let unnamed: Unnamed | undefined;
  for (const name of all) {
    const verdict = holds(name, facts, when);
    if (verdict === true) continue;
    if (verdict === false) return false;
    if (verdict.kind === "unknown") unreadable ??= verdict;
    else unnamed = verdict;
  }
  return unreadable ?? unnamed ?? true;
}

/** Whether an issue that fulfils `when` certainly fulfils `earlier`. */
export function isImplied(when: Condition, earlier: Condition): boolean {
  return all.every((name) => follows(name, when, earlier));
}

/** What a rule does not name is fulfilled. */
function holds<Name extends keyof Condition>(name: Name, facts: IssueFacts, when: Condition): Truth {
  const wanted = when[name];
  return wanted === undefined || conditions[name].holds(facts, wanted);
}

function follows<Name extends keyof Condition>(name: Name, when: Condition, earlier: Condition): boolean {
  const wanted = earlier[name];
  return wanted === undefined || conditions[name].follows(when, wanted);
}

/** Two parts of one `when` that no issue fulfils together, in words; undefined where they go together. */
type Clash = (when: Condition) => string | undefined;

function nameReason(reason: string): string {
  return reason === "other" ? "closed for another reason" : reason;
}

const clashes: readonly Clash[] = [
  ({ state, reason }) =>
    state !== undefined && reason?.every((one) => stateOf(one) !== state)
      ? `an issue that is ${state} is never ${reason.map(nameReason).join(" or ")}`
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

/** What holds for an issue that has just been opened; whether a project has taken it up at once is not known. */
export const signalsOfNew: Signals = {
  pullRequests: { kind: "known", value: [] },
  subIssues: { kind: "known", value: { total: 0, closed: 0 } },
  isReleased: { kind: "known", value: false },
};
