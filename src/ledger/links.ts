import type { IssueRef } from "../model/issue.ts";
import type { PostId, ProjectId } from "../model/post.ts";

/** The links that a person ends. Links are made by `Rows.link`, and follow a transfer by `Absences.follow`. */
export interface Links {
  /**
   * A person ends links of a post: from now on the marks of these issues say nothing of it. The text of an issue goes over to
   * the post that it stands for next. A post without any link left, also one that never had any, forgets its bases and what is parked, and gets no issue by
   * itself until a person links it, or says `reopen`. Marks every row of these issues due.
   */
  end(project: ProjectId, post: PostId, issues: readonly IssueRef[], at: number): void;
  /** A person lets such a post get an issue like a new one. */
  reopen(project: ProjectId, post: PostId): void;
  /** Whether a person has ended this link, and nobody has made it again. */
  hasEnded(project: ProjectId, post: PostId, issue: IssueRef): boolean;
  /** How many posts of a project an issue stands for. */
  countPosts(project: ProjectId, issue: IssueRef): number;
  /** Whether the text of an issue is some post's, by a link that remembers it. */
  hasContent(issue: IssueRef): boolean;
}
