import { expect, it } from "vitest";
import { startCounts } from "./counts.ts";
import { type Player, playRange, type Range } from "./team.ts";

/** Breaks a promise at every given seed; `turns` is how long it takes over a batch that begins at a seed. */
function makePlayer(failing: readonly number[], turns: (from: number) => number): Player {
  return {
    async play({ from, seeds, isWhole }) {
      for (let turn = turns(from); turn > 0; turn -= 1) await Promise.resolve();
      const found = failing.filter((seed) => seed >= from && seed < from + seeds);
      const kept = isWhole ? found : found.slice(0, 1);
      const played = isWhole || kept[0] === undefined ? seeds : kept[0] - from + 1;
      const violation = { invariant: "I1", message: "two issues" };
      return {
        counts: { ...startCounts(), seeds: played },
        failures: kept.map((seed) => ({ seed, violation })),
      };
    },
    end: () => Promise.resolve(),
  };
}

function makeRange(seeds: number, isWhole: boolean): Range {
  return { from: 1, seeds, isWhole, isOver: (begun) => begun >= seeds };
}

it.each([1, 2, 5])("plays every seed of a range once with %i players", async (count) => {
  const players = Array.from({ length: count }, (_, index) =>
    makePlayer([7, 90], (from) => (from * (index + 3)) % 11),
  );
  const { counts, failures } = await playRange(players, makeRange(107, true));
  expect(counts.seeds).toBe(107);
  expect(failures.map(({ seed }) => seed)).toEqual([7, 90]);
});

it.each([1, 2, 5])(
  "ends at the lowest failing seed with %i players, whoever finds one first",
  async (count) => {
    // The batch of the lowest one takes the longest.
    const players = Array.from({ length: count }, () =>
      makePlayer([30, 50, 90], (from) => (from === 21 ? 200 : 1)),
    );
    const { counts, failures } = await playRange(players, makeRange(400, false));
    expect(failures.map(({ seed }) => seed)).toEqual([30]);
    expect(counts.seeds).toBe(30);
  },
);
