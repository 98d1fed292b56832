import type { Side } from "../errors.ts";
import type {
  Absence,
  Issue,
  IssueRef,
  Milestone,
  Repository,
  RepositoryId,
  RepositoryName,
} from "../model/issue.ts";
import type { ContentBase, FieldBase, Link, Parked, Row, Target } from "../model/link.ts";
import type { FieldValue, Post, PostField, PostId, ProjectId, RuleField } from "../model/post.ts";

/**
 * What boardsync remembers. Everything is synchronous and short; each method that writes is one transaction, and
 * `transaction` joins several into one. What a method returns has been committed, to the disk, when it returns.
 *
 * Times are epoch milliseconds, given by the caller: the ledger has no clock.
 */
export interface Ledger {
  readonly memory: Memory;
  readonly pulls: Pulls;
  readonly absences: Absences;
  readonly rows: Rows;
  readonly journal: Journal;
  readonly requests: Requests;
  readonly runs: Runs;
  /** All of `work`, or nothing when it throws. It must not await. Nested calls join the outer one. */
  transaction<T>(work: () => T): T;
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
  /** The tracker has shown that this state is an old copy which nobody stamped; from now on it says so itself. */
  declareOld(at: number): void;
  /**
   * Begins a run on a clock that may have been set back since the last one: a time that lies ahead would hold up for years
   * what waits for it (a wait, a full look, the pace, the guard's window). What happened ahead counts as happened now, so
   * that no wait gets shorter, and what is to be done ahead is looked at again. Returns by how many milliseconds the last
   * run was ahead, 0 where it was not, and then nothing is written.
   */
  rewind(now: number): number;
  close(): void;
}

/** Facts about the two sides that are asked for once and checked again every `fullEvery`. */
export interface Memory {
  account(): AccountMemory | undefined;
  rememberAccount(account: AccountMemory): void;
  /** By the name that the config gives the project. */
  project(key: string): ProjectMemory | undefined;
  rememberProject(project: ProjectMemory): void;
  /** By the name that the config uses. */
  repository(name: RepositoryName): RepositoryMemory | undefined;
  /** By its numeric id. */
  repositoryById(id: RepositoryId): RepositoryMemory | undefined;
  /** Insert or replace, by numeric id. A name moves to the repository that was remembered last under it. */
  rememberRepository(repository: RepositoryMemory): void;
  /** Epoch ms before which a side wants no request; undefined when it never named a time. It may have passed. */
  limit(side: Side): number | undefined;
  /** Replaces what was remembered of this side. */
  rememberLimit(side: Side, until: number): void;
}

export interface AccountMemory {
  readonly login: string;
  readonly checkedAt: number;
}

export interface ProjectMemory {
  /** `project` of the config. */
  readonly key: string;
  readonly id: ProjectId;
  readonly name: string;
  readonly checkedAt: number;
  /** Of all settings that a decision depends on: when it changes, every row is due. */
  readonly settingsPrint: string | undefined;
  /** `rules`, `several` and `whenNoRule` by which the bases were made, as `writeRules` of the plan gives them. */
  readonly rules: string | undefined;
  /** The fields that the last usable pull showed. */
  readonly seen: readonly PostField[];
  /** When all its rows were last up for a full look. */
  readonly fullAt: number | undefined;
  readonly lastSuccessAt: number | undefined;
  /** The stamp (`copiedAt`) of the copy after whose return both sides were taken as they were. */
  readonly recoveredFrom: number | undefined;
}

export interface RepositoryMemory {
  /** The name that the config uses; `repository.name` is what the tracker calls it now. */
  readonly name: RepositoryName;
  readonly repository: Repository;
  readonly checkedAt: number;
  readonly labels: readonly string[];
  readonly milestones: readonly Milestone[];
  /** Makes the idle request conditional. */
  readonly etag: string | undefined;
  /** The newest `updated_at` whose changes are all stored; undefined before the first complete read. */
  readonly cursor: string | undefined;
  /** When the last scan for markers was completed; without one nothing is opened there. */
  readonly scannedAt: number | undefined;
  /** Logins, in lower case, whose issues have been scanned. */
  readonly scannedFor: readonly string[];
  /** When a scan showed that the database was lost or is old: creates wait. */
  readonly recoveredAt: number | undefined;
  /** When all its linked issues were last read anew, whatever had changed. */
  readonly fullAt: number | undefined;
  /** When it was seen to have turned public; undefined when it hasn't, and once a person has accepted that. */
  readonly publicSince: number | undefined;
  /** Since when so many of its linked issues are not found that nothing is believed of any; undefined when all is well. */
  readonly pausedAt: number | undefined;
}

