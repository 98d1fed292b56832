import type { Side } from "../errors.ts";
import type { IssueField, RepositoryId, RepositoryName } from "../model/issue.ts";
import type { ContentBase, FieldWrite, IntentKind } from "../model/link.ts";
import type { FieldValue, PostId, ProjectId } from "../model/post.ts";
import type { Kinds } from "./kinds.ts";
import type { OfPost } from "./rows.ts";

/**
 * The write-ahead journal. An intent is SENT in a commit of its own before the request leaves, then DONE, REJECTED, UNKNOWN, or
 * PREPARED where the request provably did nothing and may leave once more. PREPARED, SENT and UNKNOWN are open; a post has at most
 * one open intent of a kind.
 */
export interface Journal {
  open(project: ProjectId): Promise<readonly Intent[]>;
  /**
   * Before the first write of a run: what was SENT for these projects, calls of tools too, has an unknown outcome, its wait starts at `at`. Returns
   * how many.
   */
  recover(at: number, projects: readonly ProjectId[]): Promise<number>;
  /** Newest first; of one post, or of all. */
  history(project: ProjectId, post: PostId | undefined, limit: number): Promise<readonly AuditEntry[]>;
  /**
   * What a run has written, or may have, to either side, of all projects, oldest first. Where an answer was lost, with what
   * was found out since.
   */
  writesOf(run: number): Promise<readonly RunWrite[]>;
  /** The run whose write was the last one of an action, since a time; undefined where none has done it. */
  doneBy(action: KnownAction, since: number): Promise<number | undefined>;
  /** Status writes to the board since a time that nobody approved and that were or may have been applied. */
  statusWrites(project: ProjectId, since: number): Promise<number>;
  /** When voters of a post were, or may have been, told of a change last; undefined where they never were. */
  lastTold(project: ProjectId, post: PostId): Promise<number | undefined>;
  /** What was done for people after a time. */
  doneSince(project: ProjectId, since: number): Promise<DoneSince>;
}

/** What was done for people in a while. */
export interface DoneSince {
  /** Issues. */
  readonly opened: number;
  /** Changes of a status that voters have been notified of. */
  readonly told: number;
  /** How many voters there were. */
  readonly known: number;
  /** Changes whose voters the board did not show. */
  readonly unknown: number;
}

/** An action, by what a saved plan knows it by. */
export interface KnownAction extends OfPost {
  readonly kind: IntentKind;
  readonly signature: string;
}

export type IntentId = number & { readonly __intent: true };

export type IntentState = "PREPARED" | "SENT" | "UNKNOWN" | "DONE" | "REJECTED";

export interface NewIntent extends OfPost {
  readonly kind: IntentKind;
  readonly run: number;
  readonly at: number;
  readonly reason: string;
  /** SHA-256 of the body that will be sent. */
  readonly bodyHash: string;
  /** Of an issue write. */
  readonly repository?: RepositoryId;
  /** Of an issue that was there: its number. */
  readonly number?: number;
  /** Of a create or an update: what will have been written. */
  readonly content?: ContentBase;
  /** Of a PATCH: the fields with the values before. */
  readonly writes?: readonly FieldWrite[];
  /** Of a change of an issue or a comment on it: the fields likewise; the value of a comment is its key. */
  readonly issueWrites?: readonly FieldWrite<IssueField>[];
  /** Of a PATCH, or a change of an issue: the `updatedAt` before, if there is one. */
  readonly updatedAtBefore?: string;
  /** Of a change of status: how many voters the board showed right before it; absent where it shows none. */
  readonly voters?: number;
}

export interface Intent extends NewIntent {
  readonly id: IntentId;
  readonly state: IntentState;
  /** Requests that have left for it, or may have. */
  readonly attempts: number;
  readonly sentAt: number | undefined;
  /** Since when its outcome is unknown. */
  readonly unknownAt: number | undefined;
  /** When it was taken up; see `takeUp`. */
  readonly takenAt: number | undefined;
  readonly message: string | undefined;
}

