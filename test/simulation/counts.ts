import type { Outcome } from "./world.ts";

/** What many histories have done, by name. */
export interface Counts {
  seeds: number;
  runs: number;
  /** How many histories are of which size. */
  readonly sizes: Map<string, number>;
  readonly steps: Map<string, number>;
  readonly faults: Map<string, number>;
  readonly acts: Map<string, number>;
  readonly effects: Map<string, number>;
}

export function startCounts(): Counts {
  return {
    seeds: 0,
    runs: 0,
    sizes: new Map(),
    steps: new Map(),
    faults: new Map(),
    acts: new Map(),
    effects: new Map(),
  };
}

/** Counts one history. */
export function countOutcome(counts: Counts, { steps, faults, acts, totals, runs, size }: Outcome): void {
  counts.seeds += 1;
  counts.runs += runs;
  add(counts.sizes, String(size), 1);
  for (const { kind } of steps) add(counts.steps, kind, 1);
  addAll(counts.faults, faults);
  addAll(counts.acts, acts);
  addAll(counts.effects, Object.entries(totals));
}

/** Adds what was counted elsewhere. */
export function addCounts(
  counts: Counts,
  { seeds, runs, sizes, steps, faults, acts, effects }: Counts,
): void {
  counts.seeds += seeds;
  counts.runs += runs;
  addAll(counts.sizes, sizes);
  addAll(counts.steps, steps);
  addAll(counts.faults, faults);
  addAll(counts.acts, acts);
  addAll(counts.effects, effects);
}

/** One line for each kind of count. */
export function describeCounts(
  { seeds, runs, sizes, steps, faults, acts, effects }: Counts,
  ms: number,
): string[] {
  return [
    `${seeds} seeds in ${(ms / 1_000).toFixed(1)} s: ${((seeds * 1_000) / ms).toFixed(0)} a second, ${runs} runs`,
    describeSizes(sizes),
    `script: ${list(steps)}`,
    `faults: ${list(faults)}`,
    `people: ${list(acts)}`,
    `effects: ${list(effects)}`,
  ];
}

/** What happened, whoever did it: in all, on average, and in the history in the middle. */
function describeSizes(sizes: ReadonlyMap<string, number>): string {
  const bySize = [...sizes].map(([size, times]) => [Number(size), times] as const);
  const seeds = bySize.reduce((sum, [, times]) => sum + times, 0);
  const steps = bySize.reduce((sum, [size, times]) => sum + size * times, 0);
  let rest = seeds / 2;
  const middle = bySize
    .toSorted(([one], [other]) => one - other)
    .find(([, times]) => {
      rest -= times;
      return rest <= 0;
    });
  return `steps: ${steps}; ${(steps / seeds).toFixed(0)} a history, ${middle?.[0]} in the middle one`;
}

function list(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, times]) => `${name} ${times}`)
    .join(", ");
}

function addAll(counts: Map<string, number>, more: Iterable<readonly [string, number]>): void {
  for (const [name, times] of more) add(counts, name, times);
}

function add(counts: Map<string, number>, name: string, more: number): void {
  counts.set(name, (counts.get(name) ?? 0) + more);
}
