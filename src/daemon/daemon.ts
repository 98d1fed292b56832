import type { Log } from "../log.ts";
import type { Clock, Random } from "../model/surroundings.ts";
import { createQueue } from "./queue.ts";
import type { Schedule } from "./schedule.ts";

/** How often the daemon writes a sign of life; `health` allows 60 s. */
const beatMs = 15_000;
/** Runs at start are spread over at most this, and at most a tenth of the period, so that restarts don't come in step. */
const maxStartDelayMs = 2000;

/** One project, and when it is to run. */
export interface DaemonProject {
  readonly key: string;
  readonly schedule: Schedule;
  /** When the last run of it ended, epoch ms; undefined when there was none. */
  readonly lastRunAt: number | undefined;
}

/** What the daemon does, and with what. */
export interface DaemonOptions {
  readonly projects: readonly DaemonProject[];
  /** Runs one project; what it throws is logged, and ends neither the daemon nor the turns of the others. */
  runProject(key: string): Promise<void>;
  /** Writes a sign of life. */
  beat(at: number): void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Ends the daemon: nothing new is started, what runs ends by itself. */
  readonly signal: AbortSignal;
}

/**
 * Runs every project once at the start, unless it ran within its period, and then on its schedule: one at a time, never two
 * of the same project at once. Resolves when the signal was given and the last run has ended.
 */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const { projects, clock, log, signal } = options;
  const queue = createQueue((key, error) => {
    // A full disk or a bug: nothing was sent without its line in the journal, and the next time it is tried again.
    log.error({ project: key, err: error }, "The run ended with an error");
  });
  const enqueue = (key: string): void => {
    if (signal.aborted) return;
    const isTaken = queue.add(key, async () => {
      // The signal may have come while this waited for another run to end.
      if (!signal.aborted) await options.runProject(key);
    });
    if (!isTaken)
      log.info({ project: key }, "Still waiting or running since an earlier time; this time is left out");
  };
  try {
    for (const { key, schedule } of projects) schedule.start(() => enqueue(key));
    const starts = planStarts(options);
    log.info({ projects: projects.map(({ key }) => key) }, "Daemon started");
    const startLater = async ({ key, delayMs }: Start): Promise<void> => {
      await clock.sleep(delayMs, signal);
      enqueue(key);
    };
    await Promise.all([keepBeating(options), ...starts.map(startLater)]);
    log.info(
      { signal: String(signal.reason) },
      "Daemon stopping: the write in hand is finished, nothing new is started",
    );
  } finally {
    for (const { schedule } of projects) schedule.stop();
    await queue.close();
  }
}

/** The first run of a project. */
interface Start {
  readonly key: string;
  readonly delayMs: number;
}

/** Which projects run at the start, and how long after it. */
function planStarts({ projects, clock, random }: DaemonOptions): readonly Start[] {
  const now = clock.now();
  return projects
    .map(({ key, schedule, lastRunAt }) => ({ key, lastRunAt, periodMs: schedule.periodMs() }))
    .filter(({ lastRunAt, periodMs }) => lastRunAt === undefined || now - lastRunAt >= periodMs)
    .map(({ key, periodMs }) => ({ key, delayMs: random() * Math.min(maxStartDelayMs, periodMs / 10) }));
}

/** Ends with the signal. */
async function keepBeating({ beat, clock, log, signal }: DaemonOptions): Promise<void> {
  while (!signal.aborted) {
    try {
      beat(clock.now());
    } catch (error) {
      log.error({ err: error }, "The sign of life could not be written");
    }
    await clock.sleep(beatMs, signal);
  }
}