export interface AuditEntry {
  /** The intent that was SENT for it; left out where a write needs none, and where lines are read. */
  readonly intent?: IntentId;
  readonly at: number;
  readonly run: number;
  readonly side: "board" | "tracker";
  readonly project: ProjectId;
  readonly post: PostId | undefined;
  readonly issue: { readonly repository: RepositoryName; readonly number: number } | undefined;
  /** `create-issue`, `edit-issue`, `add-labels`, `create-label`, `patch-post`, … */
  readonly kind: string;
  readonly fields: readonly {
    readonly field: string;
    readonly before?: FieldValue | undefined;
    readonly value: FieldValue;
  }[];
  readonly reason: string;
  /** `unknown` until it is found out: then `applied`, or `not-applied`. */
  readonly outcome:
    | "applied"
    | "not-applied"
    | "rejected"
    | "forbidden"
    | "limited"
    | "unsent"
    | "unknown"
    | "missing"
    | "unauthorized";
  readonly message: string | undefined;
  readonly isApproved: boolean;
  /** Of a change of status: how many voters the board showed right before it; absent where it shows none, or an older version wrote the line. */
  readonly voters?: number;
  /** Of a call of one of the board's own tools: the tag of a release, or the issue that became a post. */
  readonly subject?: string;
}

/** Whether voters are notified of a write: not of one that was refused, or never left. One whose answer was lost they may have been notified of. */
export function isNotified({
  side,
  fields,
  outcome,
}: Pick<AuditEntry, "side" | "fields" | "outcome">): boolean {
  const hasArrived = outcome === "applied" || outcome === "unknown";
  return side === "board" && hasArrived && fields.some(({ field }) => field === "status");
}

/** How many voters were notified of a write: 0 where nobody was notified, null where it is not known how many they were. */
export function votersWhoHeard(
  entry: Pick<AuditEntry, "side" | "fields" | "outcome" | "voters">,
): number | null {
  return isNotified(entry) ? (entry.voters ?? null) : 0;
}

/** What a run did to one side. */
export interface RunWrite extends Omit<AuditEntry, "intent" | "outcome"> {
  /** Where the issue is, or is to be opened; undefined for a post, and where the repository is not known any more. */
  readonly repository: RepositoryId | undefined;
  /** `unknown`: nobody knows yet, or ever will, whether it took effect. */
  readonly outcome: "applied" | "unknown";
}

/** What one of the board's own tools is called for: one write each. */
export type CallPurpose = "changelogCreate" | "changelogUpdate" | "changelogPublish" | "feedbackCreate";

/** What the audit calls them. */
export const auditKinds: Readonly<Record<CallPurpose, string>> = {
  changelogCreate: "create-entry",
  changelogUpdate: "update-entry",
  changelogPublish: "publish-entry",
  feedbackCreate: "create-post",
};

/** The release whose entry a line of the audit is about; undefined for any other line. */
export function entryTag({
  kind,
  subject,
}: {
  readonly kind: string;
  readonly subject?: string;
}): string | undefined {
  return kind === auditKinds.feedbackCreate ? undefined : subject;
}

/**
 * One call of a tool: what it is for, and of what: the tag of a release, or `<repository id>#<number>` of an issue. There is one
 * line for each, so the table itself says "one draft a tag, one post an issue".
 */
export interface CallKey {
  readonly project: ProjectId;
  readonly purpose: CallPurpose;
  readonly subject: string;
}

/**
 * The write-ahead journal of tool calls: SENT, in a commit of its own before the request leaves, then DONE, REJECTED, UNKNOWN, or
 * PREPARED where it provably did nothing. A line stays for good.
 */
export interface ToolCalls {
  /** Of a project, by purpose and subject; of all purposes where none is named. */
  list(project: ProjectId, purpose?: CallPurpose): Promise<readonly ToolCall[]>;
  /** Those that are not DONE: few, however many were made. */
  unsettled(project: ProjectId, purpose?: CallPurpose): Promise<readonly ToolCall[]>;
  find(key: CallKey): Promise<ToolCall | undefined>;
  /** Whether one for this subject is under way, in doubt or done, in any project but this one. */
  isMadeElsewhere(key: CallKey): Promise<boolean>;
  /** Whether one of them has made what the board calls this. */
  hasMade(project: ProjectId, purpose: CallPurpose, result: string): Promise<boolean>;
}

