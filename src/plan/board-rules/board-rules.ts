import type { IssueField } from "../../model/issue.ts";
import type { Row, Target } from "../../model/link.ts";
import type { FieldValue, Post, PostField, RuleField } from "../../model/post.ts";
import { noTarget, targetOf } from "../fields/base.ts";
import { isSameValue, openWordsOf, readField, showValue } from "../ground/fields.ts";
import { fieldsOf } from "../ground/issue-fields.ts";
import type { BoardRule, IssueChange, PostCondition, Settings } from "../ground/settings.ts";
import type { ConditionView, TruthName } from "../rules/explain.ts";

/** What the board rules make of a post. */
export interface BoardDerivation {
  /** The index of the rule; undefined when none matches. */
  readonly rule: number | undefined;
  /** Every field that a rule sets has one; of a post that is missing, only those of the rule that matches. */
  readonly targets: ReadonlyMap<IssueField, Target>;
}

type FieldConditionName = Exclude<keyof PostCondition, "missing">;

/** Every condition there is, besides `missing`, and the field that it looks at: a new one is one more of these. */
const conditions: Readonly<Record<FieldConditionName, RuleField>> = {
  status: "status",
  category: "categoryId",
  archived: "isArchived",
  onRoadmap: "onRoadmap",
  reviewed: "isReviewed",
};

const names = Object.keys(conditions) as FieldConditionName[];

/** One condition that a rule names. */
interface FieldCondition {
  readonly name: FieldConditionName;
  readonly field: RuleField;
  readonly wanted: string | boolean;
}

/** What a rule asks of the fields of a post. */
export function conditionsOf(when: PostCondition): readonly FieldCondition[] {
  return names.flatMap((name) => {
    const wanted = when[name];
    return wanted === undefined ? [] : [{ name, field: conditions[name], wanted }];
  });
}

/** The fields that any of the board rules sets; only these are ever looked at or written. */
export function changedFields(boardRules: readonly BoardRule[]): readonly IssueField[] {
  return [...new Set(boardRules.flatMap(({ set }) => [...fieldsOf(set).keys()]))];
}

/**
 * The target of every issue field: a pure function of the post and the settings. A post that is not listed changes nothing, unless
 * a rule asks for `missing`, two pulls have missed the post, and it can't have been moved to another project. Then only the fields
 * that this rule names move; what other rules have made of the others stays.
 *
 * @returns undefined where the board does not show what decides, or the post is missing and no rule asks for that: nothing may change.
 */
export function deriveBoard(
  row: Presence,
  settings: Pick<Settings, "boardRules" | "openCategories">,
  seen: ReadonlySet<PostField>,
): BoardDerivation | undefined {
  const { boardRules } = settings;
  const isMissing = row.missing > 0;
  if (isMissing && !isGone(row)) return undefined;
  const open = openWordsOf(row.post, settings);
  for (const [rule, { when, set }] of boardRules.entries()) {
    if ((when.missing === true) !== isMissing) continue;
    const verdict = together(holdAgainst(row.post, when, { seen, open }));
    if (verdict === "unknown") return undefined;
    if (verdict === "fails") continue;
    const fields = fieldsOf(set);
    const moved = isMissing ? [...fields.keys()] : changedFields(boardRules);
    return { rule, targets: new Map(moved.map((field) => [field, targetOf(fields.get(field))])) };
  }
  if (isMissing) return undefined;
  return { rule: undefined, targets: new Map(changedFields(boardRules).map((field) => [field, noTarget])) };
}

type Presence = Pick<Row, "post" | "missing" | "mayHaveMoved">;

function isGone({ missing, mayHaveMoved }: Presence): boolean {
  return missing === 2 && mayHaveMoved !== true;
}

function showPresence({ missing, mayHaveMoved }: Presence): string {
  if (missing === 0) return "listed";
  if (missing === 1) return "missing from one list, which is not certain yet";
  return mayHaveMoved === true
    ? "not listed any more, and another project may list it: its next list tells"
    : "not listed any more";
}

