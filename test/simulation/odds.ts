import type { Step } from "./history.ts";

/** How often what few histories have is drawn. */
export interface Odds {
  /** The share of histories that have it. */
  readonly signals: number;
  readonly bothWays: number;
  readonly duplicates: number;
  readonly pauses: number;
  readonly quirks: number;
  readonly moves: number;
  readonly wishes: number;
  readonly tools: number;
  readonly ordered: number;
  /** Weights beside those of the other kinds of step. */
  readonly steps: Readonly<
    Partial<Record<Exclude<Step["kind"], "freeze" | "cut" | "save" | "ordered">, number>>
  >;
}

export const usualOdds: Odds = {
  signals: 0.25,
  bothWays: 0.35,
  duplicates: 0.04,
  pauses: 0.1,
  quirks: 0.15,
  moves: 0.04,
  wishes: 0.1,
  tools: 0.06,
  ordered: 0.08,
  steps: {},
};

/** What `quirks.ts` draws, in all of them. */
export const quirkyOdds: Odds = { ...usualOdds, quirks: 1, moves: 0.25 };

/** Two projects of one board, and people who move posts, in all of them. */
export const movingOdds: Odds = { ...usualOdds, moves: 1 };

/** Settings that few projects have, in all of them. */
export const wishingOdds: Odds = { ...usualOdds, wishes: 1 };

/** A board with tools of its own, in all of them. */
export const toolOdds: Odds = { ...usualOdds, tools: 1 };

/** Runs that people order by a command, in all of them. */
export const orderedOdds: Odds = { ...usualOdds, ordered: 1 };

/** What few histories have, in most of them: mistakes that are seldom met are met there. */
export const rareOdds: Odds = {
  signals: 0.6,
  bothWays: 1,
  duplicates: 0.3,
  pauses: 0.3,
  quirks: 0.3,
  moves: 0.04,
  wishes: 0.3,
  tools: 0.1,
  ordered: 0.1,
  steps: { order: 20, config: 2 },
};
