/** @module-tag long */
import { afterAll, describe, expect, it } from "vitest";
import { until } from "../support/until.ts";
import type { Step } from "./history.ts";
import { createRandom } from "./random.ts";
import { drawScenario } from "./scenario.ts";
import type { Bug } from "./stage.ts";
import { createStates } from "./state.ts";
import { type HistoryOptions, playHistory } from "./world.ts";

/** Of the histories that every test run plays over HTTP; by itself one seed in a thousand is. */
const slice = { from: 101, seeds: 4 };

const states = createStates();
afterAll(() => states.close());

/** What an adapter, or a proxy before it, must not do. */
const sendsAgain: Bug = {
  carry: (send) => async (call) => {
    const reply = await send(call);
    return call.method === "POST" && reply.status === 502 ? send(call) : reply;
  },
};

const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap" || name === "TCPServerWrap")
    .length;

describe("the simulation over HTTP", () => {
  it("breaks no promise", async () => {
    const failed: string[] = [];
    for (let seed = slice.from; seed < slice.from + slice.seeds; seed += 1) {
      const { violations } = await playHistory(states, seed, { isOverHttp: true });
      failed.push(...violations.map(({ invariant, message }) => `seed ${seed}: ${invariant}: ${message}`));
    }
    expect(failed).toEqual([]);
  });

  it("plays the same history for the same seed, and leaves no connection open", async () => {
    const before = openSockets();
    const first = await playHistory(states, 3000, { isTold: true });
    const second = await playHistory(states, 3000, { isTold: true });
    expect(second.story).toEqual(first.story);
    await until(() => openSockets() <= before);
  });

  it("keeps a limit to its end where our clock is ahead of GitHub's", async () => {
    const failed: number[] = [];
    for (let seed = 1; seed <= 6; seed += 1) {
      const drawn = drawScenario(createRandom(seed), false);
      const scenario = { ...drawn, faultRate: 0, peopleRate: 0, skewMs: 90_000 };
      const steps: readonly Step[] = [
        { kind: "outage", side: "tracker", fault: "limited", ms: 120_000 },
        { kind: "sync", seed, hasFaults: false },
      ];
      const { violations } = await playHistory(states, seed, { isOverHttp: true, scenario, steps });
      if (violations.length > 0) failed.push(seed);
    }
    expect(failed).toEqual([]);
  });

  it("finds it when a POST that is answered by 502 is sent again below the ports", async () => {
    expect(["I1", "I11"]).toContain(await findFailure({ isOverHttp: true, bug: sendsAgain }));
    expect(await findFailure({ isOverHttp: true })).toBeUndefined();
    expect(await findFailure({ bug: sendsAgain })).toBeUndefined();
  });
});

/** The first promise that is broken in a single run with many posts and many faults. */
async function findFailure(options: HistoryOptions): Promise<string | undefined> {
  for (let seed = 1; seed <= 30; seed += 1) {
    const scenario = { ...drawScenario(createRandom(seed), false), faultRate: 0.5, posts: 8 };
    const steps: readonly Step[] = [{ kind: "sync", seed, hasFaults: true }];
    const { violations } = await playHistory(states, seed, { ...options, scenario, steps });
    if (violations[0] !== undefined) return violations[0].invariant;
  }
  return undefined;
}
