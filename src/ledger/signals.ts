import type { Issue, IssueRef, Milestone, Pin, RepositoryId, Signals } from "../model/issue.ts";
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
