import type { Cause } from "./causes.ts";
import type { Issue, IssueField, IssueRef, Pin, Signals } from "./issue.ts";
import type { FieldValue, Post, PostChange, PostId, RuleField } from "./post.ts";

/**
 * How a pair came to be. `opened`: boardsync opened the issue for this post, its first plan may write at once.
 * `adopted`: found by its marker or named by a person; both sides are taken as they are. `imported`: boardsync made the post of a
 * person's issue; its first plan may write at once, too.
 */
export type LinkOrigin = "opened" | "adopted" | "imported";

/** Post ↔ issue. Many to many; changes only by a verified transfer or by a person. */
export interface Link {
  readonly post: PostId;
  readonly issue: IssueRef;
  readonly origin: LinkOrigin;
}

/** A field that is written on one side because of what the other side shows. */
export type Field = RuleField | IssueField;

/** What the rules make of a row's issues, for one field: a value, or no matching rule that names the field. */
export type Target = { readonly kind: "value"; readonly value: FieldValue } | { readonly kind: "none" };

/**
 * What both sides agreed on last, for one field of one post. A field without a base has never been planned.
 *
 * Of a field of an issue (`LinkedIssue.base`) the sides are exchanged: the target is what board rules make of the post, and
 * `post` is what the issue showed.
 */
export interface FieldBase {
  /** T₀: the target that was last applied, agreed or recorded. */
  readonly target: Target;
  /** P₀: the post's value then, or what was sent last until a listing shows it; undefined while nothing is known of it. */
  readonly post: FieldValue | undefined;
  /** The last value that boardsync did not write, for `whenNoRule: restore`; undefined when none was ever seen. */
  readonly foreign: FieldValue | undefined;
  /**
   * Set from our last write of this field until it is handed back or a person moves the post: the value sent, and the
   * one that the board showed for it afterwards (undefined until a pull or the answer has shown it).
   */
  readonly written: { readonly sent: FieldValue; readonly shown: FieldValue | undefined } | undefined;
  /**
   * A target that differs from T₀ and has not been acted on: it waits for `settle` or for a limit, or is held. Epoch ms of its
   * first sight.
   */
  readonly pending: { readonly target: Target; readonly since: number } | undefined;
  /**
   * T₀ comes from new rules, and the issues had not moved. Where the post shows something else, it is written only when a
   * person lets it go. `from` is T₀ as it was; epoch ms.
   */
  readonly ruled: { readonly from: Target; readonly since: number } | undefined;
  /**
   * The rules could not be evaluated when we changed the issue, or when other rules came. So the first target that can be
   * evaluated afterwards becomes the new base, and is not written. It is taken as it is; with `ruled`, it is what other rules have made of T₀.
   */
  readonly isAwaited?: true;
}

/** What was last written into the managed block of an issue that boardsync opened; hashes, never the text. */
export interface ContentBase {
  readonly titleHash: string;
  readonly blockHash: string;
}

/** A text that is not to be written, and which other one of the post's is. */
export interface LeftText extends ContentBase {
  /**
   * `updatedAt` of the issue when there was no room for the whole text: once the issue has changed since, it is tried again.
   * Absent where a person wants it left.
   */
  readonly seenAt?: string;
}

/** The bases of an issue's fields, for one post. */
export type IssueBase = Readonly<Partial<Record<IssueField, FieldBase>>>;

/** The same of one issue of several. */
export interface IssueBases {
  readonly issue: IssueRef;
  readonly base: IssueBase;
}

/** What is known of an issue. */
export interface KnownIssue {
  readonly issue: Issue;
  /** What names of the project's rules mean in its repository; absent where none of them was ever seen there. */
  readonly pins?: readonly Pin[];
  /** What was read of it beside its record; absent where nothing was. */
  readonly signals?: Signals;
}

/** What changes of ours may be doing to an issue. */
export interface OwnChanges {
  /** Set while a change of ours is under way, for whichever post: what the issue shows may or may not be its doing. */
  readonly isChanging?: true;
  /**
   * What was sent with changes of ours that got no answer and count as made, for whichever post: it may arrive once more, and
   * would then undo what has been made of these fields since. Absent where there are none.
   */
  readonly mayArrive?: readonly SentField[];
}

/** An issue that stands in the place of its duplicates. */
export interface CanonicalIssue extends KnownIssue, OwnChanges {}

/** The text of a post in its issue. */
export interface OwnText {
  readonly content: ContentBase;
  /** The text that is not to be written; absent where there is none. Any other one of the post's goes. */
  readonly left?: LeftText;
  /** Further posts of the project that the issue stands for. */
  readonly others: readonly Post[];
}

