import type { PageTrace } from "../../../model/page.ts";
import type { PullId } from "../../pulls.ts";

/** A pull that is being stored. */
export type OpenPull = ReturnType<typeof openPull>;

/** A page as it is stored. */
export interface HeldPage extends PageTrace {
  readonly number: number;
  /** How many it shows. */
  readonly posts: number;
  /** JSON array of the numbers of its posts. */
  readonly shown: string;
}

export type Sightings = ReturnType<typeof createSightings>;

/**
 * Which posts a pull has shown, and when, live in memory. A pull ends with its process (a crash leaves it incomplete), so nothing is lost, and a run in
 * which no post has changed writes nothing to the disk: a column for it would rewrite every page of the table.
 */
export function createSightings() {
  return {
    pulls: new Map<PullId, OpenPull>(),
    /** When each post was shown last, epoch ms, by its number. Of this process only. */
    seenAt: new Map<number, number>(),
  };
}

/** @param project - its number. */
export function openPull(id: PullId, project: number, run: number) {
  return {
    id,
    project,
    run,
    /** Numbers of the posts that it has shown. */
    seen: new Set<number>(),
    /** A page of it was rolled back: what it has not seen means nothing. */
    isBroken: false,
    /** Pages that it has shown. */
    pages: {
      /** Those whose posts it has stored. */
      read: 0,
      /** The one that `knownPage` has found last. */
      offered: undefined as HeldPage | undefined,
      /** Those that were read with it because they are likely to be asked for next, by their requests; undefined: one that does not hold. */
      ahead: new Map<string, HeldPage | undefined>(),
      /** Numbers of those that are known now. */
      met: [] as number[],
      /** Those of them that are still to be written. */
      waiting: [] as HeldPage[],
    },
  };
}
