import type { Issue, LinkedPullRequest, Readable, Signals, Unreadable } from "../../model/issue.ts";
import type { KnownIssue } from "../../model/link.ts";
import { showValue } from "../ground/fields.ts";
import { includesName, isSameName } from "../ground/issue-fields.ts";
import type { Condition, PullRequestWish, Rule } from "../ground/settings.ts";
import { carries, isInMilestone } from "./pins.ts";
import { projectFieldKey } from "./signals.ts";

/** An issue as rules look at it: its own record, and what was read beside that. */
export interface IssueFacts extends KnownIssue {
  /** Why it is in its state, in the words of a project's rules. */
  readonly reason: NamedReason;
}

/** An issue was closed for a reason that no rule names, or for none: the rules don't say what that means. In words. */
export interface Unnamed {
  readonly kind: "unnamed";
  readonly message: string;
}

/** A reason that some rule names, `other` among them; null for an open issue that was never closed. */
type NamedReason = { readonly kind: "named"; readonly reason: string | null } | Unnamed;

/** Whether a condition holds; of what can't be read, or has no name, it is neither a yes nor a no. */
export type Truth = boolean | Unreadable | Unnamed;

/** An issue as the rules of a project look at it. */
export function factsOf(known: KnownIssue, rules: readonly Rule[]): IssueFacts {
  return { ...known, reason: nameReason(known.issue, rules) };
}

/**
 * GitHub may add reasons at any time, and leaves the reason out where it knows none. What an issue carries from the other state
 * is from before, and does not count.
 */
function nameReason({ state, stateReason }: Issue, rules: readonly Rule[]): NamedReason {
  const isNamed = (one: string): boolean => rules.some(({ when }) => when.reason?.includes(one));
  const reason = stateReason !== null && stateOf(stateReason) === state ? stateReason : null;
  if (state === "open" || (reason !== null && isNamed(reason))) return { kind: "named", reason };
  if (isNamed("other")) return { kind: "named", reason: "other" };
  const how = reason === null ? "without a reason" : `as ${showValue(reason)}`;
  return { kind: "unnamed", message: `closed ${how}, which no rule names (\`reason: other\` would)` };
}

/** The only state in which a reason counts: an issue that was reopened is open, every other reason is one to close it. */
export function stateOf(reason: string): "open" | "closed" {
  return reason === "reopened" ? "open" : "closed";
}

/** One condition of a rule, as far as a rule names it. */
interface IssueCondition<Wanted> {
  /** Whether the issue fulfils it. */
  holds(facts: IssueFacts, wanted: Wanted): Truth;
  /**
   * Whether every issue that fulfils `when` fulfils it, too. A yes is certain; a no may only mean that it can't be seen from the
   * two texts.
   */
  follows(when: Condition, wanted: Wanted): boolean;
}

type Conditions<Name extends keyof Condition> = {
  readonly [One in Name]: IssueCondition<NonNullable<Condition[One]>>;
};

/**
 * Every condition there is. Of an issue's own record only a reason that no rule names is neither a yes nor a no, and what was
 * deleted on the tracker is unknown; of what is read beside it (the last four) anything may be.
 */
const conditions: Conditions<keyof Condition> = {
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
  subIssues: {
    holds: ({ signals }, wanted) =>
      judgeSignal("`subIssues`", signals?.subIssues, ({ total, closed }) =>
        wanted === "all-closed" ? total > 0 && closed === total : closed > 0,
      ),
    follows: ({ subIssues }, wanted) =>
      subIssues === wanted || (subIssues === "all-closed" && wanted === "some-closed"),
  },
  projectStatus: {
    holds: ({ signals }, wanted) =>
      judgeSignal(
        `\`projectStatus\` (${wanted.field} of project ${wanted.owner}/${wanted.project})`,
        signals?.projectStatus?.[projectFieldKey(wanted)],
        (option) => option !== null && includesName(wanted.is, option),
      ),
    follows: ({ projectStatus }, wanted) =>
      projectStatus !== undefined &&
      projectFieldKey(projectStatus) === projectFieldKey(wanted) &&
      projectStatus.is.every((option) => includesName(wanted.is, option)),
  },
  pullRequest: {
    holds: ({ signals }, wanted) =>
      judgeSignal("`pullRequest`", signals?.pullRequests, (found) => isAt(wanted, found)),
    follows: ({ pullRequest }, wanted) => pullRequest !== undefined && isSure(pullRequest, wanted),
  },
  released: {
    holds: (facts, wanted) => {
      const { issue, signals } = facts;
      if (issue.milestone?.state === "closed") return wanted;
      const has = isInMilestone(facts);
      const isInRelease = signals?.isReleased?.kind === "known" && signals.isReleased.value;
      if (typeof has === "object" && !isInRelease) return has;
      return judgeSignal("`released`", signals?.isReleased, (isReleased) => isReleased === wanted);
    },
    follows: ({ released, milestoneState }, wanted) =>
      released === wanted || (wanted && milestoneState === "closed"),
  },
};

const all = Object.keys(conditions) as (keyof Condition)[];

/** Whether an issue matches each of the rules, in their order. */
export function judgeRules(facts: IssueFacts, rules: readonly Rule[]): readonly Truth[] {
  return rules.map(({ when }) => isFulfilled(facts, when));
}

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

function judgeSignal<T>(name: string, signal: Readable<T> | undefined, holds: (value: T) => boolean): Truth {
  if (signal === undefined) return { kind: "unknown", message: `${name}, which has not been read yet` };
  if (signal.kind === "known") return holds(signal.value);
  return { ...signal, message: `${name}, which can't be read: ${signal.message}` };
}

/** Which of them is wanted, and whether everybody's count. */
function splitWish(wish: PullRequestWish): { readonly state: string; readonly isAnyone: boolean } {
  return { state: wish.replace(fromAnyone, ""), isAnyone: wish.endsWith(fromAnyone) };
}

const fromAnyone = " from anyone";

/**
 * One that was closed without being merged counts for nothing, and so does an open one by somebody who may not write to the
 * repository: strangers would move posts by it, and notify their voters.
 */
function isAt(wish: PullRequestWish, pullRequests: readonly LinkedPullRequest[]): boolean {
  const { state: wanted, isAnyone } = splitWish(wish);
  const open = pullRequests.filter(
    ({ state, isOutside }) => state === "open" && (isAnyone || isOutside !== true),
  );
  const isMerged = pullRequests.some(({ state }) => state === "merged");
  switch (wanted) {
    case "open":
      return open.length > 0;
    case "ready":
      return open.some(({ isDraft }) => !isDraft);
    case "merged":
      return isMerged && open.length === 0;
    default:
      return !isMerged && open.length === 0;
  }
}

/**
 * Whether the one wish is certain to hold where the other one does. Where fewer people count, fewer pull requests are open,
 * and `none` holds sooner.
 */
function isSure(when: PullRequestWish, earlier: PullRequestWish): boolean {
  const [one, other] = [splitWish(when), splitWish(earlier)];
  if (one.state !== other.state && !(one.state === "ready" && other.state === "open")) return false;
  const isWider = other.state === "open" || other.state === "ready" ? other.isAnyone : one.isAnyone;
  return one.isAnyone === other.isAnyone || isWider;
}

/** What holds for an issue that has just been opened; whether a project has taken it up at once is not known. */
export const signalsOfNew: Signals = {
  pullRequests: { kind: "known", value: [] },
  subIssues: { kind: "known", value: { total: 0, closed: 0 } },
  isReleased: { kind: "known", value: false },
};
