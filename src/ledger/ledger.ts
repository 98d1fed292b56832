import type { Row } from "../model/link.ts";
import type { PostId, ProjectId } from "../model/post.ts";
import type { Change, SentChange } from "./change.ts";
import type { IntentId, Journal, Pace, ToolCalls } from "./journal.ts";
import type { Memory, Notices } from "./memory.ts";
import type { Orders, Requests, Runs } from "./orders.ts";
import type { Imports, Pulls, SignalMemory } from "./pulls.ts";
import type { Absences, Backlinks, Browse, Lookup, Rows } from "./rows.ts";

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
   *
   * @throws ConfigError where a server keeps the state: it names the server's own tool.
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
   * By this, and by their secrets, the processes on the state know what another one has handed out on the status page. A backup holds
   * another one.
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

/** The state's one writer. Held by the process: gone with it, whatever happens to it. */
export interface StateLock {
  /** The copy of the state as it was, where an older schema was brought up to date. */
  readonly copy: string | undefined;
  release(): void;
}

/** A state that several processes work on at once. One process has a project at a time. */
export interface SharedLedger extends Ledger {
  /**
   * Takes these projects for a run: all of them, or none where another process has one of them.
   *
   * @param keys by the names that the config gives them.
   */
  take(keys: readonly string[]): Promise<HeldProjects | Taken>;
  /** The time by the clock of the state, epoch ms, whatever becomes of this machine's. */
  now(): number;
  /** How far that clock was ahead of this machine's when the state was opened, in milliseconds. */
  readonly clockAheadMs: number;
}

/** Projects that are held for a run, until it is released or its lease runs out. */
export interface HeldProjects {
  readonly kind: "held";
  /** The state for that run: it commits nothing any more once another process has a project of it. */
  readonly ledger: Ledger;
  /** Never rejects: what can't be let go of runs out. */
  release(): Promise<void>;
}

/** Another process has one of the projects. */
export interface Taken {
  readonly kind: "taken";
  readonly project: string;
  /** `daemon, process 1 on host box`. */
  readonly who: string;
  /** Whether that process works by another config, so that it is not waited for. */
  readonly isOtherConfig: boolean;
}

/** What keeps the state small, and tells how big it is. */
export interface Upkeep {
  /**
   * Deletes what nobody asks for any more: lines of the audit, finished intents and runs from before `now - keepMs`, writes
   * that the pace counts no more, and, after a day, runs that told nothing new. It goes in small steps, each a transaction of
   * its own, and stops after a bounded number of them: what is left is for the next call.
   *
   * What a decision may rest on stays, whatever its age: everything open, the bases, links and markers, the last run of each
   * project, and the line of an opened issue that nothing else in the state explains.
   *
   * @param keepMs - a day at least: so far back decisions look.
   */
  prune(now: number, keepMs: number): Promise<void>;
  /**
   * Puts the write-ahead journal away where it has grown beyond what one run leaves. Returns how big it is then: a large one
   * is held by somebody who goes on reading.
   */
  trimJournal(): Promise<number>;
  size(): Promise<StateSize>;
}

/** What the audit knows no more. */
export interface Pruned {
  /** Epoch ms: lines from before it have been deleted. */
  readonly before: number;
  /** The last run of which a line was deleted. */
  readonly run: number;
}

/** How big the state is, in bytes. */
export interface StateSize {
  /** Of the database file. */
  readonly bytes: number;
  /** What of it is free, and used again before the file grows. */
  readonly freeBytes: number;
  /** Of the write-ahead journal beside it. */
  readonly journalBytes: number;
  readonly links: number;
  /** undefined while nothing was ever deleted from the audit. */
  readonly pruned: Pruned | undefined;
}
