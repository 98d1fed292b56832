/** An issue of the tracker: only the facts that a decision needs. Titles and bodies of issues are not kept. */

/** A repository's numeric id: it survives renames, a name does not. */
export type RepositoryId = number;

/** `owner/name`. */
export type RepositoryName = string;

/** Whether two names mean the same repository: they have no case. */
export function isSameRepository(one: RepositoryName, other: RepositoryName): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The identity of an issue. */
export interface IssueRef {
  readonly repositoryId: RepositoryId;
  readonly number: number;
}

/** The identity of what has one, alone. */
export function refOf({ repositoryId, number }: IssueRef): IssueRef {
  return { repositoryId, number };
}

/** Whether two references mean the same issue. */
export function isSameIssue(one: IssueRef, other: IssueRef): boolean {
  return one.number === other.number && one.repositoryId === other.repositoryId;
}

export interface Milestone {
  readonly number: number;
  readonly title: string;
  readonly state: "open" | "closed";
}

/** A label or an issue type, as a list of its repository shows it. The id stays when people rename it. */
export interface Named {
  /** Absent where the tracker gave none. */
  readonly id?: string;
  readonly name: string;
}

/** What can be named in a rule, and has an id that outlives its name. */
export type PinKind = "label" | "milestone" | "type";

/**
 * What a name in the rules of a project means in a repository, since it was seen there first: people rename what is called so,
 * or delete it, and neither is an answer to a rule.
 */
export interface Pin {
  readonly repositoryId: RepositoryId;
  readonly kind: PinKind;
  /** As the rules write it; `any`, which is no title in a rule, stands for all milestones. */
  readonly name: string;
  /**
   * Of milestones their numbers; several have a space between them: of all milestones, and where something was given a name that
   * had meant something else.
   */
  readonly id: string;
  /** What it is called now, or each of them that is called otherwise; undefined once all were deleted. */
  readonly now: string | undefined;
}

/**
 * What became of an issue that is not where it was, and since when (epoch ms). `missing`: not found, once or for less than
 * ten minutes, which may mean anything. `refused`: the tracker does not show it now, and does not say that it is gone. `lost`: not found again after that: deleted, made a discussion, or not visible to us.
 * `deleted`: the tracker says so, and may say it of one that was made a discussion. `moved`: transferred; `name` is what its repository is called there.
 */
export type Absence =
  | { readonly kind: "missing" | "refused" | "lost" | "deleted"; readonly since: number }
  | {
      readonly kind: "moved";
      readonly since: number;
      readonly to: IssueRef;
      readonly name: RepositoryName;
    };

/**
 * What a board rule may set on an issue. A label is a field of its own, by its name in lower case: it is there or not. A
 * comment is a field that nobody can read back.
 */
export type IssueField = "state" | "milestone" | "comment" | `label:${string}`;

/** The facts of one issue that rules may look at. Times are ISO 8601 in UTC, as the tracker gave them. */
export interface Issue extends IssueRef {
  readonly nodeId: string;
  readonly state: "open" | "closed";
  /** `completed`, `not_planned`, `duplicate`, `reopened`, a value still unknown to us, or null. */
  readonly stateReason: string | null;
  /** When it was closed last, ISO 8601, and by which account; absent while it is open, and where the tracker tells no time. */
  readonly closed?: { readonly at: string; readonly by: string | null };
  readonly labels: readonly string[];
  /** Ids of `labels`, in their order; '' where the tracker gave none; absent where it gave none at all. */
  readonly labelIds?: readonly string[];
  readonly assignees: readonly string[];
  readonly milestone: Milestone | null;
  /** The number of the milestone that it was in last; absent while it is in one, and where it was never seen in any. */
  readonly formerMilestone?: number;
  /** The issue type's name; null without one or where the tracker has no types. */
  readonly type: string | null;
  /** Its id; absent where there is none. */
  readonly typeId?: string;
  readonly locked: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A fact that may not be readable (a permission, a renamed field, a partial answer): unknown is never the same as "no". */
export type Readable<T> = { readonly kind: "known"; readonly value: T } | Unreadable;

/** Which fact can't be read, and why, in words. */
export interface Unreadable {
  readonly kind: "unknown";
  readonly message: string;
  /** It has more parts than one answer shows. A stranger who adds parts can make it so. */
  readonly isTooLarge?: true;
}

/** A pull request that will close the issue, or is linked to it by hand. */
export interface LinkedPullRequest {
  readonly repository: RepositoryName;
  readonly number: number;
  readonly state: "open" | "closed" | "merged";
  readonly isDraft: boolean;
  /** By somebody who may not write to its repository: whoever has an account may open such a one. */
  readonly isOutside?: true;
}

/**
 * What an issue's own record does not tell. Only what a rule asks for is read; what is absent here has not been read yet
 * and counts as unknown.
 */
export interface Signals {
  readonly pullRequests?: Readable<readonly LinkedPullRequest[]>;
  readonly subIssues?: Readable<{ readonly total: number; readonly closed: number }>;
  /** The option chosen in a field of a project, by `projectFieldKey`; null without one, or outside the project. */
  readonly projectStatus?: Readonly<Record<string, Readable<string | null>>>;
  /** Whether a published release contains the merge of a linked pull request. A closed milestone is another matter. */
  readonly isReleased?: Readable<boolean>;
  /** Of an issue closed as duplicate: the issue at the end of its chain; null where there is none to follow. */
  readonly canonical?: Readable<Canonical | null>;
}

/** The issue in whose favour another one was closed. */
export interface Canonical extends IssueRef {
  /** Set where the chain to it led through an issue of somebody without write access when it was first followed. */
  readonly isOutside?: true;
}

/** A single-select field of a project, as people name it, in any case. */
export interface ProjectFieldName {
  /** A login, user or organisation. */
  readonly owner: string;
  /** The project's number. */
  readonly project: number;
  readonly field: string;
}

/** The same as a key: `owner/number/field`, in lower case. */
export type ProjectFieldKey = string;

/** An issue as one answer showed it: its facts, and what is looked at once and not kept. */
export interface IssueRecord {
  readonly issue: Issue;
  /** Login of the author; null for a deleted account. */
  readonly author: string | null;
  readonly title: string;
  readonly body: string;
}

/** One of a list of issues by their labels. */
export interface LabelledIssue extends IssueRecord {
  /** Opened by somebody who may not write to its repository. */
  readonly isOutside?: true;
}

/** A repository as the tracker describes it. */
export interface Repository {
  readonly id: RepositoryId;
  readonly name: RepositoryName;
  readonly hasIssues: boolean;
  readonly isArchived: boolean;
  readonly isPrivate: boolean;
  /** Whether our account may label, assign and close; without it the tracker drops labels silently. */
  readonly canPush: boolean;
  /** Set where the credential itself says that issues may be written; else that shows with the first write. */
  readonly isWriteKnown?: true;
}

/** An open issue of which nothing is known but what is given. */
export function bareIssue(given: IssueRef & Partial<Issue>): Issue {
  return {
    nodeId: "",
    state: "open",
    stateReason: null,
    labels: [],
    assignees: [],
    milestone: null,
    type: null,
    locked: false,
    createdAt: "",
    updatedAt: "",
    ...given,
  };
}
