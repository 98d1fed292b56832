/**
 * An issue of the tracker: only the facts that a decision needs. Titles and bodies of issues are not kept.
 */

/** A repository's numeric id: it survives renames, a name does not. */
export type RepositoryId = number;

/** `owner/name`. */
export type RepositoryName = string;

/** The identity of an issue. */
export interface IssueRef {
  readonly repositoryId: RepositoryId;
  readonly number: number;
}

export interface Milestone {
  readonly number: number;
  readonly title: string;
  readonly state: "open" | "closed";
}

/**
 * What became of an issue that is not where it was, and since when (epoch ms). `missing`: not found, once or for less than
 * ten minutes, which may mean anything. `lost`: not found again after that: deleted, made a discussion, or not visible to us.
 * `deleted`: the tracker says so. `moved`: transferred; `name` is what its repository is called there.
 */
export type Absence =
  | { readonly kind: "missing" | "lost" | "deleted"; readonly since: number }
  | {
      readonly kind: "moved";
      readonly since: number;
      readonly to: IssueRef;
      readonly name: RepositoryName;
    };

/** The facts of one issue that rules may look at. Times are ISO 8601 in UTC, as the tracker gave them. */
export interface Issue extends IssueRef {
  readonly nodeId: string;
  readonly state: "open" | "closed";
  /** `completed`, `not_planned`, `duplicate`, `reopened`, a value still unknown to us, or null. */
  readonly stateReason: string | null;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly milestone: Milestone | null;
  /** The issue type's name; null without one or where the tracker has no types. */
  readonly type: string | null;
  readonly locked: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** An issue as one answer showed it: its facts, and what is looked at once and not kept. */
export interface IssueRecord {
  readonly issue: Issue;
  /** Login of the author; null for a deleted account. */
  readonly author: string | null;
  readonly title: string;
  readonly body: string;
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
}
