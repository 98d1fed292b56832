import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Batch, BatchResult, Failure } from "./batch.ts";
import { addCounts, type Counts, startCounts } from "./counts.ts";
import type { Way } from "./world.ts";

/** Somebody who plays one batch after another. */
export interface Player {
  play(batch: Batch): Promise<BatchResult>;
  end(): Promise<void>;
}

/**
 * For what is new: four times as much as a thread has by itself. Hardly anything of a history outlives it, and what is gone
 * when the room is used up need not be copied.
 */
const maxYoungGenerationSizeMb = 192;

/** Plays in a thread of its own; what goes wrong there is thrown here. */
export function createWorker(): Player {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb },
  });
  return {
    async play(batch) {
      worker.postMessage(batch);
      const [result]: BatchResult[] = await once(worker, "message");
      if (result === undefined) throw new Error("A thread of the simulation gave no result.");
      return result;
    },
    async end() {
      worker.postMessage("end");
      await once(worker, "exit");
    },
  };
}

export interface Range extends Way {
  readonly from: number;
  /** Whether no further batch is to be begun. */
  isOver(seedsBegun: number): boolean;
  /** Of the whole range; undefined where only the time ends it. */
  readonly seeds: number | undefined;
  /** Goes on after a failure. */
  readonly isWhole: boolean;
  /** Told of each failure as soon as it is known. */
  readonly onFailure?: (failure: Failure) => void;
}

export interface TeamResult {
  readonly counts: Counts;
  readonly failures: readonly Failure[];
}

/** Small enough that nobody waits long for the last one. */
const batchSeeds = 20;

/**
 * Plays a range of seeds. However many play, counts and failures are the same: batches are added up in the order of their
 * seeds, and the failure that ends it is the one of the lowest seed.
 */
export async function playRange(
  players: readonly Player[],
  { from, isOver, seeds: wanted, isWhole, onFailure, ...way }: Range,
): Promise<TeamResult> {
  const counts = startCounts();
  const failures: Failure[] = [];
  const done = new Map<number, BatchResult>();
  let begun = 0;
  let added = 0;
  let last = Number.POSITIVE_INFINITY;
  const addUp = (): void => {
    for (let result = done.get(added); result !== undefined && added <= last; result = done.get(added)) {
      done.delete(added);
      added += 1;
      addCounts(counts, result.counts);
      failures.push(...result.failures);
    }
  };
  const work = async (player: Player): Promise<void> => {
    while (begun < last && !isOver(begun * batchSeeds)) {
      const index = begun;
      begun += 1;
      const first = index * batchSeeds;
      const seeds = Math.min(batchSeeds, (wanted ?? Number.POSITIVE_INFINITY) - first);
      const result = await player.play({ ...way, from: from + first, seeds, isWhole });
      done.set(index, result);
      for (const failure of result.failures) onFailure?.(failure);
      if (result.failures.length > 0 && !isWhole) last = Math.min(last, index);
      addUp();
    }
  };
  await Promise.all(players.map(work));
  return { counts, failures };
}
