import type { Cause, Reason } from "../../model/causes.ts";
import type { IssueField, IssueRef, RepositoryName } from "../../model/issue.ts";
import type { ContentBase, Field, FieldBase, FieldWrite, IssueBases } from "../../model/link.ts";
import type { PostChange, PostId, RuleField } from "../../model/post.ts";

/** A write that the plan asks for. A new effect is a new variant: exhaustive switches stop compiling until it is handled. */
export type Action = CreateIssue | UpdateIssue | ChangeIssue | CommentIssue | PatchPost | CreatePost;
export type ActionKind = Action["kind"];

export interface CreateIssue {
  readonly kind: "create-issue";
  readonly post: PostId;
  readonly repo: RepositoryName;
  readonly title: string;
  readonly body: string;
  /** What this says of votes. */
  readonly votes?: string | undefined;
  readonly labels: readonly string[];
  /** That of them which its votes ask for. */
  readonly voteLabel?: string | undefined;
  readonly assignees: readonly string[];
  /** By title. */
  readonly milestone: string | undefined;
  readonly type: string | undefined;
  readonly content: ContentBase;
  readonly reason: string;
  /** The PATCH that will follow if the issue comes out as it was asked for. */
  readonly followUp: PatchPost | undefined;
}

/** New text for an issue that boardsync opened. The rest of the body is people's and stays. */
export interface UpdateIssue {
  readonly kind: "update-issue";
  readonly post: PostId;
  readonly issue: IssueRef;
  readonly title: string | undefined;
  readonly block: string | undefined;
  /** What this says of votes. */
  readonly votes?: string | undefined;
  /** The posts that the marker names with this block. */
  readonly posts: readonly PostId[];
  /** What was last written: where the issue shows something else now, people have edited it. */
  readonly previous: ContentBase;
  readonly content: ContentBase;
  /** `updatedAt` of the issue that it was planned for; '' where that is not known. */
  readonly seenAt: string;
  readonly reason: string;
}

/** State, milestone and labels, as board rules ask for them: of all issues of the post, so that one answer stops no other. */
export interface ChangeIssue {
  readonly kind: "change-issue";
  readonly post: PostId;
  /** At least one, by the order of the links. */
  readonly changes: readonly IssueWrites[];
  readonly reason: string;
  /** Why it waits for a person, whatever the guard says; undefined when it may go by itself. */
  readonly hold: Reason | undefined;
}

/** What one issue gets. */
export interface IssueWrites {
  readonly issue: IssueRef;
  /** As of an `UpdateIssue`. */
  readonly seenAt: string;
  readonly writes: readonly FieldWrite<IssueField>[];
}

/** A comment that a board rule asks for, once for each time that it begins to hold. */
export interface CommentIssue {
  readonly kind: "comment-issue";
  readonly post: PostId;
  /** At least one, by the order of the links. */
  readonly comments: readonly NewComment[];
  readonly reason: string;
}

export interface NewComment {
  readonly issue: IssueRef;
  /** As of an `UpdateIssue`. */
  readonly seenAt: string;
  readonly write: FieldWrite<"comment">;
  /** With its mark, by which it is found when no answer tells whether it was made. */
  readonly body: string;
}

export interface PatchPost {
  readonly kind: "patch-post";
  readonly post: PostId;
  readonly writes: readonly FieldWrite[];
  readonly reason: string;
  /** Voters who will be notified: 0 without a change of status, null where the board does not show votes. */
  readonly notifies: number | null;
  /** Why it waits for a person, whatever the guard says; undefined when it may go by itself. */
  readonly hold: Reason | undefined;
}

/** A post that an issue of people's becomes, by the board's own tool. Nobody is mailed for it. */
export interface CreatePost {
  readonly kind: "create-post";
  /** What the issue is called until then: `owner/name#number`. */
  readonly post: PostId;
  readonly issue: IssueRef;
  readonly title: string;
  /** With the issue's address as its end, by which the post is found when no answer tells whether it was made. */
  readonly body: string;
  readonly address: string;
  readonly category: string | undefined;
  readonly reason: string;
}

