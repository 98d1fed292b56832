import { setImmediate } from "node:timers/promises";
import type { RunResult } from "../../src/sync/run.ts";
import { addBothWays, addDuplicates } from "./both-ways.ts";
import { changeConfig } from "./config-changes.ts";
import { addStandstills, describeStep, drawHistory, type Step } from "./history.ts";
import { type Loopback, openLoopback } from "./http-sides.ts";
import type { Totals, Violation } from "./invariants.ts";
import {
  movingOdds,
  type Odds,
  orderedOdds,
  quirkyOdds,
  rareOdds,
  toolOdds,
  usualOdds,
  wishingOdds,
} from "./odds.ts";
import { addOrderedRuns, checkShown, drawOrdered, savePlan } from "./ordered-runs.ts";
import { orderSomething } from "./orders.ts";
import { addPauses, pauseSomething, planPause } from "./pauses.ts";
import { addPost } from "./people.ts";
import { drawOrder } from "./places.ts";
import { planThenSync } from "./plan-check.ts";
import { comeToRest } from "./quiet.ts";
import { actQuirk, addMoves, addQuirkSteps, addQuirks } from "./quirks.ts";
import { createRandom } from "./random.ts";
import { drawScenario, type Scenario } from "./scenario.ts";
import { addSignals } from "./signals.ts";
import { type Bug, createStage, type RunEnd, type Stage } from "./stage.ts";
import type { States } from "./state.ts";
import { backUp, loseState, putBack } from "./state-acts.ts";
import { actOnTools, addToolSteps, addTools } from "./tool-acts.ts";
import type { Weather } from "./wire.ts";
import { actWish, addWishes, addWishSteps } from "./wishes.ts";

/** What became of one history. */
export interface Outcome {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly steps: readonly Step[];
  readonly violations: readonly Violation[];
  /** In words, when it was asked for. */
  readonly story: readonly string[];
  readonly totals: Totals;
  readonly faults: ReadonlyMap<string, number>;
  /** What people did. */
  readonly acts: ReadonlyMap<string, number>;
  readonly runs: number;
  /** How much happened: what people did, requests with their answers, and ends of processes. */
  readonly size: number;
}

/** How histories are drawn and played; what they draw is another one's for each way. */
export interface Way {
  /** Over real HTTP instead of ports in memory; else one seed in a thousand is. */
  readonly isOverHttp?: boolean;
  /** Draws often what few histories have. */
  readonly isRare?: boolean;
  /** Draws what `quirks.ts` has in every history; else one in seven has it. */
  readonly isQuirky?: boolean;
  /** Two projects of one board, and people who move posts from one to the other, in every history; else one in twenty-five has that. */
  readonly isMoving?: boolean;
  /** Settings that few projects have (`wishes.ts`), in every history; else one in ten has some. */
  readonly isWishing?: boolean;
  /** A board with tools of its own (`tools.ts`), in every history; else one in seventeen has it. */
  readonly hasTools?: boolean;
  /** Runs that people order by a command (`ordered-runs.ts`), in every history; else one in twelve has some. */
  readonly isOrdered?: boolean;
  /** Two replicas share the state; else one seed in twenty has that. */
  readonly isShared?: boolean;
}

export interface HistoryOptions extends Way {
  /** Another scenario than the seed draws. */
  readonly scenario?: Scenario;
  /** Other steps than the seed draws: a shortened history. */
  readonly steps?: readonly Step[];
  readonly isTold?: boolean;
  readonly bug?: Bug;
}

/** Makes another seed of a seed, for what is drawn apart. */
const bothWaysSalt = 0x5bd1e995;
const duplicatesSalt = 0x27d4eb2f;
const sharedSalt = 0x165667b1;
const pausesSalt = 0x165667b1;
const quirksSalt = 0x2545f491;
const movesSalt = 0x1b873593;
const wishesSalt = 0x85ebca6b;
const toolsSalt = 0xc2b2ae35;
const orderedSalt = 0x9e3779b1;

