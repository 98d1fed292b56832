import type { RunWrite } from "../../ledger/journal.ts";
import { type IssueField, type IssueRecord, type IssueRef, isSameIssue } from "../../model/issue.ts";
import type { Field, FieldWrite, LinkedIssue, Row, SentValue } from "../../model/link.ts";
import type { PostId, RuleField } from "../../model/post.ts";
import { mergeWritten, type Reversal, reverseField } from "../../plan/fields/undo.ts";
import { type ChangeIssue, isNotified, type PatchPost } from "../../plan/ground/action.ts";
import { readField, votersOf } from "../../plan/ground/fields.ts";
import { hashText } from "../../plan/ground/hash.ts";
import { readIssueField } from "../../plan/ground/issue-fields.ts";
import { isAllowed, patchObstacle } from "../../plan/ground/obstacle.ts";
import type { Settings } from "../../plan/ground/settings.ts";
import { hashBlock, splitBody } from "../../plan/text/block.ts";
import { issueKey, type PulledCycle } from "../ground/cycle-state.ts";
import { nameEntry } from "../ground/entries.ts";
import { isSameLogin } from "../read/identify.ts";

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
        /** It is no post, and `post` is what it is called. */
        readonly isEntry: boolean;
      }
    | undefined;
}

/** What may be taken back. Labels, notes and links follow from other things. */
const undoneKinds: readonly string[] = [
  "patch-post",
  "create-issue",
  "edit-issue",
  "add-labels",
  "remove-label",
  "change-issue",
];

const textIsGone = "the text that was there before is not kept";
const isRead = "a comment has been read, and is not taken back";

/** What stays, by its kind in the audit, and why. */
const staying: Readonly<Record<string, string>> = {
  "update-issue": textIsGone,
  "add-comment": isRead,
  "comment-issue": isRead,
};

/** The same of what the board's own tools have made. */
const madeByTools: Readonly<Record<string, string>> = {
  "create-post": "a post that an issue has become stays: only the board can remove it",
  "create-entry": "a draft stays: only the board can delete it",
  "update-entry": textIsGone,
  "publish-entry": "what is published has been read",
};

/** Of a run, what its calls of the board's tools leave as it is. */
export function keptOf(writes: readonly RunWrite[]): readonly UndoPart[] {
  return writes
    .filter(({ kind, subject }) => kind in madeByTools && subject !== undefined)
    .map((write) => toPart(write));
}

/**
 * What the writes of a run to one post come to. What was written several times is taken back in one.
 *
 * @param writes those of the post, oldest first.
 */
