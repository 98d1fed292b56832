/** Runs and signs of life. */
export interface Runs {
  /** Returns the run's number, counted from 1. */
  begin(at: number): number;
  /** The last finished run of a project (by its config key), or of any. */
  last(project: string | undefined): StoredRun | undefined;
  heartbeat(): SignOfLife | undefined;
  /** Whether that code is offered now; then it is offered no more. */
  takePage(print: string, now: number): boolean;
}

/** The last sign of life of a daemon. */
export interface SignOfLife {
  readonly at: number;
  readonly who: string;
  /** It ends now, as it should: no further sign is to be expected. */
  readonly isLast?: true;
  /** Of its HTTP, `http://host:port`; undefined where it serves none. */
  readonly address?: string | undefined;
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