/** Plays one history: the same seed, the same history. */
export async function playHistory(
  states: States,
  seed: number,
  options: HistoryOptions = {},
): Promise<Outcome> {
  const random = createRandom(seed);
  const isOverHttp = options.isOverHttp ?? seed % 1_000 === 0;
  const odds = oddsOf(options);
  const drawn = drawScenario(random, !isOverHttp);
  // What GraphQL answers is not played over HTTP.
  const signalled = isOverHttp ? drawn : addSignals(drawn, createRandom(~seed), odds);
  const twoWay = addBothWays(signalled, createRandom(seed ^ bothWaysSalt), odds);
  const withDuplicates = isOverHttp
    ? twoWay
    : addDuplicates(twoWay, createRandom(seed ^ duplicatesSalt), odds);
  const loopback = isOverHttp ? await openLoopback(seed) : undefined;
  const isShared = !isOverHttp && (options.isShared ?? seed % 20 === 11);
  const quirky = createRandom(seed ^ quirksSalt);
  const isPlain = isOverHttp || isShared || withDuplicates !== twoWay;
  const withMoves = isPlain ? withDuplicates : addMoves(withDuplicates, createRandom(seed ^ movesSalt), odds);
  const whole = isPlain || withMoves !== withDuplicates ? withMoves : addQuirks(withDuplicates, quirky, odds);
  const wishing = createRandom(seed ^ wishesSalt);
  // A planted bug is looked for where it was found.
  const isOther = options.bug !== undefined && options.isWishing !== true;
  const wished = isOther ? whole : addWishes(whole, wishing, odds);
  const equipping = createRandom(seed ^ toolsSalt);
  const isWithout =
    isOverHttp || wished.quirks !== undefined || (options.bug !== undefined && options.hasTools !== true);
  const equipped = isWithout ? wished : addTools(wished, equipping, odds);
  const drawnScenario = options.bug?.scenario?.(equipped) ?? equipped;
  const sharing = createRandom(seed ^ sharedSalt);
  const leaseMs = sharing.pick([35, 60, 120]) * 1_000;
  const single = oneAtATime(options.scenario ?? drawnScenario, loopback);
  const scenario: Scenario = isShared ? { leaseMs, ...single } : single;
  const state = isShared ? states.replicated : scenario.hasPowerCuts ? states.shared : states.fast;
  state.clear();
  const stage = createStage({ ...scenario }, state, options.bug ?? {}, loopback?.connect);
  for (let count = 0; count < scenario.posts; count += 1) addPost(stage.board, random);
  const oneByOne = drawHistory(random, odds);
  const unwished = isShared
    ? addStandstills(oneByOne, sharing)
    : addQuirkSteps(addPauses(oneByOne, createRandom(seed ^ pausesSalt), odds), drawnScenario, quirky);
  const untooled = addWishSteps(unwished, drawnScenario, wishing);
  const equippedSteps = addToolSteps(untooled, drawnScenario, equipping);
  const isUnordered = isOverHttp || isShared || (options.bug !== undefined && options.isOrdered !== true);
  const drawnSteps = isUnordered
    ? equippedSteps
    : addOrderedRuns(equippedSteps, createRandom(seed ^ orderedSalt), odds);
  const steps = options.steps ?? drawnSteps;
  const story: string[] = [];
  const tell = (words: () => string): void => {
    if (options.isTold === true) story.push(`${clockTime(stage)}  ${words()}`);
  };
  if (options.isTold === true) tellOfWrites(stage, story);
  for (const step of steps) {
    const told = await play(stage, step);
    tell(() => told);
    if (stage.watch.violations.length > 0) break;
  }
  if (stage.watch.violations.length === 0) {
    tell(() => "faults and people stop");
    await comeToRest(stage);
  }
  stage.endProcess();
  await loopback?.close();
  // Nothing in a history waits, so this is the only turn in which native memory of old statements is given back.
  await setImmediate();
  for (const { invariant, message } of stage.watch.violations) tell(() => `${invariant}: ${message}`);
  return {
    seed,
    scenario,
    steps,
    violations: stage.watch.violations,
    story,
    totals: stage.watch.totals,
    faults: stage.wire.faults,
    acts: stage.counts.acts,
    runs: stage.counts.runs,
    size: measure(stage),
  };
}

