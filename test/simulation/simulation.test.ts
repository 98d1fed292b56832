import { afterAll, describe, expect, it } from "vitest";
import { plantedBugs } from "./bugs.ts";
import { shrinkHistory } from "./shrink.ts";
import { createStates, type States } from "./state.ts";
import { type HistoryOptions, type Outcome, playHistory, type Way } from "./world.ts";

/** Histories of the slice that every test run plays; `npm run simulate` plays as many as you like. */
const slice = 60;
/** They are played in seconds, but not on every machine. */
const patience = 600_000;
/** Within so many histories a planted bug has to be found; `npm run simulate:mutants` looks for all of them. */
const reach = 250;

const states = createStates();
afterAll(() => states.close());

describe("the simulation", () => {
  const play = async (last: number, way: Way): Promise<void> => {
    const failed: string[] = [];
    for (let seed = 1; seed <= last; seed += 1) {
      const { violations } = await playHistory(states, seed, way);
      failed.push(...violations.map(({ invariant, message }) => `seed ${seed}: ${invariant}: ${message}`));
    }
    expect(failed).toEqual([]);
  };

  it.each<[string, number, Way]>([
    ["", slice, {}],
    [" of a board with tools of its own", slice / 2, { hasTools: true }],
  ])("breaks no promise in the histories%s 1 to %i", (_, last, way) => play(last, way), patience);

  it.each<[string, number, Way]>([
    [" that draw often what few have", slice, { isRare: true }],
    [" of what refuses, renames and shows late", slice / 2, { isQuirky: true }],
    [" of settings that few projects have", slice / 2, { isWishing: true }],
    [" of runs that people order", slice / 2, { isOrdered: true }],
    [" of two replicas", slice / 2, { isOverHttp: false, isShared: true }],
  ])("breaks no promise in the histories%s 1 to %i", { tags: "long", timeout: patience }, (_, last, way) =>
    play(last, way),
  );

  it("draws orders of people more often there", { tags: "long" }, async () => {
    const countOrders = async (way: Way): Promise<number> => {
      let orders = 0;
      for (let seed = 1; seed <= slice / 3; seed += 1) {
        const { steps } = await playHistory(states, seed, way);
        orders += steps.filter(({ kind }) => kind === "order").length;
      }
      return orders;
    };
    expect(await countOrders({ isRare: true })).toBeGreaterThan(1.5 * (await countOrders({})));
  });

  it("plays the same history for the same seed", async () => {
    const first = await playHistory(states, 7, { isTold: true });
    await playHistory(states, 8);
    expect((await playHistory(states, 7, { isTold: true })).story).toEqual(first.story);
  });
});

describe("the checks are not blind", { tags: "long" }, () => {
  const quick = plantedBugs.filter(({ from }) => from !== undefined);
  it.each(quick.map((planted) => [planted.words, planted] as const))(
    "finds it when %s",
    async (_words, { bug, breaks, from, way }) => {
      const found = await findFailure(states, { ...way, bug }, from);
      expect(breaks).toContain(found?.violations[0]?.invariant);
    },
  );

  it("makes a failing history shorter, and it still fails", async () => {
    const planted = plantedBugs.find(({ name }) => name === "level-triggered");
    const bug = planted?.bug ?? {};
    const found = await findFailure(states, { bug }, planted?.from);
    if (found === undefined) throw new Error("The planted bug was not found.");
    const short = await shrinkHistory(states, found, { bug });
    expect(short.violations[0]?.invariant).toBe(found.violations[0]?.invariant);
    expect(short.steps.length).toBeLessThan(found.steps.length);
    expect(short.story.length).toBeGreaterThan(0);
  });
});

async function findFailure(of: States, options: HistoryOptions, from = 1): Promise<Outcome | undefined> {
  for (let seed = from; seed < from + reach; seed += 1) {
    const outcome = await playHistory(of, seed, options);
    if (outcome.violations.length > 0) return outcome;
  }
  return undefined;
}