export type PullId = number & { readonly __pull: true };

/** What was read, stored page by page. */
export interface Pulls {
  begin(project: ProjectId, run: number, at: number): PullId;
  /**
   * Stores the posts under the pull's number (a post that comes again replaces what came before), and marks those due that
   * are new, differ from what was stored, were missing, or had their look forgotten.
   */
  storePosts(pull: PullId, posts: readonly Post[], at: number): void;
  /** Posts of this pull, linked posts of the project, and how many of these the pull has seen. */
  measure(pull: PullId): PullMeasure;
  /**
   * Ends the pull. `complete` counts every stored post that it has not seen as missing once more (never above 2, once a
   * run) and marks it due where the count moved; `usable` and `incomplete` leave absence alone.
   */
  end(pull: PullId, end: { readonly kind: "complete" | "usable" | "incomplete"; readonly at: number }): void;
  /**
   * Stores issues that are linked, and those that `marked` names: a marker of ours for a post of this board. Others are
   * left out. Marks the rows of every changed issue due. Returns how many were stored. An issue that was missing or lost is
   * there again; one that was deleted or moved is never taken from a list, which may lag.
   */
  storeIssues(issues: readonly Issue[], marked: readonly MarkedIssue[]): number;
  /** The issue that carries our marker for a post: one that is not gone first, then the lowest number of the lowest repository id. */
  marked(project: ProjectId, post: PostId): FoundMarker | undefined;
  /**
   * Whether the state can tell how an issue came by a marker of ours: the issue, or one of the posts, is linked or was seen
   * with a marker before, or a request to open an issue for such a post has left.
   */
  explains(marked: MarkedIssue): boolean;
  /** Whether another issue is known by this number: the name that was asked for may have been given to another repository. */
  contradicts(issue: Issue): boolean;
  /** Linked issues of a repository, for a full read. */
  linkedIssues(repository: RepositoryId): readonly IssueRef[];
}

export interface PullMeasure {
  readonly posts: number;
  /** Without those that are known to be missing. */
  readonly linked: number;
  readonly linkedSeen: number;
}

export interface FoundMarker {
  readonly issue: Issue;
  /** As it was stored with the marker for the first time. */
  readonly isOwn: boolean;
  /** Further issues that carry a marker for the post and are not gone. */
  readonly others: readonly Issue[];
}

export interface MarkedIssue {
  readonly issue: IssueRef;
  /** Whether our own account opened it, not one that is only trusted. */
  readonly isOwn: boolean;
  readonly project: ProjectId;
  readonly posts: readonly PostId[];
}

/** What became of linked issues that are not where they were, and of their links. */
export interface Absences {
  of(issue: IssueRef): Absence | undefined;
  /** Replaces what was known; with undefined the issue is there after all. Marks its rows due where the kind changes. */
  set(issue: IssueRef, absence: Absence | undefined): void;
  /** Those of a repository that are linked. */
  ofRepository(repository: RepositoryId): readonly { readonly issue: IssueRef; readonly absence: Absence }[];
  /** Those that posts of a project are linked to, by post and in the order of its links. */
  ofProject(project: ProjectId): readonly AbsentLink[];
  /**
   * Issues of due posts that may have been transferred: an issue elsewhere carries the post's mark, is not linked to it, and
   * was created at the same time, which a transfer keeps.
   */
  suspects(project: ProjectId): readonly IssueRef[];
  /**
   * A verified transfer: every link and every mark of the old place leads to the new one, whose facts are stored; bases and
   * what was written last stay, and the old place is `moved` for good. Marks the rows due. Returns them.
   */
  follow(from: IssueRef, to: Issue, moved: Absence & { readonly kind: "moved" }): readonly LinkedPost[];
  /**
   * A person wants another issue for a post: its links end, and the marks of the old issues count no more. Returns what it
   * was linked to.
   */
  retire(project: ProjectId, post: PostId): readonly IssueRef[];
  /** Every repository in which a post of a project has an issue. */
  linkedRepositories(project: ProjectId): readonly RepositoryId[];
  /** Marks every row due that has an issue in a repository. */
  markRowsOf(repository: RepositoryId): void;
}

export interface AbsentLink {
  readonly post: PostId;
  readonly issue: IssueRef;
  readonly absence: Absence;
}

export interface LinkedPost {
  readonly project: ProjectId;
  readonly post: PostId;
}

