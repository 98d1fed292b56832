import type { Board } from "../../board/board.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Log } from "../../log.ts";
import type { RepositoryName } from "../../model/issue.ts";
import type { BoardProject, PostId, ProjectId } from "../../model/post.ts";
import type { Clock, ReadBounds } from "../../model/surroundings.ts";
import type { ActionKind } from "../../plan/action.ts";
import type { PaceLimits } from "../../plan/pace.ts";
import type { Settings } from "../../plan/settings.ts";
import type { IssueTemplates, Renderer } from "../../plan/text/render.ts";
import type { Tracker } from "../../tracker/tracker.ts";

/** Everything that a run works with. Made by `app.ts`, or by a test. */
export interface World {
  readonly board: Board;
  readonly tracker: Tracker;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
  readonly policy: Policy;
  /** Left out where nobody watches. */
  readonly progress?: Progress;
  /** Left out where a run shares nothing with others. */
  readonly round?: Round;
}

/** Runs of one project each that become due together, as those of a daemon do. */
export interface Round {
  /** What they have looked at. */
  readonly looks: Run["looks"];
  /** When this run became due, epoch ms: what others have looked at since is as good as a look of its own. */
  readonly dueAt: number;
  /** Projects whose runs wait behind this one. */
  readonly waiting: readonly SyncProject[];
}

/** Told how far a run is, for a person who watches; what it does with that changes nothing. */
export interface Progress {
  show(step: ProgressStep): void;
}

export interface ProgressStep {
  readonly project: string;
  /** `posts read`, `issues opened`, … */
  readonly what: string;
  readonly done: number;
  /** undefined while nobody knows. */
  readonly total: number | undefined;
  /** When the last of it will be done, epoch ms, where that can be told. Takes a moment: only who shows it asks. */
  readonly doneAt?: () => number;
}

/** What holds for all projects; durations in milliseconds. */
export interface Policy {
  /** Stands in every marker: which board. */
  readonly boardHash: string;
  /** How long what was learnt about projects, repositories and our account is taken for true. */
  readonly fullEveryMs: number;
  /** A run starts no action after this. */
  readonly budgetMs: number;
  /** How long an unknown outcome rests before it is looked up. */
  readonly waits: { readonly createMs: number; readonly patchMs: number };
  readonly pace: PaceLimits;
  /** `project` of every project of the config, also of those that this run leaves out. */
  readonly projectKeys: readonly string[];
  /** Every repository that any of them names. */
  readonly repositories: readonly RepositoryName[];
  /** Further logins whose markers count. */
  readonly trustedAuthors: readonly string[];
  /** PATCH requests in flight. */
  readonly concurrency: number;
  /** How long audit and run history are kept. */
  readonly keepMs: number;
}

/** One project of the config. The planner's settings lack only the project's id, which the board has to tell. */
export interface SyncProject {
  /** `project` of the config: an id or a slug. */
  readonly key: string;
  readonly settings: Omit<Settings, "project">;
  readonly templates: IssueTemplates;
  /** Of these templates. Reading them takes longer than an idle run, so it is done once in a process. */
  readonly renderer: Renderer;
  /** How long it is between two of its times, ms, as `schedule` says it. */
  periodMs(now: number): number;
}

/**
 * `sync` writes. `plan` decides and writes nothing; it is given a ledger of its own. `adopt` links what carries our marker
 * and takes both sides as they are. `apply` writes what a saved plan names, `undo` takes back what another run has
 * written; neither writes anything beside it.
 */
export type Mode = "sync" | "plan" | "adopt" | "apply" | "undo";

/** What a person has ordered of a run, beside its mode. */
export interface Order {
  /** Of mode `apply`. */
  readonly saved?: SavedPlan;
  /** Of mode `undo`. */
  readonly undo?: UndoOrder;
}

/** Which run's writes are to be taken back. */
export interface UndoOrder {
  readonly run: number;
  /** What a person was shown and wants undone; undefined for a look at what that would be. */
  readonly agreed: readonly SavedProject[] | undefined;
}

/** What the cycles of one run share. */
export interface Run extends Order {
  readonly number: number;
  readonly mode: Mode;
  readonly bounds: ReadBounds;
  /** When it became due, epoch ms. */
  readonly dueAt: number;
  /** What has been looked at, by name, so that projects which share something look once; see looks.ts. */
  readonly looks: Map<string, Look>;
  /** The projects that the board lists; empty until the first of them has to be found. */
  readonly listed: BoardProject[];
  /** Its projects, and those whose runs come next: what is to be read for them may go along. */
  readonly companions: readonly SyncProject[];
  /** Times of the last hour's writes to the tracker, by budget: read once, since nobody else writes during a run. */
  readonly recent: Map<string, { readonly all: number[]; readonly creates: number[] }>;
  /** Why a lane (see lane.ts) takes no more writes in this run; set by a limit, the pace or a refused credential. */
  readonly closed: Map<string, Closure>;
}

