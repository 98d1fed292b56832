import type { Canonical, Issue } from "../../model/issue.ts";
import type { KnownIssue, LinkedIssue } from "../../model/link.ts";
import type { RuleField } from "../../model/post.ts";
import type { Condition, RuleSettings } from "../ground/settings.ts";
import { factsOf, type IssueFacts, judgeRules, type Truth } from "./conditions.ts";

/** What makes a place among the rules. */
export type PlaceSettings = Pick<RuleSettings, "rules" | "followDuplicates">;

/** A linked issue, held against every rule. */
export interface Place {
  /** What counts: the linked issue, or the one that it is a duplicate of. undefined while nothing is known of that. */
  readonly facts: IssueFacts | undefined;
  /** The linked issue where it is a duplicate of the one that counts; else undefined. */
  readonly duplicate: Issue | undefined;
  /** Whether nobody will work on it. */
  readonly isDropped: boolean;
  /** Whether it matches each of the rules, in their order; where that is not certain, with the issue in words. */
  readonly verdicts: readonly Truth[];
}

/** The place of a linked issue, or of the one that it is a duplicate of. */
export function placeOf(linked: LinkedIssue, settings: PlaceSettings): Place {
  const { rules } = settings;
  const facts = findFacts(linked, settings);
  if (typeof facts === "string") {
    const verdicts = rules.map(() => ({ kind: "unknown", message: facts }) as const);
    return { facts: undefined, duplicate: undefined, isDropped: false, verdicts };
  }
  const { issue } = facts;
  const duplicate = issue === linked.known?.issue ? undefined : linked.known?.issue;
  const verdicts = judgeRules(facts, rules).map((verdict, index): Truth => {
    if (typeof verdict === "boolean") return verdict;
    const name = nameWithDuplicate(issue, duplicate);
    const { kind, message } = verdict;
    const doubt = kind === "unknown" ? `: rule ${index + 1} asks for ${message}` : ` was ${message}`;
    return { ...verdict, message: name + doubt };
  });
  return { facts, duplicate, isDropped: isDropped(issue), verdicts };
}

/**
 * Whether every rule that names a field certainly says of a linked issue what it said before, whatever of its signals can't be
 * read: then the issue's place is the same.
 */
export function isSamePlace(
  linked: LinkedIssue,
  before: LinkedIssue,
  field: RuleField,
  settings: PlaceSettings,
): boolean {
  const [now, then] = [placeOf(linked, settings), placeOf(before, settings)];
  if (now.facts === undefined || then.facts === undefined || now.isDropped !== then.isDropped) return false;
  return settings.rules.every(
    ({ set }, index) =>
      set[field] === undefined || foldVerdict(now.verdicts[index]) === foldVerdict(then.verdicts[index]),
  );
}

function foldVerdict(verdict: Truth | undefined): boolean | string | undefined {
  return typeof verdict === "object" ? verdict.kind : verdict;
}

/** An issue in words: by its number, or by that of its duplicate and its own. */
export function nameWithDuplicate(issue: Issue, duplicate: Issue | undefined): string {
  return duplicate === undefined
    ? `issue #${issue.number}`
    : `issue #${duplicate.number}, a duplicate of ${placeIssue(issue, duplicate)}`;
}

/**
 * The facts that count, or why they are not known. A duplicate is never worked on, so that its voters are notified of nothing until the
 * issue in whose favour it was closed gets somewhere: that one stands in its place.
 */
function findFacts(
  { link, known }: LinkedIssue,
  { rules, followDuplicates }: PlaceSettings,
): IssueFacts | string {
  if (known === undefined) return `issue #${link.issue.number} can't be read`;
  const { issue, signals, canonical } = known;
  if (!followDuplicates || !isDuplicate(issue)) return factsOf(known, rules);
  const end = signals?.canonical;
  const name = `issue #${issue.number} was closed as a duplicate`;
  if (end === undefined) return `${name}, and of which issue has not been read yet`;
  if (end.kind === "unknown") return `${name}, and of which issue can't be read: ${end.message}`;
  if (end.value === null || !isFollowed(end.value, followDuplicates)) return factsOf(known, rules);
  if (canonical === undefined) {
    return `${name} of ${placeIssue(end.value, issue)}, which has not been read yet`;
  }
  return factsOf(canonical, rules);
}

/** Whether a project follows what an issue is a duplicate of: a stranger's issue only where its config says so. */
export function isFollowed(
  { isOutside }: Canonical,
  followDuplicates: RuleSettings["followDuplicates"],
): boolean {
  return isOutside !== true || followDuplicates === "anyone";
}

function placeIssue({ repositoryId, number }: Pick<Issue, "repositoryId" | "number">, from: Issue): string {
  return repositoryId === from.repositoryId ? `#${number}` : `#${number} of another repository`;
}

/** Whether an issue was closed in favour of another one. */
export function isDuplicate({ state, stateReason }: Issue): boolean {
  return state === "closed" && stateReason === "duplicate";
}

/** An issue that is a duplicate of none. */
export function leadingNowhere({ signals }: KnownIssue): Pick<KnownIssue, "signals"> {
  return { signals: { ...signals, canonical: { kind: "known", value: null } } };
}

function isDropped({ state, stateReason }: Issue): boolean {
  return state === "closed" && stateReason !== null && droppedReasons.includes(stateReason);
}

/** Whether a rule is for nothing but issues that nobody will work on. */
export function isForDropped({ reason }: Condition): boolean {
  return reason?.every((one) => droppedReasons.includes(one)) ?? false;
}

const droppedReasons: readonly string[] = ["not_planned", "duplicate"];
