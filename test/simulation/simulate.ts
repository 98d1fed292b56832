import { parseArgs } from "node:util";
import { shrinkHistory } from "./shrink.ts";
import { createStates, type States } from "./state.ts";
import { type Outcome, playHistory } from "./world.ts";

const usage =
  "node test/simulation/simulate.ts [--seeds N] [--from S] [--minutes M]   plays N histories, or as many as M minutes hold\n" +
  "node test/simulation/simulate.ts --seed S [--whole]                     plays one and tells it\n" +
  "--all goes on after a failure (README.md)\n";

interface Counts {
  seeds: number;
  runs: number;
  readonly steps: Map<string, number>;
  readonly faults: Map<string, number>;
  readonly acts: Map<string, number>;
  readonly effects: Map<string, number>;
}

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    minutes: { type: "string" },
    all: { type: "boolean", default: false },
    whole: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const states = createStates();
try {
  if (values.help) process.stdout.write(usage);
  else if (values.seed !== undefined) process.exitCode = await replay(states, Number(values.seed));
  else process.exitCode = await playMany(states);
} finally {
  states.close();
}

/** Tells one history; a failing one in its shortest form, unless the whole is asked for. */
async function replay(of: States, seed: number): Promise<number> {
  const outcome = await playHistory(of, seed, { isTold: true });
  if (outcome.violations.length === 0) {
    print([...outcome.story, "No promise is broken."]);
    return 0;
  }
  await tellFailure(of, outcome, values.whole);
  return 1;
}

async function playMany(of: States): Promise<number> {
  const counts: Counts = {
    seeds: 0,
    runs: 0,
    steps: new Map(),
    faults: new Map(),
    acts: new Map(),
    effects: new Map(),
  };
  const failures = new Map<string, number>();
  const began = performance.now();
  const from = Number(values.from);
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
  const isOver = (): boolean =>
    minutes === undefined
      ? counts.seeds >= Number(values.seeds)
      : performance.now() - began >= minutes * 60_000;
  while (!isOver()) {
    const outcome = await playHistory(of, from + counts.seeds);
    count(counts, outcome);
    const [violation] = outcome.violations;
    if (violation === undefined) continue;
    if (values.all) {
      add(
        failures,
        `${violation.invariant}: ${violation.message.replaceAll(/\d+/g, "N").slice(0, 160)} (${outcome.seed})`,
        1,
      );
      continue;
    }
    await tellFailure(of, outcome, false);
    report(counts, performance.now() - began);
    return 1;
  }
  report(counts, performance.now() - began);
  print([...failures.keys()]);
  return failures.size === 0 ? 0 : 1;
}

async function tellFailure(of: States, outcome: Outcome, isWhole: boolean): Promise<void> {
  const told = isWhole
    ? await playHistory(of, outcome.seed, { isTold: true })
    : await shrinkHistory(of, outcome);
  const { settings, policy, board, github, ...rest } = told.scenario;
  print([
    `Seed ${outcome.seed} breaks a promise. ${outcome.steps.length} steps, shortened to ${told.steps.length}:`,
    "",
    `settings ${JSON.stringify(settings)}`,
    `policy ${JSON.stringify({ waits: policy.waits, pace: policy.pace, budgetMs: policy.budgetMs, concurrency: policy.concurrency })}`,
    `board ${JSON.stringify(board)}`,
    `github ${JSON.stringify(github)} ${JSON.stringify(rest)}`,
    "",
    ...told.story,
    "",
    `Replay: node test/simulation/simulate.ts --seed ${outcome.seed}`,
  ]);
}

function count(counts: Counts, { steps, faults, acts, totals, runs }: Outcome): void {
  counts.seeds += 1;
  counts.runs += runs;
  for (const { kind } of steps) add(counts.steps, kind, 1);
  for (const [fault, times] of faults) add(counts.faults, fault, times);
  for (const [act, times] of acts) add(counts.acts, act, times);
  for (const [effect, times] of Object.entries(totals)) add(counts.effects, effect, times);
}

function add(counts: Map<string, number>, name: string, more: number): void {
  counts.set(name, (counts.get(name) ?? 0) + more);
}

function report({ seeds, runs, steps, faults, acts, effects }: Counts, ms: number): void {
  const list = (counts: ReadonlyMap<string, number>): string =>
    [...counts]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, times]) => `${name} ${times}`)
      .join(", ");
  print([
    `${seeds} seeds in ${(ms / 1_000).toFixed(1)} s: ${((seeds * 1_000) / ms).toFixed(0)} a second, ${runs} runs`,
    `steps: ${list(steps)}`,
    `faults: ${list(faults)}`,
    `people: ${list(acts)}`,
    `effects: ${list(effects)}`,
  ]);
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}
