import type { Absence, IssueRef, RepositoryId } from "../model/issue.ts";
import type { PostId, ProjectId } from "../model/post.ts";

/** What became of linked issues that are not where they were, and of their links. */
export interface Absences {
  of(issue: IssueRef): Promise<Absence | undefined>;
  /** Those of a repository that are linked. */
  ofRepository(
    repository: RepositoryId,
  ): Promise<readonly { readonly issue: IssueRef; readonly absence: Absence }[]>;
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

export interface AbsentLink {
  readonly post: PostId;
  readonly issue: IssueRef;
  readonly absence: Absence;
}

export interface LinkedPost {
  readonly project: ProjectId;
  readonly post: PostId;
}
