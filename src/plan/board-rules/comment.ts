import type { IssueRef } from "../../model/issue.ts";
import type { PostId, ProjectId } from "../../model/post.ts";
import { hashText } from "../hash.ts";
import { canonical } from "../print.ts";

/** Which comment: one for each post, issue, text of a rule, and time at which the rule began to hold. */
export interface CommentOccasion {
  readonly project: ProjectId;
  readonly post: PostId;
  readonly issue: IssueRef;
  /** The identity of the rule's text. */
  readonly text: string;
  /** When the rule was first seen to hold, epoch ms. */
  readonly since: number;
}

/** The key of a comment, by which it is known again. */
export function commentKey({ project, post, issue, text, since }: CommentOccasion): string {
  const { repositoryId, number } = issue;
  return hashText(canonical({ project, post, repositoryId, number, text, since })).slice(0, 32);
}

/** A comment with its hidden mark. No text of a post can hold a comment, so nobody else writes this one through us. */
export function composeComment(key: string, text: string): string {
  return `${formatMark(key)}\n${text}`;
}

/** Whether a comment begins with the mark of this key. Whether that counts depends on its author, too. */
export function carriesMark(body: string, key: string): boolean {
  return body.trimStart().startsWith(formatMark(key));
}

function formatMark(key: string): string {
  return `<!-- boardsync:comment ${key} -->`;
}
