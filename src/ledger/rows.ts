import type { Cause } from "../model/causes.ts";
import type { Absence, Issue, IssueRef, RepositoryId, RepositoryName } from "../model/issue.ts";
import type {
  FieldBase,
  IntentKind,
  IssueBases,
  PlannedChange,
  Row,
  RowNote,
  WholePause,
  WriteKind,
} from "../model/link.ts";
import type { FieldValue, Namesake, Post, PostId, ProjectId, RuleField } from "../model/post.ts";

/** What decisions are made of, and what is recorded of them. */
export interface Rows {
  /** Due rows (marked, or whose time has come), by post id, after `after`; at most `limit`. Never a post that was not listed. */
  due(project: ProjectId, now: number, after: PostId | undefined, limit: number): Promise<readonly Row[]>;
  /** One row, due or not. `now` bounds the last 24 hours of `statusWrites`. */
  row(project: ProjectId, post: PostId, now: number): Promise<Row | undefined>;
  /** Those of several posts, without posts that no listing has shown. */
  rows(project: ProjectId, posts: readonly PostId[], now: number): Promise<readonly Row[]>;
  /** Every post, of any project, that is linked to an issue; `withDuplicates`: or to a duplicate of it. */
  linkedTo(issue: IssueRef, scope?: "withDuplicates"): Promise<readonly OfPost[]>;
  /** Whether the text of an issue is some post's, of any project, by a link that remembers it. */
  hasContent(issue: IssueRef): Promise<boolean>;
  /** The texts that the project's posts show in a field, the most common first; posts that are missing don't count. At most 1,000. */
  shown(project: ProjectId, field: "status" | "categoryId"): Promise<readonly string[]>;
  /** The pauses that concern a project as a whole, that of all projects first; of no project that one alone. */
  wholePauses(project: ProjectId | undefined): Promise<readonly WholePause[]>;
  counts(project: ProjectId): Promise<RowCounts>;
  /** Every action that is held, by post; with `shrank` those that only a board that shrank holds, which no approval names. */
  held(project: ProjectId, by?: "shrank"): Promise<readonly HeldAction[]>;
  /**
   * What waits for a person or a time, oldest first; of these kinds, where some are named, else of all but `missing`; of one post,
   * where it is named; at most `limit`.
   */
  waiting(
    project: ProjectId,
    limit: number,
    kinds?: readonly WaitingRow["kind"][],
    post?: PostId,
  ): Promise<readonly WaitingRow[]>;
}

export interface RowRecord {
  readonly base: Readonly<Partial<Record<RuleField, FieldBase>>>;
  /** Likewise of the fields of linked issues; absent where none changes. */
  readonly issueBases?: readonly IssueBases[];
  readonly standing: { readonly kind: "skipped" | "linked" | "wanted"; readonly reason: string };
  readonly notes: readonly RowNote[];
  /**
   * `Row.mark` of the row that was decided (null: none). Where it has another one by now, it was marked meanwhile: its bases stay as
   * they are, and it stays due. Left out: nothing is compared.
   */
  readonly mark?: number | null;
  /** `now`: due at once again. A time: due from then on. undefined: due when something changes. */
  readonly due: "now" | number | undefined;
}

/** What an approval names an action by. */
export interface ActionName {
  readonly post: PostId;
  readonly kind: WriteKind;
  readonly signature: string;
}

/** What a person was shown of an action and lets go. */
export interface ShownAction extends ActionName {
  /** What it was held for: whatever else holds it goes on doing so. null for nothing; left out by a version that did not say. */
  readonly cause?: Cause | null;
}

/** An action that is held until a person lets it go. */
export interface HeldAction extends ActionName {
  readonly cause: Cause;
  readonly message: string;
  /** Of the post; null where the board shows none. */
  readonly title: string | null;
  /** undefined for a hold of an older version. */
  readonly planned: PlannedChange | undefined;
}

