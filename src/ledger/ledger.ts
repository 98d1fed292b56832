import type { Row } from "../model/link.ts";
import type { PostId, ProjectId } from "../model/post.ts";
import type { Absences } from "./absences.ts";
import type { Backlinks } from "./backlinks.ts";
import type { Browse } from "./browse.ts";
import type { Change, SentChange } from "./change.ts";
import type { Imports } from "./imports.ts";
import type { IntentId, Journal } from "./journal.ts";
import type { Links } from "./links.ts";
import type { Lookup } from "./lookup.ts";
import type { Memory } from "./memory.ts";
import type { Notices } from "./notices.ts";
import type { Orders } from "./orders.ts";
import type { Pace } from "./pace.ts";
import type { Pulls } from "./pulls.ts";
import type { Requests } from "./requests.ts";
import type { Rows } from "./rows.ts";
import type { Runs } from "./runs.ts";
import type { SignalMemory } from "./signals.ts";
import type { ToolCalls } from "./tool-calls.ts";
import type { Upkeep } from "./upkeep.ts";

/**
 * What boardsync remembers. Every call is short. What belongs together is committed together: `commit` makes all of its
 * changes or none, and they are on the disk when its promise is kept.
 *
 * Times are epoch milliseconds, given by the caller: the ledger has no clock.
 */
export interface Ledger {
  readonly memory: Memory;
  readonly pulls: Pulls;
  readonly absences: Absences;
  readonly signals: SignalMemory;
  readonly rows: Rows;
  readonly lookup: Lookup;
  readonly browse: Browse;
  readonly links: Links;
  readonly backlinks: Backlinks;
  readonly journal: Journal;
  readonly toolCalls: ToolCalls;
  readonly imports: Imports;
  readonly pace: Pace;
  readonly requests: Requests;
  readonly orders: Orders;
  readonly runs: Runs;
  readonly notices: Notices;
  readonly upkeep: Upkeep;
  /** All of these changes, in their order, or none when it throws. */
  commit(changes: readonly Change[]): Promise<void>;
  /**
   * The last that is written before a request leaves, and nothing else with it: on the disk when its promise is kept.
   *
   * @param of - whose write it is; no post where pauses of single ones don't concern it.
   * @throws OutdatedError where the pace is not what it was.
   * @throws Error where such a write is under way already, or in doubt: a bug of the caller.
   */
  commitSent(lines: readonly SentChange[], of: SentOf): Promise<Sent>;
  /** The state as it would be if these changes were committed: each call asks anew which. Nothing is written. */
  after(changes: () => readonly Change[]): Ahead;
  /**
   * Writes a consistent copy to a new file (mode 0600), while others read and write. A backup is stamped with the time, so
   * that it is known for one when it is put back; without a stamp the copy says of itself what the original says.
   */
  copyTo(file: string, stampedAt: number | undefined): Promise<void>;
  /**
   * When this state was copied from a running one, or was found out to be such a copy, epoch ms: it is old, and starts in
   * recovery. undefined for an original.
   */
  readonly copiedAt: number | undefined;
  /**
   * Tells this state from every other one. A copy has that of its original until it is known for a copy: what was planned
   * before it was put back is no plan for it.
   */
  readonly identity: string;
  /**
   * By this every process on the state knows what another one has handed out on the status page: whoever has it can open that. A
   * backup holds another one.
   */
  readonly pageKey: string;
  /**
   * Right before a request leaves.
   *
   * @throws StateError where another process may take over before that request has ended.
   */
  assertHeld(): Promise<void>;
  close(): void;
}

/** Whose write is about to leave. */
export interface SentOf {
  readonly project: ProjectId;
  readonly post: PostId | undefined;
}

/** What is seen right after a write was marked SENT: also a pause that was committed before that, whichever process made it. */
export interface Sent extends Pick<Row, "pausedAt" | "wholePause"> {
  /** Of the line that says `mark-sent`. */
  readonly intent: IntentId | undefined;
}

/** All that can be read of a state and that changes make another thing of. */
export type Ahead = Omit<
  Ledger,
  "commit" | "commitSent" | "after" | "copyTo" | "identity" | "pageKey" | "assertHeld" | "close"
>;
