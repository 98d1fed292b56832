import type { PlannerFigures } from "./planner.ts";
import type { Scenario } from "./programs.ts";
import type { Comparison, Growth } from "./results.ts";
import type { HelpCost, IdleMemory } from "./start.ts";

/** All that a bench found. */
export interface Findings {
  readonly comparisons: readonly Comparison[];
  readonly growths: readonly Growth[];
  /** These two are undefined where they were left out. */
  readonly planner: PlannerFigures | undefined;
  readonly start: StartFigures | undefined;
}

/** What it takes before there is anything to do, and while there is nothing. */
export interface StartFigures {
  readonly help: HelpCost;
  readonly daemon: IdleMemory;
}

/** One of the figures that boardsync is to reach, and what was found; undefined where it was not measured. */
export interface Goal {
  readonly name: string;
  readonly goal: string;
  readonly found: string | undefined;
  readonly isMet: boolean | undefined;
}

/** What the goals for a large board are measured on, in posts. */
const large = 100_000;

/** Lays what was found beside the goals: of several measurements the worst counts. */
export function judge(found: Findings): readonly Goal[] {
  const exact = "as the floor";
  const idle = found.comparisons.filter(({ scenario }) => scenario === "idle");
  const largeIdle = idle.filter(({ posts }) => posts >= large);
  const growths = found.growths.filter(({ scenario, to }) => scenario === "idle" && to >= large);
  return [
    worst("requests, idle", exact, 1, requestsOf(found, "idle"), times),
    worst("requests, 1 % changed", exact, 1, requestsOf(found, "changed"), times),
    worst("requests, import", "1.05 × floor", 1.05, requestsOf(found, "import"), times),
    worst(
      "CPU, idle, 100,000 posts",
      "2 × floor",
      2,
      largeIdle.map(({ boardsync, floor }) => boardsync.cpuMs / floor.cpuMs),
      times,
    ),
    worst(
      "peak RSS, idle, 100,000 posts",
      "floor + 80 MB",
      80,
      largeIdle.map(({ boardsync, floor }) => boardsync.peakRssMb - floor.peakRssMb),
      (value) => `floor + ${Math.round(value)} MB`,
    ),
    worst(
      "CPU, idle, from 10,000 to 100,000 posts",
      "10.5 ×",
      10.5,
      growths.map(({ boardsync }) => boardsync.cpuMs),
      (value) => `${value.toFixed(1)} ×`,
    ),
    judgePlanner(found.planner),
    worst(
      "CPU, `boardsync --help`",
      "2.5 × `node -e 0`",
      2.5,
      found.start === undefined ? [] : [found.start.help.helpMs / found.start.help.emptyMs],
      (value) => `${value.toFixed(2)} × \`node -e 0\``,
    ),
    worst(
      "RSS, idle daemon",
      "90 MB",
      90,
      found.start === undefined ? [] : [found.start.daemon.rssMb],
      (value) => `${Math.round(value)} MB`,
    ),
  ];
}

function judgePlanner(planner: PlannerFigures | undefined): Goal {
  const least = 500_000;
  const [name, goal] = ["the planner, unchanged posts", `${least.toLocaleString("en")} a second`];
  if (planner === undefined) return { name, goal, found: undefined, isMet: undefined };
  const found = `${planner.board.toLocaleString("en")} a second`;
  return { name, goal, found, isMet: planner.board >= least };
}

function requestsOf({ comparisons }: Findings, wanted: Scenario): readonly number[] {
  return comparisons
    .filter(({ scenario }) => scenario === wanted)
    .map(({ boardsync, floor }) => boardsync.requests / floor.requests);
}

function times(value: number): string {
  return `${value.toFixed(2)} × floor`;
}

function worst(
  name: string,
  goal: string,
  limit: number,
  values: readonly number[],
  show: (value: number) => string,
): Goal {
  if (values.length === 0) return { name, goal, found: undefined, isMet: undefined };
  const value = Math.max(...values);
  return { name, goal, found: show(value), isMet: value <= limit };
}

/** The goals as the rows of a table. */
export function goalRows(goals: readonly Goal[]): readonly (readonly string[])[] {
  return goals.map(({ name, goal, found = "not measured", isMet }) => [
    name,
    goal,
    found,
    isMet === undefined ? "" : isMet ? "yes" : "no",
  ]);
}
