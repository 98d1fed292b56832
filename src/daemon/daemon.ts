import type { Log } from "../log.ts";
import type { Clock, Random } from "../model/surroundings.ts";
import { createQueue } from "./queue.ts";
import type { Schedule } from "./schedule.ts";

/** How often the daemon writes a sign of life; `health` allows 60 s. */
const beatMs = 15_000;
/** Runs at start are spread over at most this, and at most a tenth of the period, so that restarts don't come in step. */
const maxStartDelayMs = 2000;

export interface DaemonProject {
  readonly key: string;
  readonly schedule: Schedule;
  /** When the last run of it ended, epoch ms; undefined when there was none. */
  readonly lastRunAt: number | undefined;
}

export interface DaemonOptions {
  readonly projects: readonly DaemonProject[];
  /** Runs one project; what goes wrong with it must not end the daemon. */
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
  const { projects, clock, random, log, signal } = options;
  const queue = createQueue();
  const enqueue = (key: string): void => {
    const isTaken = queue.add(key, () => runSafely(options, key));
    if (!isTaken && !signal.aborted)
      log.warn({ project: key }, "The last run is still going on; this one is left out");
  };
  const starts = projects.map(async ({ key, schedule, lastRunAt }) => {
    schedule.start(() => enqueue(key));
    const periodMs = schedule.periodMs();
    if (lastRunAt !== undefined && clock.now() - lastRunAt < periodMs) return;
    await clock.sleep(random() * Math.min(maxStartDelayMs, periodMs / 10), signal);
    if (!signal.aborted) enqueue(key);
  });
  log.info({ projects: projects.map(({ key }) => key) }, "Daemon started");
  while (!signal.aborted) {
    beatSafely(options);
    await clock.sleep(beatMs, signal);
  }
  log.info(
    { signal: String(signal.reason) },
    "Daemon stopping: the write in hand is finished, nothing new is started",
  );
  await Promise.all(projects.map(({ schedule }) => schedule.stop()));
  await Promise.all(starts);
  await queue.close();
}

async function runSafely({ runProject, log }: DaemonOptions, key: string): Promise<void> {
  try {
    await runProject(key);
  } catch (error) {
    // A full disk or a bug: nothing was sent without its line in the journal, and the next time it is tried again.
    log.error({ project: key, err: error }, "The run ended with an error");
  }
}

function beatSafely({ beat, clock, log }: DaemonOptions): void {
  try {
    beat(clock.now());
  } catch (error) {
    log.error({ err: error }, "The sign of life could not be written");
  }
}