/** One look at something that projects share. */
export interface Look {
  /** Which run it belongs to. */
  readonly run: number;
  /** When it began, epoch ms. */
  readonly at: number;
  /** What it failed of. */
  readonly error?: Error;
}

export interface Closure {
  readonly code: string;
  /** Who wants nothing, or what is used up, as a sentence without its full stop. */
  readonly message: string;
  /** When that ends, epoch ms; left out where nobody knows. */
  readonly until?: number | undefined;
}

/** What `sync --json` prints of a project. */
export interface ProjectReport {
  readonly project: string;
  readonly repo: RepositoryName;
  /** Of this project by itself, in the words of the whole run's. */
  readonly result: RunResultWord;
  readonly posts: number;
  readonly issues: number;
  readonly created: number;
  readonly adopted: number;
  readonly issueWrites: number;
  readonly postWrites: number;
  readonly statusWrites: number;
  readonly waiting: number;
  readonly held: number;
  readonly parked: number;
  readonly quarantined: number;
  readonly skipped: number;
  readonly failed: number;
  readonly requests: { readonly board: number; readonly tracker: number };
  readonly errors: readonly ReportedError[];
  /** Why nothing of the whole project is written, where a guard holds it. */
  readonly hold?: string;
  /** `writes` of the config, where it stops something. */
  readonly writes?: Exclude<Settings["writes"], "all">;
  /** Why something was left to a later run, although nothing failed; left out where nothing was. */
  readonly putOff?: readonly PutOff[];
}

/** A limit, the pace, the end of the run's time, or a signal. */
export interface PutOff {
  /** For example `tracker.limited`. */
  readonly code: string;
  readonly message: string;
  /** When it ends, ISO 8601; left out where nobody knows. */
  readonly until?: string;
}

export interface ReportedError {
  readonly post?: string;
  /** `owner/name#number`. */
  readonly issue?: string;
  /** For example `board.rejected`. */
  readonly code: string;
  readonly message: string;
  /** What a person may do about it; left out where the message says it. */
  readonly advice?: string;
  /** Until when the other side asks for a pause, ISO 8601; left out where it names no time. */
  readonly until?: string;
}

/** One line of a plan, as `plan --json` prints it. */
export interface PlannedAction {
  readonly kind: ActionKind | "patch-note";
  readonly post: string;
  /** `owner/name#number`; for an issue that is still to be opened `owner/name`. */
  readonly issue: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly reason: string;
  /** Voters who will hear of it; null where the board does not show votes. */
  readonly notifies: number | null;
  /** `now`: by the next run. `later`: by itself, at a time. `held`: when a person lets it go. */
  readonly when: "now" | "later" | "held";
  /** Of `later`, where it is known: ISO 8601. */
  readonly notBefore?: string;
  /** Of `held`: why. */
  readonly held?: string;
}

/**
 * A plan as a file keeps it: what it takes to carry out exactly this, and to know when it can't be. Texts of posts are not in
 * it, only what they are known by.
 */
export interface SavedPlan {
  readonly format: "boardsync-plan";
  readonly version: 1;
  /** The version of boardsync that made it: another one may decide otherwise. */
  readonly program: string;
  /** ISO 8601. */
  readonly madeAt: string;
  /** Which board, as in the marks. */
  readonly board: string;
  /** `Ledger.identity`; null where there was no state yet. */
  readonly state: string | null;
  readonly projects: readonly SavedProject[];
}

/** What was planned for one project. */
export interface SavedProject {
  readonly project: string;
  readonly id: ProjectId;
  readonly repo: RepositoryName;
  /** `settingsPrint` of what it was planned with. */
  readonly settings: string;
  readonly actions: readonly SavedAction[];
}

/** One action: what it is known by, and what a person was shown of it. */
export interface SavedAction {
  readonly kind: PlannedAction["kind"];
  readonly post: PostId;
  readonly signature: string;
  readonly lines: readonly PlannedAction[];
}

/** What became of one write that a person has ordered: of a saved plan, or to undo another one. */
export interface CarriedAction {
  readonly kind: PlannedAction["kind"];
  readonly post: string;
  readonly issue: string | null;
  /** `already`: it had been done before. `refused`: the world has moved since. `waiting`: put off. `failed`: the other side. */
  readonly outcome: "done" | "already" | "refused" | "waiting" | "failed";
  readonly message: string;
}

/**
 * `ok`: nothing failed, and nothing waits for a person. `held`: nothing failed, and something does. `partial`: something
 * failed. `failed`: a side could not be reached or refused our key, so nothing was done.
 */
export type RunResultWord = "ok" | "partial" | "held" | "failed";

/** What `sync --json` prints. */
export interface RunReport {
  readonly run: number;
  readonly result: RunResultWord;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly projects: readonly ProjectReport[];
}

/** What `plan --json` prints. */
export interface PlanReport {
  readonly projects: readonly {
    readonly project: string;
    readonly repo: RepositoryName;
    readonly actions: readonly PlannedAction[];
    readonly errors: readonly ReportedError[];
  }[];
}
