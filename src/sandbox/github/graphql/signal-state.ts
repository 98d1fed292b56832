/** What a pull request has beside an issue's fields; by the pull request's id. */
export interface StoredPullRequest {
  readonly isDraft: boolean;
  /** Epoch ms; null until it is merged. */
  readonly mergedAt: number | null;
  /** The merge commit's id; null until it is merged, and where history was rewritten since. */
  readonly commit: string | null;
}

/** A release of a repository. Times are epoch ms. */
export interface StoredRelease {
  readonly id: number;
  readonly tag: string;
  readonly isDraft: boolean;
  readonly isPrerelease: boolean;
  readonly createdAt: number;
  readonly publishedAt: number | null;
  /** The commits that it contains, oldest first, its own last; undefined once its tag is gone. */
  readonly commits: readonly string[] | undefined;
}

/** A field of a project; without options it holds text. */
export interface StoredField {
  readonly id: string;
  name: string;
  options: readonly StoredOption[] | undefined;
}

export interface StoredOption {
  readonly id: string;
  readonly name: string;
}

/** An issue in a project. */
export interface StoredItem {
  readonly id: string;
  readonly issueId: number;
  isArchived: boolean;
  /** Option ids by field ids. */
  readonly values: Map<string, string>;
}

/** A project of a user or an organisation. */
export interface StoredProject {
  readonly id: string;
  readonly owner: string;
  readonly number: number;
  isClosed: boolean;
  /** Whether tokens see it: not at all without a word, or its items as redacted ones. */
  sight: "full" | "none" | "redacted";
  fields: readonly StoredField[];
  readonly items: StoredItem[];
}

/** One event in the timelines of two issues. */
interface DuplicateEvent {
  readonly id: number;
  readonly isUnmarked: boolean;
  readonly duplicateId: number;
  readonly canonicalId: number;
}

/** What REST shows of no issue. */
export interface SignalState {
  readonly pullRequests: Map<number, StoredPullRequest>;
  /** Linked pull requests, by keyword or by hand: ids of pull requests by ids of issues. */
  readonly links: Map<number, readonly number[]>;
  /** Commits of each repository's default branch, oldest first, by the repository's id. */
  readonly commits: Map<number, readonly string[]>;
  /** Releases by the repository's id, oldest first. */
  readonly releases: Map<number, readonly StoredRelease[]>;
  readonly projects: StoredProject[];
  /** Ids of sub-issues by the parent's id. */
  readonly subIssues: Map<number, readonly number[]>;
  readonly duplicates: DuplicateEvent[];
  /** Fields of single issues that fail, such as `subIssues`, with the type of their error; by the issue's id. */
  readonly broken: Map<number, { readonly field: string; readonly type: string; readonly message: string }>;
}

/** No signals at all. */
export function createSignalState(): SignalState {
  return {
    pullRequests: new Map(),
    links: new Map(),
    commits: new Map(),
    releases: new Map(),
    projects: [],
    subIssues: new Map(),
    duplicates: [],
    broken: new Map(),
  };
}
