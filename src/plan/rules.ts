import type { Issue } from "../model/issue.ts";
import type { LinkedIssue, Target } from "../model/link.ts";
import { type FieldValue, type RuleField, ruleFields } from "../model/post.ts";
import { isFulfilled, isImplied } from "./conditions.ts";
import type { Rule, Settings } from "./settings.ts";

/** What the rules make of the issues of one post. */
export type Derivation =
  | {
      readonly kind: "derived";
      /** The issue that decides, and the index of its rule; undefined when no rule matches. */
      readonly issue: Issue;
      readonly rule: number | undefined;
      /** One target for every field that any rule sets. */
      readonly targets: ReadonlyMap<RuleField, Target>;
    }
  /** A fact is missing: nothing may change. */
  | { readonly kind: "undecided"; readonly message: string };

/** Where an issue stands among the rules, from the most advanced (0) to no rule at all. */
interface Position {
  readonly issue: Issue;
  readonly rule: number | undefined;
}

/** The rules of a project that has none of its own: only the roadmap's column, whose values every board shares. */
export function defaultRules(): readonly Rule[] {
  return [
    { when: { state: "closed", reason: ["completed"] }, set: { roadmapColumn: "COMPLETED" } },
    { when: { state: "open", assigned: true }, set: { roadmapColumn: "IN_PROGRESS" } },
  ];
}

/** The fields that any of the rules sets; only these are ever looked at or written. */
export function ruledFields(rules: readonly Rule[]): readonly RuleField[] {
  return ruleFields.filter((field) => rules.some((rule) => rule.set[field] !== undefined));
}

/** The index of the first rule that matches an issue. */
export function matchRule(issue: Issue, rules: readonly Rule[]): number | undefined {
  const index = rules.findIndex((rule) => isFulfilled(issue, rule.when));
  return index === -1 ? undefined : index;
}

/** The target of every field: a pure function of the post's issues and the settings. */
export function deriveTarget(
  links: readonly LinkedIssue[],
  settings: Pick<Settings, "rules" | "several">,
): Derivation {
  const issues: Issue[] = [];
  for (const { link, issue, isGone } of links) {
    if (isGone) continue;
    if (issue === undefined) {
      return { kind: "undecided", message: `issue #${link.issue.number} can't be read` };
    }
    issues.push(issue);
    // The first link that counts decides alone: what comes after it need not be known.
    if (settings.several === "primary" && !isDropped(issue)) break;
  }
  const position = choose(counted(issues), settings);
  if (position === undefined) {
    return { kind: "undecided", message: "every linked issue is gone from the tracker" };
  }
  const set = position.rule === undefined ? undefined : settings.rules[position.rule]?.set;
  const targets = ruledFields(settings.rules).map((field): [RuleField, Target] => [
    field,
    targetOf(set?.[field]),
  ]);
  return { kind: "derived", ...position, targets: new Map(targets) };
}

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

/** Issues that nobody will work on are left out while there is any other. */
function counted(issues: readonly Issue[]): readonly Issue[] {
  const alive = issues.filter((issue) => !isDropped(issue));
  return alive.length > 0 ? alive : issues;
}

function isDropped({ state, stateReason }: Issue): boolean {
  return state === "closed" && (stateReason === "not_planned" || stateReason === "duplicate");
}

function choose(
  issues: readonly Issue[],
  { rules, several }: Pick<Settings, "rules" | "several">,
): Position | undefined {
  const positions = issues.map((issue): Position => ({ issue, rule: matchRule(issue, rules) }));
  // The sort is stable: among equals the earlier link decides.
  switch (several) {
    case "all":
      return positions.sort((one, other) => rank(other) - rank(one))[0];
    case "any":
      return positions.sort((one, other) => rank(one) - rank(other))[0];
    case "primary":
      return positions[0];
  }
}

/** An issue that no rule matches is the least advanced of all. */
function rank({ rule }: Position): number {
  return rule ?? Number.MAX_SAFE_INTEGER;
}

function targetOf(value: FieldValue | undefined): Target {
  return value === undefined ? { kind: "none" } : { kind: "value", value };
}
