/** Everything random of a history comes from here: the same seed gives the same numbers on every machine. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [0, limit). */
  below(limit: number): number;
  /** A whole number in [least, most]. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  /** @throws RangeError for an empty list. */
  pick<T>(list: readonly T[]): T;
  /** A seed for a part of the history that shall not depend on how many numbers the others use. */
  seed(): number;
}

/**
 * splitmix32 feeding itself: one state of 32 bits is plenty for a history, and creating one costs nothing.
 * Source: https://github.com/bryc/code/blob/master/jshash/PRNGs.md#splitmix32
 */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const bits = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const next = (): number => bits() / 0x1_0000_0000;
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (probability) => next() < probability,
    pick: (list) => {
      const picked = list[below(list.length)];
      if (picked === undefined) throw new RangeError("Nothing to pick from.");
      return picked;
    },
    seed: bits,
  };
}

/** Picks one of the names by its weight. */
export function pickWeighted<Name extends string>(
  random: Random,
  weights: Readonly<Record<Name, number>>,
): Name {
  const entries = Object.entries<number>(weights) as [Name, number][];
  let rest = random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of entries) {
    rest -= weight;
    if (rest < 0) return name;
  }
  throw new RangeError("No weight to pick by.");
}
