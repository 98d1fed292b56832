/** Runs and signs of life. */
export interface Runs {
  /**
   * Begins a run. Its clock may have been set back since the last one: a time that lies ahead would hold up for years what
   * waits for it (a wait, a full look, the pace, the guard's window). What happened ahead counts as happened now, so that no
   * wait gets shorter, and what is to be done ahead is looked at again.
   */
  begin(at: number): Promise<BegunRun>;
  /** The last finished run of a project (by its config key), or of any. */
  last(project: string | undefined): Promise<StoredRun | undefined>;
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