export interface ToolCall
  extends CallKey,
    Pick<Intent, "state" | "run" | "reason" | "attempts" | "sentAt" | "unknownAt" | "message"> {
  /** SHA-256 of the arguments that are sent. */
  readonly hash: string;
  /** When it was written down. */
  readonly preparedAt: number;
  readonly endedAt: number | undefined;
  /** Of one that is DONE: the id that the board gave, and its page, as far as these are known. */
  readonly result: string | undefined;
  readonly url: string | undefined;
  /** Of one whose outcome is unknown: whether it was looked up, and can't be found out. */
  readonly isUnsure: boolean;
}

/** Whether a call waits for a person: it was refused, or it can't be found out what became of it. */
export function isStuck({ purpose, state, isUnsure }: ToolCall): boolean {
  // That is parked in the row of its issue.
  if (purpose === "feedbackCreate") return false;
  if (state === "UNKNOWN") return isUnsure;
  // What was to be published, and was not, is a draft as before.
  return state === "REJECTED" && purpose !== "changelogPublish";
}

/** What becomes of a call. */
export type ToolCallChange = Kinds<{
  /** Nothing had to be sent: what it asks for was there already. As one that is DONE. */
  "take-call": CallWritten & Pick<ToolCall, "result" | "url"> & { message: string };
  /**
   * What came of it, and what the audit said of it while nobody knew.
   *
   * @param isAnew - a person wants it tried once more, also if refused.
   * @param isUnsent - no byte of it has left, so it counts as no attempt.
   * @param post - of one that was created: as its history names it from now on.
   */
  "end-call": CallKey & {
    state: Exclude<IntentState, "SENT">;
    at: number;
    message: string;
    isUnsure?: true;
    isAnew?: true;
    isUnsent?: true;
    result?: string | undefined;
    url?: string | undefined;
    post?: PostId | undefined;
  };
}>;

/**
 * The request of a call leaves now: it is SENT, with one attempt more. It takes the place of one that is PREPARED or REJECTED, and
 * of a `changelogUpdate` also of one that is DONE. Attempts count anew where it sends something else.
 *
 * @throws Error from the commit where one is under way, or done for good: a bug of the caller.
 */
export interface SentCall extends CallWritten {
  readonly kind: "send-call";
}

interface CallWritten extends CallKey, Pick<ToolCall, "run" | "hash" | "reason"> {
  readonly at: number;
}

/** How fast the two sides may be asked and written to, and what waits for its turn: shared by all projects. */
export interface Pace {
  /**
   * Epoch ms before which a side wants no request; undefined when it never named a time. It may have passed.
   *
   * @param budget - whose limit, as the tracker names it; '' on the board.
   */
  limit(side: Side, budget: string): Promise<number | undefined>;
  /** Writes to the tracker that the pace counts since a time, oldest first, of all projects. */
  writes(since: number, budget: string): Promise<readonly PacedWrite[]>;
  /** What projects have left to write to the tracker: a few lines for each of them. */
  backlogs(): Promise<readonly Backlog[]>;
}

export interface PacedWrite {
  readonly at: number;
  readonly isCreate: boolean;
  /** undefined for a write of an older version. */
  readonly project: ProjectId | undefined;
}

/** What a run leaves of what it wanted to write. */
export interface Left {
  /** Issues that are still to be opened. */
  readonly creates: number;
  /** Other writes. */
  readonly others: number;
  /** Issues that the run has opened. */
  readonly created: number;
}

/** `created` counts from the run on that left something first. */
export interface Backlog extends Left {
  readonly project: ProjectId;
  readonly budget: string;
  /** When the last run left it so, epoch ms. */
  readonly at: number;
}
