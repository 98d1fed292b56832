import type { Issue, IssueRef, Milestone, RepositoryId, Signals } from "../model/issue.ts";
import type { ProjectId } from "../model/post.ts";

/** What was read of issues beside their records, and what is known of issues that others are duplicates of. */
export interface SignalMemory {
  /**
   * Linked issues of a project that can be relied on (read, not absent, their repository not paused), each once, by
   * repository and number, after `after`; at most `limit`.
   */
  linked(project: ProjectId, after: IssueRef | undefined, limit: number): Promise<readonly SignalledIssue[]>;
  /** One issue, linked or not; undefined where it can't be relied on. */
  of(issue: IssueRef): Promise<SignalledIssue | undefined>;
  /**
   * Every label that a linked issue of a repository carries, each once, and every milestone, in each of the ways in which it
   * was read.
   */
  catalogue(repository: RepositoryId): Promise<{
    readonly labels: readonly string[];
    readonly milestones: readonly Milestone[];
  }>;
}

/** An issue's facts, with what was read beside them. */
export interface SignalledIssue {
  readonly issue: Issue;
  readonly signals: Signals;
}