function oddsOf({ isRare, isQuirky, isMoving, isWishing, isOrdered, hasTools }: Way): Odds {
  if (hasTools === true) return toolOdds;
  if (isWishing === true) return wishingOdds;
  if (isOrdered === true) return orderedOdds;
  if (isRare === true) return rareOdds;
  if (isMoving === true) return movingOdds;
  return isQuirky === true ? quirkyOdds : usualOdds;
}

/** Which of several requests arrives first is not the seed's choice: over HTTP a process sends one at a time. */
function oneAtATime(scenario: Scenario, loopback: Loopback | undefined): Scenario {
  if (loopback === undefined) return scenario;
  return { ...scenario, policy: { ...scenario.policy, concurrency: 1 } };
}

function measure({ wire, counts }: Stage): number {
  return [...counts.acts.values()].reduce((sum, times) => sum + times, wire.requests + counts.ends);
}

async function play(stage: Stage, step: Step): Promise<string> {
  const { time, wire, people } = stage;
  switch (step.kind) {
    case "sync":
      return tellRun(stage, step, step.hasFaults, {});
    case "crash":
      return tellRun(stage, step, true, { doom: step.doom });
    case "stop":
      return tellRun(stage, step, true, { stopAt: step.request });
    case "rival":
      return tellRun(stage, step, false, { rivalAt: step.request });
    case "freeze": {
      const { leases, left, back, doom, hasFaults } = step;
      const ms = Math.round((stage.scenario.leaseMs ?? 0) * leases);
      const weather = () => weatherOf(stage, step.seed ^ sharedSalt, hasFaults);
      return tellRun(stage, step, hasFaults, { freeze: { ms, left, back, doom, weather } });
    }
    case "cut":
      stage.crew?.cut(time.now() + step.ms);
      return describeStep(step);
    case "plan":
      return `${describeStep(step)}: ${await planThenSync(stage)}`;
    case "restart":
      stage.endProcess();
      return describeStep(step);
    case "lose":
      return loseState(stage);
    case "backup":
      return backUp(stage);
    case "putBack":
      return putBack(stage);
    case "time":
      time.advance(step.ms);
      return describeStep(step);
    case "outage":
      wire.outages.set(step.side, { fault: step.fault, until: time.now() + step.ms });
      wire.count(`outage: ${step.side} ${step.fault}`);
      return describeStep(step);
    case "board":
      return people.onBoard(createRandom(step.seed));
    case "github":
      return people.onGitHub(createRandom(step.seed));
    case "order":
      return orderSomething(stage, createRandom(step.seed));
    case "pause":
      return pauseSomething(stage, createRandom(step.seed));
    case "pausing": {
      const act = await planPause(stage, createRandom(~step.seed));
      const end = { actAt: step.request, act, order: orderOf(stage, step) };
      return `${describeStep(step)}: ${describeRun(await stage.run(weatherOf(stage, step.seed, true), end))}`;
    }
    case "quirk":
      return actQuirk(stage, createRandom(step.seed));
    case "wish":
      return actWish(stage, createRandom(step.seed));
    case "tool":
      return actOnTools(stage, createRandom(step.seed));
    case "save":
      return savePlan(stage);
    case "ordered": {
      const ordered = await drawOrdered(stage, step);
      if (ordered === undefined) return `nobody has anything to ${step.command}`;
      const { command, shown } = ordered;
      const told = await tellRun(stage, step, step.hasFaults, { command, doom: step.doom });
      checkShown(stage, shown);
      return told;
    }
    case "config":
      return changeConfig(stage, createRandom(step.seed));
    case "clock":
      return setClock(stage, step);
  }
}

