import type { RunWrite } from "../../ledger/journal.ts";
import { type IssueField, type IssueRef, isSameIssue } from "../../model/issue.ts";
import type { Row } from "../../model/link.ts";
import type { PostId, RuleField } from "../../model/post.ts";
import { mergeWritten, type WrittenField } from "../../plan/fields/undo.ts";
import { placeOfIssue } from "../ground/cycle-state.ts";

/** What a run did to one post or to one issue; or a write of it that is not taken back, whatever has become of it. */
export type UndoPart = PostPart | IssuePart | KeptPart;

export interface PostPart {
  readonly kind: "post";
  readonly post: PostId;
  readonly fields: readonly WrittenField<RuleField>[];
}

export interface IssuePart {
  readonly kind: "issue";
  readonly post: PostId;
  readonly issue: IssueRef;
  /** The run opened it: all else that it did to it goes with that. */
  readonly isOpened: boolean;
  readonly fields: readonly WrittenField<IssueField>[];
}

interface KeptPart {
  readonly kind: "kept";
  readonly post: PostId;
  readonly write: RunWrite;
  readonly why: string;
}

/** Everything that an undo takes back, or says that it doesn't. Labels, notes and links follow from other things. */
const undoneKinds: readonly string[] = [
  "patch-post",
  "create-issue",
  "update-issue",
  "edit-issue",
  "add-labels",
  "remove-label",
  "change-issue",
  "add-comment",
  "comment-issue",
];

/** A write, with the issue that it was made to; undefined on the board, and where nothing says which one it was. */
interface Placed {
  readonly write: RunWrite;
  readonly issue: IssueRef | undefined;
}

/**
 * What the writes of a run to one post come to. What was written several times is taken back in one.
 *
 * @param writes those of the post, oldest first.
 */
export function partsOf(
  post: PostId,
  writes: readonly RunWrite[],
  row: Row | undefined,
): readonly UndoPart[] {
  const placed = writes
    .filter(({ kind }) => undoneKinds.includes(kind))
    .map((write): Placed => ({ write, issue: issueOf(write, row) }));
  const opened = placed.flatMap(({ write, issue }) =>
    isOpening(write) && write.outcome === "applied" && issue !== undefined ? [issue] : [],
  );
  const others = placed.filter(
    ({ write, issue }) =>
      isOpening(write) || issue === undefined || !opened.some((one) => isSameIssue(one, issue)),
  );
  const kept = others.flatMap(({ write, issue }) => {
    const why = whyKept(write, issue);
    return why === undefined ? [] : [{ kind: "kept", post, write, why } as const];
  });
  const changes = others.filter(
    ({ write, issue }) => !isOpening(write) && whyKept(write, issue) === undefined,
  );
  const groups = Map.groupBy(changes, ({ issue }) => issue && placeOfIssue(issue));
  return [
    ...kept,
    ...[...groups.values()].flatMap((group) => changePart(post, group)),
    ...opened.map((issue) => ({ kind: "issue", post, issue, isOpened: true, fields: [] }) as const),
  ];
}

function isOpening({ kind }: RunWrite): boolean {
  return kind === "create-issue";
}

/** Where no answer named the number of a new issue, it was found by its mark and linked as ours. */
function issueOf({ side, kind, repository, issue }: RunWrite, row: Row | undefined): IssueRef | undefined {
  if (side === "board" || repository === undefined) return undefined;
  if (issue !== undefined) return { repositoryId: repository, number: issue.number };
  const found = row?.links.find(
    ({ link }) => link.origin === "opened" && link.issue.repositoryId === repository,
  );
  return kind === "create-issue" ? found?.link.issue : undefined;
}

/** Why a write can't be taken back, whatever has become of it; undefined where it can. */
function whyKept({ side, kind, outcome, fields }: RunWrite, issue: IssueRef | undefined): string | undefined {
  if (outcome === "unknown") return "nobody knows whether it arrived: look at it by hand";
  if (kind === "add-comment" || kind === "comment-issue")
    return "a comment has been read, and is not taken back";
  const isText = kind === "edit-issue" && fields.some(({ field }) => field === "title" || field === "body");
  if (kind === "update-issue" || isText) return "the text that was there before is not kept";
  return side === "board" || issue !== undefined
    ? undefined
    : "it is not known any more which issue that was";
}

function changePart(post: PostId, group: readonly Placed[]): readonly UndoPart[] {
  const written = group.flatMap(({ write }) => write.fields);
  const issue = group[0]?.issue;
  const part: UndoPart =
    issue === undefined
      ? { kind: "post", post, fields: mergeWritten(written as readonly WrittenField<RuleField>[]) }
      : {
          kind: "issue",
          post,
          issue,
          isOpened: false,
          fields: mergeWritten(written as readonly WrittenField<IssueField>[]),
        };
  return part.fields.length === 0 ? [] : [part];
}
