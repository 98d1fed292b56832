import type { Cause, Reason } from "../../model/causes.ts";
import type { Settings } from "../../plan/ground/settings.ts";
import type { Closure } from "./world.ts";

/** What is to become of an action in this run. */
export type Verdict = { readonly kind: "go" } | Delay;

/** Why an action is not done in this run. */
export type Delay =
  /** It follows by itself in a later run. */
  | ({ readonly kind: "wait" } & Reason)
  | Hold
  /** A person has paused its post: it follows when a person resumes that, whatever else lets it go. */
  | ({ readonly kind: "pause" } & Reason)
  /** It is something else by now than a person has ordered. */
  | ({ readonly kind: "refuse" } & Reason);

/** It follows when a person lets it go, or when its cause ends. */
export interface Hold extends Reason {
  readonly kind: "hold";
  /** Whether a person may let it go: not where its cause holds more than this action. */
  readonly isApprovable?: true;
  /** Since when its cause is there, epoch ms: who approved before that was not shown it. Left out where that does not matter. */
  readonly since?: number;
}

/** What became of an action in this run. */
export type Outcome =
  /** `isUndecided`: its row is still to be decided anew, which may be done for many at once. */
  | { readonly kind: "done"; readonly isUndecided?: true }
  /** Nothing asks for it any more. */
  | { readonly kind: "unneeded" }
  /** The other side refused it, can't be reached, or did not say what became of it. */
  | { readonly kind: "failed"; readonly why: string }
  | Delay;

/** The sentence that is recorded of an action that is not done. */
export function sayDelay({ kind, why }: Delay): string {
  return kind === "hold" || kind === "pause" ? why : `Decided, and waiting: ${why}`;
}

/** Why a run, or a lane in it, takes nothing more, by its code. */
export function closedBy({ code, message }: Pick<Closure, "code" | "message">): Reason {
  return { cause: closing.find(([end]) => end.test(code))?.[1] ?? "closed", why: message };
}

const closing: readonly (readonly [RegExp, Cause])[] = [
  [/\.pace$/, "pace"],
  [/\.limited$/, "limit"],
  [/^run\./, "budget"],
  [/^config\./, "writes-off"],
];

/** It waits for another write, look or answer, and a later run goes on. */
export function waitForTurn(why: string): Outcome {
  return { kind: "wait", cause: "turn", why };
}

/** Why a person has to let it go; undefined for what goes, or follows by itself. */
export function whyHeld(verdict: Verdict): string | undefined {
  return verdict.kind === "hold" || verdict.kind === "pause" ? verdict.why : undefined;
}

/** What became of a part of an action, and whether its next part may be tried in this run. */
export interface PartOutcome {
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
  pause: 4,
  refuse: 5,
  failed: 6,
};

/** Why an action is held that the setting `writes` doesn't allow. */
export function writesHold({ writes }: Pick<Settings, "writes">): Reason {
  return { cause: "writes-off", why: `\`writes: ${writes}\` in the config` };
}
