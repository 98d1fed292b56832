/** What is to become of an action in this run. */
export type Verdict = { readonly kind: "go" } | Delay;

/** Why an action is not done in this run. */
export type Delay =
  /** It follows by itself in a later run. */
  | { readonly kind: "wait"; readonly why: string }
  | Hold
  /** It is something else by now than a person has ordered. */
  | { readonly kind: "refuse"; readonly why: string };

/** It follows when a person lets it go, or when its cause ends. */
export interface Hold {
  readonly kind: "hold";
  readonly why: string;
  /** Whether a person may let it go: not where its cause holds more than this action. */
  readonly isApprovable?: true;
  /** Whether the hold ends with its cause. */
  readonly isPassing?: true;
}

/** What became of an action in this run. */
export type Outcome =
  | { readonly kind: "done" }
  /** Nothing asks for it any more. */
  | { readonly kind: "unneeded" }
  /** The other side refused it, can't be reached, or did not say what became of it. */
  | { readonly kind: "failed"; readonly why: string }
  | Delay;

/** The sentence that is recorded of an action that is not done. */
export function sayDelay({ kind, why }: Delay): string {
  return kind === "hold" ? why : `Decided, and waiting: ${why}`;
}

/** What became of a part of an action, and whether its next part may be tried in this run. */
export interface Step {
  readonly outcome: Outcome;
  readonly next: "go on" | "stop";
}

/** What is told of a whole of which two parts came out so: what was not done counts more than what was. */
export function worse(one: Outcome, other: Outcome): Outcome {
  return weights[other.kind] > weights[one.kind] ? other : one;
}

const weights: Readonly<Record<Outcome["kind"], number>> = {
  done: 0,
  unneeded: 1,
  wait: 2,
  hold: 3,
  refuse: 4,
  failed: 5,
};
