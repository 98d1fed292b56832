/** What is known of a project's times. */
export interface Punctuality {
  readonly key: string;
  /** Between two of its times, in ms. */
  readonly periodMs: number;
  /** When the last run of it ended in which nothing failed; undefined when there was none. */
  readonly lastSuccessAt: number | undefined;
  /** Its last times that came since the daemon was started, oldest first: three at least, where there were so many. */
  readonly times: readonly number[];
}

/** A project that is late. */
export interface Late {
  readonly project: string;
  /** How often it is to run, as the end of a sentence: "it is to run every 300 s". */
  readonly reason: string;
}

const allowedPeriods = 3;

/**
 * The projects whose last success is as old as three of their periods. Where a schedule has pauses (working days), a pause
 * makes none late: three of its times must have come since, too.
 *
 * @param startedAt - of the daemon: a success from before tells nothing of the times that came since.
 */
export function findLate(projects: readonly Punctuality[], startedAt: number, now: number): readonly Late[] {
  return projects.flatMap(({ key, periodMs, lastSuccessAt, times }): readonly Late[] => {
    const late = { project: key, reason: `it is to run every ${Math.round(periodMs / 1000)} s` };
    if (lastSuccessAt === undefined) return [late];
    const ageMs = now - lastSuccessAt;
    if (ageMs < allowedPeriods * periodMs) return [];
    const missed = times.filter((at) => at > lastSuccessAt).length;
    return lastSuccessAt >= startedAt && missed < allowedPeriods ? [] : [late];
  });
}
