import type { IssueField, RepositoryId, RepositoryName } from "../model/issue.ts";
import type { ContentBase, Field, IntentKind, Target } from "../model/link.ts";
import type { FieldValue, PostId, ProjectId, RuleField } from "../model/post.ts";

/**
 * The write-ahead journal. An intent is SENT in a commit of its own before the request leaves, then DONE, REJECTED, UNKNOWN, or
 * PREPARED where the request provably did nothing and may leave once more. PREPARED, SENT and UNKNOWN are open; a post has at most
 * one open intent of a kind.
 */
export interface Journal {
  open(project: ProjectId): Promise<readonly Intent[]>;
  /**
   * Before the first write of a run: what was SENT for these projects has an unknown outcome, its wait starts at `at`. Returns
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
  /** What was done for people after a time. */
  doneSince(project: ProjectId, since: number): Promise<DoneSince>;
}

/** What was done for people in a while. */
export interface DoneSince {
  /** Issues. */
  readonly opened: number;
  /** Changes of a status that voters have been notified of. */
  readonly told: number;
  /** How many voters these have by now; null where none of them shows votes. */
  readonly voters: number | null;
}

/** An action, by what a saved plan knows it by. */
export interface KnownAction {
  readonly project: ProjectId;
  readonly post: PostId;
  readonly kind: IntentKind;
  readonly signature: string;
}

export type IntentId = number & { readonly __intent: true };

export type IntentState = "PREPARED" | "SENT" | "UNKNOWN" | "DONE" | "REJECTED";

export interface NewIntent {
  readonly project: ProjectId;
  readonly post: PostId;
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
  readonly writes?: readonly IntentWrite[];
  /** Of a change of an issue or a comment on it: the fields likewise; the value of a comment is its key. */
  readonly issueWrites?: readonly IntentWrite<IssueField>[];
  /** Of a PATCH: the record's `updatedAt` before, if it has one. */
  readonly updatedAtBefore?: string;
  /** Of a change of status: how many voters the board showed right before it; absent where it shows none. */
  readonly voters?: number;
}

export interface IntentWrite<Name extends Field = RuleField> {
  readonly field: Name;
  readonly before: FieldValue | undefined;
  readonly value: FieldValue;
  /** What T₀ becomes once this is known to be applied. */
  readonly target: Target;
}

export interface Intent extends NewIntent {
  readonly id: IntentId;
  readonly state: IntentState;
  /** Requests sent for it. */
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
    readonly before?: FieldValue;
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
