import type { IssueRef } from "../model/issue.ts";
import type { PostId, ProjectId } from "../model/post.ts";

/** The links that a person ends. Links are made by `Rows.link`, and follow a transfer by `Absences.follow`. */
export interface Links {
  /** Whether a person has ended this link, and nobody has made it again. */
  hasEnded(project: ProjectId, post: PostId, issue: IssueRef): boolean;
  /** How many posts of a project an issue stands for. */
  countPosts(project: ProjectId, issue: IssueRef): number;
  /** Whether the text of an issue is some post's, by a link that remembers it. */
  hasContent(issue: IssueRef): boolean;
}