/** What the plan wants said about a row; shown by `plan`, `status` and `sync`. */
export type Note =
  /**
   * The two sides differ and nothing will be written: an adopted pair, a board with history, an override by a person, a
   * post that is archived or missing.
   */
  | { readonly kind: "disagreement"; readonly field: Field; readonly message: string }
  /** Decided, and waiting until a time (epoch ms): `settle`. */
  | { readonly kind: "settling"; readonly field: Field; readonly until: number; readonly message: string }
  /** A person has to choose, once what goes by itself is done: `conflict: hold`, or other rules. */
  | { readonly kind: "held"; readonly cause: Cause; readonly field: Field; readonly message: string }
  /** The board shows another value than the one that it accepted. */
  | { readonly kind: "did-not-stick"; readonly field: Field; readonly message: string }
  /** Flapped too often; `release` ends it. */
  | { readonly kind: "quarantined"; readonly message: string }
  /** A fact is missing, so this row can't be decided yet. */
  | {
      readonly kind: "undecided";
      readonly cause: "undecided" | "too-large" | "template";
      readonly message: string;
    };

/** What the planner makes of one row. */
export interface Decision {
  readonly post: PostId;
  /** In the order in which they are applied. */
  readonly actions: readonly Action[];
  /**
   * What is asked for as well, and stays out of the plan: the same write was refused, one of its kind is open, the post is
   * quarantined, or `writes` forbids it.
   */
  readonly stopped: readonly Action[];
  /** The PATCH that follows by itself once `settle` is over, if nothing changes until then; undefined where nothing settles. */
  readonly settling: PatchPost | undefined;
  /** The PATCH that a person has to let go, once the one among the actions, of other fields, is sent; absent where there is none. */
  readonly behind?: PatchPost;
  /** The bases after this decision, of the fields that change; recorded whether or not the actions are carried out. */
  readonly base: Readonly<Partial<Record<RuleField, FieldBase>>>;
  /** The same of its issues' fields, of the issues where any changes. */
  readonly issueBases: readonly IssueBases[];
  readonly notes: readonly Note[];
  /** `skipped`: not selected and not linked, with the reason. `linked`, or `wanted`: selected, issue not there yet. */
  readonly standing: { readonly kind: "skipped" | "linked" | "wanted"; readonly reason: string };
  /**
   * Set where a person's change on the board pauses the post (`conflict: pause`): why. From now on nothing is written for it,
   * either way, until it is resumed.
   */
  readonly pauses?: string;
  /** Epoch ms when this row has to be looked at again although nothing changed; undefined when it need not. */
  readonly dueAt: number | undefined;
}

/** The fields of a PATCH. */
export function changeOf(action: PatchPost): PostChange {
  return Object.fromEntries(action.writes.map((write) => [write.field, write.value]));
}

/** How many issues an action opens or writes, or makes posts of. */
export function countIssues(action: Action): number {
  switch (action.kind) {
    case "create-issue":
    case "update-issue":
    case "create-post":
      return 1;
    case "change-issue":
      return action.changes.length;
    case "comment-issue":
      return action.comments.length;
    case "patch-post":
      return 0;
  }
}

/** Whether voters are notified for a change of this field. */
export function isNotified({ field }: Pick<FieldWrite<Field>, "field">): boolean {
  return field === "status";
}

/** Whether voters are notified for it. */
export function isNotifying(action: Action): boolean {
  switch (action.kind) {
    case "patch-post":
      return action.writes.some(isNotified);
    case "create-issue":
      return action.followUp !== undefined && isNotifying(action.followUp);
    case "update-issue":
    case "change-issue":
    case "comment-issue":
    case "create-post":
      return false;
  }
}
