import { parseArgs } from "node:util";
import type { Failure } from "./batch.ts";
import { describeCounts } from "./counts.ts";
import { shrinkHistory } from "./shrink.ts";
import { createStates, type States } from "./state.ts";
import { createWorker, playRange, type Range } from "./team.ts";
import { type Outcome, playHistory, type Way } from "./world.ts";

const usage =
  "node test/simulation/simulate.ts [--seeds N] [--from S] [--minutes M]   plays N histories, or as many as M minutes hold\n" +
  "node test/simulation/simulate.ts --seed S [--whole]                     plays one and tells it\n" +
  "--workers N plays on so many threads, --all goes on after a failure, --rare draws often what is seldom,\n" +
  "--quirks draws what refuses, renames or shows late in every history, --moves two projects and posts that move, --wishes settings that few projects have, --tools a board with tools of its own, --ordered runs that people order, --http plays over real HTTP, --shared with two replicas of one state (README.md)\n";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    minutes: { type: "string" },
    workers: { type: "string", default: "1" },
    all: { type: "boolean", default: false },
    whole: { type: "boolean", default: false },
    rare: { type: "boolean", default: false },
    http: { type: "boolean", default: false },
    shared: { type: "boolean", default: false },
    quirks: { type: "boolean", default: false },
    moves: { type: "boolean", default: false },
    wishes: { type: "boolean", default: false },
    tools: { type: "boolean", default: false },
    ordered: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** Where it is not asked for, the seed says whether it goes over HTTP, and whether two replicas share the state. */
const way: Way = {
  ...(values.http && { isOverHttp: true }),
  ...(values.shared && { isOverHttp: false, isShared: true }),
  isRare: values.rare,
  isQuirky: values.quirks,
  isMoving: values.moves,
  isWishing: values.wishes,
  hasTools: values.tools,
  isOrdered: values.ordered,
};

/** Ctrl-C tells what has been played so far. */
let isEnded = false;
process.once("SIGINT", () => {
  isEnded = true;
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
  const outcome = await playHistory(of, seed, { ...way, isTold: true });
  if (outcome.violations.length === 0) {
    print([...outcome.story, "No promise is broken."]);
    return 0;
  }
  await tellFailure(of, outcome, values.whole);
  return 1;
}

async function playMany(of: States): Promise<number> {
  const players = Array.from({ length: Number(values.workers) }, createWorker);
  const began = performance.now();
  const { counts, failures } = await playRange(players, rangeFrom(began));
  const ms = performance.now() - began;
  for (const player of players) await player.end();
  const [first] = failures;
  if (first !== undefined && !values.all)
    await tellFailure(of, await playHistory(of, first.seed, way), false);
  print([...describeCounts(counts, ms), ...(values.all ? listFailures(failures) : [])]);
  return first === undefined ? 0 : 1;
}

function rangeFrom(began: number): Range {
  const { minutes } = values;
  const ms = minutes === undefined ? undefined : Number(minutes) * 60_000;
  const seeds = ms === undefined ? Number(values.seeds) : undefined;
  return {
    from: Number(values.from),
    seeds,
    isWhole: values.all,
    ...(values.all && { onFailure: tellSeed }),
    ...way,
    isOver: (begun) =>
      isEnded || (ms === undefined ? begun >= (seeds ?? 0) : performance.now() - began >= ms),
  };
}

/** While the others are still played. */
function tellSeed({ seed, violation: { invariant, message } }: Failure): void {
  process.stderr.write(`${seed} ${invariant}: ${message}\n`);
}

/** One line for each way to fail, with a seed that fails so. */
function listFailures(failures: readonly Failure[]): readonly string[] {
  const words = failures.map(({ seed, violation: { invariant, message } }): [string, number] => [
    `${invariant}: ${message.replaceAll(/\d+/g, "N").slice(0, 160)}`,
    seed,
  ]);
  return [...new Map(words.reverse())].reverse().map(([way, seed]) => `${way} (${seed})`);
}

async function tellFailure(of: States, outcome: Outcome, isWhole: boolean): Promise<void> {
  const told = isWhole
    ? await playHistory(of, outcome.seed, { ...way, isTold: true })
    : await shrinkHistory(of, outcome, way);
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
    `Replay: node test/simulation/simulate.ts --seed ${outcome.seed}${values.rare ? " --rare" : ""}${values.http ? " --http" : ""}${values.shared ? " --shared" : ""}${values.quirks ? " --quirks" : ""}${values.moves ? " --moves" : ""}${values.wishes ? " --wishes" : ""}${values.tools ? " --tools" : ""}${values.ordered ? " --ordered" : ""}`,
  ]);
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}
