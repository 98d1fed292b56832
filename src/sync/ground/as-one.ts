import type { Change } from "../../ledger/change.ts";
import type { Ahead, Ledger } from "../../ledger/ledger.ts";
import type { Cycle } from "./cycle-state.ts";

/**
 * Does what belongs together: whatever `work` commits through the cycle that it is given is committed as one, when it has
 * ended; nothing is where it throws. What it reads there is as its own changes will leave it.
 */
export function asOne<C extends Cycle, T>(cycle: C, work: (cycle: C) => T): T {
  const { result, changes } = collect(cycle, work);
  if (changes.length > 0) cycle.world.ledger.commit(changes);
  return result;
}

/** The changes that `work` would commit, which are left to the caller: those of many posts go together. */
export function changesOf<C extends Cycle>(cycle: C, work: (cycle: C) => void): readonly Change[] {
  return collect(cycle, work).changes;
}

function collect<C extends Cycle, T>(
  cycle: C,
  work: (cycle: C) => T,
): { readonly result: T; readonly changes: readonly Change[] } {
  const { world } = cycle;
  const changes: Change[] = [];
  const ledger = draftOf(world.ledger, changes);
  return { result: work({ ...cycle, world: { ...world, ledger } }), changes };
}

/** A ledger that keeps its changes to itself, and reads as if they had been made. */
function draftOf(ledger: Ledger, changes: Change[]): Ledger {
  const now = (): Ahead => (changes.length === 0 ? ledger : ledger.after(changes));
  return Object.create(ledger, {
    rows: { get: () => Object.create(ledger.rows, { row: { value: now().rows.row } }) },
    pulls: { get: () => Object.create(ledger.pulls, { marked: { value: now().pulls.marked } }) },
    links: { get: () => Object.create(ledger.links, { hasContent: { value: now().links.hasContent } }) },
    copiedAt: {
      get: () => changes.findLast((one) => one.kind === "declare-old")?.at ?? ledger.copiedAt,
    },
    commit: {
      value: (more: readonly Change[]) => {
        changes.push(...more);
      },
    },
    after: {
      value: (more: readonly Change[]) => ledger.after([...changes, ...more]),
    },
  });
}