/** What decisions are made of, and what is recorded of them. */
export interface Rows {
  /** Due rows (marked, or whose time has come), by post id, after `after`; at most `limit`. Never a post that was not listed. */
  due(project: ProjectId, now: number, after: PostId | undefined, limit: number): readonly Row[];
  /** One row, due or not. `now` bounds the last 24 hours of `statusWrites`. */
  row(project: ProjectId, post: PostId, now: number): Row | undefined;
  /**
   * Records a decision. A base replaces the one of its field, and those of other fields stay; the notes replace all that
   * were there; the row is due again only as `due` says. A record of what stands already writes nothing.
   */
  record(project: ProjectId, post: PostId, record: RowRecord): void;
  /** Our write has just changed the post: what is stored says nothing of it until a listing shows it again. */
  forgetLook(project: ProjectId, post: PostId): void;
  markDue(project: ProjectId, which: "all" | "linked" | readonly PostId[]): void;
  /** Adds a link (nothing happens when it is there) and stores the issue's facts. */
  link(project: ProjectId, link: Link, issue: Issue, content: ContentBase | undefined): void;
  setContent(project: ProjectId, post: PostId, issue: IssueRef, content: ContentBase): void;
  setMissing(project: ProjectId, post: PostId, missing: 0 | 1 | 2): void;
  park(project: ProjectId, post: PostId, parked: Parked): void;
  /** Ends what is parked for one kind, or for all. */
  unpark(project: ProjectId, post: PostId, kind: Parked["kind"] | undefined): void;
  quarantine(project: ProjectId, post: PostId): void;
  /** Ends a quarantine; status writes before `at` count no more for the next one. */
  release(project: ProjectId, post: PostId, at: number): void;
  counts(project: ProjectId): RowCounts;
  /** Every action that is held, by post. */
  held(project: ProjectId): readonly HeldAction[];
  /** Everything that waits for a person or a time, oldest first, for `status`; at most `limit`. */
  waiting(project: ProjectId, limit: number): readonly WaitingRow[];
}

export interface RowRecord {
  readonly base: Readonly<Partial<Record<RuleField, FieldBase>>>;
  readonly standing: { readonly kind: "skipped" | "linked" | "wanted"; readonly reason: string };
  readonly notes: readonly RowNote[];
  /** `now`: due at once again. A time: due from then on. undefined: due when something changes. */
  readonly due: "now" | number | undefined;
}

/** A sentence about a row that stands until the next record of it. */
export interface RowNote {
  readonly kind:
    | "disagreement"
    | "settling"
    | "held"
    | "did-not-stick"
    | "quarantined"
    | "undecided"
    | "waiting";
  readonly message: string;
  /** When it was said first: a note that stands already, or another one of `held` or `waiting`, keeps its time. */
  readonly since: number;
  /** Of a held action: what an approval names it by. */
  readonly action?: { readonly kind: Parked["kind"]; readonly signature: string };
}

/** An action that is held, as an approval names it. */
export interface HeldAction {
  readonly post: PostId;
  readonly kind: Parked["kind"];
  readonly signature: string;
  readonly message: string;
}

export interface RowCounts {
  /** Posts of the last pull that saw the board. */
  readonly posts: number;
  /** Linked issues, each once. */
  readonly issues: number;
  readonly skipped: number;
  /** Posts that wait for a time, a limit, or the outcome of a write. */
  readonly waiting: number;
  readonly held: number;
  readonly parked: number;
  readonly quarantined: number;
}

export interface WaitingRow {
  readonly post: PostId;
  readonly issues: readonly IssueRef[];
  readonly kind: RowNote["kind"] | "parked" | "intent";
  readonly code: string | undefined;
  readonly message: string;
  readonly since: number;
}

/**
 * The write-ahead journal. An intent is PREPARED, then SENT in a commit of its own before the request leaves, then DONE,
 * REJECTED or UNKNOWN. PREPARED, SENT and UNKNOWN are open; a post has at most one open intent of a kind.
 */
