import type { Ledger } from "./ledger.ts";

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
