import type { Issue, IssueRef, RepositoryName } from "../model/issue.ts";
import type { PostId, ProjectId } from "../model/post.ts";
import type { Kinds } from "./kinds.ts";
import type { HeldAction, ShownAction } from "./rows.ts";

/** What a command gives to the daemon that has the state, and waits for. Orders and reports are stored as they are. */
export interface Orders {
  /** Gives an order. What is long over is forgotten. */
  give(order: NewOrder): Promise<OrderNumber>;
  /** Whether there is one to take. */
  areWaiting(): Promise<boolean>;
  /** The oldest one that nobody has taken: it is taken by this, once. Its time may be over. */
  take(who: string): Promise<GivenOrder | undefined>;
  /** undefined where it is not known (any more). */
  find(number: OrderNumber): Promise<OrderState | undefined>;
}

export type OrderNumber = number & { readonly __order: true };

export interface NewOrder {
  /** Epoch ms. */
  readonly at: number;
  /** Nobody carries it out where it is taken later. */
  readonly until: number;
  /** `sync, process 12 on host box`. */
  readonly who: string;
  readonly order: object;
}

export interface GivenOrder extends NewOrder {
  readonly number: OrderNumber;
}

/** How far an order is. */
export interface OrderState {
  /** undefined while nobody has taken it. */
  readonly takenBy: string | undefined;
  /** How far the run is, where it takes long. */
  readonly progress: unknown;
  /** What came of it; undefined until then. */
  readonly outcome: unknown;
}

export type OrderChange = Kinds<{
  "note-progress": { order: OrderNumber; progress: object };
  "end-order": { order: OrderNumber; outcome: object };
  /** Nobody waits for it any more: it is not taken. One that was taken goes on. */
  "withdraw-order": { order: OrderNumber };
  /** Ends those that were taken by others than these: whoever took them lives no more. */
  "end-orphans": { living: readonly string[]; outcome: object };
}>;

/**
 * What people ask for beside a run, in short transactions of their own; the next run of the project takes it up.
 */
export interface Requests {
  /** In the order in which they came. */
  pending(project: ProjectId): Promise<readonly PersonRequest[]>;
  /** The newest of each project that has any. */
  newest(): Promise<readonly Pick<PersonRequest, "project" | "id" | "at">[]>;
}

export type RequestId = number & { readonly __request: true };

export type DiscardedAction = Pick<HeldAction, "post" | "kind"> & Partial<Pick<HeldAction, "planned">>;

/** What is asked for of whole posts. */
export type PostsRequest = "retry" | "release" | "discard" | "resume" | "resume-discard";

/** By which way a person asked. */
export interface Who {
  /** Left out for a command at a terminal. */
  readonly by?: "page";
}

interface AnyRequest extends Who {
  readonly project: ProjectId;
  readonly at: number;
}

/** What a person asks for. What was `shown` is left out where an older version asked. */
export type NewRequest = AnyRequest &
  (
    | {
        /**
         * `retry`: what is parked of these posts may be tried again. `release`: ends their quarantine. `discard`: takes both sides of
         * these posts as they are. `resume`: ends their pause; `resume-discard`: takes both sides as they are, and then ends it.
         */
        readonly kind: PostsRequest;
        readonly posts: readonly PostId[];
        /** Of `discard`: what was shown of them. What has become something else is not discarded. */
        readonly shown?: readonly DiscardedAction[];
      }
    | Kinds<{
        /** Of a project that is held because the board shrank, the present size, which was shown as words, is the new measure. */
        "accept-size": { shown?: string };
        /** Links a post to an issue that people opened, in a repository as the config names it. `issue`: as it was then, where it could be asked for. */
        link: { post: PostId; repository: RepositoryName; number: number; issue?: Issue };
        /** Ends these links. */
        unlink: { post: PostId; issues: readonly IssueRef[] };
        /** Ends the pause of the whole project; with `isDiscard` both sides of what it held up are taken as they are before that. */
        "resume-project": { isDiscard: boolean };
        /**
         * Publishes the very text of an entry of the changelog that the call with this hash has made; asked for twice, it goes although
         * another one was published less than a day before. `isSecond`: the person was shown that it goes at once, since it had been let
         * go before.
         */
        publish: { tag: string; hash: string; isSecond?: true };
        /** What is stuck of an entry is tried once more. */
        "retry-entry": { tag: string };
        /** A draft that the guard holds is made. `print`: what its release was when a person saw it. */
        "draft-entry": { tag: string; print: string };
        /**
         * Lets these very actions go; `isWhole` when the whole project was approved. `isImplied`: another order has let them go, and a
         * run had to leave them: whatever is asked for in their place needs nobody for that.
         */
        approve: { actions: readonly ShownAction[]; isWhole: boolean; isImplied?: true };
      }>
  );

