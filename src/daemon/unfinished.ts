import { minuteMs } from "../model/time.ts";
import type { RunReport } from "../sync/ground/reports.ts";

/** A wait for the minute's limit that would not end within the run's time ends the run, too. */
const longestWaitMs = minuteMs;

/** Whether another config has stopped a run in the middle of its writes: the next one goes by that, and need not wait for its time. */
export function hasNewConfig({ projects }: RunReport): boolean {
  return projects.some(({ putOff = [] }) => putOff.some(({ code }) => code === "config.changed"));
}

/**
 * Whether a run ended because its time was over, in the middle of its writes: then the next one need not wait for its time. One
 * that wrote nothing would only read the same again.
 */
export function isUnfinished({ durationMs, projects }: RunReport, budgetMs: number): boolean {
  const isOutOfTime = durationMs >= Math.max(budgetMs - longestWaitMs, budgetMs / 2);
  return (
    isOutOfTime &&
    projects.some(
      ({ waiting, created, issueWrites, postWrites, made = 0, entryWrites = 0 }) =>
        waiting > 0 && created + issueWrites + postWrites + made + entryWrites > 0,
    )
  );
}
