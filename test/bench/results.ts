import { type ProgramName, programNames } from "./programs.ts";
import type { Sample, Scenario, Series } from "./scenarios.ts";

/** What is compared, in the order of the columns. */
const measures = ["requests", "bytes", "wallMs", "cpuMs", "peakRssMb"] as const;
type Figures = Readonly<Record<(typeof measures)[number], number>>;

/** The medians of a series, and how often boardsync needs what the floor needs. */
export interface Comparison extends Record<ProgramName, Figures> {
  readonly scenario: Scenario;
  readonly posts: number;
  readonly selected: number;
  readonly runs: number;
  /** boardsync / floor. */
  readonly ratio: Figures;
  /** What each program asked in its last run. */
  readonly asked: Readonly<Record<ProgramName, Sample["asked"]>>;
}

/** Reduces the runs of a series to their medians. */
export function compare({ scenario, posts, selected, samples }: Series): Comparison {
  const boardsync = figuresOf((measure) => median(samples.boardsync.map((sample) => sample[measure])));
  const floor = figuresOf((measure) => median(samples.floor.map((sample) => sample[measure])));
  return {
    scenario,
    posts,
    selected,
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

/** A Markdown table: in each cell the ratio, and behind it both medians. */
export function printComparisons(comparisons: readonly Comparison[]): string {
  const head = ["posts", "linked", "scenario", "requests", "kB", "wall, ms", "CPU, ms", "peak RSS, MB"];
  const rows = comparisons.map((comparison) => [
    String(comparison.posts),
    String(comparison.selected),
    comparison.scenario,
    ...measures.map((measure) => cellOf(comparison, measure)),
  ]);
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? "").length)),
  );
  const lines = [head, widths.map((width) => "-".repeat(width)), ...rows];
  return lines
    .map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`)
    .join("");
}

function cellOf({ ratio, ...medians }: Comparison, measure: (typeof measures)[number]): string {
  const scale = measure === "bytes" ? 1000 : 1;
  const [ours, floor] = programNames.map((name) => Math.round(medians[name][measure] / scale));
  return `${ratio[measure].toFixed(2)} (${ours} / ${floor})`;
}
