import type { ActionName, ShownAction } from "../../ledger/rows.ts";
import type { Cause, Reason } from "../../model/causes.ts";
import type { Issue } from "../../model/issue.ts";
import type { PlannedChange } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import type { ActionKind } from "../../plan/ground/action.ts";
import type { Lane } from "./lane.ts";
import type { PlannedAction } from "./reports.ts";
import type { Hold, Verdict } from "./verdict.ts";

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

/** An action of a post, by what it would write. */
export interface AskedChange {
  readonly post: PostId;
  readonly kind: ActionKind;
  /** undefined for a hold of an older version, which names its kind alone. */
  readonly planned?: PlannedChange | undefined;
}

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
