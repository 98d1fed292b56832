import type { Issue } from "../model/issue.ts";
import type { Condition } from "./settings.ts";

/** One condition of a rule. */
interface IssueCondition {
  /** Whether the issue fulfils it; a condition that is not given is fulfilled. */
  holds(issue: Issue, when: Condition): boolean;
  /**
   * Whether every issue that fulfils `when` fulfils this part of `earlier`, too. A yes is certain; a no may only mean
   * that it can't be seen from the two texts.
   */
  follows(when: Condition, earlier: Condition): boolean;
}

/** Told by an issue's own record. */
export type RecordCondition = Exclude<
  keyof Condition,
  "subIssues" | "projectStatus" | "pullRequest" | "released"
>;

/** Every condition there is: a new one is one more of these, and its rows in the table test. */
const conditions: Readonly<Record<RecordCondition, IssueCondition>> = {
  state: {
    holds: (issue, { state }) => state === undefined || issue.state === state,
    follows: (when, { state }) =>
      state === undefined ||
      when.state === state ||
      // Every reason but `reopened` is only ever looked at on a closed issue.
      (state === "closed" && when.reason !== undefined && !when.reason.includes("reopened")),
  },
  reason: {
    holds: (issue, { reason }) => reason === undefined || hasReason(issue, reason),
    follows: (when, { reason }) =>
      reason === undefined || (when.reason?.every((one) => reason.includes(one)) ?? false),
  },
  labels: {
    holds: (issue, { labels }) => labels === undefined || labels.every((label) => has(issue.labels, label)),
    follows: (when, { labels }) =>
      labels === undefined || labels.every((label) => has(when.labels ?? [], label)),
  },
  anyLabel: {
    holds: (issue, { anyLabel }) =>
      anyLabel === undefined || anyLabel.some((label) => has(issue.labels, label)),
    follows: (when, { anyLabel }) =>
      anyLabel === undefined ||
      (when.labels?.some((label) => has(anyLabel, label)) ?? false) ||
      (when.anyLabel?.every((label) => has(anyLabel, label)) ?? false),
  },
  noLabel: {
    holds: (issue, { noLabel }) =>
      noLabel === undefined || !noLabel.some((label) => has(issue.labels, label)),
    follows: (when, { noLabel }) =>
      noLabel === undefined || noLabel.every((label) => has(when.noLabel ?? [], label)),
  },
  assigned: {
    holds: (issue, { assigned }) => assigned === undefined || issue.assignees.length > 0 === assigned,
    follows: (when, { assigned }) => assigned === undefined || when.assigned === assigned,
  },
  milestone: {
    holds: ({ milestone: found }, { milestone }) => {
      if (milestone === undefined) return true;
      if (milestone === "none") return found === null;
      return found !== null && (milestone === "any" || found.title === milestone);
    },
    follows: (when, { milestone }) =>
      milestone === undefined || when.milestone === milestone || (milestone === "any" && hasMilestone(when)),
  },
  milestoneState: {
    holds: (issue, { milestoneState }) =>
      milestoneState === undefined || issue.milestone?.state === milestoneState,
    follows: (when, { milestoneState }) =>
      milestoneState === undefined || when.milestoneState === milestoneState,
  },
  type: {
    holds: (issue, { type }) => type === undefined || (issue.type !== null && isSameName(issue.type, type)),
    follows: (when, { type }) =>
      type === undefined || (when.type !== undefined && isSameName(when.type, type)),
  },
};

const all = Object.values(conditions);

/** Whether an issue fulfils every part of a rule's `when`. */
export function isFulfilled(issue: Issue, when: Condition): boolean {
  return all.every((condition) => condition.holds(issue, when));
}

/** Whether an issue that fulfils `when` certainly fulfils `earlier`. */
export function isImplied(when: Condition, earlier: Condition): boolean {
  return all.every((condition) => condition.follows(when, earlier));
}

/** The tracker's labels and types are the same name in any case. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** An open issue has one reason that counts, that it was reopened; what else it carries is from before. */
function hasReason(issue: Issue, reasons: readonly string[]): boolean {
  const { state, stateReason } = issue;
  if (stateReason === null || !reasons.includes(stateReason)) return false;
  return state === "closed" || stateReason === "reopened";
}

function has(labels: readonly string[], wanted: string): boolean {
  return labels.some((label) => isSameName(label, wanted));
}

function hasMilestone({ milestone, milestoneState }: Condition): boolean {
  return milestoneState !== undefined || (milestone !== undefined && milestone !== "none");
}
