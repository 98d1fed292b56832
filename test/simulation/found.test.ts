import { afterAll, describe, expect, it } from "vitest";
import { defaultRules } from "../../src/plan/rules/rules.ts";
import type { Step } from "./history.ts";
import { startLife } from "./process.ts";
import { ownRepo, projectKey, type Scenario } from "./scenario.ts";
import { createStage } from "./stage.ts";
import { createStates } from "./state.ts";
import { playHistory } from "./world.ts";

/** Histories that broke a promise once, in their shortest form. */

const minuteMs = 60_000;

const scenario: Scenario = {
  settings: {
    repo: ownRepo,
    writes: "all",
    select: { archived: false, isArchivedDefault: true },
    route: [],
    issue: { labels: [], categoryLabels: {}, assignees: ["maintainer"] },
    content: "follow",
    rules: defaultRules(),
    whenNoRule: "restore",
    conflict: "tracker",
    several: "all",
    followDuplicates: false,
    boardRules: [],
    backlink: false,
    settleMs: 0,
    guard: { issues: 50, statuses: 25, flips: 3 },
  },
  policy: {
    boardHash: "0123456789abcdef",
    boardUrl: "https://feedback.example.com/api/v1",
    fields: {},
    formerBoards: [],
    trackerUrl: "https://api.github.example.com",
    fullEveryMs: 360 * minuteMs,
    budgetMs: 10 * minuteMs,
    waits: { createMs: 15 * minuteMs, patchMs: 2 * minuteMs },
    pace: { minIntervalMs: 1_000, createsPerMinute: 20, createsPerHour: 150, writesPerHour: 450 },
    projectKeys: [projectKey],
    repositories: ["acme/app"],
    trustedAuthors: [],
    concurrency: 1,
    keepMs: 180 * 24 * 60 * minuteMs,
  },
  board: {
    pageSize: 100,
    hidden: [],
    respells: false,
    ignoresStatus: false,
    refuses: undefined,
    movesColumn: false,
    answers: "record",
  },
  github: { pageSize: 100, lagMs: 0, canPush: true, hasGraphql: true, showsElsewhere: true },
  skewMs: 0,
  isOneShot: false,
  faultRate: 0,
  peopleRate: 0,
  hasPowerCuts: false,
  posts: 4,
};

/** Of an issue that people put into a milestone, and label, and of which they delete the milestone. */
const rules = [
  { when: { milestone: "any" }, set: { status: "planned" } },
  { when: { labels: ["in progress"] }, set: { status: "in_progress" } },
  { when: { assigned: true }, set: { status: "planned" } },
];
const quirks = { hasLateLists: false, hasTies: false, acts: "names" } as const;
const deletion: Step = { kind: "quirk", seed: 1 };

const run = { kind: "sync", seed: 1, hasFaults: false } as const satisfies Step;

describe("histories that broke a promise once", () => {
  const states = createStates();
  afterAll(() => states.close());

  const play = async (changes: Partial<Scenario>, steps: readonly Step[]): Promise<readonly string[]> => {
    const { violations } = await playHistory(states, 1, { scenario: { ...scenario, ...changes }, steps });
    return violations.map(({ invariant, message }) => `${invariant}: ${message}`);
  };

  it.each([1, 2, 3])(
    "the run that finds out that the state was lost opens no issue yet (%i)",
    async (seed) => {
      const github = { ...scenario.github, lagMs: 100_000 };
      const steps: readonly Step[] = [{ ...run, seed }, { kind: "time", ms: 20_000 }, { kind: "lose" }, run];
      expect(await play({ github }, steps)).toEqual([]);
    },
  );

  it.each([10, 13, 16])("a plan after a crash at await %i lists what the next run does", async (count) => {
    const crash: Step = { kind: "crash", seed: 1, doom: { at: "await", count, when: "after" } };
    expect(await play({}, [crash, { kind: "plan" }])).toEqual([]);
  });

  it.each([16, 23, 48])(
    "a first plan that did not arrive moves no post backwards, where a lower rule asks for the same by then (%i)",
    async (seed) => {
      const issue = { ...scenario.settings.issue, milestone: "Backlog" };
      const settings = { ...scenario.settings, rules, issue };
      const steps: readonly Step[] = [{ ...run, seed, hasFaults: true }, deletion];
      expect(await play({ settings, quirks, faultRate: 0.2 }, steps)).toEqual([]);
    },
  );

  it("what people label is told, where a milestone that no run has seen on the issue is deleted after that", async () => {
    const acts = [48, 1].map((seed): Step => ({ kind: "github", seed }));
    const settings = { ...scenario.settings, rules };
    expect(await play({ settings, quirks, posts: 1 }, [run, ...acts, deletion])).toEqual([]);
  });

  it("the state is asked anew whether it is an old copy, also by a process that heard before that it is not", async () => {
    const { state, records } = createStage({ ...scenario }, states.fast, {});
    state.clear();
    const ledger = records.hear(state.open(startLife()));
    expect(ledger.copiedAt).toBeUndefined();
    await ledger.commit([{ kind: "declare-old", at: 1_000 }]);
    expect(ledger.copiedAt).toBe(1_000);
  });

  it("these histories open issues at all", async () => {
    const { totals, runs } = await playHistory(states, 1, { scenario, steps: [run] });
    expect(totals.creates).toBe(4);
    expect(runs).toBeGreaterThan(2);
  });
});
