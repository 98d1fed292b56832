import type { IssueField, IssueRef } from "../../model/issue.ts";
import type { LinkedIssue, Row } from "../../model/link.ts";
import type { PostId, ProjectId } from "../../model/post.ts";
import type { FieldDecision } from "../fields/decide.ts";
import type { Action, FieldWrite, IssueWrites, NewComment, Note } from "../ground/action.ts";
import { hashText } from "../ground/hash.ts";
import { canonical } from "../ground/identity.ts";
import { labelOf, seenAtOf } from "../ground/issue-fields.ts";
import { joinHolds } from "../ground/obstacle.ts";
import type { BoardRule, RenderComment, Settings } from "../ground/settings.ts";
import { describeMatch } from "./board-rules.ts";

/** A field of an issue that is to be written. */
export interface WantedWrite {
  readonly issue: LinkedIssue;
  readonly decision: FieldDecision<IssueField> & {
    readonly field: IssueField;
    /** Set for a label by votes. */
    readonly isByVotes?: true;
  };
  readonly write: FieldWrite<IssueField>;
}

interface WriteContext {
  readonly settings: Settings;
  readonly renderComment: RenderComment;
}

/**
 * The actions that write what was decided of a post's issues: one change of all of them, and their comments.
 *
 * @param rule that matches, if any does.
 * @returns `held`: what a person has to let go, and does not stop the rest.
 */
export function writeIssues(
  row: Row,
  rule: BoardRule | undefined,
  wanted: readonly WantedWrite[],
  context: WriteContext,
): { readonly actions: readonly Action[]; readonly held: readonly Note[] } {
  const reason = causeOf(row, rule, wanted, context.settings);
  const isComment = ({ write }: WantedWrite): boolean => write.field === "comment";
  const { chosen, held } = chooseFree(wanted.filter((one) => !isComment(one)));
  const comments = commentsOf(row, rule, wanted.filter(isComment), reason, context);
  return { actions: [...changesOf(row, chosen, reason), ...comments], held };
}

/** What goes by itself does not wait for what a person has to let go. */
function chooseFree(wanted: readonly WantedWrite[]): {
  readonly chosen: readonly WantedWrite[];
  readonly held: readonly Note[];
} {
  const free = wanted.filter(({ decision }) => decision.hold === undefined);
  if (free.length === 0) return { chosen: wanted, held: [] };
  const held = wanted.flatMap(({ decision: { field, hold } }): readonly Note[] =>
    hold === undefined ? [] : [{ kind: "held", cause: hold.cause, field, message: hold.why }],
  );
  return { chosen: free, held };
}

function changesOf(row: Row, chosen: readonly WantedWrite[], reason: string): readonly Action[] {
  if (chosen.length === 0) return [];
  const changes = [...Map.groupBy(chosen, ({ issue }) => issue)].map(
    ([linked, parts]): IssueWrites => ({
      issue: linked.link.issue,
      seenAt: seenAtOf(linked.known),
      writes: parts.map(({ write }) => write),
    }),
  );
  const holds = chosen.flatMap(({ decision }) => decision.hold ?? []);
  return [{ kind: "change-issue", post: row.post.id, changes, reason, hold: joinHolds(holds) }];
}

function commentsOf(
  row: Row,
  rule: BoardRule | undefined,
  wanted: readonly WantedWrite[],
  reason: string,
  { settings, renderComment }: WriteContext,
): readonly Action[] {
  const comments = wanted.map(({ issue: linked, decision: { base }, write }): NewComment => {
    const key = commentKey({
      project: settings.project,
      post: row.post.id,
      issue: linked.link.issue,
      text: String(write.value),
      // What is to be written has been pending since it was first seen.
      since: Number(base.pending?.since),
    });
    return {
      issue: linked.link.issue,
      seenAt: seenAtOf(linked.known),
      write: { field: "comment", before: undefined, value: key, target: write.target },
      // A comment is asked for by a rule that has one.
      body: composeComment(key, renderComment(String(rule?.set.comment), row.post)),
    };
  });
  return comments.length === 0 ? [] : [{ kind: "comment-issue", post: row.post.id, comments, reason }];
}

/** Why issues are written. */
function causeOf(
  row: Row,
  rule: BoardRule | undefined,
  wanted: readonly WantedWrite[],
  { boardRules }: Settings,
): string {
  const ruled = wanted.filter(({ decision }) => decision.isByVotes !== true);
  const cause =
    rule === undefined
      ? "the post → no board rule any more"
      : `the post: ${describeMatch(row, rule)} → board rule ${boardRules.indexOf(rule) + 1}`;
  const restored = ruled.flatMap(({ write: { field, target } }) =>
    target.kind === "none" ? [showField(field)] : [],
  );
  return [
    ...(ruled.length === 0 ? [] : [cause]),
    ...(restored.length === 0 ? [] : [`${[...new Set(restored)].join(", ")} back to what it was before`]),
    ...(ruled.length === wanted.length
      ? []
      : [`the post has ${row.post.values.votes ?? 0} votes → \`issue.voteLabels\``]),
  ].join("; ");
}

function showField(field: IssueField): string {
  const label = labelOf(field);
  return label === undefined ? field : `label ${label}`;
}

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
