import type { Issue } from "../../model/issue.ts";
import type { LinkedIssue, Target } from "../../model/link.ts";
import type { FieldValue, RuleField } from "../../model/post.ts";
import { isSameTarget } from "../ground/fields.ts";
import type { Rule, RuleSettings } from "../ground/settings.ts";
import { findClash, isImplied } from "./conditions.ts";
import { type Doubt, isDoubtful, type Match, ruledFields } from "./match.ts";
import { isForDropped, type KnownPlace, nameWithDuplicate, type Place, placeOf } from "./place.ts";

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

/** The target of every field: a pure function of the post's issues and the settings. */
export function deriveTarget(
  links: readonly LinkedIssue[],
  settings: Omit<RuleSettings, "whenNoRule" | "boardRules">,
): Derivation {
  const places = counted(links.filter(({ isGone }) => !isGone).map((linked) => placeOf(linked, settings)));
  const candidates = settings.several === "primary" ? places.slice(0, 1) : places;
  return new Map(
    ruledFields(settings.rules).map((field) => [field, deriveField(field, candidates, settings)]),
  );
}

/** One issue's part in a field. */
interface Candidate extends Match {
  readonly place: Place;
  readonly best: number;
  readonly worst: number;
}

function deriveField(
  field: RuleField,
  places: readonly Place[],
  { rules, several }: Pick<RuleSettings, "rules" | "several">,
): FieldDerivation {
  const candidates = places.flatMap((place) =>
    [...place.matches]
      .filter(([name]) => name === field)
      .map(([, match]): Candidate => {
        return { ...match, place, best: Math.min(...match.possible), worst: Math.max(...match.possible) };
      }),
  );
  const outermost = several === "all" ? Math.max : Math.min;
  // With all that is in doubt at its best, and at its worst. Whatever lies between may come out.
  const best = outermost(...candidates.map((candidate) => candidate.best));
  const worst = outermost(...candidates.map((candidate) => candidate.worst));
  const outcomes = candidates.flatMap(({ possible }) =>
    possible.filter((one) => one >= best && one <= worst),
  );
  const target = targetOf(rules[worst], field);
  const isCertain = outcomes.every((rule) => isSameTarget(field, targetOf(rules[rule], field), target));
  const doubt = isCertain
    ? undefined
    : findDoubt(candidates.filter((one) => one.worst > best && one.best < worst));
  if (doubt !== undefined) return doubt;
  const decisive = findDecisive(candidates.filter((candidate) => candidate.worst === worst));
  if (decisive === undefined)
    return { kind: "unknown", message: "every linked issue is gone from the tracker" };
  const { issue, duplicate } = decisive;
  const rule = worst === rules.length ? undefined : worst;
  return { kind: "derived", field, target, rule, issue, duplicate };
}

/** What can't be read is said first: a reason without a name is no failure. */
function findDoubt(candidates: readonly Candidate[]): Doubt | undefined {
  const doubts = candidates.filter(isDoubtful).map(({ place, doubt }) => nameDoubt(place, doubt));
  return doubts.find(({ kind }) => kind === "unknown") ?? doubts[0];
}

/** A doubt about an issue, with its name. */
export function nameDoubt(place: Place, doubt: Doubt): Doubt {
  if (place.kind === "unknown") return doubt;
  const name = nameWithDuplicate(place.issue, place.duplicate);
  return { ...doubt, message: `${name}${doubt.kind === "unknown" ? ":" : " was"} ${doubt.message}` };
}

/** Among equals the earlier link decides, and one that is certain before one that is not. */
function findDecisive(candidates: readonly Candidate[]): KnownPlace | undefined {
  const certain = candidates.filter((candidate) => !isDoubtful(candidate));
  return [...certain, ...candidates].map(({ place }) => place).find((place) => place.kind === "known");
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

/** Rules that never decide anything: for each field that they name, an earlier rule takes everything that they would match. */
export function shadowedRules(
  rules: readonly Rule[],
): readonly { readonly index: number; readonly by: readonly number[] }[] {
  return rules.flatMap((rule, index) => {
    const earlier = rules.slice(0, index);
    const by = ruledFields([rule]).map((field) =>
      earlier.findIndex(({ when, set }) => set[field] !== undefined && isImplied(rule.when, when)),
    );
    return by.includes(-1) ? [] : [{ index, by: [...new Set(by)].toSorted((one, other) => one - other) }];
  });
}

/** Rules that no issue whatever can match, each with the reason. */
export function impossibleRules(
  rules: readonly Rule[],
): readonly { readonly index: number; readonly why: string }[] {
  return rules.flatMap(({ when }, index) => {
    const why = findClash(when);
    return why === undefined ? [] : [{ index, why }];
  });
}

/** Issues that nobody will work on are left out while there is, or may be, any other. */
function counted(places: readonly Place[]): readonly Place[] {
  const alive = places.filter((place) => place.kind === "unknown" || !place.isDropped);
  return alive.length > 0 ? alive : places;
}

/** What a rule asks of a field; no rule asks nothing. */
export function targetOf(rule: Rule | undefined, field: RuleField): Target {
  const value = rule?.set[field];
  return value === undefined ? { kind: "none" } : { kind: "value", value };
}