/** A board rule, held against a post. */
export interface BoardRuleView {
  /** Counted from 1, as reasons name it. */
  readonly rule: number;
  readonly verdict: TruthName;
  readonly conditions: readonly ConditionView[];
  readonly set: IssueChange;
}

/** Holds a post against every board rule, for a person who asks why. It decides nothing: `deriveBoard` does. */
export function viewBoardRules(
  row: Presence,
  settings: Pick<Settings, "boardRules" | "openCategories">,
  seen: ReadonlySet<PostField>,
): readonly BoardRuleView[] {
  const open = openWordsOf(row.post, settings);
  return settings.boardRules.map(({ when, set }, index) => {
    const isMeant = when.missing === true ? isGone(row) : row.missing === 0;
    const presence: ConditionView = {
      name: "missing",
      wants: String(when.missing === true),
      shows: showPresence(row),
      verdict: isMeant ? "holds" : "fails",
    };
    const others = holdAgainst(row.post, when, { seen, open }).map(
      ({ name, wanted, value, verdict }): ConditionView => ({
        name,
        wants: String(wanted),
        shows: showValue(value),
        verdict,
      }),
    );
    const conditions = [presence, ...others];
    return { rule: index + 1, verdict: together(conditions), conditions, set };
  });
}

/** Where a board rule matches, what of the post it looks at: `status is declined`. */
export function describeMatch({ post, missing }: Row, { when }: BoardRule): string {
  // A rule matches only where the board shows what it looks at.
  const parts = conditionsOf(when).map(
    ({ field }) => `${field} is ${showValue(readField(post, field, new Set([field])))}`,
  );
  const gone = missing > 0 ? ["it is gone from the board"] : [];
  return [...gone, ...parts].join(", ") || "it is on the board";
}

/** Board rules that can never be the first match, each with the earlier one that takes every post it would match. */
export function shadowedBoardRules(
  boardRules: readonly BoardRule[],
): readonly { readonly index: number; readonly by: number }[] {
  return boardRules.flatMap((rule, index) => {
    const by = boardRules.slice(0, index).findIndex((earlier) => isImplied(rule.when, earlier.when));
    return by === -1 ? [] : [{ index, by }];
  });
}

/** The fields of a post that the board rules look at, by the name of the condition. */
export function lookedAt(
  boardRules: readonly BoardRule[],
): readonly { readonly name: string; readonly field: PostField }[] {
  return names
    .filter((name) => boardRules.some(({ when }) => when[name] !== undefined))
    .map((name) => ({ name, field: conditions[name] }));
}

/** A condition of a rule, beside what the post shows. */
interface Held extends FieldCondition {
  readonly value: FieldValue | undefined;
  readonly verdict: TruthName;
}

/** Holds a post against every condition that a rule names, but `missing`. What is not shown, or may mean either, is never a no. */
function holdAgainst(
  post: Post,
  when: PostCondition,
  { seen, open }: { readonly seen: ReadonlySet<PostField>; readonly open: readonly string[] },
): readonly Held[] {
  return conditionsOf(when).map((condition) => {
    const { field, wanted } = condition;
    const value = readField(post, field, seen);
    const isOpen = value === undefined || (field === "categoryId" && open.includes(String(wanted)));
    // Ids are compared as texts.
    const shown = typeof value === "number" ? String(value) : value;
    const verdict = isOpen ? "unknown" : isSameValue(field, shown, wanted) ? "holds" : "fails";
    return { ...condition, value, verdict };
  });
}

/** One that fails is enough, whatever else is unknown. */
function together(held: readonly Pick<Held, "verdict">[]): TruthName {
  const verdicts = held.map(({ verdict }) => verdict);
  if (verdicts.includes("fails")) return "fails";
  return verdicts.includes("unknown") ? "unknown" : "holds";
}

/** A rule for missing posts and one for all others never look at the same post. */
function isImplied(when: PostCondition, earlier: PostCondition): boolean {
  if ((when.missing === true) !== (earlier.missing === true)) return false;
  return conditionsOf(earlier).every(({ name, field, wanted }) => isSameValue(field, when[name], wanted));
}
