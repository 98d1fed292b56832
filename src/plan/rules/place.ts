import type { Canonical, Issue } from "../../model/issue.ts";
import type { KnownIssue, LinkedIssue } from "../../model/link.ts";
import type { RuleField } from "../../model/post.ts";
import type { Condition, RuleSettings } from "../ground/settings.ts";
import { factsOf, type IssueFacts, type Truth } from "./condition.ts";
import { isFulfilled } from "./conditions.ts";
import { type Match, matchFields, ruledFields, rulesNaming } from "./match.ts";

/** What makes a place among the rules. */
export type PlaceSettings = Pick<RuleSettings, "rules" | "followDuplicates">;

/** The place of one linked issue among the rules: for each field, which of them matches it. */
export type Place = KnownPlace | UnknownPlace;

export interface KnownPlace {
  readonly kind: "known";
  /** What counts: the linked issue, or the one that it is a duplicate of. */
  readonly issue: Issue;
  /** The linked issue where it is a duplicate of `issue`; else undefined. */
  readonly duplicate: Issue | undefined;
  /** Whether nobody will work on it. */
  readonly isDropped: boolean;
  readonly matches: ReadonlyMap<RuleField, Match>;
}

/** Nothing is known of the issue that counts: any rule may match it. */
export interface UnknownPlace {
  readonly kind: "unknown";
  readonly matches: ReadonlyMap<RuleField, Match>;
}

/** The place of a linked issue, or of the one that it is a duplicate of. */
export function placeOf(linked: LinkedIssue, settings: PlaceSettings): Place {
  const { rules } = settings;
  const found = findFacts(linked, settings);
  if (typeof found === "string") {
    const doubt = { kind: "unknown", message: found } as const;
    const matchOf = (field: RuleField): Match => ({
      possible: [...rulesNaming(field, rules), rules.length],
      doubt,
    });
    return { kind: "unknown", matches: new Map(ruledFields(rules).map((field) => [field, matchOf(field)])) };
  }
  const { issue } = found;
  const duplicate = issue === linked.known?.issue ? undefined : linked.known?.issue;
  return {
    kind: "known",
    issue,
    duplicate,
    isDropped: isDropped(issue),
    matches: matchFields(found, settings),
  };
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
  const [now, then] = [findFacts(linked, settings), findFacts(before, settings)];
  if (typeof now === "string" || typeof then === "string") return false;
  if (isDropped(now.issue) !== isDropped(then.issue)) return false;
  const naming = new Set(rulesNaming(field, settings.rules));
  return settings.rules
    .filter((_, index) => naming.has(index))
    .every(({ when }) => foldVerdict(isFulfilled(now, when)) === foldVerdict(isFulfilled(then, when)));
}

function foldVerdict(verdict: Truth): boolean | "unknown" | "unnamed" {
  return typeof verdict === "boolean" ? verdict : verdict.kind;
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
export function findFacts(
  { link, known }: LinkedIssue,
  { rules, followDuplicates }: Pick<RuleSettings, "rules" | "followDuplicates">,
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
