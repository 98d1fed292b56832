import type { Issue, Pin, Signals, Unreadable } from "../../model/issue.ts";
import { type RuleField, ruleFields } from "../../model/post.ts";
import { derivedOnce } from "../ground/fields.ts";
import type { Rule, RuleSettings } from "../ground/settings.ts";
import { factsOf, type IssueFacts, type Truth, type Unnamed } from "./condition.ts";
import { isFulfilled } from "./conditions.ts";

/**
 * The cascade: each field takes its value from the first rule, from the top, that matches the issue and names this field. What
 * a rule does not name it leaves to the rules below.
 */

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
 * In words. `unknown`: a fact can't be read. `unnamed`: the issue was closed for a reason that no rule names, so the rules for
 * other reasons are neither a yes nor a no.
 */
export type Doubt = Unreadable | Unnamed;

/** Whether it can't be said which rule it is. */
export function isDoubtful<One extends Match>(match: One): match is One & { readonly doubt: Doubt } {
  return match.doubt !== undefined;
}

/** The fields that any of the rules sets; only these are ever looked at or written. */
export const ruledFields = derivedOnce((rules: readonly Rule[]): readonly RuleField[] =>
  ruleFields.filter((field) => rules.some(({ set }) => set[field] !== undefined)),
);

/** The rules that name a field, by their indexes. */
export function rulesNaming(field: RuleField, rules: readonly Rule[]): readonly number[] {
  return [...rules.keys()].filter((index) => rules[index]?.set[field] !== undefined);
}

/** For each field that any rule sets, the rule that one issue takes it from. */
export function matchFields(
  facts: IssueFacts,
  { rules }: Pick<RuleSettings, "rules">,
): ReadonlyMap<RuleField, Match> {
  const known = new Map<number, Truth>();
  const judge = (index: number): Truth => {
    const when = rules[index]?.when;
    if (when === undefined) return true;
    const verdict = known.get(index) ?? isFulfilled(facts, when);
    known.set(index, verdict);
    return verdict;
  };
  return new Map(
    ruledFields(rules).map((field) => [field, matchField(rulesNaming(field, rules), rules, judge)]),
  );
}

/**
 * A rule for closed issues that looks at no reason matches whatever the reason is. Any other one below the rules for reasons
 * does not say what the closing meant: by a milestone alone a finished issue would look like a planned one.
 */
function matchField(
  naming: readonly number[],
  rules: readonly Rule[],
  judge: (index: number) => Truth,
): Match {
  const possible = new Set<number>();
  const unnamed: number[] = [];
  const doubts: { unknown?: Doubt; unnamed?: Doubt } = {};
  let [isTold, ways] = [false, 0];
  for (const index of [...naming, rules.length]) {
    const verdict = judge(index);
    if (verdict === false) continue;
    if (verdict !== true) doubts[verdict.kind] ??= { ...verdict, message: sayDoubt(verdict, index) };
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

function sayDoubt({ kind, message }: Exclude<Truth, boolean>, index: number): string {
  return kind === "unknown" ? `rule ${index + 1} asks for ${message}` : message;
}

/**
 * Whether a decision about an issue may hang on anything beside its own record, so that it must be read again in each run:
 * going by the record alone, some rule that names a signal might be the first to match for a field. Most issues that were closed
 * long ago are decided by a rule above. What is final counts as known: a release that contains an issue contains it for good.
 */
export function isSignalNeeded(
  issue: Issue,
  known: Signals,
  settings: Pick<RuleSettings, "rules">,
  pins: readonly Pin[] = [],
): boolean {
  const { isReleased } = known;
  const isFinal = isReleased?.kind === "known" && isReleased.value;
  const facts = factsOf({ issue, pins, ...(isFinal && { signals: { isReleased } }) }, settings.rules);
  return [...matchFields(facts, settings).values()].some(({ doubt }) => doubt?.kind === "unknown");
}
