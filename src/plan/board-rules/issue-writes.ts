import type { IssueField } from "../../model/issue.ts";
import type { FieldBase, LinkedIssue, Row } from "../../model/link.ts";
import type { Action, IssueWrites, NewComment, Note } from "../ground/action.ts";
import { hashText } from "../ground/hash.ts";
import { canonical } from "../ground/identity.ts";
import { labelOf, seenAtOf } from "../ground/issue-fields.ts";
import { chooseFree, type HeldWrite, joinHolds } from "../ground/obstacle.ts";
import type { BoardRule, PlanContext, Settings } from "../ground/settings.ts";
import { describeMatch } from "./board-rules.ts";

/** A field of an issue that is to be written, as it was decided. */
export interface WantedWrite extends HeldWrite<IssueField> {
  readonly issue: LinkedIssue;
  readonly base: FieldBase;
  /** Set for a label by votes. */
  readonly isByVotes?: true;
}

type WriteContext = Pick<PlanContext, "settings" | "renderComment">;

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

function changesOf(row: Row, chosen: readonly WantedWrite[], reason: string): readonly Action[] {
  if (chosen.length === 0) return [];
  const changes = [...Map.groupBy(chosen, ({ issue }) => issue)].map(
    ([linked, parts]): IssueWrites => ({
      issue: linked.link.issue,
      seenAt: seenAtOf(linked.known),
      writes: parts.map(({ write }) => write),
    }),
  );
  const holds = chosen.flatMap(({ hold }) => hold ?? []);
  return [{ kind: "change-issue", post: row.post.id, changes, reason, hold: joinHolds(holds) }];
}

function commentsOf(
  row: Row,
  rule: BoardRule | undefined,
  wanted: readonly WantedWrite[],
  reason: string,
  { settings, renderComment }: WriteContext,
): readonly Action[] {
  const comments = wanted.map(({ issue: linked, base, write }): NewComment => {
    const { issue } = linked.link;
    const { repositoryId, number } = issue;
    // One for each post, issue, text of a rule, and time at which that began to hold: it has been pending since.
    const [text, since] = [String(write.value), Number(base.pending?.since)];
    const occasion = { project: settings.project, post: row.post.id, repositoryId, number, text, since };
    const key = hashText(canonical(occasion)).slice(0, 32);
    return {
      issue,
      seenAt: seenAtOf(linked.known),
      write: { field: "comment", before: undefined, value: key, target: write.target },
      // A comment is asked for by a rule that has one.
      body: `${formatMark(key)}\n${renderComment(String(rule?.set.comment), row.post)}`,
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
  const ruled = wanted.filter(({ isByVotes }) => isByVotes !== true);
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

/** Whether a comment begins with the mark of this key. Whether that counts depends on its author, too. */
export function carriesMark(body: string, key: string): boolean {
  return body.trimStart().startsWith(formatMark(key));
}

/** Hidden. No text of a post can hold a comment of HTML, so nobody else writes it through us. */
function formatMark(key: string): string {
  return `<!-- boardsync:comment ${key} -->`;
}
