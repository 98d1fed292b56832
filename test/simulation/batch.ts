import { type Counts, countOutcome, startCounts } from "./counts.ts";
import type { Violation } from "./invariants.ts";
import type { States } from "./state.ts";
import { playHistory, type Way } from "./world.ts";

/** Seeds that are played one after another. */
export interface Batch extends Way {
  readonly from: number;
  readonly seeds: number;
  /** Goes on after a failure. */
  readonly isWhole: boolean;
}

export interface Failure {
  readonly seed: number;
  readonly violation: Violation;
}

/** It can be sent from one thread to another. */
export interface BatchResult {
  readonly counts: Counts;
  /** In the order of their seeds. */
  readonly failures: readonly Failure[];
}

/** Plays a batch; without `isWhole` it ends with the first failure. */
export async function playBatch(
  states: States,
  { from, seeds, isWhole, ...way }: Batch,
): Promise<BatchResult> {
  const counts = startCounts();
  const failures: Failure[] = [];
  for (let seed = from; seed < from + seeds; seed += 1) {
    const outcome = await playHistory(states, seed, way);
    countOutcome(counts, outcome);
    const [violation] = outcome.violations;
    if (violation === undefined) continue;
    failures.push({ seed, violation });
    if (!isWhole) break;
  }
  return { counts, failures };
}
