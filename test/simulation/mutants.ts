import { parseArgs } from "node:util";
import { type PlantedBug, plantedBugs } from "./bugs.ts";
import { createStates } from "./state.ts";
import { type Outcome, playHistory } from "./world.ts";

const usage =
  "node test/simulation/mutants.ts [--seeds N] [--only NAME]   plants one bug after another and looks for it, from where it is known to show (README.md)\n";

/** How a planted bug was found; undefined where it survived. */
interface Finding {
  readonly seeds: number;
  readonly invariant: string;
  readonly message: string;
}

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "10000" },
    only: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) process.stdout.write(usage);
else process.exitCode = await checkAll(Number(values.seeds), values.only);

async function checkAll(seeds: number, only: string | undefined): Promise<number> {
  const planted = plantedBugs.filter(({ name }) => only === undefined || name === only);
  if (planted.length === 0) {
    print(`There is no bug \`${only}\`. There are: ${plantedBugs.map(({ name }) => name).join(", ")}.`);
    return 2;
  }
  const began = performance.now();
  let survivors = 0;
  print("| bug | | found by | after seeds | seconds |", "|---|---|---|---|---|");
  for (const bug of planted) {
    const beganAt = performance.now();
    const finding = await find(bug, seeds);
    const isFound = finding !== undefined && bug.breaks.includes(finding.invariant);
    if (!isFound) survivors += 1;
    const found = isFound ? finding.invariant : `**not as expected**: ${finding?.invariant ?? "it survives"}`;
    const took = ((performance.now() - beganAt) / 1_000).toFixed(1);
    print(`| \`${bug.name}\` | ${bug.words} | ${found} | ${finding?.seeds ?? seeds} | ${took} |`);
    if (!isFound && finding !== undefined) print(finding.message);
  }
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  print("", `${planted.length} bugs in ${seconds} s, ${survivors} not found as expected`);
  return survivors === 0 ? 0 : 1;
}

/** A state of its own: what a bug has left there must not be laid at another one's door. */
async function find({ bug, way, from = 1 }: PlantedBug, seeds: number): Promise<Finding | undefined> {
  const states = createStates();
  try {
    for (let seed = from; seed < from + seeds; seed += 1) {
      const outcome: Outcome = await playHistory(states, seed, { ...way, bug });
      const [violation] = outcome.violations;
      if (violation !== undefined) return { ...violation, seeds: seed - from + 1 };
    }
    return undefined;
  } finally {
    states.close();
  }
}

function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}
