import type { RunWrite } from "../../ledger/journal.ts";
import { type IssueRef, isSameIssue } from "../../model/issue.ts";
import type { Field, Row, SentValue } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { mergeWritten } from "../../plan/fields/undo.ts";
import { issueKey } from "../ground/cycle-state.ts";
import { nameEntry } from "../ground/entries.ts";

/** What a run did to one post or to one issue; or one write of it that is not taken back. */
export interface UndoPart {
  readonly post: PostId;
  readonly kind: "patch-post" | "change-issue";
  /** undefined on the board, and where nothing says which one it was. */
  readonly issue: IssueRef | undefined;
  readonly fields: readonly SentValue<Field>[];
  /** The run opened the issue: all else that it did to it goes with that. */
  readonly isOpened: boolean;
  /** Why it is not taken back, whatever has become of it, and where it was made; undefined where it can be. */
  readonly kept:
    | {
        readonly why: string;
        readonly place: string | null;
        /** It is no post, and is called so. */
        readonly isEntry?: boolean;
      }
    | undefined;
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

const unknown = "nobody knows whether it arrived: look at it by hand";

/** What the board's own tools have made stays: by kind of the audit, why. */
const madeByTools: Readonly<Record<string, string>> = {
  "create-post": "a post that an issue has become stays: only the board can remove it",
  "create-entry": "a draft stays: only the board can delete it",
  "update-entry": "the text that was there before is not kept",
  "publish-entry": "what is published has been read",
};

/** Of a run, what its calls of the board's tools leave as it is. */
export function keptOf(writes: readonly RunWrite[]): readonly (UndoPart & { readonly kept: object })[] {
  return writes.flatMap(({ kind, subject, post, issue, outcome }) => {
    const made = madeByTools[kind];
    if (made === undefined || subject === undefined) return [];
    const why = outcome === "unknown" ? unknown : made;
    const place = issue === undefined ? null : `${issue.repository}#${issue.number}`;
    const name = post ?? ((place ?? nameEntry(subject)) as PostId);
    const kept = { why: `${kind}: ${why}`, place, isEntry: post === undefined && place === null };
    return [{ post: name, kind: "patch-post" as const, issue: undefined, fields: [], isOpened: false, kept }];
  });
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
  const parts = writes
    .filter(({ kind }) => undoneKinds.includes(kind))
    .map((write) => toPart(post, write, row));
  const opened = parts.filter(({ isOpened }) => isOpened);
  const others = parts.filter(
    ({ issue }) => issue === undefined || !opened.some((one) => one.issue && isSameIssue(one.issue, issue)),
  );
  const changes = others.filter(({ kept }) => kept === undefined);
  const groups = Map.groupBy(changes, ({ issue }) => issue && issueKey(issue));
  const merged = [...groups.values()].flatMap((group) => {
    const fields = mergeWritten(group.flatMap((part) => part.fields));
    return fields.length === 0 ? [] : group.slice(0, 1).map((part) => ({ ...part, fields }));
  });
  return [...others.filter(({ kept }) => kept !== undefined), ...merged, ...opened];
}

function toPart(post: PostId, write: RunWrite, row: Row | undefined): UndoPart {
  const issue = issueOf(write, row);
  const why = whyKept(write, issue);
  const place = write.issue === undefined ? null : `${write.issue.repository}#${write.issue.number}`;
  return {
    post,
    kind: write.side === "board" ? "patch-post" : "change-issue",
    issue,
    fields: write.fields as readonly SentValue<Field>[],
    isOpened: write.kind === "create-issue" && why === undefined,
    kept: why === undefined ? undefined : { why: `${write.kind}: ${why}`, place },
  };
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

function whyKept({ side, kind, outcome, fields }: RunWrite, issue: IssueRef | undefined): string | undefined {
  if (outcome === "unknown") return unknown;
  if (kind === "add-comment" || kind === "comment-issue")
    return "a comment has been read, and is not taken back";
  const isText = kind === "edit-issue" && fields.some(({ field }) => field === "title" || field === "body");
  if (kind === "update-issue" || isText) return "the text that was there before is not kept";
  const isNowhere = side === "tracker" && issue === undefined;
  return isNowhere ? "it is not known any more which issue that was" : undefined;
}
