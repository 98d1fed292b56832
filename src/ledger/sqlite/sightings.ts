import type { PullId } from "../pulls.ts";

/** A pull that is being stored. */
export interface OpenPull {
  /** The project's number. */
  readonly project: number;
  readonly run: number;
  /** Numbers of the posts that it has shown. */
  readonly seen: Set<number>;
  /** A page of it was rolled back: what it has not seen means nothing. */
  isBroken: boolean;
}

/** Which posts a pull has shown, and when. */
export interface Sightings {
  readonly pulls: Map<PullId, OpenPull>;
  /** By the post's number, epoch ms; of this process only. */
  readonly seenAt: Map<number, number>;
}

/**
 * Sightings live in memory. A pull ends with its process (a crash leaves it incomplete), so nothing is lost, and a run in
 * which no post has changed writes nothing to the disk: a column for it would rewrite every page of the table.
 */
export function createSightings(): Sightings {
  return { pulls: new Map(), seenAt: new Map() };
}
