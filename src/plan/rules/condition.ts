import type { Issue, Unreadable } from "../../model/issue.ts";
import type { KnownIssue } from "../../model/link.ts";
import { derivedOnce, showValue } from "../ground/fields.ts";
import type { Condition, Rule } from "../ground/settings.ts";

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

/** Conditions by their names in a rule. */
export type IssueConditions<Name extends keyof Condition> = {
  readonly [One in Name]: IssueCondition<NonNullable<Condition[One]>>;
};

/** The only state in which a reason counts: an issue that was reopened is open, every other reason is one to close it. */
export function stateOf(reason: string): "open" | "closed" {
  return reason === "reopened" ? "open" : "closed";
}

/** An issue as the rules of a project look at it. */
export function factsOf(known: KnownIssue, rules: readonly Rule[]): IssueFacts {
  return { ...known, reason: nameReason(known.issue, reasonsIn(rules)) };
}

/**
 * GitHub may add reasons at any time, and leaves the reason out where it knows none. What an issue carries from the other state
 * is from before, and does not count.
 */
function nameReason({ state, stateReason }: Issue, names: ReadonlySet<string>): NamedReason {
  const reason = stateReason !== null && stateOf(stateReason) === state ? stateReason : null;
  if (state === "open" || (reason !== null && names.has(reason))) return { kind: "named", reason };
  if (names.has("other")) return { kind: "named", reason: "other" };
  const how = reason === null ? "without a reason" : `as ${showValue(reason)}`;
  return { kind: "unnamed", message: `closed ${how}, which no rule names (\`reason: other\` would)` };
}

const reasonsIn = derivedOnce(
  (rules: readonly Rule[]): ReadonlySet<string> => new Set(rules.flatMap(({ when }) => when.reason ?? [])),
);
