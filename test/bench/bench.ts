import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { goalRows, judge, type StartFigures } from "./goals.ts";
import { type BenchOptions, readOptions, tellLeftOut, usage } from "./options.ts";
import { measurePlanner } from "./planner.ts";
import {
  type Comparison,
  compare,
  findGrowths,
  printComparisons,
  printGrowths,
  printTable,
} from "./results.ts";
import { measureSize } from "./scenarios.ts";
import { measureHelp, measureIdleDaemon } from "./start.ts";

/** `npm run bench`: boardsync next to a floor that does the same work with nothing around it. README.md says how to read it. */

const root = new URL("../../", import.meta.url);

/** What the planner plans: posts on which nothing has changed. */
const unchanged = { posts: 100_000, rounds: 9 };

/** The daemon that is looked at, after so many idle runs. */
const resting = { posts: 200, share: 0.1, runs: 20 };
const script = fileURLToPath(new URL("dist/main.js", root));

const options = readOptions(process.argv.slice(2));
if (options === undefined) {
  process.stderr.write(usage);
  process.exitCode = 2;
} else {
  await bench(options);
}

async function bench(options: BenchOptions): Promise<void> {
  if (!options.isBuilt) build();
  const comparisons = await measureRuns(options);
  const growths = findGrowths(comparisons);
  const planner = options.parts.includes("planner") ? measurePlanner(unchanged) : undefined;
  const start = options.parts.includes("start") ? await measureStart(options.runs) : undefined;
  const goals = judge({ comparisons, growths, planner, start });
  const machine = {
    commit: readCommit(),
    node: process.version,
    cpu: cpus()[0]?.model,
    cores: cpus().length,
  };
  const leftOut = tellLeftOut(options);
  if (options.isJson) {
    process.stdout.write(
      `${JSON.stringify({ ...machine, comparisons, growths, planner, start, goals, leftOut }, null, 2)}\n`,
    );
    return;
  }
  const sections = [
    `${describe(machine, options.runs)}\n`,
    ...(comparisons.length > 0 ? [printComparisons(comparisons)] : []),
    ...(growths.length > 0 ? [`Growth of boardsync (of the floor)\n\n${printGrowths(growths)}`] : []),
    printTable(["measured", "goal", "found", "met"], goalRows(goals)),
    ...(leftOut.length > 0 ? [`${leftOut.join("\n")}\n`] : []),
  ];
  process.stdout.write(sections.join("\n"));
}

async function measureStart(runs: number): Promise<StartFigures> {
  tell("help, and an idle daemon");
  const help = await measureHelp(script, runs);
  return { help, daemon: await measureIdleDaemon({ script, ...resting }) };
}

async function measureRuns(options: BenchOptions): Promise<readonly Comparison[]> {
  if (!options.parts.includes("runs")) return [];
  const { runs, share } = options;
  const comparisons: Comparison[] = [];
  for (const measurement of options.measurements) {
    const series = await measureSize({ ...measurement, runs, share, script, tell });
    comparisons.push(...series.map(compare));
  }
  return comparisons;
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

function build(): void {
  const compiler = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));
  execFileSync(process.execPath, [compiler, "-p", "src"], { cwd: root, stdio: "inherit" });
}

function readCommit(): string | undefined {
  try {
    const args = ["describe", "--always", "--dirty", "--abbrev=12"];
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return undefined;
  }
}

function describe(
  machine: { commit: string | undefined; node: string; cpu: string | undefined; cores: number },
  runs: number,
): string {
  const { commit = "unknown commit", node, cpu = "unknown processor", cores } = machine;
  return `boardsync / floor (medians of ${runs} runs in turn), commit ${commit}, Node.js ${node}, ${cores} × ${cpu}`;
}
