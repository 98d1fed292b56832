import type { Cause } from "../../model/causes.ts";
import type { RepositoryName } from "../../model/issue.ts";
import type { FieldValue, PostId, ProjectId } from "../../model/post.ts";
import type { ActionKind } from "../../plan/ground/action.ts";
import type { Settings } from "../../plan/ground/settings.ts";

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
  /** Who were notified by these: at least so many, since the board may not show all votes; null where it shows none. */
  readonly voters?: number | null;
  /** Posts that were made of issues; left out where there are none. */
  readonly made?: number;
  /** Entries of the changelog that were made, changed or published; left out where there are none. */
  readonly entryWrites?: number;
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
  /** Linked posts that the board no longer lists, and the first of them by name; left out where there are none. */
  readonly missing?: number;
  readonly missingPosts?: readonly { readonly post: PostId; readonly title: string | null }[];
  /** When the token for the tracker ends, ISO 8601, as its answers tell it; left out where they name no end. */
  readonly tokenEnds?: string;
  /** Why something was left to a later run, although nothing failed; left out where nothing was. */
  readonly putOff?: readonly PutOff[];
}

/** A limit, the pace, the end of the run's time, or a signal. */
interface PutOff {
  /** For example `tracker.limited`. */
  readonly code: string;
  readonly message: string;
  /** When it ends, ISO 8601; left out where nobody knows. */
  readonly until?: string;
  /** Whose limit of the tracker's it is, as the tracker names it: `GraphQL`; left out where there is only one. */
  readonly budget?: string;
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

/** An issue as it will be; of one that is there only what boardsync changes in it. */
export interface IssueDraft {
  readonly title?: string;
  /** Of a new issue all of it; of one that is there the part that boardsync keeps. */
  readonly body?: string;
  readonly labels?: readonly string[];
  readonly assignees?: readonly string[];
  readonly milestone?: string;
  readonly type?: string;
}

/** One line of a plan, as `plan --json` prints it. */
export interface PlannedAction {
  readonly kind: ActionKind | "patch-note";
  readonly post: string;
  /** Of the post; null where the board shows none. */
  readonly title: string | null;
  /** `owner/name#number`; for an issue that is still to be opened `owner/name`. */
  readonly issue: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
  /** What stands in these fields now, as far as that is known. */
  readonly before: Readonly<Record<string, FieldValue>>;
  readonly reason: string;
  /** Voters who will be notified; null where the board does not show votes. */
  readonly notifies: number | null;
  /** `now`: by the next run. `later`: by itself, at a time. `held`: when a person lets it go. */
  readonly when: "now" | "later" | "held";
  /** Of `later`, where it is known: ISO 8601. */
  readonly notBefore?: string;
  /** Of `held`: why. */
  readonly held?: string;
  /** Of `held`: the cause, one of a closed list (src/model/causes.ts). */
  readonly cause?: Cause;
  /** Of `held`: the command that lets it go; left out where none does, as with `writes` in the config. */
  readonly letGoBy?: "approve" | "resume" | "retry" | "release";
  /** Of a new or edited issue that is to be shown. */
  readonly draft?: IssueDraft;
}

/** What a plan shows of an entry of the changelog. */
export interface PlannedEntry {
  readonly kind: "create" | "update" | "publish";
  /** The release's. */
  readonly tag: string;
  readonly title: string;
  /** '' of one that is only published. */
  readonly body: string;
  /** How many posts it names. */
  readonly posts: number;
  /** As of an action. */
  readonly when: PlannedAction["when"];
  /** Of `later` and `held`: why. */
  readonly why?: string;
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
    /** Of the board's changelog; left out where nothing is asked of it. */
    readonly entries?: readonly PlannedEntry[];
    readonly errors: readonly ReportedError[];
  }[];
}