/** One issue of a row, with what the link remembers. */
export interface LinkedIssue extends OwnChanges {
  readonly link: Link;
  /**
   * undefined while it can't be said what the issue is: not read yet, not found, moved out of reach, or nothing of its repository
   * is. Of one that is gone, what it was last. `canonical`: the issue that it is a duplicate of, at the end of the chain
   * (`signals.canonical`), as far as it is known.
   */
  readonly known: (KnownIssue & { readonly canonical?: CanonicalIssue }) | undefined;
  /** Whether the tracker said that the issue is gone (deleted, or not found twice). */
  readonly isGone: boolean;
  /**
   * `none`: it has no text of this post that we may write. `read-only`: an account that is only trusted opened it, and no person
   * linked it, so it is read and never written.
   */
  readonly text: OwnText | "none" | "read-only";
  /** Of the fields that board rules have set or will set on this issue for this post; absent where there are none. */
  readonly base?: IssueBase;
  /** Of these fields, those that board rules ask for because of another post of the issue; absent where there are none. */
  readonly claimed?: readonly IssueField[];
}

/** A linked issue of which, and of whose canonical issue, other things are known; of an unknown one nothing is. */
export function withKnown(
  linked: LinkedIssue,
  change: (known: KnownIssue) => Partial<KnownIssue>,
): LinkedIssue {
  if (linked.known === undefined) return linked;
  const { canonical, ...known } = linked.known;
  const end = canonical && { canonical: { ...canonical, ...change(canonical) } };
  return { ...linked, known: { ...known, ...change(known), ...end } };
}

/** A linked issue where names of the rules mean what these pins say, each in its repository. */
export function withPins(linked: LinkedIssue, pins: readonly Pin[]): LinkedIssue {
  return withKnown(linked, ({ issue }) => ({
    pins: pins.filter(({ repositoryId }) => repositoryId === issue.repositoryId),
  }));
}

/** A field of an issue and what we have sent for it. */
export interface SentField {
  readonly field: IssueField;
  readonly value: FieldValue;
}

/** What can be written because of a post. */
export type WriteKind =
  | "create-issue"
  | "update-issue"
  | "change-issue"
  | "comment-issue"
  | "patch-post"
  | "create-post";

/**
 * The kinds of writes in the journal; calls of the board's tools have one of their own. A write of the internal note is not an action of the plan, because the plan never sees
 * notes.
 */
export type IntentKind = WriteKind | "patch-note";

/** A sentence about a row that stands until the next record of it; `parked` and `quarantined` until they are ended. */
export interface RowNote {
  readonly kind:
    | "disagreement"
    | "settling"
    | "held"
    | "did-not-stick"
    | "quarantined"
    | "undecided"
    | "waiting"
    /** Decided, of a post that a person has paused. */
    | "paused"
    /** Not sent until something changes or a person acts. */
    | "parked";
  readonly cause: Cause;
  /** What reports call the failure that has parked it; absent of anything else. */
  readonly code?: string;
  readonly message: string;
  /** When it was said first: a note that stands already, or another one of `held`, `waiting` or `quarantined`, keeps its time. */
  readonly since: number;
  /**
   * The action that it is about; absent where it is about fields. `read-issue`: its issue is not where it was, so nothing is
   * decided for the post. `signature`: where a person may let it go, what an approval names it by; of what is parked a hash of the
   * write and of the settings behind it, so that another write may go.
   */
  readonly action?: { readonly kind: WriteKind | "read-issue"; readonly signature?: string };
  /** What would be written. */
  readonly planned?: PlannedChange;
  /** When it follows by itself at the earliest, epoch ms; left out where that is not known. */
  readonly until?: number;
}

/** Why nothing is sent for a post, or for one kind of write to it, until something changes or a person acts. */
export interface Parked extends RowNote {
  readonly kind: "parked";
  readonly code: string;
  readonly action: Required<Required<RowNote>["action"]>;
}

/** What an action would write, as a person is shown it. */
export interface PlannedChange {
  /** The issue, or the repository of a new one, as reports name it; null for a post without an issue. */
  readonly place: string | null;
  /** `from` is left out where the board does not show the field. */
  readonly changes: readonly {
    readonly field: string;
    readonly from?: string | number | boolean | null;
    readonly to: string | number | boolean | null;
  }[];
  /** Voters who would be notified: 0 without a change of status, null where the board does not show votes. */
  readonly notifies: number | null;
}

