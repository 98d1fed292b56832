import type { Side } from "../errors.ts";
import type { ProjectId } from "../model/post.ts";

/** How fast the two sides may be asked and written to, and what waits for its turn: shared by all projects. */
export interface Pace {
  /**
   * Epoch ms before which a side wants no request; undefined when it never named a time. It may have passed.
   *
   * @param budget - whose limit, as the tracker names it; '' on the board.
   */
  limit(side: Side, budget: string): Promise<number | undefined>;
  /** Writes to the tracker that the pace counts since a time, oldest first, of all projects. */
  writes(since: number, budget: string): Promise<readonly PacedWrite[]>;
  /** What projects have left to write to the tracker: a few lines for each of them. */
  backlogs(): Promise<readonly Backlog[]>;
}

export interface PacedWrite {
  readonly at: number;
  readonly isCreate: boolean;
  /** undefined for a write of an older version. */
  readonly project: ProjectId | undefined;
}

/** What a run leaves of what it wanted to write. */
export interface Left {
  /** Issues that are still to be opened. */
  readonly creates: number;
  /** Other writes. */
  readonly others: number;
  /** Issues that the run has opened. */
  readonly created: number;
}

/** `created` counts from the run on that left something first. */
export interface Backlog extends Left {
  readonly project: ProjectId;
  readonly budget: string;
  /** When the last run left it so, epoch ms. */
  readonly at: number;
}
