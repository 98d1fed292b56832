import type { PageTrace } from "../../../model/page.ts";
import type { PullId } from "../../pulls.ts";

/** A pull that is being stored. */
export interface OpenPull {
  readonly id: PullId;
  /** The project's number. */
  readonly project: number;
  readonly run: number;
  /** Numbers of the posts that it has shown. */
  readonly seen: Set<number>;
  /** Pages that it has shown. */
  readonly pages: OpenPages;
  /** A page of it was rolled back: what it has not seen means nothing. */
  isBroken: boolean;
}

/** What a pull knows of its pages so far. */
export interface OpenPages {
  /** Pages whose posts it has stored. */
  read: number;
  /** The one that `knownPage` has found last. */
  offered: HeldPage | undefined;
  /** Those that were read with it because they are likely to be asked for next, by their requests; undefined: one that does not hold. */
  ahead: ReadonlyMap<string, HeldPage | undefined>;
  /** Numbers of those that are known now. */
  readonly met: number[];
  /** Those of them that are still to be written. */
  readonly waiting: HeldPage[];
}

/** A page as it is stored. */
export interface HeldPage extends PageTrace {
  readonly number: number;
  /** How many it shows. */
  readonly posts: number;
  /** JSON array of the numbers of its posts. */
  readonly shown: string;
}

/** Which posts a pull has shown, and when. */
export interface Sightings {
  readonly pulls: Map<PullId, OpenPull>;
  /** When each post was shown last, epoch ms, by its number. Of this process only. */
  readonly seenAt: Map<number, number>;
}

/**
 * Sightings live in memory. A pull ends with its process (a crash leaves it incomplete), so nothing is lost, and a run in
 * which no post has changed writes nothing to the disk: a column for it would rewrite every page of the table.
 */
export function createSightings(): Sightings {
  return { pulls: new Map(), seenAt: new Map() };
}

/** A pull that has shown nothing yet. */
export function openPull(id: PullId, project: number, run: number): OpenPull {
  const pages: OpenPages = { read: 0, offered: undefined, ahead: new Map(), met: [], waiting: [] };
  return { id, project, run, seen: new Set(), pages, isBroken: false };
}
