import { includesName, isSameName } from "../ground/issue-fields.ts";
import type { Condition } from "../ground/settings.ts";
import { type IssueCondition, stateOf, type Truth } from "./condition.ts";
import { carries, isInMilestone } from "./pins.ts";
import type { SignalCondition } from "./signal-conditions.ts";

/** Told by an issue's own record. */
export type RecordCondition = Exclude<keyof Condition, SignalCondition>;

/**
 * What an issue's own record tells: of it only a reason that no rule names is neither a yes nor a no, and what was deleted on the
 * tracker is unknown.
 */
export const recordConditions: Readonly<Record<RecordCondition, IssueCondition>> = {
  state: {
    holds: ({ issue }, { state }) => state === undefined || issue.state === state,
    follows: (when, { state }) =>
      state === undefined ||
      when.state === state ||
      (when.reason?.every((one) => stateOf(one) === state) ?? false),
  },
  reason: {
    holds: ({ reason: found }, { reason }) => {
      if (reason === undefined) return true;
      if (found.kind === "named") return found.reason !== null && reason.includes(found.reason);
      return reason.some((one) => stateOf(one) === "closed") && found;
    },
    follows: (when, { reason }) =>
      reason === undefined || (when.reason?.every((one) => reason.includes(one)) ?? false),
  },
  labels: {
    holds: (facts, { labels = [] }) => every(labels.map((label) => carries(facts, "label", label))),
    follows: (when, { labels }) =>
      labels === undefined || labels.every((label) => includesName(when.labels ?? [], label)),
  },
  anyLabel: {
    holds: (facts, { anyLabel }) =>
      anyLabel === undefined || not(every(anyLabel.map((label) => not(carries(facts, "label", label))))),
    follows: (when, { anyLabel }) =>
      anyLabel === undefined ||
      (when.labels?.some((label) => includesName(anyLabel, label)) ?? false) ||
      (when.anyLabel?.every((label) => includesName(anyLabel, label)) ?? false),
  },
  noLabel: {
    holds: (facts, { noLabel = [] }) => every(noLabel.map((label) => not(carries(facts, "label", label)))),
    follows: (when, { noLabel }) =>
      noLabel === undefined || noLabel.every((label) => includesName(when.noLabel ?? [], label)),
  },
  assigned: {
    holds: ({ issue }, { assigned }) => assigned === undefined || issue.assignees.length > 0 === assigned,
    follows: (when, { assigned }) => assigned === undefined || when.assigned === assigned,
  },
  milestone: {
    holds: (facts, { milestone }) => {
      if (milestone === undefined) return true;
      return milestone === "none" ? not(isInMilestone(facts)) : carries(facts, "milestone", milestone);
    },
    follows: (when, { milestone }) =>
      milestone === undefined || when.milestone === milestone || (milestone === "any" && hasMilestone(when)),
  },
  milestoneState: {
    holds: (facts, { milestoneState }) => {
      const { milestone } = facts.issue;
      if (milestoneState === undefined) return true;
      return milestone === null ? isInMilestone(facts) : milestone.state === milestoneState;
    },
    follows: (when, { milestoneState }) =>
      milestoneState === undefined || when.milestoneState === milestoneState,
  },
  type: {
    holds: (facts, { type }) => type === undefined || carries(facts, "type", type),
    follows: (when, { type }) =>
      type === undefined || (when.type !== undefined && isSameName(when.type, type)),
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
