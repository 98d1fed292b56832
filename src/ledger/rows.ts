import type { Cause } from "../model/causes.ts";
import type { IssueRef } from "../model/issue.ts";
import type {
  FieldBase,
  IntentKind,
  IssueBases,
  PlannedChange,
  Row,
  RowNote,
  WholePause,
  WriteKind,
} from "../model/link.ts";
import type { PostId, ProjectId, RuleField } from "../model/post.ts";
import type { LinkedPost } from "./absences.ts";

/** What decisions are made of, and what is recorded of them. */
export interface Rows {
  /** Due rows (marked, or whose time has come), by post id, after `after`; at most `limit`. Never a post that was not listed. */
  due(project: ProjectId, now: number, after: PostId | undefined, limit: number): Promise<readonly Row[]>;
  /** One row, due or not. `now` bounds the last 24 hours of `statusWrites`. */
  row(project: ProjectId, post: PostId, now: number): Promise<Row | undefined>;
  /** Those of several posts, without posts that no listing has shown. */
  rows(project: ProjectId, posts: readonly PostId[], now: number): Promise<readonly Row[]>;
  /** Every post, of any project, that is linked to an issue; `withDuplicates`: or to a duplicate of it. */
  linkedTo(issue: IssueRef, scope?: "withDuplicates"): Promise<readonly LinkedPost[]>;
  /** The texts that the project's posts show in a field, the most common first; posts that are missing don't count. At most 1,000. */
  shown(project: ProjectId, field: "status" | "categoryId"): Promise<readonly string[]>;
  /** The pauses that concern a project as a whole, that of all projects first; of no project that one alone. */
  wholePauses(project: ProjectId | undefined): Promise<readonly WholePause[]>;
  counts(project: ProjectId): Promise<RowCounts>;
  /** Every action that is held, by post. */
  held(project: ProjectId): Promise<readonly HeldAction[]>;
  /** What waits for a person or a time, oldest first; of these kinds, where some are named, else of all but `missing`; at most `limit`. */
  waiting(
    project: ProjectId,
    limit: number,
    kinds?: readonly WaitingRow["kind"][],
  ): Promise<readonly WaitingRow[]>;
  /** The same of one post. */
  waitingOf(project: ProjectId, post: PostId): Promise<readonly WaitingRow[]>;
}

export interface RowRecord {
  readonly base: Readonly<Partial<Record<RuleField, FieldBase>>>;
  /** Likewise of the fields of linked issues; absent where none changes. */
  readonly issueBases?: readonly IssueBases[];
  readonly standing: { readonly kind: "skipped" | "linked" | "wanted"; readonly reason: string };
  readonly notes: readonly RowNote[];
  /** `now`: due at once again. A time: due from then on. undefined: due when something changes. */
  readonly due: "now" | number | undefined;
}

/** What an approval names an action by. */
export interface ActionName {
  readonly post: PostId;
  readonly kind: WriteKind;
  readonly signature: string;
}

/** An action that is held until a person lets it go. */
export interface HeldAction extends ActionName {
  readonly cause: Cause;
  readonly message: string;
  /** Of the post; null where the board shows none. */
  readonly title: string | null;
  /** undefined for a hold of an older version. */
  readonly planned: PlannedChange | undefined;
}

export interface RowCounts {
  /** Posts of the last pull that saw the board. */
  readonly posts: number;
  /** Linked issues, each once. */
  readonly issues: number;
  readonly skipped: number;
  /** Posts that wait for a time, a limit, or the outcome of a write. */
  readonly waiting: number;
  /** Posts for which a person wants nothing written. None of what follows counts them. */
  readonly paused: number;
  readonly held: number;
  readonly parked: number;
  readonly quarantined: number;
  /** Posts that differ from what their issues ask for, or show something else than was written, and stay so. */
  readonly differs: number;
  /** Linked posts that the board no longer lists. */
  readonly missing: number;
  /** Actions that are held, and that a person may let go. */
  readonly approvable: number;
  /** Voters who would be notified of these, as far as the board shows votes. */
  readonly voters: number;
  /** Of how many of these the board shows no votes. */
  readonly unknownVotes: number;
  /** When the next post that waits by itself follows at the earliest, epoch ms; null where that is not known. */
  readonly nextAt: number | null;
}

export interface WaitingRow {
  readonly post: PostId;
  readonly issues: readonly IssueRef[];
  /** `missing`: a linked post that the board no longer lists, since the list that lacked it first. */
  readonly kind: RowNote["kind"] | "intent" | "missing";
  readonly cause: Cause;
  readonly code: string | undefined;
  readonly message: string;
  readonly since: number;
  /** Of the post; null where the board shows none. */
  readonly title: string | null;
  /** What would be written, where that was recorded. */
  readonly planned: PlannedChange | undefined;
  /** When it follows by itself at the earliest, epoch ms; undefined where that is not known. */
  readonly until: number | undefined;
  /** Of a write whose outcome nobody knows: its kind. */
  readonly intent?: IntentKind;
  /** Held, and no approval lets it go by itself: its cause (`writes`, a board that shrank) holds more than this action. */
  readonly isStopped?: true;
}