export interface RowCounts {
  /** Posts of the last pull that saw the board. */
  readonly posts: number;
  /** Linked issues, each once. */
  readonly issues: number;
  readonly skipped: number;
  /** Posts that wait for a time, a limit, or the outcome of a write. */
  readonly waiting: number;
  /** Posts that can't be decided yet. */
  readonly undecided: number;
  /** Posts for which a person wants nothing written. None of what follows counts them. */
  readonly paused: number;
  readonly held: number;
  readonly parked: number;
  readonly quarantined: number;
  /** Posts that differ from what their issues ask for, show something else than was written, or show more than can be read, and stay so. */
  readonly differs: number;
  /** Linked posts that the board no longer lists, or says that it does not know. */
  readonly missing: number;
  /** Actions that are held, and that a person may let go. */
  readonly approvable: number;
  /** Voters who would be notified of these, and of what only a board that shrank holds, as far as the board shows votes. */
  readonly voters: number;
  /** Of how many of these the board shows no votes. */
  readonly unknownVotes: number;
  /** When the next post that waits by itself follows at the earliest, epoch ms; null where that is not known. */
  readonly nextAt: number | null;
}

export interface WaitingRow extends Pick<RowNote, "cause" | "message" | "since"> {
  readonly post: PostId;
  readonly issues: readonly IssueRef[];
  /** `missing`: a linked post that the board no longer lists, since the list that lacked it first. */
  readonly kind: RowNote["kind"] | "intent" | "missing";
  readonly code: string | undefined;
  /** Of the post; null where the board shows none. */
  readonly title: string | null;
  /** What would be written, where that was recorded. */
  readonly planned: PlannedChange | undefined;
  /** When it follows by itself at the earliest, epoch ms; undefined where that is not known. */
  readonly until: number | undefined;
  /** Of a write whose outcome nobody knows: its kind. */
  readonly intent?: IntentKind;
  /** Held, and no approval lets it go by itself: its cause (`writes`, a board that shrank) holds more than this action. */
  readonly isStopped?: true;
}

/** What became of linked issues that are not where they were, and of their links. */
export interface Absences {
  of(issue: IssueRef): Promise<Absence | undefined>;
  /** Those of a repository that are linked; `withDuplicates`: or that a duplicate is of. */
  ofRepository(repository: RepositoryId, scope?: "withDuplicates"): Promise<readonly AbsentIssue[]>;
  /** Those that posts of a project are linked to, by post and in the order of its links. */
  ofProject(project: ProjectId): Promise<readonly AbsentLink[]>;
  /**
   * Issues of due posts that may have been transferred: an issue elsewhere carries the post's mark, is not linked to it, and
   * was created at the same time, which a transfer keeps.
   */
  suspects(project: ProjectId): Promise<readonly IssueRef[]>;
  /** Every repository in which a post of a project has an issue. */
  linkedRepositories(project: ProjectId): Promise<readonly RepositoryId[]>;
}

export interface AbsentIssue {
  readonly issue: IssueRef;
  readonly absence: Absence;
}

export interface AbsentLink extends AbsentIssue {
  readonly post: PostId;
}

/** A post of a project. */
export interface OfPost {
  readonly project: ProjectId;
  readonly post: PostId;
}

/**
 * The line in a post's internal note that names its issues. Of a note nothing else is ever kept. A post is due when what it is
 * linked to has changed, and stays so until it is recorded otherwise.
 */
export interface Backlinks {
  /** Whether any of the project is due. */
  areDue(project: ProjectId): Promise<boolean>;
  /** Those of these posts that are due. */
  due(project: ProjectId, posts: readonly PostId[]): Promise<readonly DueBacklink[]>;
}

export interface DueBacklink {
  readonly post: PostId;
  /** Our line as it was written or found last; undefined where there was none. */
  readonly line: string | undefined;
}

