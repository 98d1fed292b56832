import type { Issue, Pin, Readable, Signals } from "../../model/issue.ts";
import type { Condition } from "../ground/settings.ts";

/** An issue as rules look at it: its own record, and what was read beside that. */
export interface IssueFacts {
  readonly issue: Issue;
  /** undefined where nothing was read. */
  readonly signals: Signals | undefined;
  /** What names of the rules mean in its repository; absent where none of them was ever seen there. */
  readonly pins?: readonly Pin[] | undefined;
}

/** What could not be read, in words that go on a sentence: which fact, and why. */
export type Unreadable = Extract<Readable<never>, { readonly kind: "unknown" }>;

/** Whether a condition holds; of what can't be read it is neither a yes nor a no. */
export type Truth = boolean | Unreadable;

/** One condition of a rule. */
export interface IssueCondition {
  /** Whether the issue fulfils it; a condition that is not given is fulfilled. */
  holds(facts: IssueFacts, when: Condition): Truth;
  /**
   * Whether every issue that fulfils `when` fulfils this part of `earlier`, too. A yes is certain; a no may only mean
   * that it can't be seen from the two texts.
   */
  follows(when: Condition, earlier: Condition): boolean;
}

/** The only state in which a reason counts: an issue that was reopened is open, every other reason is one to close it. */
export function stateOf(reason: string): "open" | "closed" {
  return reason === "reopened" ? "open" : "closed";
}
