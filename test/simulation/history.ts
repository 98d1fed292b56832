import type { Side } from "../../src/errors.ts";
import type { Odds } from "./odds.ts";
import type { Doom } from "./process.ts";
import { pickWeighted, type Random } from "./random.ts";
import type { Outage } from "./wire.ts";

/**
 * One step of a history. A step has a seed of its own, so that leaving out another one changes nothing of what it draws:
 * that is how a failing history is made short.
 */
export type Step =
  | { readonly kind: "sync"; readonly seed: number; readonly hasFaults: boolean }
  /** A run that ends in the middle. */
  | { readonly kind: "crash"; readonly seed: number; readonly doom: Doom }
  /** A run that a signal ends, at its so-manieth request. */
  | { readonly kind: "stop"; readonly seed: number; readonly request: number }
  /** Of a shared state: a run whose process stands still in the middle, while the other replica has its turn. */
  | {
      readonly kind: "freeze";
      readonly seed: number;
      readonly hasFaults: boolean;
      /** How long, in leases. */
      readonly leases: number;
      readonly left: number;
      readonly back: number | undefined;
      readonly doom: Doom | undefined;
    }
  /** Of a shared state: nobody reaches it. */
  | { readonly kind: "cut"; readonly ms: number }
  /** A run during which somebody starts a second process. */
  | { readonly kind: "rival"; readonly seed: number; readonly request: number }
  /** `plan`, and a `sync` right after it. */
  | { readonly kind: "plan" }
  | { readonly kind: "restart" }
  /** Somebody deletes the database. */
  | { readonly kind: "lose" }
  /** A backup is made, and the last one is put back. */
  | { readonly kind: "backup" }
  | { readonly kind: "putBack" }
  | { readonly kind: "time"; readonly ms: number }
  | { readonly kind: "outage"; readonly side: Side; readonly fault: Outage["fault"]; readonly ms: number }
  | { readonly kind: "board"; readonly seed: number }
  | { readonly kind: "github"; readonly seed: number }
  /** What people order beside the runs. */
  | { readonly kind: "order"; readonly seed: number }
  /** People pause a post, or resume it. */
  | { readonly kind: "pause"; readonly seed: number }
  /** A run, with faults, during which somebody pauses a post, at a request. */
  | { readonly kind: "pausing"; readonly seed: number; readonly request: number }
  /** What only some histories have (`quirks.ts`). */
  | { readonly kind: "quirk"; readonly seed: number }
  /** What people do about the settings of `wishes.ts`. */
  | { readonly kind: "wish"; readonly seed: number }
  /** What people do about what the board's tools are there for (`tool-acts.ts`). */
  | { readonly kind: "tool"; readonly seed: number }
  /** Somebody saves a plan. */
  | { readonly kind: "save" }
  /** A run that a person orders (`ordered-runs.ts`). */
  | {
      readonly kind: "ordered";
      readonly command: "apply" | "undo" | "adopt" | "rebuild";
      readonly seed: number;
      readonly hasFaults: boolean;
      readonly doom: Doom | undefined;
    }
  /** Somebody edits the config. */
  | { readonly kind: "config"; readonly seed: number }
  /** The program's clock is set. */
  | { readonly kind: "clock"; readonly ms: number };

const minuteMs = 60_000;

/** These are only put between the others. */
type Apart = "freeze" | "cut" | "save" | "ordered";

const weights: Readonly<Record<Exclude<Step["kind"], Apart>, number>> = {
  sync: 26,
  crash: 9,
  stop: 2,
  rival: 2,
  plan: 3,
  restart: 2,
  lose: 2.5,
  backup: 1.5,
  /** Where there is one. */
  putBack: 10,
  time: 14,
  outage: 1,
  board: 24,
  github: 55,
  order: 8,
  config: 1,
  clock: 0.8,
  /** They are drawn apart. */
  pause: 0,
  pausing: 0,
  quirk: 0,
  wish: 0,
  tool: 0,
};

const lengths = {
  short: { least: 4, most: 10 },
  middle: { least: 10, most: 20 },
  long: { least: 20, most: 60 },
} as const;

/**
 * Draws 4 to 60 steps. Most histories are short, because most of what can go wrong goes wrong in few steps; it begins with
 * a run, because before that there is nothing to do anything to.
 */
export function drawHistory(random: Random, odds: Odds): readonly Step[] {
  const { least, most } = lengths[pickWeighted(random, { short: 80, middle: 16, long: 4 })];
  const first = drawStep(random, pickWeighted(random, { sync: 3, crash: 1 }));
  const steps = [first];
  const all = { ...weights, ...odds.steps };
  const length = random.between(least, most);
  while (steps.length < length) {
    const hasBackup = steps.some(({ kind }) => kind === "backup");
    steps.push(drawStep(random, pickWeighted(random, { ...all, putBack: hasBackup ? weights.putBack : 0 })));
  }
  return steps;
}

