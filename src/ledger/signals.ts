import type { Issue, IssueRef, Milestone, RepositoryId, Signals } from "../model/issue.ts";
import type { ProjectId } from "../model/post.ts";

/** What was read of issues beside their records, and what is known of issues that others are duplicates of. */
export interface SignalMemory {
  /**
   * Linked issues of a project that can be relied on (read, not absent, their repository not paused), each once, by
   * repository and number, after `after`; at most `limit`.
   */
  linked(project: ProjectId, after: IssueRef | undefined, limit: number): readonly SignalledIssue[];
  /** One issue, linked or not; undefined where it can't be relied on. */
  of(issue: IssueRef): SignalledIssue | undefined;
  /**
   * Lays signals over those that are known: one that is not named stays, and so does each field of a project that is not.
   * Where that changes anything, the rows of the issue and of those that are duplicates of it become due. Returns whether it
   * does.
   */
  store(issue: IssueRef, signals: Signals): boolean;
  /** The same of what is not known yet; what is known stays. */
  fill(issue: IssueRef, signals: Signals): boolean;
  /**
   * Stores an issue's facts as they were read beside its signals; lists keep them up to date from now on, too. Those of a
   * linked issue only where they are newer: lists lag, and rules must not see a change without one that came before it.
   */
  storeFacts(issue: Issue): void;
  /** Every label that a linked issue of a repository carries, each once. */
  labels(repository: RepositoryId): readonly string[];
  /** Every milestone that a linked issue of a repository has, in each of the ways in which it was read. */
  milestones(repository: RepositoryId): readonly Milestone[];
  /** A milestone has another title or state than issues were read with: it is put into their facts, and their rows are due. */
  replaceMilestone(repository: RepositoryId, known: Milestone, now: Milestone): void;
}

/** An issue's facts, with what was read beside them. */
export interface SignalledIssue {
  readonly issue: Issue;
  readonly signals: Signals;
}