export type PersonRequest = NewRequest & { readonly id: RequestId };

/** Runs and signs of life. */
export interface Runs {
  /**
   * Begins a run. Its clock may have been set back since the last one: a time that lies ahead would hold up for years what
   * waits for it (a wait, a full look, the pace, the guard's window). What happened ahead counts as happened now, so that no
   * wait gets shorter, and what is to be done ahead is looked at again.
   */
  begin(at: number): Promise<BegunRun>;
  /** The last finished run of a project (by its config key), or of any of several. */
  last(projects: string | readonly string[]): Promise<StoredRun | undefined>;
  /** The number of the last finished run of all that the state knows; undefined where there is none. */
  lastOfAll(): Promise<number | undefined>;
  /** A finished run by its number; undefined where there is none, or `keep` has deleted it. */
  find(run: number): Promise<FoundRun | undefined>;
  heartbeat(): Promise<SignOfLife | undefined>;
  /** The daemons that are at work on the state, and what each has now; none where the state is for one alone. */
  replicas(): Promise<readonly Replica[]>;
  /** Whether that code is offered now; then it is offered no more. */
  takePage(print: string, now: number): Promise<boolean>;
  /**
   * Uses a form of the page up: false where it was used before, by whichever process.
   *
   * @param until - when it ends by itself, epoch ms; it may be forgotten then.
   */
  useForm(print: string, until: number, now: number): Promise<boolean>;
}

export interface BegunRun {
  /** Counted from 1. */
  readonly run: number;
  /** By how many milliseconds the last run was ahead; 0 where it was not, and then nothing was moved. */
  readonly aheadMs: number;
}

/** The last sign of life of a daemon. */
export interface SignOfLife {
  readonly at: number;
  readonly who: string;
  /** It ends now, as it should: no further sign is to be expected. */
  readonly isLast?: true;
  /** Of its HTTP, `http://host:port`; undefined where it serves none. */
  readonly address?: string | undefined;
  /** The config that it works by; left out by an older version. */
  readonly config?: WorkedBy;
  /** What has ended the last run of a project with an error, by its key, in a word: no run of the state tells it. */
  readonly broken?: Readonly<Record<string, string>>;
}

/** Which config a daemon works by. */
export interface WorkedBy {
  /** Tells it from every other one. */
  readonly print: string;
  /** When it was read, epoch ms. */
  readonly readAt: number;
}

/** One of several daemons on one state. */
export interface Replica {
  /** `daemon, process 1 on host box`. */
  readonly who: string;
  /** Epoch ms: its last sign of life. */
  readonly at: number;
  /** The projects that it runs now, as the config names them. */
  readonly projects: readonly string[];
  /** The config that it works by; left out by an older version. */
  readonly config?: WorkedBy;
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

/** A run with the runs beside it. */
export interface FoundRun extends Omit<StoredRun, "report"> {
  readonly projects: readonly { readonly project: string; readonly report: unknown }[];
  /** The numbers of the finished runs before and after it; null where there is none. */
  readonly before: number | null;
  readonly after: number | null;
}
