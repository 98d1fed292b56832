import type { IssueRef, RepositoryName } from "../model/issue.ts";
import type { ContentBase, FieldBase, Target } from "../model/link.ts";
import type { FieldValue, PostChange, PostId, RuleField } from "../model/post.ts";

/** A write that the plan asks for. A new effect is a new variant: exhaustive switches stop compiling until it is handled. */
export type Action = CreateIssue | UpdateIssue | PatchPost;
export type ActionKind = Action["kind"];

export interface CreateIssue {
  readonly kind: "create-issue";
  readonly post: PostId;
  readonly repo: RepositoryName;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
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
  /** The posts that the marker names with this block. */
  readonly posts: readonly PostId[];
  /** What was last written: where the issue shows something else now, people have edited it. */
  readonly previous: ContentBase;
  readonly content: ContentBase;
  readonly reason: string;
}

export interface PatchPost {
  readonly kind: "patch-post";
  readonly post: PostId;
  readonly writes: readonly FieldWrite[];
  readonly reason: string;
  /** Voters who will hear of it: 0 without a change of status, null where the board does not show votes. */
  readonly notifies: number | null;
  /** Why it waits for a person, whatever the guard says; undefined when it may go by itself. */
  readonly hold: string | undefined;
}

export interface FieldWrite {
  readonly field: RuleField;
  /** The post's value before; undefined for an unseen field. */
  readonly before: FieldValue | undefined;
  readonly value: FieldValue;
  /** What T₀ becomes once this is applied. */
  readonly target: Target;
}

/** What the plan wants said about a row; shown by `plan`, `status` and `sync`. */
export type Note =
  /**
   * The two sides differ and nothing will be written: an adopted pair, a board with history, an override by a person, a
   * post that is archived or missing.
   */
  | { readonly kind: "disagreement"; readonly field: RuleField; readonly message: string }
  /** Decided, and waiting until a time (epoch ms): `settle`. */
  | { readonly kind: "settling"; readonly field: RuleField; readonly until: number; readonly message: string }
  /** A person has to choose, once what goes by itself is done: `conflict: hold`, or other rules. */
  | { readonly kind: "held"; readonly field: RuleField; readonly message: string }
  /** The board shows another value than the one that it accepted. */
  | { readonly kind: "did-not-stick"; readonly field: RuleField; readonly message: string }
  /** Flapped too often; `release` ends it. */
  | { readonly kind: "quarantined"; readonly message: string }
  /** A fact is missing, so this row can't be decided yet. */
  | { readonly kind: "undecided"; readonly message: string };

/** What the planner makes of one row. */
export interface Decision {
  readonly post: PostId;
  /** In the order in which they are applied. */
  readonly actions: readonly Action[];
  /** The bases after this decision, of the fields that change; recorded whether or not the actions are carried out. */
  readonly base: Readonly<Partial<Record<RuleField, FieldBase>>>;
  readonly notes: readonly Note[];
  /** `skipped`: not selected and not linked, with the reason. `linked`, or `wanted`: selected, issue not there yet. */
  readonly standing: { readonly kind: "skipped" | "linked" | "wanted"; readonly reason: string };
  /** Epoch ms when this row has to be looked at again although nothing changed; undefined when it need not. */
  readonly dueAt: number | undefined;
}

/** The fields of a PATCH. */
export function changeOf(action: PatchPost): PostChange {
  return Object.fromEntries(action.writes.map((write) => [write.field, write.value]));
}

/** Whether voters are mailed for a change of this field. */
export function isHeard({ field }: Pick<FieldWrite, "field">): boolean {
  return field === "status";
}

/** Whether voters are mailed for it. */
export function isNotifying(action: Action): boolean {
  switch (action.kind) {
    case "patch-post":
      return action.writes.some(isHeard);
    case "create-issue":
      return action.followUp !== undefined && isNotifying(action.followUp);
    case "update-issue":
      return false;
  }
}
