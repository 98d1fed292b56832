import type { ProjectId } from "../model/post.ts";

/**
 * What projects have left to write to the tracker: so that those which share a pace share it fairly, and people can be told
 * when an import will be done.
 */
export interface Backlogs {
  of(whose: { readonly budget: string } | { readonly project: ProjectId }): readonly Backlog[];
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

export interface Backlog extends Left {
  readonly project: ProjectId;
  readonly budget: string;
  /** Since when there was something left, epoch ms; `created` counts from the run that began it. */
  readonly since: number;
  /** When the last run left it so, epoch ms. */
  readonly at: number;
}
