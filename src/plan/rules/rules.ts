import type { Issue, Pin, Signals, Unreadable } from "../../model/issue.ts";
import type { KnownIssue, LinkedIssue, Target } from "../../model/link.ts";
import { type FieldValue, type RuleField, ruleFields } from "../../model/post.ts";
import { targetOf } from "../fields/base.ts";
import { isSameTarget } from "../ground/fields.ts";
import type { Rule, RuleSettings } from "../ground/settings.ts";
import { factsOf, judgeRules, type Truth, type Unnamed } from "./conditions.ts";
import { isForDropped, type Place, placeOf } from "./place.ts";

/** What the rules make of the issues of one post: of every field that any rule sets. */
export type Derivation = ReadonlyMap<RuleField, FieldDerivation>;

/**
 * The same of one field. Of a doubt that is `unknown` nothing may change of the field before it is known; with one that is `unnamed` it
 * stays as it is.
 */
export type FieldDerivation = DerivedField | Doubt;

export interface DerivedField {
  readonly kind: "derived";
  readonly field: RuleField;
  readonly target: Target;
  /** The index of the first rule that matches and names the field; undefined where none does. */
  readonly rule: number | undefined;
  /** The issue that decides. */
  readonly issue: Issue;
  /** The linked issue where it is a duplicate of `issue`; else undefined. */
  readonly duplicate: Issue | undefined;
}

/**
 * In words. `unknown`: a fact can't be read. `unnamed`: the issue was closed for a reason that no rule names, so the rules for
 * other reasons are neither a yes nor a no.
 */
export type Doubt = Unreadable | Unnamed;

/**
 * The rules of a project that has none of its own. They set only the roadmap's column, whose values every board shares. An
 * open issue with an assignee gets the same column whether or not its pull requests can be read.
 */
export function defaultRules(): readonly Rule[] {
  return [
    { when: { state: "closed", reason: ["completed"] }, set: { roadmapColumn: "COMPLETED" } },
    { when: { state: "open", assigned: true }, set: { roadmapColumn: "IN_PROGRESS" } },
    { when: { state: "open", pullRequest: "open" }, set: { roadmapColumn: "IN_PROGRESS" } },
  ];
}

/** The fields that any of the rules sets; only these are ever looked at or written. */
export function ruledFields(rules: readonly Rule[]): readonly RuleField[] {
  return ruleFields.filter((field) => rules.some(({ set }) => set[field] !== undefined));
}

/** The target of every field: a pure function of the post's issues and the settings. */
export function deriveTarget(
  links: readonly LinkedIssue[],
  settings: Omit<RuleSettings, "whenNoRule" | "boardRules">,
): Derivation {
  const places = counted(links.filter(({ isGone }) => !isGone).map((linked) => placeOf(linked, settings)));
  const deciding = settings.several === "primary" ? places.slice(0, 1) : places;
  return new Map(ruledFields(settings.rules).map((field) => [field, deriveField(field, deciding, settings)]));
}

/** Issues that nobody will work on are left out while there is, or may be, any other. */
function counted(places: readonly Place[]): readonly Place[] {
  const alive = places.filter(({ isDropped }) => !isDropped);
  return alive.length > 0 ? alive : places;
}

function deriveField(
  field: RuleField,
  places: readonly Place[],
  { rules, several }: Pick<RuleSettings, "rules" | "several">,
): FieldDerivation {
  const candidates = places.map((place) => {
    const match = matchField(field, place.verdicts, rules);
    return { ...match, place, best: Math.min(...match.possible), worst: Math.max(...match.possible) };
  });
  const outermost = several === "all" ? Math.max : Math.min;
  // With all that is in doubt at its best, and at its worst. Whatever lies between may come out.
  const best = outermost(...candidates.map((candidate) => candidate.best));
  const worst = outermost(...candidates.map((candidate) => candidate.worst));
  const outcomes = candidates.flatMap(({ possible }) => possible.filter((one) => one >= best && one < worst));
  const target = targetOf(rules[worst]?.set[field]);
  const isCertain = outcomes.every((rule) => isSameTarget(field, targetOf(rules[rule]?.set[field]), target));
  const doubtful = isCertain ? [] : candidates.filter((one) => one.worst > best && one.best < worst);
  const doubts = doubtful.map(({ doubt }) => doubt);
  // What can't be read is said first: a reason without a name is no failure.
  const doubt = doubts.find((one) => one?.kind === "unknown") ?? doubts[0];
  if (doubt !== undefined) return doubt;
  // Among equals the earlier link decides, and one that is certain before one that is not.
  const equals = candidates.filter(({ worst: own, place }) => own === worst && place.facts !== undefined);
  const decisive = (equals.find((one) => one.doubt === undefined) ?? equals[0])?.place;
  if (decisive?.facts === undefined)
    return { kind: "unknown", message: "every linked issue is gone from the tracker" };
  const rule = worst === rules.length ? undefined : worst;
  const { duplicate, facts } = decisive;
  return { kind: "derived", field, target, rule, issue: facts.issue, duplicate };
}

