import { parseArgs } from "node:util";
import { type Scenario, scenarios } from "./programs.ts";

/** What is measured: runs of boardsync and the floor; its help and an idle daemon; the planner by itself. */
const parts = ["runs", "start", "planner"] as const;
export type Part = (typeof parts)[number];

/** One board to measure on: its posts, and what the programs find there. */
export interface Measurement {
  readonly posts: number;
  readonly projects: number;
  /** Whether the board sends an ETag with each page. */
  readonly hasValidators: boolean;
  readonly scenarios: readonly Scenario[];
}

export interface BenchOptions {
  readonly measurements: readonly Measurement[];
  readonly parts: readonly Part[];
  readonly runs: number;
  readonly share: number;
  readonly isBuilt: boolean;
  readonly isJson: boolean;
}

/** What `npm run bench` takes. */
export const usage = `npm run bench -- [options]
  --sizes 1000,10000      posts of the board, one table row for each size and scenario
  --projects 1            projects of one repository that the posts are spread over, as 1,200
  --scenarios ${scenarios.join(",")}
  --validators            the board sends an ETag with each page
  --runs 5                runs of each program, of which the median counts
  --share 0.1             share of the posts that is selected and linked
  --parts ${parts.join(",")}
  --no-build              measure dist/ as it is
  --json                  JSON on stdout instead of tables
Without the first four also idle runs of 200 projects and of a board that sends ETags.
`;

/** What a bench without options measures: all that fits into a few minutes. */
const usual: readonly Measurement[] = [
  { posts: 1000, projects: 1, hasValidators: false, scenarios },
  { posts: 10_000, projects: 1, hasValidators: false, scenarios },
  { posts: 10_000, projects: 1, hasValidators: true, scenarios: ["idle"] },
  { posts: 10_000, projects: 200, hasValidators: false, scenarios: ["idle"] },
];

/** Reads the options; undefined where they make no sense. */
export function readOptions(args: readonly string[]): BenchOptions | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      allowNegative: true,
      options: {
        sizes: { type: "string" },
        projects: { type: "string" },
        scenarios: { type: "string" },
        validators: { type: "boolean" },
        runs: { type: "string", default: "5" },
        share: { type: "string", default: "0.1" },
        parts: { type: "string", default: parts.join(",") },
        build: { type: "boolean", default: true },
        json: { type: "boolean", default: false },
      },
    });
    const runs = readCounts(values.runs)[0] ?? 0;
    const share = Number(values.share);
    if (!(share > 0 && share <= 1)) return undefined;
    return {
      measurements: readMeasurements(values),
      parts: pick(parts, values.parts),
      runs,
      share,
      isBuilt: !values.build,
      isJson: values.json,
    };
  } catch {
    return undefined;
  }
}

interface Chosen {
  readonly sizes?: string | undefined;
  readonly projects?: string | undefined;
  readonly scenarios?: string | undefined;
  readonly validators?: boolean | undefined;
}

function readMeasurements(chosen: Chosen): readonly Measurement[] {
  const { sizes, projects: spreads, validators: hasValidators = false } = chosen;
  if (sizes === undefined && spreads === undefined && chosen.scenarios === undefined && !hasValidators)
    return usual;
  const wanted = chosen.scenarios === undefined ? scenarios : pick(scenarios, chosen.scenarios);
  return readCounts(sizes ?? "1000,10000").flatMap((posts) =>
    readCounts(spreads ?? "1").map((projects) => ({ posts, projects, hasValidators, scenarios: wanted })),
  );
}

function readCounts(text: string): readonly number[] {
  const counts = text.split(",").map(Number);
  if (!counts.every((count) => Number.isInteger(count) && count > 0)) throw new Error(text);
  return counts;
}

function pick<Name extends string>(known: readonly Name[], text: string): readonly Name[] {
  const names = text.split(",");
  const picked = known.filter((name) => names.includes(name));
  if (picked.length !== names.length) throw new Error(text);
  return picked;
}

/** A part of the whole that takes too long to be measured each time, and how it is measured. */
interface Rest {
  readonly what: string;
  readonly command: string;
  readonly isIn: (measurement: Measurement) => boolean;
}

const rests: readonly Rest[] = [
  {
    what: "100,000 posts and the growth up to there, about 10 minutes",
    command: "--sizes 10000,100000 --scenarios idle,changed --parts runs",
    isIn: ({ posts, scenarios }) => posts >= 100_000 && scenarios.includes("idle"),
  },
  {
    what: "100,000 posts of a board that sends ETags, about 5 minutes",
    command: "--sizes 100000 --scenarios idle,changed --validators --parts runs",
    isIn: ({ posts, hasValidators }) => posts >= 100_000 && hasValidators,
  },
  {
    what: "an import, an adoption and a rebuild of 100,000 posts, about 20 minutes",
    command: "--sizes 100000 --scenarios import,adoption,rebuild --parts runs",
    isIn: ({ posts, scenarios }) => posts >= 100_000 && scenarios.includes("rebuild"),
  },
  {
    what: "work, adoption and rebuild in 200 projects, about 10 minutes",
    command: "--sizes 10000 --projects 200 --scenarios idle,changed,adoption,rebuild --parts runs",
    isIn: ({ projects, scenarios }) => projects >= 200 && scenarios.includes("rebuild"),
  },
];

/** One line for each thing that was not measured, with the command that does. */
export function tellLeftOut({ measurements }: BenchOptions): readonly string[] {
  return rests
    .filter(({ isIn }) => !measurements.some(isIn))
    .map(({ what, command }) => `Left out: ${what}: npm run bench -- ${command}`);
}