export interface Journal {
  /** @throws Error when the post has an open intent of this kind: a bug of the caller, never a state to live with. */
  prepare(intent: NewIntent): IntentId;
  /** The request leaves now: durable before this returns. Counts one attempt. */
  markSent(id: IntentId, at: number): void;
  resolve(
    id: IntentId,
    state: "DONE" | "REJECTED" | "UNKNOWN" | "PREPARED",
    at: number,
    message: string,
  ): void;
  /** Other rules ask for something else by now: what T₀ becomes, of the writes of an open PATCH. */
  retarget(id: IntentId, writes: readonly IntentWrite[]): void;
  open(project: ProjectId): readonly Intent[];
  /** Before the first write of a process: what was SENT has an unknown outcome, its wait starts at `at`. Returns how many. */
  recover(at: number): number;
  /** A write is about to leave for the tracker: durable before this returns, so that the pace survives a crash. */
  paceWrite(at: number, isCreate: boolean): void;
  /** One line for every write to either side, whatever came of it. */
  audit(entry: AuditEntry): void;
  /** Newest first; of one post, or of all. */
  history(project: ProjectId, post: PostId | undefined, limit: number): readonly AuditEntry[];
  /** Times given to `paceWrite` since a time, oldest first, over all projects; creates by themselves. */
  trackerWrites(since: number): { readonly all: readonly number[]; readonly creates: readonly number[] };
  /** Status writes to the board since a time that nobody approved and that were or may have been applied. */
  statusWrites(project: ProjectId, since: number): number;
  /** Deletes audit lines, pace lines and finished intents older than `before`. */
  prune(before: number): void;
}

export type IntentId = number & { readonly __intent: true };
export type IntentState = "PREPARED" | "SENT" | "UNKNOWN" | "DONE" | "REJECTED";

export interface NewIntent {
  readonly project: ProjectId;
  readonly post: PostId;
  readonly kind: Parked["kind"];
  readonly run: number;
  readonly at: number;
  readonly reason: string;
  /** SHA-256 of the body that will be sent. */
  readonly bodyHash: string;
  /** Of an issue write. */
  readonly repository?: RepositoryId;
  /** Of an update: the issue's number. */
  readonly number?: number;
  /** Of a create or an update: what will have been written. */
  readonly content?: ContentBase;
  /** Of a PATCH: the fields with the values before. */
  readonly writes?: readonly IntentWrite[];
  /** Of a PATCH: the record's `updatedAt` before, if it has one. */
  readonly updatedAtBefore?: string;
}

export interface IntentWrite {
  readonly field: RuleField;
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
  readonly message: string | undefined;
}

export interface AuditEntry {
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
  readonly outcome: "applied" | "rejected" | "limited" | "unsent" | "unknown" | "missing" | "unauthorized";
  readonly message: string | undefined;
  readonly isApproved: boolean;
}

/**
 * What people ask for beside a run, in short transactions of their own; the next run of the project takes it up.
 */
export interface Requests {
  add(request: NewRequest): void;
  /** In the order in which they came. */
  pending(project: ProjectId): readonly PersonRequest[];
  /** The first write of an approval is made: what is left of it stays approved. */
  begin(id: RequestId): void;
  end(id: RequestId): void;
}

export type RequestId = number & { readonly __request: true };

interface AnyRequest {
  readonly project: ProjectId;
  readonly at: number;
}

/**
 * `retry`: what is parked of these posts may be tried again. `release`: ends their quarantine. `discard`: takes both sides of
 * these posts as they are. `approve`: lets these held actions go; `isWhole` when they were all that was held. `accept-size`: of a
 * project that is held because the board shrank, the present size is the new measure.
 */
export type NewRequest = AnyRequest &
  (
    | { readonly kind: "retry" | "release" | "discard"; readonly posts: readonly PostId[] }
    | { readonly kind: "accept-size" }
    | { readonly kind: "approve"; readonly actions: readonly HeldAction[]; readonly isWhole: boolean }
  );

export type PersonRequest = NewRequest & { readonly id: RequestId; readonly hasBegun: boolean };

/** Runs and signs of life. */
export interface Runs {
  /** Returns the run's number, counted from 1. */
  begin(at: number): number;
  finish(run: number, report: RunRecord): void;
  /** The last finished run of a project (by its config key), or of any. */
  last(project: string | undefined): StoredRun | undefined;
  beat(at: number, who: string): void;
  heartbeat(): { readonly at: number; readonly who: string } | undefined;
}

export interface RunRecord {
  readonly finishedAt: number;
  readonly result: "ok" | "partial" | "held" | "failed";
  /** One report a project, as `sync --json` prints it: the ledger stores it as it is. */
  readonly projects: readonly { readonly project: string; readonly report: object }[];
}

export interface StoredRun {
  readonly run: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly result: "ok" | "partial" | "held" | "failed";
  readonly report: unknown;
}

/** The state's one writer. Held by the process: gone with it, whatever happens to it. */
export interface StateLock {
  /** The copy of the state as it was, where an older schema was brought up to date. */
  readonly copy: string | undefined;
  release(): void;
}
