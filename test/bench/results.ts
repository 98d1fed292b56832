import type { Scenario } from "./programs.ts";
import type { Sample, Series } from "./scenarios.ts";
import type { ProgramName } from "./stage.ts";

/** What is compared, in the order of the columns. */
const measures = ["requests", "bytes", "wallMs", "cpuMs", "peakRssMb"] as const;
type Figures = Readonly<Record<(typeof measures)[number], number>>;

/** The medians of a series, and how often boardsync needs what the floor needs. */
export interface Comparison extends Record<ProgramName, Figures> {
  readonly scenario: Scenario;
  readonly posts: number;
  readonly projects: number;
  /** Whether the board sends an ETag with each page. */
  readonly hasValidators: boolean;
  readonly selected: number;
  readonly runs: number;
  /** boardsync / floor. */
  readonly ratio: Figures;
  /** What each program asked in its last run. */
  readonly asked: Readonly<Record<ProgramName, Sample["asked"]>>;
}

/** Reduces the runs of a series to their medians. */
export function compare({ samples, ...series }: Series): Comparison {
  const boardsync = figuresOf((measure) => median(samples.boardsync.map((sample) => sample[measure])));
  const floor = figuresOf((measure) => median(samples.floor.map((sample) => sample[measure])));
  return {
    ...series,
    runs: samples.boardsync.length,
    boardsync,
    floor,
    ratio: figuresOf((measure) => Math.round((boardsync[measure] / floor[measure]) * 100) / 100),
    asked: { boardsync: lastOf(samples.boardsync), floor: lastOf(samples.floor) },
  };
}

function figuresOf(figure: (measure: (typeof measures)[number]) => number): Figures {
  const [requests, bytes, wallMs, cpuMs, peakRssMb] = measures.map(figure);
  return {
    requests: requests ?? 0,
    bytes: bytes ?? 0,
    wallMs: wallMs ?? 0,
    cpuMs: cpuMs ?? 0,
    peakRssMb: peakRssMb ?? 0,
  };
}

function lastOf(samples: readonly Sample[]): Sample["asked"] {
  return samples.at(-1)?.asked ?? {};
}

/** The middle of the values; of an even number the mean of the two in the middle, in tenths. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length / 2;
  const middle = sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1);
  return Math.round((middle.reduce((sum, value) => sum + value, 0) / middle.length) * 10) / 10;
}

/** How much more the larger of two boards takes, of which one has ten times the posts of the other. */
export interface Growth extends Record<ProgramName, Figures> {
  readonly scenario: Scenario;
  readonly projects: number;
  readonly hasValidators: boolean;
  readonly from: number;
  readonly to: number;
}

/** The growth of each scenario that was measured at two such sizes. */
export function findGrowths(comparisons: readonly Comparison[]): readonly Growth[] {
  return comparisons.flatMap((large) =>
    comparisons
      .filter((small) => small.posts * 10 === large.posts && isAlike(small, large))
      .map((small) => ({
        scenario: large.scenario,
        projects: large.projects,
        hasValidators: large.hasValidators,
        from: small.posts,
        to: large.posts,
        boardsync: growthOf(small.boardsync, large.boardsync),
        floor: growthOf(small.floor, large.floor),
      })),
  );
}

/** Whether two boards differ in nothing but their size. */
function isAlike(one: Comparison, other: Comparison): boolean {
  const names = ["scenario", "projects", "hasValidators"] as const;
  return names.every((name) => one[name] === other[name]);
}

function growthOf(small: Figures, large: Figures): Figures {
  return figuresOf((measure) => Math.round((large[measure] / small[measure]) * 100) / 100);
}

/** In each cell the ratio, and behind it both medians. */
export function printComparisons(comparisons: readonly Comparison[]): string {
  const head = [
    ...["posts", "projects", "linked", "scenario", "requests", "kB", "wall, ms", "CPU, ms"],
    ...["peak RSS, MB", "RSS above, MB"],
  ];
  const rows = comparisons.map((comparison) => [
    String(comparison.posts),
    String(comparison.projects),
    String(comparison.selected),
    nameScenario(comparison),
    ...measures.map((measure) => cellOf(comparison, measure)),
    String(Math.round(comparison.boardsync.peakRssMb - comparison.floor.peakRssMb)),
  ]);
  return printTable(head, rows);
}

function nameScenario({ scenario, hasValidators }: Comparison | Growth): string {
  return hasValidators ? `${scenario}, ETag` : scenario;
}

function cellOf({ ratio, boardsync, floor }: Comparison, measure: (typeof measures)[number]): string {
  const scale = measure === "bytes" ? 1000 : 1;
  const [ours, theirs] = [boardsync, floor].map((medians) => Math.round(medians[measure] / scale));
  return `${ratio[measure].toFixed(2)} (${ours} / ${theirs})`;
}

/** In each cell boardsync's factor, and behind it the floor's. */
export function printGrowths(growths: readonly Growth[]): string {
  const rows = growths.map((growth) => [
    `${growth.from} → ${growth.to}`,
    String(growth.projects),
    nameScenario(growth),
    ...(["wallMs", "cpuMs", "peakRssMb"] as const).map(
      (measure) => `× ${growth.boardsync[measure].toFixed(1)} (× ${growth.floor[measure].toFixed(1)})`,
    ),
  ]);
  return printTable(["posts", "projects", "scenario", "wall", "CPU", "peak RSS"], rows);
}

/** A Markdown table whose columns stand under each other. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? "").length)),
  );
  const lines = [head, widths.map((width) => "-".repeat(width)), ...rows];
  return lines
    .map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`)
    .join("");
}