export function partsOf(writes: readonly RunWrite[], row: Row | undefined): readonly UndoPart[] {
  const parts = writes
    .filter(({ kind }) => undoneKinds.includes(kind) || kind in staying)
    .map((write) => toPart(write, row));
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

function toPart(write: RunWrite, row?: Row): UndoPart {
  const { post, side, kind, subject = "" } = write;
  const issue = issueOf(write, row);
  const why = whyKept(write, issue);
  const place = write.issue === undefined ? null : `${write.issue.repository}#${write.issue.number}`;
  const isEntry = post === undefined && place === null;
  return {
    post: post ?? ((place ?? nameEntry(subject)) as PostId),
    kind: side === "board" ? "patch-post" : "change-issue",
    issue,
    fields: write.fields as readonly SentValue<Field>[],
    isOpened: kind === "create-issue" && why === undefined,
    kept: why === undefined ? undefined : { why: `${kind}: ${why}`, place, isEntry },
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
  if (outcome === "unknown") return "nobody knows whether it arrived: look at it by hand";
  if (kind === "edit-issue" && fields.some(({ field }) => field === "title" || field === "body"))
    return textIsGone;
  const isNowhere = side === "tracker" && issue === undefined;
  const lost = isNowhere ? "it is not known any more which issue that was" : undefined;
  return staying[kind] ?? madeByTools[kind] ?? lost;
}

/** What is to be done about one part of a run. */
export interface UndoStep {
  /** Why a field, or all of it, stays as it is. */
  readonly refusals: readonly string[];
  /** What takes it back; undefined where there is nothing to take back any more, or nothing that may be. */
  readonly action: PatchPost | ChangeIssue | undefined;
}

/** A part that stays as it is. */
export function stay(...refusals: readonly string[]): UndoStep {
  return { refusals, action: undefined };
}

/** How what a run has written to a post is taken back: one PATCH of the fields that nobody has touched since. */
export function undoOnPost(
  { settings, pull }: Pick<PulledCycle, "settings" | "pull">,
  { post, fields }: UndoPart,
  row: Row,
  reason: string,
): UndoStep {
  if (row.openIntents.includes("patch-post")) return stay("a write to the post is under way");
  const { refusals, writes } = sortOut(
    (fields as readonly SentValue<RuleField>[]).map((one) =>
      reverseField(one, readField(row.post, one.field, pull.seen), row.base[one.field]),
    ),
  );
  if (writes.length === 0) return stay(...refusals);
  const notifies = writes.some(isNotified) ? votersOf(row.post, pull.seen) : 0;
  const action: PatchPost = { kind: "patch-post", post, writes, reason, notifies, hold: undefined };
  const obstacle = patchObstacle(action, row, settings)?.map(({ message }) => message);
  const why = pull.hold ?? whyForbidden("patch-post", settings) ?? obstacle?.join("; ");
  return why === undefined ? { refusals, action } : stay(why);
}

/** The link that a write to an issue was made for; in words why nothing is taken back there, whatever the issue shows. */
export function findLinked(settings: Settings, issue: IssueRef, row: Row | undefined): LinkedIssue | string {
  const linked = row?.links.find(({ link }) => isSameIssue(link.issue, issue));
  if (row === undefined || linked === undefined) return "the issue is not linked to the post any more";
  const isUnderWay = linked.isChanging === true || linked.mayArrive !== undefined;
  if (isUnderWay || row.openIntents.includes("change-issue")) return "a write to the issue is under way";
  if (linked.text === "read-only") return "the issue is another account's";
  return whyForbidden("change-issue", settings) ?? linked;
}

function whyForbidden(kind: UndoPart["kind"], settings: Settings): string | undefined {
  return isAllowed({ kind }, settings) ? undefined : `\`writes: ${settings.writes}\` in the config`;
}

/**
 * How what a run has written to an issue is taken back. One that it opened is closed as not planned, never deleted, as long
 * as nobody has taken it up; it stays linked, so that no other one is opened.
 *
 * @param record the issue as it is this moment.
 */
export function undoOnIssue(
  settings: Settings,
  { post, isOpened, fields }: UndoPart,
  linked: LinkedIssue,
  record: IssueRecord,
  reason: string,
): UndoStep {
  const { refusals, writes } = sortOut(
    isOpened
      ? closeOpened(settings, linked, record)
      : (fields as readonly SentValue<IssueField>[]).map((one) =>
          reverseField(one, readIssueField(record.issue, one.field), linked.base?.[one.field]),
        ),
  );
  if (writes.length === 0) return stay(...refusals);
  const changes = [{ issue: linked.link.issue, seenAt: "", writes }];
  return { refusals, action: { kind: "change-issue", post, changes, reason, hold: undefined } };
}

function sortOut<Name extends Field>(
  reversals: readonly Reversal<Name>[],
): { readonly refusals: readonly string[]; readonly writes: readonly FieldWrite<Name>[] } {
  return {
    refusals: reversals.flatMap((one) => (one.kind === "refused" ? [one.message] : [])),
    writes: reversals.flatMap((one) => (one.kind === "write" ? [one.write] : [])),
  };
}

function closeOpened(
  settings: Settings,
  linked: LinkedIssue,
  record: IssueRecord,
): readonly Reversal<IssueField>[] {
  if (record.issue.state === "closed") return [];
  const message = whyTouched(settings, linked, record);
  if (message !== undefined) return [{ kind: "refused", message }];
  const target = linked.base?.state?.target ?? ({ kind: "none" } as const);
  const write = { field: "state", before: "open", value: "closed:not_planned", target } as const;
  return [{ kind: "write", write }];
}

/** What people have done to an issue that we opened; undefined where it is as it was. */
function whyTouched(
  { issue: { assignees } }: Settings,
  { text }: LinkedIssue,
  { title, body, issue }: IssueRecord,
): string | undefined {
  const parts = splitBody(body);
  const isText =
    typeof text === "string" ||
    (hashText(title) === text.content.titleHash &&
      parts !== undefined &&
      hashBlock(parts.block) === text.content.blockHash);
  if (!isText || parts?.rest.trim() !== "") return "people have edited the issue";
  const isTaken = issue.assignees.some((login) => !assignees.some((ours) => isSameLogin(login, ours)));
  return isTaken ? "somebody has been assigned to the issue" : undefined;
}