/** The reason why nothing is written for a paused post. */
export const pausedByPerson =
  "a person has paused the post, or changed it on the board under `conflict: pause`: nothing is written for it, either way, until `boardsync resume POST`";

/** A pause of more than one post: of a whole project, or of all projects. */
export interface WholePause {
  readonly of: "project" | "all";
  /** Epoch ms. */
  readonly since: number;
}

/** The reason why nothing is written while it lasts. */
export const pausedAsWhole: Readonly<Record<WholePause["of"], string>> = {
  project:
    "a person has paused the project: nothing is written for it, either way, until `boardsync resume PROJECT`",
  all: "a person has paused all projects: nothing is written, either way, until `boardsync resume --all`",
};

/** Everything that one decision needs. Built by the ledger, read by the plan. */
export interface Row {
  readonly post: Post;
  /**
   * When a listing last showed this post, epoch ms: a write that rests on an old look waits for the next pull. undefined
   * when none has since our last write to it: what is stored then says nothing about its fields.
   */
  readonly seenAt: number | undefined;
  /** That, and since when, it is due, as the state marks it; each mark is another one. Absent where it is not due. */
  readonly mark?: number;
  /** Missing from a complete pull or answered by 404 (1), from two complete pulls of two runs (2); else 0. */
  readonly missing: 0 | 1 | 2;
  /** When a complete list lacked it first, epoch ms; absent where none has. */
  readonly missingSince?: number;
  /** Set where it is missing and another project of the config may list it by now: it does not count as gone from the board. */
  readonly mayHaveMoved?: true;
  /** When a person ended its last link (epoch ms): it gets no issue by itself. Absent where nobody has. */
  readonly unlinkedAt?: number;
  /** Whether an issue that it is not linked to was ever seen to carry our mark for it. */
  readonly hasStrayMark?: true;
  /** Set where it is no post yet, but an issue that may become one (`import`): it gets no issue. */
  readonly isImport?: true;
  /** Since when a person wants nothing written for it, either way (epoch ms). Absent where nobody does. */
  readonly pausedAt?: number;
  /** The pause of its project, or of all projects. Absent where there is none. */
  readonly wholePause?: WholePause;
  readonly links: readonly LinkedIssue[];
  readonly base: Readonly<Partial<Record<RuleField, FieldBase>>>;
  /** Kinds with an intent that is SENT or UNKNOWN: nothing more of that kind is sent until its outcome is known. */
  readonly openIntents: readonly IntentKind[];
  /** Times (epoch ms) of this post's status writes in the last 24 hours, oldest first. */
  readonly statusWrites: readonly number[];
  /** What was recorded of it, in its order; absent where that is nothing. */
  readonly notes?: readonly RowNote[];
  /** PATCHes of the last 24 hours that the board has acknowledged, oldest first; absent where there are none. */
  readonly accepted?: readonly AcceptedPatch[];
  /**
   * Fields that a listing shows as they were before a write of ours which the board has acknowledged a moment ago. The plan sets
   * it, and `post` then has what was written. Absent where there are none.
   */
  readonly late?: readonly RuleField[];
}

/** The same with other values of some of the post's fields. */
export function withValues<Given extends Pick<Row, "post">>(row: Given, values: Post["values"]): Given {
  return { ...row, post: { ...row.post, values: { ...row.post.values, ...values } } };
}

/** A PATCH that the board has acknowledged, or is known to have taken. */
export interface AcceptedPatch {
  /** Epoch ms. */
  readonly at: number;
  readonly writes: readonly SentValue[];
  /** What the answer showed; absent where it showed no record. */
  readonly answer?: PatchAnswer;
}

/** A field that was written. `before` is left out where it was not shown. */
export interface SentValue<Name extends Field = RuleField> {
  readonly field: Name;
  readonly before?: FieldValue | undefined;
  readonly value: FieldValue;
}

/** A field that is to be written. */
export interface FieldWrite<Name extends Field = RuleField> extends SentValue<Name> {
  /** The value before; undefined for an unseen field. */
  readonly before: FieldValue | undefined;
  /** What T₀ becomes once this is known to be applied. */
  readonly target: Target;
}

/** Of the record in an answer to a PATCH: the fields that were written, as far as it shows them, and when it was changed last. */
export interface PatchAnswer {
  readonly values: PostChange;
  /** As the board writes it; absent where it shows none. */
  readonly updatedAt?: string;
}

/** Whether a post has issues, and all of them are gone. */
export function isGivenUp({ links }: Pick<Row, "links">): boolean {
  return links.length > 0 && links.every(({ isGone }) => isGone);
}
