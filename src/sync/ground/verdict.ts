import type { ActionName, ShownAction } from "../../ledger/rows.ts";
import type { Cause, Reason } from "../../model/causes.ts";
import type { Issue } from "../../model/issue.ts";
import type { PlannedChange } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import type { ActionKind } from "../../plan/ground/action.ts";
import type { Settings } from "../../plan/ground/settings.ts";
import type { Lane } from "./lane.ts";
import type { PlannedAction } from "./reports.ts";
import type { Closure } from "./world.ts";

/* What is wanted of an action, what is to become of it in this run, and what became of it. */

/** An action by what is told of it. */
export interface ToldAction {
  readonly post: PostId;
  readonly kind: ActionKind;
  /** What it would write. */
  readonly planned: PlannedChange;
  /** What an approval names it by. */
  readonly approval: string;
}

/** An action that the plan wants, by name only: when its turn comes it is planned again from the row as it is then. */
export interface Wanted extends ToldAction {
  /** How many it opens or writes. */
  readonly issues: number;
  readonly isNotifying: boolean;
  /** Of what voters are notified of: when each of its issues was closed, and by whom. */
  readonly closings: readonly NonNullable<Issue["closed"]>[];
  /** Where it writes to, one for each issue. */
  readonly lanes: readonly Lane[];
  /** What is sent of it, as an approval would name that: a preview looks past `writes`. */
  readonly signature: string;
  /** What a saved plan names it by; '' in a run that no plan is saved of or carried out in. */
  readonly planSignature: string;
  /** Why a person has to let it go, whatever the guard says; undefined where nobody has to. */
  readonly hold: Hold | undefined;
  /** What an earlier run has held it for; undefined where none has, or that is over when its cause is. */
  readonly heldBefore: Hold | undefined;
  /** Whether an earlier run had no room for an action of its kind. */
  readonly hasWaited: boolean;
  /** Whether an action of its kind was held before, for whatever reason. */
  readonly wasHeld: boolean;
  /** Why nothing is written for its post at all; undefined where nobody has paused that. */
  readonly pause: Reason | undefined;
  /** Of a new issue: where its post is read. */
  readonly page: PostPage | undefined;
  /** Where a plan is shown: what is shown of it. */
  readonly lines: readonly PlannedAction[];
}

/** The page of a post. */
export interface PostPage {
  /** Its address, in the one spelling by which it is compared. */
  readonly key: string;
  /** As the board shows it; undefined where the config makes it of the post's id. */
  readonly shown: string | undefined;
}

/** Why a new issue is held, for one kind of reason; undefined where it is not. */
export type HoldOf = (create: Wanted) => Hold | undefined | Promise<Hold | undefined>;

/** The same when the guard has looked over all of them. */
export interface Judged extends Omit<Wanted, "page"> {
  readonly verdict: Verdict;
  /** Why the PATCH that follows a create is held, although the create may go. */
  readonly followUp: Hold | undefined;
}

/** Whether it may go in this run. */
export function isFree({ verdict }: Judged): boolean {
  return verdict.kind === "go";
}

/** Whether it opens an issue, and nothing holds it yet. */
export function isFreeCreate({ kind, hold }: Pick<Wanted, "kind" | "hold">): boolean {
  return kind === "create-issue" && hold === undefined;
}

/** The posts for which an action of a kind may go in this run. */
export function postsWith(judged: readonly Judged[], kind: ActionKind): ReadonlySet<PostId> {
  return new Set(judged.flatMap((one) => (one.kind === kind && isFree(one) ? [one.post] : [])));
}

/**
 * Whether a person who let one action go was shown all that another one would do: it is the same one, perhaps without the PATCH
 * that was to follow; or it is that PATCH, and its issue has been opened since.
 */
export function isApprovedBy(approved: ActionName, asked: ActionName): boolean {
  if (approved.post !== asked.post) return false;
  const [own, followUp] = approved.signature.split(" ");
  const [wanted, follows] = asked.signature.split(" ");
  if (approved.kind === asked.kind) return own === wanted && (follows === undefined || follows === followUp);
  return approved.kind === "create-issue" && asked.kind === "patch-post" && followUp === wanted;
}

/** Whether a person who was shown an action saw it held for this cause; a version that kept none is taken to have shown each. */
export function isShownAs({ cause }: Pick<ShownAction, "cause">, held: Cause): boolean {
  return cause === undefined || cause === held;
}

/** An action of a post, by what it would write: undefined for a hold of an older version, which names its kind alone. */
type AskedChange = Pick<ToldAction, "post" | "kind"> & { readonly planned?: PlannedChange | undefined };

/**
 * Whether what was held is asked for still. A new issue, or a new post, is the same whatever its text is by now. A PATCH or a change of an issue
 * is the same where it would set the same status, or, without one, some field to the same value: what is there before, and what
 * else goes along, may have changed meanwhile.
 */
export function isSameAsked(held: AskedChange, asked: AskedChange): boolean {
  if (held.post !== asked.post || held.kind !== asked.kind) return false;
  if (held.kind === "create-issue" || held.kind === "create-post") return true;
  if (held.planned === undefined || asked.planned === undefined) return true;
  const { changes } = asked.planned;
  const notified = held.planned.changes.filter(({ field }) => field === "status");
  const named = notified.length > 0 ? notified : held.planned.changes;
  return named.some(({ field, to }) => changes.some((one) => one.field === field && one.to === to));
}

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
