import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Comparison, compare, printComparisons } from "./results.ts";
import { measureSize, type Scenario, scenarios } from "./scenarios.ts";

/** `npm run bench`: boardsync next to a floor that does the same work with nothing around it. README.md says how to read it. */

const usage = `npm run bench -- [options]
  --sizes 1000,10000      posts of the board, one table row for each size and scenario
  --runs 5                runs of each program, of which the median counts
  --share 0.1             share of the posts that is selected and linked
  --scenarios ${scenarios.join(",")}
  --no-build              measure dist/ as it is
  --json                  JSON on stdout instead of a table
`;

const root = new URL("../../", import.meta.url);

interface BenchOptions {
  readonly sizes: readonly number[];
  readonly runs: number;
  readonly share: number;
  readonly scenarios: readonly Scenario[];
  readonly isBuilt: boolean;
  readonly isJson: boolean;
}

const options = readOptions();
if (options === undefined) {
  process.stderr.write(usage);
  process.exitCode = 2;
} else {
  await bench(options);
}

async function bench({ sizes, runs, share, scenarios, isBuilt, isJson }: BenchOptions): Promise<void> {
  if (!isBuilt) build();
  const script = fileURLToPath(new URL("dist/main.js", root));
  const tell = (text: string): void => void process.stderr.write(`${text}\n`);
  const comparisons: Comparison[] = [];
  for (const posts of sizes) {
    const series = await measureSize({ posts, share, runs, scenarios, script, tell });
    comparisons.push(...series.map(compare));
  }
  const machine = {
    commit: readCommit(),
    node: process.version,
    cpu: cpus()[0]?.model,
    cores: cpus().length,
  };
  if (isJson) process.stdout.write(`${JSON.stringify({ ...machine, comparisons }, null, 2)}\n`);
  else process.stdout.write(`${describe(machine, runs)}\n\n${printComparisons(comparisons)}`);
}

function readOptions(): BenchOptions | undefined {
  try {
    const { values } = parseArgs({
      allowNegative: true,
      options: {
        sizes: { type: "string", default: "1000,10000" },
        runs: { type: "string", default: "5" },
        share: { type: "string", default: "0.1" },
        scenarios: { type: "string", default: scenarios.join(",") },
        build: { type: "boolean", default: true },
        json: { type: "boolean", default: false },
      },
    });
    const wanted = values.scenarios.split(",");
    const read: BenchOptions = {
      sizes: values.sizes.split(",").map(Number),
      runs: Number(values.runs),
      share: Number(values.share),
      scenarios: scenarios.filter((scenario) => wanted.includes(scenario)),
      isBuilt: !values.build,
      isJson: values.json,
    };
    const isUsable =
      [...read.sizes, read.runs].every((count) => Number.isInteger(count) && count > 0) &&
      read.share > 0 &&
      read.share <= 1 &&
      read.scenarios.length === wanted.length;
    return isUsable ? read : undefined;
  } catch {
    return undefined;
  }
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
