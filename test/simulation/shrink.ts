import type { Step } from "./history.ts";
import type { States } from "./state.ts";
import { type HistoryOptions, type Outcome, playHistory } from "./world.ts";

/**
 * Leaves out steps as long as the same promise is still broken: halves first, then ever smaller parts, at last one by one
 * (the way of delta debugging).
 */
export async function shrinkHistory(
  states: States,
  failed: Outcome,
  options: HistoryOptions = {},
): Promise<Outcome> {
  const invariant = failed.violations[0]?.invariant;
  let best = failed;
  const attempt = async (steps: readonly Step[]): Promise<boolean> => {
    const outcome = await playHistory(states, failed.seed, { ...options, steps });
    if (outcome.violations[0]?.invariant !== invariant) return false;
    best = outcome;
    return true;
  };
  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < best.steps.length; ) {
      const { steps } = best;
      const isShorter = await attempt([...steps.slice(0, start), ...steps.slice(start + size)]);
      if (!isShorter) start += size;
    }
  }
  const quiet = best.steps.map((step) => (step.kind === "sync" ? { ...step, hasFaults: false } : step));
  await attempt(quiet);
  return playHistory(states, failed.seed, { ...options, steps: best.steps, isTold: true });
}
