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
  /** Version of the schema, counted from 1. */
  schema(): Promise<number>;
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
