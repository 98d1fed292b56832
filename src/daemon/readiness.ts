/** What is known of a project's times. */
export interface Punctuality {
  /** Between two of its times, in ms. */
  readonly periodMs: number;
  /** When the last run of it ended in which nothing failed, epoch ms, as the state has it; undefined when there was none. */
  readonly lastSuccessAt: number | undefined;
  /** The same of a run of this daemon, by the clock that nobody can set; undefined when there was none. */
  readonly succeededAt: number | undefined;
  /** Its last times that came since the daemon was started, by that clock, oldest first: three at least, where there were so many. */
  readonly times: readonly number[];
}

const allowedPeriods = 3;

/** A moment, by both clocks, in ms. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

/**
 * How often a project that is late is to run, as the end of a sentence: "it is to run every 300 s"; undefined for one that is
 * not. Late is one whose last success is as old as three of its periods. Where a schedule has pauses (working days), a pause
 * makes none late: three of its times must have come since, too. What this daemon has done is measured by a clock that nobody
 * can set; a success that lies ahead of the wall clock tells nothing.
 */
export function describeLate(project: Punctuality, now: Moment): string | undefined {
  return isLate(project, now) ? `it is to run every ${Math.round(project.periodMs / 1000)} s` : undefined;
}

function isLate({ periodMs, lastSuccessAt, succeededAt, times }: Punctuality, now: Moment): boolean {
  const longest = allowedPeriods * periodMs;
  if (succeededAt !== undefined) {
    const missed = times.filter((at) => at > succeededAt).length;
    return now.monotonic - succeededAt >= longest && missed >= allowedPeriods;
  }
  // From before the daemon's start.
  const ageMs = lastSuccessAt === undefined ? longest : now.wall - lastSuccessAt;
  return ageMs < 0 || ageMs >= longest;
}