/** The step says which of two replicas has the run, so that the others may be left out. */
async function tellRun(
  stage: Stage,
  step: Extract<Step, { readonly seed: number }>,
  hasFaults: boolean,
  end: RunEnd,
): Promise<string> {
  const index = createRandom(step.seed ^ sharedSalt).between(0, 1);
  const order = orderOf(stage, step);
  const result = await stage.run(weatherOf(stage, step.seed, hasFaults), { ...end, index, order });
  return `${describeStep(step)}: ${describeRun(result)}`;
}

function orderOf({ scenario }: Stage, { seed }: { readonly seed: number }): readonly number[] {
  return drawOrder(scenario, createRandom(seed ^ movesSalt));
}

/**
 * The wait for an unknown outcome is measured on the program's clock, and so it must not be over at once: nobody sets the clock on
 * while something is under way, or is not in the lists yet.
 */
function setClock(
  { hub, tools, time, scenario, watch, counts }: Stage,
  step: Step & { kind: "clock" },
): string {
  if (step.ms > 0 && (time.pending > 0 || !hub.isSettled() || !tools.isSettled()))
    return "nobody sets the clock on now";
  scenario.skewMs += step.ms;
  watch.events.clockLeaps(step.ms);
  counts.note(step.ms < 0 ? "clock: back" : "clock: on");
  return describeStep(step);
}

function weatherOf({ scenario, wire, people }: Stage, seed: number, hasFaults: boolean): Weather {
  const random = createRandom(seed);
  wire.meanwhile = () => {
    wire.tell(`meanwhile ${random.chance(0.5) ? people.onBoard(random) : people.onGitHub(random)}`);
  };
  return {
    random,
    faultRate: hasFaults ? scenario.faultRate : 0,
    peopleRate: hasFaults ? scenario.peopleRate : 0,
    hasLatency: true,
  };
}

function describeRun(result: RunResult | undefined): string {
  const reports = result?.report.projects ?? [];
  const words = reports.map((report) => (reports.length > 1 ? `${report.project} ` : "") + describe(report));
  return words.join("; ") || "it ends";
}

function describe(report: RunResult["report"]["projects"][number]): string {
  const { created, adopted, issueWrites, postWrites, waiting, held, parked, errors } = report;
  const numbers = Object.entries({ created, adopted, issueWrites, postWrites, waiting, held, parked })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`);
  return (
    [...numbers, ...errors.map(({ code, post }) => (post === undefined ? code : `${code} ${post}`))].join(
      ", ",
    ) || "nothing to do"
  );
}

function clockTime({ time }: Stage): string {
  return new Date(time.now()).toISOString().slice(5, 23).replace("T", " ");
}

/** Puts every fault, and every write that reaches a side, into the story. */
function tellOfWrites(stage: Stage, story: string[]): void {
  const { wire, watch } = stage;
  const add = (words: string): void => {
    story.push(`${clockTime(stage)}    ${words}`);
  };
  wire.tell = add;
  const { patchTakesEffect, issueOpens, patchLeaves, issueWriteLeaves, toolCallLeaves, postIsMade } =
    watch.events;
  watch.events.toolCallLeaves = (call) => {
    add(`${call.purpose} of ${call.subject} leaves`);
    toolCallLeaves(call);
  };
  watch.events.postIsMade = (post, issue) => {
    add(`${post.id} is made of ${issue.repository.name}#${issue.number}`);
    postIsMade(post, issue);
  };
  watch.events.patchLeaves = (patch) => {
    add(`PATCH ${patch.post} ${JSON.stringify(patch.change)} leaves`);
    patchLeaves(patch);
  };
  watch.events.patchTakesEffect = (post, change, before, changed) => {
    add(`PATCH ${post.id} takes effect: ${changed.join(", ") || "nothing changes"}`);
    patchTakesEffect(post, change, before, changed);
  };
  watch.events.issueWriteLeaves = (leaving) => {
    add(`${leaving.write.kind} leaves for ${leaving.repository.name}`);
    issueWriteLeaves(leaving);
  };
  watch.events.issueOpens = (issue) => {
    add(`${issue.repository.name}#${issue.number} is opened for ${issue.openedFor.join(", ")}`);
    issueOpens(issue);
  };
}
