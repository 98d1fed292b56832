import type { Issue } from "../../model/issue.ts";
import type { LinkedIssue, Target } from "../../model/link.ts";
import { type FieldValue, type RuleField, ruleFields } from "../../model/post.ts";
import { derivedOnce } from "../ground/fields.ts";
import type { Rule, Settings } from "../ground/settings.ts";
import { findClash, isImplied } from "./conditions.ts";
import { type Place, placeOf } from "./place.ts";

/** What the rules make of the issues of one post. */
export type Derivation =
  | {
      readonly kind: "derived";
      /** The issue that decides, and the index of its rule; undefined when no rule matches. */
      readonly issue: Issue;
      readonly rule: number | undefined;
      /** The linked issue where it is a duplicate of `issue`; else undefined. */
      readonly duplicate: Issue | undefined;
      /** One target for every field that any rule sets. */
      readonly targets: ReadonlyMap<RuleField, Target>;
    }
  /** A fact is missing: nothing may change. */
  | { readonly kind: "undecided"; readonly message: string };

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
export const ruledFields = derivedOnce((rules: readonly Rule[]): readonly RuleField[] =>
  ruleFields.filter((field) => rules.some((rule) => rule.set[field] !== undefined)),
);

/** The target of every field: a pure function of the post's issues and the settings. */
export function deriveTarget(
  links: readonly LinkedIssue[],
  settings: Pick<Settings, "rules" | "several" | "followDuplicates">,
): Derivation {
  const { rules, several } = settings;
  const places = links.filter(({ isGone }) => !isGone).map((linked) => placeOf(linked, settings));
  const candidates = several === "primary" ? counted(places).slice(0, 1) : counted(places);
  // Evaluates with all unknown facts at their best, and at their worst. Where both give the same, the unknown facts don't
  // matter.
  const outermost = several === "all" ? Math.max : Math.min;
  const best = outermost(...candidates.map((candidate) => candidate.best));
  const worst = outermost(...candidates.map((candidate) => candidate.worst));
  for (const { doubt, ...candidate } of candidates) {
    if (doubt === undefined || candidate.worst <= best || candidate.best >= worst) continue;
    return { kind: "undecided", message: doubt };
  }
  // Among equals the earlier link decides.
  const decisive = candidates.find(
    (candidate) => candidate.kind === "known" && candidate.doubt === undefined && candidate.best === best,
  );
  if (decisive?.kind !== "known") {
    return { kind: "undecided", message: "every linked issue is gone from the tracker" };
  }
  const { issue, duplicate } = decisive;
  const rule = best === rules.length ? undefined : best;
  return { kind: "derived", issue, rule, duplicate, targets: targetsOf(rules)(rules[best]?.set ?? noSet) };
}

/** What no rule sets. */
const noSet: Rule["set"] = {};

/** One target for every field that any of the rules sets, for what one of them sets. */
const targetsOf = derivedOnce((rules: readonly Rule[]) =>
  derivedOnce(
    (set: Rule["set"]): ReadonlyMap<RuleField, Target> =>
      new Map(ruledFields(rules).map((field) => [field, targetOf(set[field])])),
  ),
);

/** The values that rules more advanced than the matching one set for a field. */
export function advancedValues(
  rules: readonly Rule[],
  rule: number | undefined,
  field: RuleField,
): readonly FieldValue[] {
  return rules
    .slice(0, rule)
    .map(({ set }) => set[field])
    .filter((value) => value !== undefined);
}

/** Rules that can never be the first match, each with the earlier one that takes everything it would match. */
export function shadowedRules(
  rules: readonly Rule[],
): readonly { readonly index: number; readonly by: number }[] {
  return rules.flatMap((rule, index) => {
    const by = rules.slice(0, index).findIndex((earlier) => isImplied(rule.when, earlier.when));
    return by === -1 ? [] : [{ index, by }];
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

function targetOf(value: FieldValue | undefined): Target {
  return value === undefined ? { kind: "none" } : { kind: "value", value };
}
