import type { RunWrite } from "../../ledger/journal.ts";
import type { IssueField, IssueRef } from "../../model/issue.ts";
import type { Row } from "../../model/link.ts";
import type { PostId, RuleField } from "../../model/post.ts";
import { mergeWritten, type WrittenField } from "../../plan/fields/undo.ts";
import type { Action } from "../../plan/ground/action.ts";
import type { Outcome } from "../ground/verdict.ts";

/** What a run did to one post or to one issue, as far as it can be taken back at all. */
export type UndoPart =
  | { readonly kind: "post"; readonly post: PostId; readonly fields: readonly WrittenField<RuleField>[] }
  | {
      readonly kind: "issue";
      readonly post: PostId;
      readonly issue: IssueRef;
      /** The run opened it: all else that it did to it goes with that. */
      readonly isOpened: boolean;
      readonly fields: readonly WrittenField<IssueField>[];
    }
  | {
      readonly kind: "kept";
      readonly post: PostId;
      readonly write: RunWrite;
      readonly why: string;
    };

/** What is to be done about one part. */
export interface UndoStep {
  /** Why a field, or all of it, stays as it is. */
  readonly refusals: readonly string[];
  /** undefined where there is nothing to take back any more, or nothing that may be. */
  readonly way: UndoWay | undefined;
}

/** The write that takes it back. */
export interface UndoWay {
  readonly action: UndoAction;
  /** Sends it, through the journal like any other. */
  send(): Promise<Outcome>;
}

/** A part that stays as it is. */
export function stay(...refusals: readonly string[]): UndoStep {
  return { refusals, way: undefined };
}

/** What takes writes back is a write like any other. */
export type UndoAction = Extract<Action, { readonly kind: "patch-post" | "change-issue" }>;

const texts = "the text that was there before is not kept";

/** Why a write can't be taken back, whatever has become of it; undefined where it can. */
function whyKept({ kind, outcome, fields }: RunWrite): string | undefined {
  if (outcome === "unknown") return "nobody knows whether it arrived: look at it by hand";
  if (kind === "add-comment" || kind === "comment-issue")
    return "a comment has been read, and is not taken back";
  const isText = fields.some(({ field }) => field === "title" || field === "body");
  return kind === "update-issue" || (kind === "edit-issue" && isText) ? texts : undefined;
}

/** Changes of an issue that are known field by field. */
const changeKinds: readonly string[] = ["edit-issue", "add-labels", "remove-label", "change-issue"];
/** Everything that an undo takes back, or says that it doesn't. Labels, notes and links follow from other things. */
const undoneKinds: readonly string[] = [
  ...changeKinds,
  "patch-post",
  "create-issue",
  "update-issue",
  "add-comment",
  "comment-issue",
];

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
  const known = writes.filter(({ kind }) => undoneKinds.includes(kind));
  const opened = known
    .filter(({ kind, outcome }) => kind === "create-issue" && outcome === "applied")
    .flatMap((write) => openedBy(write, row) ?? []);
  const isOfOpened = (write: RunWrite): boolean =>
    write.side === "tracker" &&
    write.kind !== "create-issue" &&
    opened.some((issue) => isPlace(write, issue));
  const others = known.filter((write) => !isOfOpened(write));
  const kept = others.flatMap((write): readonly UndoPart[] => {
    const why = whyKept(write) ?? whyNowhere(write, row);
    return why === undefined ? [] : [{ kind: "kept", post, write, why }];
  });
  const free = others.filter((write) => whyKept(write) === undefined && whyNowhere(write, row) === undefined);
  const ofPost = free.filter(({ kind }) => kind === "patch-post");
  return [
    ...kept,
    ...postPart(post, ofPost),
    ...issueParts(
      post,
      free.filter(({ kind }) => changeKinds.includes(kind)),
    ),
    ...opened.map((issue) => ({ kind: "issue", post, issue, isOpened: true, fields: [] }) as const),
  ];
}

function postPart(post: PostId, writes: readonly RunWrite[]): readonly UndoPart[] {
  const fields = mergeWritten(writes.flatMap((write) => write.fields as readonly WrittenField<RuleField>[]));
  return fields.length === 0 ? [] : [{ kind: "post", post, fields }];
}

function issueParts(post: PostId, writes: readonly RunWrite[]): readonly UndoPart[] {
  const groups = Map.groupBy(writes, ({ repository, issue }) => `${repository}#${issue?.number}`);
  return [...groups.values()].flatMap((group): readonly UndoPart[] => {
    const issue = group[0] && issueWritten(group[0]);
    const fields = mergeWritten(
      group.flatMap((write) => write.fields as readonly WrittenField<IssueField>[]),
    );
    if (issue === undefined || fields.length === 0) return [];
    return [{ kind: "issue", post, issue, isOpened: false, fields }];
  });
}

/** Where nothing says which issue it was. */
function whyNowhere(write: RunWrite, row: Row | undefined): string | undefined {
  const isKnown =
    write.kind === "patch-post" ||
    (write.kind === "create-issue" ? openedBy(write, row) : issueWritten(write)) !== undefined;
  return isKnown ? undefined : "it is not known any more which issue that was";
}

/** Where no answer named the number, the issue was found by its mark and linked as ours. */
function openedBy(write: RunWrite, row: Row | undefined): IssueRef | undefined {
  const found = row?.links.find(
    ({ link }) => link.origin === "opened" && link.issue.repositoryId === write.repository,
  );
  return issueWritten(write) ?? found?.link.issue;
}

function issueWritten({ repository, issue }: RunWrite): IssueRef | undefined {
  if (repository === undefined || issue === undefined) return undefined;
  return { repositoryId: repository, number: issue.number };
}

function isPlace(write: RunWrite, { repositoryId, number }: IssueRef): boolean {
  return write.repository === repositoryId && write.issue?.number === number;
}