/** What a person asks for by name, beside what a run needs. Reads only. */
export interface Lookup {
  /** Those of some addresses that several posts show as their page. One pass over the posts. */
  sharedPages(project: ProjectId, urls: readonly string[]): Promise<ReadonlySet<string>>;
  /** The last pull that saw all that the board would show, by its number; undefined before the first. */
  lastPull(project: ProjectId): Promise<KnownPull | undefined>;
  /**
   * Posts that were listed and that a text may mean: those whose ids begin with it, then those whose ids are about as long.
   * At most `limit` of each kind, by id.
   */
  postsLike(project: ProjectId, text: string, limit: number): Promise<readonly PostId[]>;
  /**
   * Posts of other projects that have the id of one of this project's, and an issue, or a write under way or in doubt, or a person's wish.
   * Of this project's those that are listed and have neither, and are due where none are named.
   */
  namesakes(project: ProjectId, posts: readonly PostId[] | undefined): Promise<readonly Namesake[]>;
  /** What is known of those of some posts that have an issue. */
  linkedPosts(project: ProjectId, posts: readonly PostId[]): Promise<ReadonlyMap<PostId, Post["values"]>>;
  /** What is known of a post's id in each of these other projects. */
  elsewhere(post: PostId, projects: readonly ProjectId[]): Promise<readonly Elsewhere[]>;
}

/** Another project of the board, that a post may have been moved to. */
export interface Elsewhere {
  readonly project: ProjectId;
  /** Whether its last list shows a post of that id. */
  readonly isListed: boolean;
  /** When its last complete list was begun, epoch ms; undefined where there is none. */
  readonly pulledAt: number | undefined;
}

/** A pull of the board that has ended. */
export interface KnownPull {
  /** Whatever it showed was so after its beginning, epoch ms. */
  readonly beganAt: number;
  readonly kind: "complete" | "usable";
}

/** What people look through, page by page. Reads only; no call reads more than a bounded part of the state. */
export interface Browse {
  /** The links of a project, the newest issue first. */
  links(project: ProjectId, search: LinkSearch): Promise<LinkPage>;
  /**
   * The finished runs that began at `since` or later, in spans of `spanMs` from there on, oldest first; spans without a run are
   * left out. Of very many runs only the newest are counted.
   */
  runs(since: number, spanMs: number): Promise<RunHistory>;
}

export interface LinkSearch {
  /** Part of a post's id or title, or of `owner/name#number`, in any case; '' for every link. */
  readonly text: string;
  /** `absent`: the issue is not where it was. `waiting`: the post is held, parked or quarantined. */
  readonly state: "any" | "open" | "closed" | "absent" | "waiting";
  /** Where to go on, as an earlier page gave it; what no page gave means the beginning. */
  readonly after: string | undefined;
  readonly limit: number;
}

export interface LinkPage {
  readonly links: readonly BrowsedLink[];
  /** Where the next page begins; undefined at the end. It may follow less than `limit` links: one search looks only so far. */
  readonly next: string | undefined;
}

export interface BrowsedLink {
  readonly post: PostId;
  readonly title: FieldValue;
  readonly status: FieldValue;
  readonly issue: IssueRef;
  /** The name that the repository has now; undefined while that is not known. */
  readonly repository: RepositoryName | undefined;
  /** undefined while nothing was read of the issue. */
  readonly state: Issue["state"] | undefined;
  readonly stateReason: string | undefined;
  readonly absence: Absence["kind"] | undefined;
  /** What a person has to answer. */
  readonly waits: readonly ("held" | "parked" | "quarantined")[];
}

export interface RunHistory {
  readonly spans: readonly RunSpan[];
  /** When the oldest run that was counted began; undefined where there was none. */
  readonly countedFrom: number | undefined;
  /** Whether there may be older ones in that time, which are not counted. */
  readonly isCut: boolean;
}

export interface RunSpan {
  /** Counted from 0. */
  readonly span: number;
  readonly runs: number;
  /** To both sides. */
  readonly writes: number;
  readonly failures: number;
  /** Of the longest run, in ms. */
  readonly longestMs: number;
}
