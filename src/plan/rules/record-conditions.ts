import { includesName, isSameName } from "../ground/issue-fields.ts";
import type { Condition } from "../ground/settings.ts";
import { type IssueCondition, stateOf } from "./condition.ts";
import type { SignalCondition } from "./signal-conditions.ts";

/** Told by an issue's own record. */
export type RecordCondition = Exclude<keyof Condition, SignalCondition>;

/** What an issue's own record tells: it can always be read, but for a reason that no rule names. */
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
    holds: ({ issue }, { labels }) =>
      labels === undefined || labels.every((label) => includesName(issue.labels, label)),
    follows: (when, { labels }) =>
      labels === undefined || labels.every((label) => includesName(when.labels ?? [], label)),
  },
  anyLabel: {
    holds: ({ issue }, { anyLabel }) =>
      anyLabel === undefined || anyLabel.some((label) => includesName(issue.labels, label)),
    follows: (when, { anyLabel }) =>
      anyLabel === undefined ||
      (when.labels?.some((label) => includesName(anyLabel, label)) ?? false) ||
      (when.anyLabel?.every((label) => includesName(anyLabel, label)) ?? false),
  },
  noLabel: {
    holds: ({ issue }, { noLabel }) =>
      noLabel === undefined || !noLabel.some((label) => includesName(issue.labels, label)),
    follows: (when, { noLabel }) =>
      noLabel === undefined || noLabel.every((label) => includesName(when.noLabel ?? [], label)),
  },
  assigned: {
    holds: ({ issue }, { assigned }) => assigned === undefined || issue.assignees.length > 0 === assigned,
    follows: (when, { assigned }) => assigned === undefined || when.assigned === assigned,
  },
  milestone: {
    holds: ({ issue: { milestone: found } }, { milestone }) => {
      if (milestone === undefined) return true;
      if (milestone === "none") return found === null;
      return found !== null && (milestone === "any" || found.title === milestone);
    },
    follows: (when, { milestone }) =>
      milestone === undefined || when.milestone === milestone || (milestone === "any" && hasMilestone(when)),
  },
  milestoneState: {
    holds: ({ issue }, { milestoneState }) =>
      milestoneState === undefined || issue.milestone?.state === milestoneState,
    follows: (when, { milestoneState }) =>
      milestoneState === undefined || when.milestoneState === milestoneState,
  },
  type: {
    holds: ({ issue }, { type }) =>
      type === undefined || (issue.type !== null && isSameName(issue.type, type)),
    follows: (when, { type }) =>
      type === undefined || (when.type !== undefined && isSameName(when.type, type)),
  },
};

function hasMilestone({ milestone, milestoneState }: Condition): boolean {
  return milestoneState !== undefined || (milestone !== undefined && milestone !== "none");
}
