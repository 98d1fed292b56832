import type { Reason } from "../../model/causes.ts";
import type { Issue } from "../../model/issue.ts";
import {
  type Field,
  type FieldWrite,
  type OwnChanges,
  type Parked,
  pausedAsWhole,
  pausedByPerson,
  type Row,
  type SentField,
  type WholePause,
} from "../../model/link.ts";
import type { Post, RuleField } from "../../model/post.ts";
import { type Action, isNotifying, type Note, type PatchPost } from "./action.ts";
import { showValue } from "./fields.ts";
import { doubtSignature, refusalSignature } from "./identity.ts";
import { readIssueField } from "./issue-fields.ts";
import type { Settings } from "./settings.ts";

/** Whether `writes` of the project lets an action of this kind go at all. */
export function isAllowed({ kind }: Pick<Action, "kind">, { writes }: Pick<Settings, "writes">): boolean {
  return writes === "all" || (writes === "issues" && kind !== "patch-post" && kind !== "create-post");
}

/**
 * Whether something that is already visible elsewhere stops an action: the setting `writes`, a write of its kind whose
 * outcome is open, or the refusal of this same write.
 */
export function isStopped(action: Action, row: Row, settings: Settings): boolean {
  if (!isAllowed(action, settings) || row.openIntents.includes(action.kind)) return true;
  return parkedOf(row).some((refused) => isRefusal(refused, action, settings, row.post));
}

/** Actions that may go, and those that something stops. */
export function sortOut<A extends Action>(actions: readonly A[], row: Row, settings: Settings) {
  const stopped = actions.filter((action) => isStopped(action, row, settings));
  return { free: actions.filter((action) => !stopped.includes(action)), stopped };
}

/**
 * Whether something parked stops this action: it is what was refused with these settings, voters would be notified of what is in
 * doubt, or the post may have its issue, with whatever text. Such a PATCH is stopped as a whole.
 */
export function isRefusal(parked: Parked, action: Action, settings: Settings, post: Post): boolean {
  const { kind, signature } = parked.action;
  if (kind !== action.kind) return false;
  if (isOpeningInDoubt(parked)) return true;
  if (signature === refusalSignature(action, settings, post)) return true;
  return action.kind === "patch-post" && signature === doubtSignature(action);
}

/** Whether an issue may have been opened that nobody has found. */
export function isOpeningInDoubt({ cause, action }: Parked): boolean {
  return cause === "unsure" && action.kind === "create-issue";
}

/** What an issue shows may be our own doing, or about to be undone by it, and is no reason to write before that is known. */
export function isChanging({ links }: Pick<Row, "links">): boolean {
  return links.some(({ known, ...own }) => {
    const canonical = known?.canonical;
    return (
      mayStillChange(own, known?.issue) ||
      (canonical !== undefined && mayStillChange(canonical, canonical.issue))
    );
  });
}

/** Whether something of a post is under way, so that nobody knows yet what both sides are. */
export function isInDoubt(row: Pick<Row, "links" | "openIntents">): boolean {
  return row.openIntents.length > 0 || isChanging(row);
}

/** What arrives once more changes nothing where the issue still shows it. */
function mayStillChange({ isChanging, mayArrive = [] }: OwnChanges, issue: Issue | undefined): boolean {
  const isUndone = ({ field, value }: SentField): boolean =>
    issue !== undefined && readIssueField(issue, field) !== value;
  return isChanging === true || mayArrive.some(isUndone);
}

export function parkedOf({ notes = [] }: Pick<Row, "notes">): readonly Parked[] {
  return notes.filter((note): note is Parked => note.kind === "parked");
}

/** Whether its status was written too often, and no person has ended that. */
export function isQuarantined({ notes = [] }: Pick<Row, "notes">): boolean {
  return notes.some(({ kind }) => kind === "quarantined");
}

/**
 * Whether the post is out of use, in words: then neither it nor its issue's text is written. One that a rule of ours has
 * archived is not: what the rule did is taken back like any other write, and what else changes meanwhile goes.
 */
export function absence(row: Row): string | undefined {
  const { post, missing, base } = row;
  if (isUnknown(row)) return "the board says that it does not know the post";
  if (missing > 0) return "the board no longer lists the post";
  // The board may not have shown yet what our write left there. A person's change in between has ended that it is ours.
  const { sent, shown = true } = base.isArchived?.written ?? {};
  return post.values.isArchived === true && !(sent === true && shown === true)
    ? "the post is archived"
    : undefined;
}

/** Whether the board has answered a change by saying that there is no such post, and no list has lacked it. */
export function isUnknown({ missing, missingSince }: Pick<Row, "missing" | "missingSince">): boolean {
  return missing === 1 && missingSince === undefined;
}

/**
 * Why nothing is written for a post, to either side, whatever else lets it go; undefined where nobody has paused it, or
 * its project. It is no obstacle of a plan, which goes on: what it asks for is shown, and told or discarded when the pause ends.
 */
export function pauseOf({ pausedAt, wholePause }: Pick<Row, "pausedAt" | "wholePause">): Reason | undefined {
  if (wholePause !== undefined) return reasonOf(wholePause);
  return pausedAt === undefined ? undefined : { cause: "paused", why: pausedByPerson };
}

/** The same of a whole. */
export function reasonOf({ of }: Pick<WholePause, "of">): Reason {
  return { cause: of === "all" ? "all-paused" : "project-paused", why: pausedAsWhole[of] };
}

/** What is said where a PATCH is due and the post must not get it; undefined when it may. */
export function patchObstacle(
  action: PatchPost,
  row: Row,
  { guard: { flips } }: Settings,
): readonly Note[] | undefined {
  const why = absence(row);
  if (why !== undefined) {
    return action.writes.map(({ field, value }) => {
      const message = `${field} would become ${showValue(value)}, but ${why}`;
      return { kind: "disagreement", field, message };
    });
  }
  if (isQuarantined(row)) {
    return [
      { kind: "quarantined", message: "its status flapped too often; `boardsync release` goes on with it" },
    ];
  }
  const isStatus = isNotifying(action);
  const count = row.statusWrites.length;
  if (!isStatus || count < flips) return undefined;
  const message = `its status was written ${count} times in 24 hours and would change again; \`guard.flips\` allows ${flips}`;
  return [{ kind: "quarantined", message }];
}

/** A field that is to be written, and why a person has to let it go; undefined where it may go by itself. */
export interface HeldWrite<Name extends Field = RuleField> {
  readonly write: FieldWrite<Name>;
  readonly hold: Reason | undefined;
}

/** What goes by itself does not wait for what a person has to let go: `held` says that. Where nothing does, all is chosen. */
export function chooseFree<Held extends HeldWrite<Field>>(
  wanted: readonly Held[],
): { readonly chosen: readonly Held[]; readonly held: readonly Note[] } {
  const free = wanted.filter(({ hold }) => hold === undefined);
  if (free.length === 0) return { chosen: wanted, held: [] };
  const held = wanted.flatMap(({ write: { field }, hold }): readonly Note[] =>
    hold === undefined ? [] : [{ kind: "held", cause: hold.cause, field, message: hold.why }],
  );
  return { chosen: free, held };
}

/** Why an action waits for a person; undefined when it doesn't. Of several causes the first one names it. */
export function joinHolds(holds: readonly Reason[]): Reason | undefined {
  const [first] = holds;
  if (first === undefined) return undefined;
  const all = holds.map(({ why }) => why).join("; ");
  const why = `${all}: \`boardsync approve\` lets it go, \`--discard\` leaves both sides as they are`;
  return { cause: first.cause, why };
}
