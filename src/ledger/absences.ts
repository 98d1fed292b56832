import type { Absence, Issue, IssueRef, RepositoryId } from "../model/issue.ts";
import type { PostId, ProjectId } from "../model/post.ts";

/** What became of linked issues that are not where they were, and of their links. */
export interface Absences {
  of(issue: IssueRef): Absence | undefined;
  /** Replaces what was known; with undefined the issue is there after all. Marks its rows due where the kind changes. */
  set(issue: IssueRef, absence: Absence | undefined): void;
  /** Those of a repository that are linked. */
  ofRepository(repository: RepositoryId): readonly { readonly issue: IssueRef; readonly absence: Absence }[];
  /** Those that posts of a project are linked to, by post and in the order of its links. */
  ofProject(project: ProjectId): readonly AbsentLink[];
  /**
   * Issues of due posts that may have been transferred: an issue elsewhere carries the post's mark, is not linked to it, and
   * was created at the same time, which a transfer keeps.
   */
  suspects(project: ProjectId): readonly IssueRef[];
  /**
   * A verified transfer: every link and every mark of the old place leads to the new one, whose facts are stored; bases and
   * what was written last stay, and the old place is `moved` for good. Marks the rows due. Returns them.
   */
  follow(from: IssueRef, to: Issue, moved: Absence & { readonly kind: "moved" }): readonly LinkedPost[];
  /**
   * A person wants another issue for a post: its links end, and the marks of the old issues count no more. Returns what it
   * was linked to.
   */
  retire(project: ProjectId, post: PostId): readonly IssueRef[];
  /** Every repository in which a post of a project has an issue. */
  linkedRepositories(project: ProjectId): readonly RepositoryId[];
  /** Marks every row due that has an issue in a repository. */
  markRowsOf(repository: RepositoryId): void;
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
