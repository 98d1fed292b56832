import { includesName, isSameName } from "../ground/issue-fields.ts";
import type { Condition } from "../ground/settings.ts";
import { type IssueConditions, stateOf, type Truth } from "./condition.ts";
import { carries, isInMilestone } from "./pins.ts";
import type { SignalCondition } from "./signal-conditions.ts";

/** Told by an issue's own record. */
export type RecordCondition = Exclude<keyof Condition, SignalCondition>;

/**
 * What an issue's own record tells: of it only a reason that no rule names is neither a yes nor a no, and what was deleted on the
 * tracker is unknown.
 */
export const recordConditions: IssueConditions<RecordCondition> = {
  state: {
    holds: ({ issue }, state) => issue.state === state,
    follows: (when, state) =>
      when.state === state || (when.reason?.every((one) => stateOf(one) === state) ?? false),
  },
  reason: {
    holds: ({ reason: found }, reasons) => {
      if (found.kind === "named") return found.reason !== null && reasons.includes(found.reason);
      return reasons.some((one) => stateOf(one) === "closed") && found;
    },
    follows: (when, reasons) => when.reason?.every((one) => reasons.includes(one)) ?? false,
  },
  labels: {
    holds: (facts, labels) => every(labels.map((label) => carries(facts, "label", label))),
    follows: ({ labels = [] }, wanted) => wanted.every((label) => includesName(labels, label)),
  },
  anyLabel: {
    holds: (facts, labels) => not(every(labels.map((label) => not(carries(facts, "label", label))))),
    follows: ({ labels = [], anyLabel }, wanted) =>
      labels.some((label) => includesName(wanted, label)) ||
      (anyLabel?.every((label) => includesName(wanted, label)) ?? false),
  },
  noLabel: {
    holds: (facts, labels) => every(labels.map((label) => not(carries(facts, "label", label)))),
    follows: ({ noLabel = [] }, wanted) => wanted.every((label) => includesName(noLabel, label)),
  },
  assigned: {
    holds: ({ issue }, assigned) => issue.assignees.length > 0 === assigned,
    follows: (when, assigned) => when.assigned === assigned,
  },
  milestone: {
    holds: (facts, milestone) =>
      milestone === "none" ? not(isInMilestone(facts)) : carries(facts, "milestone", milestone),
    follows: (when, milestone) => when.milestone === milestone || (milestone === "any" && hasMilestone(when)),
  },
  milestoneState: {
    holds: (facts, state) => {
      const { milestone } = facts.issue;
      return milestone === null ? isInMilestone(facts) : milestone.state === state;
    },
    follows: (when, state) => when.milestoneState === state,
  },
  type: {
    holds: (facts, type) => carries(facts, "type", type),
    follows: (when, type) => when.type !== undefined && isSameName(when.type, type),
  },
};

/** One no is enough, whatever else is unknown. */
function every(verdicts: readonly Truth[]): Truth {
  return verdicts.find((one) => one === false) ?? verdicts.find((one) => one !== true) ?? true;
}

function not(verdict: Truth): Truth {
  return typeof verdict === "boolean" ? !verdict : verdict;
}

function hasMilestone({ milestone, milestoneState }: Condition): boolean {
  return milestoneState !== undefined || (milestone !== undefined && milestone !== "none");
}