/** From which rule one issue gives one field its value. */
export interface Match {
  /**
   * The indexes of all rules that it may be, the most advanced first; the number of rules stands for none. One alone where
   * there is no doubt.
   */
  readonly possible: readonly number[];
  /** What keeps it from being said which of them; undefined where there is no doubt. */
  readonly doubt: Doubt | undefined;
}

/**
 * The cascade: each field takes its value from the first rule, from the top, that matches the issue and names this field. What
 * a rule does not name it leaves to the rules below.
 *
 * A rule for closed issues that looks at no reason matches whatever the reason is. Any other one below the rules for reasons
 * does not say what the closing meant: by a milestone alone a finished issue would look like a planned one.
 *
 * @param verdicts whether the issue matches each of the rules.
 */
export function matchField(field: RuleField, verdicts: readonly Truth[], rules: readonly Rule[]): Match {
  const naming = [...rules.keys()].filter((index) => rules[index]?.set[field] !== undefined);
  const possible = new Set<number>();
  const unnamed: number[] = [];
  const doubts: { unknown?: Doubt; unnamed?: Doubt } = {};
  let [isTold, ways] = [false, 0];
  for (const index of [...naming, rules.length]) {
    const verdict = verdicts[index] ?? true;
    if (verdict === false) continue;
    if (verdict !== true) doubts[verdict.kind] ??= verdict;
    if (verdict !== true && verdict.kind === "unnamed") {
      unnamed.push(index);
      continue;
    }
    // It is the first match if all that is unknown above it is a no.
    const isForClosed = rules[index]?.when.state === "closed";
    ways += 1;
    isTold ||= isForClosed || unnamed.length === 0;
    for (const one of isForClosed ? [index] : [...unnamed, index]) possible.add(one);
    if (verdict === true) break;
  }
  const isUnknown = ways > 1 && isTold;
  const doubt = isUnknown ? doubts.unknown : doubts.unnamed;
  return {
    possible: [...possible].toSorted((one, other) => one - other),
    doubt: possible.size > 1 ? doubt : undefined,
  };
}

/** For each field that any rule sets, the rule that one issue takes it from. */
export function matchFields(known: KnownIssue, rules: readonly Rule[]): ReadonlyMap<RuleField, Match> {
  const verdicts = judgeRules(factsOf(known, rules), rules);
  return new Map(ruledFields(rules).map((field) => [field, matchField(field, verdicts, rules)]));
}

/**
 * Whether a decision about an issue may hang on anything beside its own record, so that it must be read again in each run:
 * going by the record alone, some rule that names a signal might be the first to match for a field. Most issues that were closed
 * long ago are decided by a rule above. What is final counts as known: a release that contains an issue contains it for good.
 */
export function isSignalNeeded(
  issue: Issue,
  { isReleased }: Signals,
  { rules }: Pick<RuleSettings, "rules">,
  pins: readonly Pin[] = [],
): boolean {
  const isFinal = isReleased?.kind === "known" && isReleased.value;
  const matches = matchFields({ issue, pins, ...(isFinal && { signals: { isReleased } }) }, rules);
  return [...matches.values()].some(({ doubt }) => doubt?.kind === "unknown");
}

/**
 * The values that rules more advanced than the deciding one set for a field: the first plan of a post does not take it back from
 * there. Only these two fields have an order, and what becomes of issues that nobody will work on is no further step.
 */
export function advancedValues(
  rules: readonly Rule[],
  rule: number | undefined,
  field: RuleField,
): readonly FieldValue[] {
  if (field !== "status" && field !== "roadmapColumn") return [];
  return rules
    .slice(0, rule)
    .filter(({ when }) => !isForDropped(when))
    .map(({ set }) => set[field])
    .filter((value) => value !== undefined);
}
