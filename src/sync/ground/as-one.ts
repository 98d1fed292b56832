import type { Change } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Cycle } from "./cycle-state.ts";

/**
 * Does what belongs together: whatever `work` commits through the cycle that it is given is committed as one, when it has
 * ended; nothing is where it throws. What it reads there is as its own changes will leave it.
 */
export async function asOne<C extends Cycle, T>(cycle: C, work: (cycle: C) => Promise<T>): Promise<T> {
  const { own, take } = draft(cycle);
  const result = await work(own);
  const changes = take();
  if (changes.length > 0) await cycle.world.ledger.commit(changes);
  return result;
}

/** The changes that `work` would commit, which are left to the caller: those of many posts go together. */
export async function changesOf<C extends Cycle>(
  cycle: C,
  work: (cycle: C) => Promise<unknown>,
): Promise<readonly Change[]> {
  const { own, take } = draft(cycle);
  await work(own);
  return take();
}

/** A cycle whose commits are kept until they are taken. It reads as what it keeps will leave the state. */
export function draft<C extends Cycle>(
  cycle: C,
): { readonly own: C; readonly take: () => readonly Change[] } {
  const { world } = cycle;
  const changes: Change[] = [];
  const ahead = world.ledger.after(() => changes);
  const kept: Pick<Ledger, "commit" | "after"> = {
    commit: async (more) => void changes.push(...more),
    after: (more) => world.ledger.after(() => [...changes, ...more()]),
  };
  const ledger = new Proxy(world.ledger, {
    get: (now, name) => Reflect.get([kept, ahead].find((one) => name in one) ?? now, name),
  });
  return { own: { ...cycle, world: { ...world, ledger } }, take: () => changes.splice(0) };
}
