import type { Issue } from "../../model/issue.ts";
import type { LinkedIssue } from "../../model/link.ts";
import type { Condition, Settings } from "../ground/settings.ts";
import type { IssueFacts } from "./condition.ts";
import { isFulfilled, type Match, matchRule } from "./conditions.ts";

/** The place of one linked issue among the rules: which of them matches it. */
export type Place = KnownPlace | UnknownPlace;

export interface KnownPlace extends Match {
  readonly kind: "known";
  /** What counts: the linked issue, or the one that it is a duplicate of. */
  readonly issue: Issue;
  /** The linked issue where it is a duplicate of `issue`; else undefined. */
  readonly duplicate: Issue | undefined;
  /** Whether nobody will work on it. */
  readonly isDropped: boolean;
}

/** Nothing is known of the issue that counts: any rule may match it. */
export interface UnknownPlace extends Match {
  readonly kind: "unknown";
  readonly doubt: string;
}

/** The place of a linked issue, or of the one that it is a duplicate of. */
export function placeOf(
  linked: LinkedIssue,
  { rules, followDuplicates }: Pick<Settings, "rules" | "followDuplicates">,
): Place {
  const found = findFacts(linked, followDuplicates);
  if (typeof found === "string") {
    return { kind: "unknown", best: 0, worst: Math.max(1, rules.length), doubt: found };
  }
  const { issue } = found;
  const duplicate = issue === linked.issue ? undefined : linked.issue;
  const { best, worst, doubt } = matchRule(found, rules);
  return {
    kind: "known",
    issue,
    duplicate,
    isDropped: isDropped(issue),
    best,
    worst,
    doubt: doubt && `${nameWithDuplicate(issue, duplicate)}: ${doubt}`,
  };
}

/**
 * Whether a linked issue certainly has the place among the rules that it had before, whatever of its signals can't be read: each
 * rule says of it what it said then, as far as that can be told.
 */
export function isSamePlace(
  linked: LinkedIssue,
  before: LinkedIssue,
  { rules, followDuplicates }: Pick<Settings, "rules" | "followDuplicates">,
): boolean {
  const [now, then] = [findFacts(linked, followDuplicates), findFacts(before, followDuplicates)];
  if (typeof now === "string" || typeof then === "string") return false;
  if (isDropped(now.issue) !== isDropped(then.issue)) return false;
  return rules.every(({ when }) => foldVerdict(now, when) === foldVerdict(then, when));
}

function foldVerdict(facts: IssueFacts, when: Condition): boolean | "unknown" {
  const verdict = isFulfilled(facts, when);
  return typeof verdict === "boolean" ? verdict : "unknown";
}

/** An issue in words: by its number, or by that of its duplicate and its own. */
export function nameWithDuplicate(issue: Issue, duplicate: Issue | undefined): string {
  return duplicate === undefined
    ? `issue #${issue.number}`
    : `issue #${duplicate.number}, a duplicate of ${placeIssue(issue, duplicate)}`;
}

/**
 * The facts that count, or why they are not known. A duplicate is never worked on, so that its voters hear nothing until the
 * issue in whose favour it was closed gets somewhere: that one stands in its place.
 */
export function findFacts(
  { link, issue, signals, canonical, pins }: LinkedIssue,
  followDuplicates: Settings["followDuplicates"],
): IssueFacts | string {
  if (issue === undefined) return `issue #${link.issue.number} can't be read`;
  if (!followDuplicates || !isDuplicate(issue)) return { issue, signals, pins };
  const known = signals?.canonical;
  const name = `issue #${issue.number} was closed as a duplicate`;
  if (known === undefined) return `${name}, and of which issue has not been read yet`;
  if (known.kind === "unknown") return `${name}, and of which issue can't be read: ${known.message}`;
  if (known.value === null) return { issue, signals, pins };
  if (canonical === undefined) {
    return `${name} of ${placeIssue(known.value, issue)}, which has not been read yet`;
  }
  return { issue: canonical.issue, signals: canonical.signals, pins: canonical.pins };
}

function placeIssue({ repositoryId, number }: Pick<Issue, "repositoryId" | "number">, from: Issue): string {
  return repositoryId === from.repositoryId ? `#${number}` : `#${number} of another repository`;
}

/** Whether an issue was closed in favour of another one. */
export function isDuplicate({ state, stateReason }: Issue): boolean {
  return state === "closed" && stateReason === "duplicate";
}

function isDropped(issue: Issue): boolean {
  return isDuplicate(issue) || (issue.state === "closed" && issue.stateReason === "not_planned");
}
