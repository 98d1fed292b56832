import type { Issue, IssueRef, Milestone, Pin, RepositoryId, Signals } from "../model/issue.ts";
import type { PageTrace } from "../model/page.ts";
import type { AlikePost, PostId, ProjectId, PullMeasure } from "../model/post.ts";
import type { Kinds } from "./kinds.ts";

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

/**
 * Issues that may become posts. Until then such an issue has a row like a post's, called `owner/name#number`: what is held, parked,
 * discarded or paused of it stands there, and no list of the board touches it.
 */
export interface Imports {
  known(project: ProjectId): Promise<readonly KnownImport[]>;
  /** What makes the next look at a repository's labelled issues conditional, where it was read by the same; undefined while something of it waits. */
  validator(project: ProjectId, repository: RepositoryId, by: string): Promise<string | undefined>;
  /** Issues of other repositories that have become posts of a project. */
  elsewhere(project: ProjectId, repository: RepositoryId): Promise<readonly Issue[]>;
  /** Posts of a project that may be what an issue has become, at most 500: by title of those that are listed. One pass over the posts. */
  alike(project: ProjectId, wanted: AlikeWish): Promise<readonly AlikePost[]>;
}

/** Either will do. */
export interface AlikeWish {
  /** The text or the title holds one of these, in any case. */
  readonly texts: readonly string[];
  /** It is called so, in any case. */
  readonly titles: readonly string[];
  /** It was not listed before, epoch ms; undefined: no post for that. */
  readonly listedSince: number | undefined;
}

export interface KnownImport {
  readonly post: PostId;
  readonly issue: IssueRef;
  readonly title: string;
  /** The page of the issue, as it was called when it was judged. */
  readonly url: string;
  /** `updatedAt` of the issue as it was judged. */
  readonly updatedAt: string;
  /** Why it does not become a post; undefined where it does. */
  readonly reason: string | undefined;
  /** Whether a person wants no post of it. */
  readonly isDiscarded: boolean;
  /** Whether anything is parked of it. */
  readonly isParked: boolean;
}

/** What is found out about such issues. */
export type ImportChange = Kinds<{
  /** Makes the row of an issue, or brings it up to date. */
  "store-import": Omit<KnownImport, "isDiscarded" | "isParked"> & { project: ProjectId };
  /** Takes the row away with all that stands there: the issue has become a post, or is to become none. */
  "drop-import": { project: ProjectId; post: PostId };
  /** `by`: by what it was read. `etag` undefined: the next look is to show everything. */
  "note-import-list": { project: ProjectId; repository: RepositoryId; by: string; etag: string | undefined };
}>;

/** What was read of issues beside their records, and what is known of issues that others are duplicates of. */
export interface SignalMemory {
  /**
   * Linked issues of a project that can be relied on (read, not absent, their repository not paused), each once, by
   * repository and number, after `after`; at most `limit`.
   *
   * @param only - of these, those that were closed as duplicates.
   */
  linked(
    project: ProjectId,
    after: IssueRef | undefined,
    limit: number,
    only?: "duplicates",
  ): Promise<readonly SignalledIssue[]>;
  /** One issue, linked or not; undefined where it can't be relied on. */
  of(issue: IssueRef): Promise<SignalledIssue | undefined>;
  /** What names in the rules of a project mean. */
  pins(project: ProjectId): Promise<readonly Pin[]>;
  /**
   * Every label that a linked issue of a repository carries, each once, and every milestone, in each of the ways in which it
   * was read. `ids`: of the labels, milestones and types, as pins know them.
   */
  catalogue(repository: RepositoryId): Promise<{
    readonly labels: readonly string[];
    readonly milestones: readonly Milestone[];
    readonly ids: readonly string[];
  }>;
}

/** An issue's facts, with what was read beside them. */
export interface SignalledIssue {
  readonly issue: Issue;
  readonly signals: Signals;
}
