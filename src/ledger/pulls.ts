import type { Issue, IssueRef, RepositoryId } from "../model/issue.ts";
import type { PageTrace } from "../model/page.ts";
import type { PostId, ProjectId } from "../model/post.ts";

/** What was read, stored page by page. */
export interface Pulls {
  begin(project: ProjectId, run: number, at: number): Promise<PullId>;
  /**
   * A page of an earlier pull, by the request that showed it, as long as every post of it stands in the state exactly as that
   * page showed it: present, looked at since our last write to it, and told otherwise by no page and no one since. Whatever
   * touches a post so makes every page that shows it unknown, by itself.
   */
  knownPage(pull: PullId, request: string): Promise<KnownPage | undefined>;
  /** Posts of this pull, linked posts of the project, and how many of these the pull has seen. */
  measure(pull: PullId): Promise<PullMeasure>;
  /** Of each of some addresses that issues name the first of these, by repository and number. */
  naming(addresses: readonly string[]): Promise<ReadonlyMap<string, IssueRef>>;
  /**
   * The issue that carries our marker for a post: one that is not gone first, then the lowest number of the lowest repository
   * id. Never one whose link with the post a person has ended.
   */
  marked(project: ProjectId, post: PostId): Promise<FoundMarker | undefined>;
  /** Marks that name posts of a project under another address of the board, of boards that no person has accepted as others. */
  otherMarks(project: ProjectId): Promise<readonly OtherMark[]>;
  /** What the state knows of each of the issues that a list shows. */
  listed(issues: readonly Issue[]): Promise<readonly ListedIssue[]>;
  /** What the state knows of each of some marks. */
  marks(marked: readonly MarkedIssue[]): Promise<readonly KnownMark[]>;
  /** Linked issues of a repository, for a full read. */
  linkedIssues(repository: RepositoryId): Promise<readonly IssueRef[]>;
}

/** A page of an earlier pull. */
export interface KnownPage {
  readonly trace: PageTrace;
  /** How many it shows. */
  readonly posts: number;
}

export type PullId = number & { readonly __pull: true };

export interface PullMeasure {
  readonly posts: number;
  /** Those of them that no pull before has shown. */
  readonly added: number;
  /** Without those that are known to be missing. */
  readonly linked: number;
  readonly linkedSeen: number;
}

export interface FoundMarker {
  readonly issue: Issue;
  /** As it was stored with the marker for the first time. */
  readonly isOwn: boolean;
  /** Whether the marker names the post before all others: the issue has its text. */
  readonly isFirst: boolean;
  /** Further issues that carry a marker for the post and are not gone. */
  readonly others: readonly Issue[];
}

export interface ListedIssue {
  /** Another issue is known by this number: the name that was asked for may have been given to another repository. */
  readonly isOther: boolean;
  /**
   * It is known to have been otherwise in the very same second. The tracker's times are whole seconds, so that nothing tells
   * whether the list lags or what is known was changed since.
   */
  readonly isInDoubt: boolean;
}

export interface KnownMark {
  /** Posts that the issue's mark has not named before, and that are not linked to it; none of an issue that was not known. */
  readonly strange: readonly PostId[];
  /**
   * Whether the state can tell how the issue came by it: the issue, or one of the posts, is linked or was seen with a marker
   * before, or a request to open an issue for such a post has left.
   */
  readonly isExplained: boolean;
  /** Posts whose link with the issue a person has ended, and nobody has made again. */
  readonly ended: readonly PostId[];
}

export interface NamingIssue {
  readonly issue: IssueRef;
  readonly addresses: readonly string[];
}

/** An issue of ours whose mark names posts under another address of the board. */
export interface NewOtherMark {
  readonly issue: IssueRef;
  /** The hash of that address, as the mark says it. */
  readonly board: string;
  /** undefined where it can't be told. */
  readonly address: string | undefined;
  readonly project: ProjectId;
  readonly posts: readonly PostId[];
}

/** The same of one post. */
export interface OtherMark extends Pick<NewOtherMark, "issue" | "board" | "address"> {
  readonly post: PostId;
  /** When it was seen first, epoch ms. */
  readonly since: number;
}

export interface MarkedIssue {
  readonly issue: IssueRef;
  /** Whether our own account opened it, not one that is only trusted. */
  readonly isOwn: boolean;
  readonly project: ProjectId;
  readonly posts: readonly PostId[];
}
