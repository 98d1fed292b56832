import type { Change } from "../../ledger/change.ts";
import type { Ahead, Ledger } from "../../ledger/ledger.ts";
import type { Cycle } from "./cycle-state.ts";

/**
 * Does what belongs together: whatever `work` commits through the cycle that it is given is committed as one, when it has
 * ended; nothing is where it throws. What it reads there is as its own changes will leave it.
 */
export async function asOne<C extends Cycle, T>(cycle: C, work: (cycle: C) => Promise<T>): Promise<T> {
  const { result, changes } = await collect(cycle, work);
  if (changes.length > 0) await cycle.world.ledger.commit(changes);
  return result;
}

/** The changes that `work` would commit, which are left to the caller: those of many posts go together. */
export async function changesOf<C extends Cycle>(
  cycle: C,
  work: (cycle: C) => Promise<unknown>,
): Promise<readonly Change[]> {
  return (await collect(cycle, work)).changes;
}

async function collect<C extends Cycle, T>(
  cycle: C,
  work: (cycle: C) => Promise<T>,
): Promise<{ readonly result: T; readonly changes: readonly Change[] }> {
  const { own, take } = draft(cycle);
  return { result: await work(own), changes: take() };
}

/** A cycle whose commits are kept until they are taken. It reads as what it keeps will leave the state. */
export function draft<C extends Cycle>(
  cycle: C,
): { readonly own: C; readonly take: () => readonly Change[] } {
  const { world } = cycle;
  const changes: Change[] = [];
  const ledger = draftOf(world.ledger, changes);
  return { own: { ...cycle, world: { ...world, ledger } }, take: () => changes.splice(0) };
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
      value: async (more: readonly Change[]) => {
        changes.push(...more);
      },
    },
    after: {
      value: (more: readonly Change[]) => ledger.after([...changes, ...more]),
    },
  });
}