function drawStep(random: Random, kind: keyof typeof weights): Step {
  switch (kind) {
    case "sync":
      return { kind, seed: random.seed(), hasFaults: random.chance(0.7) };
    case "crash":
      return { kind, seed: random.seed(), doom: drawDoom(random) };
    case "stop":
    case "rival":
    case "pausing":
      return { kind, seed: random.seed(), request: random.between(1, random.pick(reaches.await)) };
    case "plan":
    case "restart":
    case "lose":
    case "backup":
    case "putBack":
      return { kind };
    case "time":
      return { kind, ms: drawTime(random) };
    case "outage": {
      const fault = random.pick(["unreachable", "unauthorized", "limited"] as const);
      return {
        kind,
        side: random.pick(["board", "tracker"] as const),
        fault,
        ms: random.between(1, 30) * minuteMs,
      };
    }
    case "clock":
      return { kind, ms: random.pick([-1, 1]) * random.between(5, 60) * minuteMs };
    case "board":
    case "github":
    case "order":
    case "config":
    case "pause":
    case "quirk":
    case "wish":
    case "tool":
      return { kind, seed: random.seed() };
  }
}

/** What only a shared state has is drawn into a history that is there. */
export function addStandstills(steps: readonly Step[], random: Random): readonly Step[] {
  return steps.flatMap((step): readonly Step[] => {
    const freeze = drawFreeze(random);
    const isFrozen = random.chance(0.5);
    const cut: Step = { kind: "cut", ms: random.between(1, 10) * minuteMs };
    const isCut = random.chance(0.03);
    const played = step.kind === "sync" && isFrozen ? { ...step, ...freeze } : step;
    return isCut ? [cut, played] : [played];
  });
}

function drawFreeze(random: Random) {
  const back = random.between(1, random.pick(reaches.point));
  const isBack = random.chance(0.4);
  const doom = drawDoom(random);
  const isDoomed = random.chance(0.2);
  return {
    kind: "freeze",
    leases: random.pick([0.2, 0.6, 1.1, 1.1, 2, 20]),
    left: random.between(1, random.pick(reaches.point)),
    back: isBack ? back : undefined,
    doom: isDoomed ? doom : undefined,
  } as const;
}

/** How far into a run something happens at most: most runs ask four times or so, and commit twenty times; half of them pass 140 points. */
const reaches = { await: [4, 8, 20], commit: [12, 24, 40], point: [40, 120, 240] } as const;

export function drawDoom(random: Random): Doom {
  const when = random.pick(["before", "after"] as const);
  return random.chance(0.5)
    ? { at: "await", count: random.between(1, random.pick(reaches.await)), when }
    : { at: "commit", count: random.between(1, random.pick(reaches.commit)), when };
}

function drawTime(random: Random): number {
  return Math.floor(
    random.pick([0.5, 2, 3, 5, 5, 16, 20, 60, 400, 1_500]) * minuteMs * (0.5 + random.next()),
  );
}

/** A step in words; what people do says so itself. */
export function describeStep(step: Step): string {
  switch (step.kind) {
    case "sync":
      return step.hasFaults ? "a run, with faults" : "a run";
    case "freeze":
      return `a run${step.hasFaults ? ", with faults" : ""}, that stands still at point ${step.left} for ${step.leases} leases${step.back === undefined ? "" : `, and goes on at point ${step.back} of the other one`}`;
    case "cut":
      return `nobody reaches the state for ${describeTime(step.ms)}`;
    case "crash":
      return `a run, with faults, that ends ${step.doom.when} ${step.doom.at} ${step.doom.count}`;
    case "stop":
      return `a run, with faults, that a signal ends at request ${step.request}`;
    case "rival":
      return `a run, during which somebody starts a second process at request ${step.request}`;
    case "plan":
      return "`plan`, then a run with the same inputs";
    case "restart":
      return "the process is restarted";
    case "time":
      return `${describeTime(step.ms)} pass`;
    case "outage":
      return `the ${step.side} is ${step.fault} for ${describeTime(step.ms)}`;
    case "clock":
      return `the program's clock is set ${step.ms < 0 ? "back" : "on"} by ${describeTime(Math.abs(step.ms))}`;
    case "ordered":
      return `somebody orders ${step.command}${step.hasFaults ? ", with faults" : ""}${step.doom === undefined ? "" : `, that ends ${step.doom.when} ${step.doom.at} ${step.doom.count}`}`;
    case "save":
    case "lose":
    case "backup":
    case "putBack":
    case "board":
    case "github":
    case "order":
    case "config":
    case "pause":
    case "quirk":
    case "wish":
    case "tool":
      return step.kind;
    case "pausing":
      return `a run, with faults, during which somebody pauses a post at request ${step.request}`;
  }
}

function describeTime(ms: number): string {
  const minutes = Math.floor(ms / minuteMs);
  return minutes >= 120
    ? `${Math.floor(minutes / 60)} h`
    : `${minutes} min ${Math.round((ms % minuteMs) / 1_000)} s`;
}
