import type { Times } from "../config/times.ts";
import type { Log } from "../log.ts";
import type { Clock, Random } from "../model/surroundings.ts";
import { createForward } from "./forward.ts";
import { createLasting } from "./lasting.ts";
import { createQueue } from "./queue.ts";
import type { Timekeeper } from "./timekeeper.ts";

/** How often the daemon writes a sign of life; `health` allows 60 s. */
const beatMs = 15_000;
/** Runs at start are spread over at most this, and at most a tenth of the period, so that restarts don't come in step. */
const maxStartDelayMs = 2000;
/** How often it looks for what people ask for. */
const lookMs = 1_000;
/** No project's name. */
const orders = "\0orders";
/** How soon a project is asked for again that another process has: that one may have died. */
const askAgainMs = 5_000;
/** So many of a project's last times tell whether it is late. */
const timesKept = 3;

/** One project, and when it is to run. */
export interface DaemonProject {
  readonly key: string;
  readonly schedule: Times;
  /** When the last run of it ended, epoch ms; undefined when there was none. */
  readonly lastRunAt: number | undefined;
}

/** How a run stands among those that became due with it. */
export interface QueuedRun {
  /** When it was asked for last, epoch ms. */
  readonly dueAt: number;
  /** The projects whose runs wait behind it. */
  readonly waiting: readonly string[];
}

/** Whether nothing of a run failed. `elsewhere`: another process has the project, and it is asked for again in a while. */
export type Ran = "fine" | "failed" | "elsewhere";

/** What the daemon does, and with what. */
export interface DaemonOptions {
  readonly projects: readonly DaemonProject[];
  /** Runs one project, and says what came of it; what it throws is logged, and ends neither the daemon nor the turns of the others. */
  runProject(key: string, place: QueuedRun): Promise<Ran>;
  /** Nothing runs or waits any more; it may take a moment. */
  rest(): void;
  /** Writes a sign of life; the last one says that there will be no other. */
  beat(at: number, isLast: boolean): Promise<void>;
  /** What people ask for beside the schedule; left out where nobody can. */
  readonly people?: People;
  readonly clock: Clock;
  /** Milliseconds since some moment: a clock that nobody can set. */
  monotonic(): number;
  readonly timekeeper: Timekeeper;
  readonly random: Random;
  readonly log: Log;
  /** What its first line says beside its projects; left out: nothing. */
  readonly about?: Readonly<Record<string, string | boolean>>;
  /** Ends the daemon: nothing new is started, what runs ends by itself. */
  readonly signal: AbortSignal;
}

/** What people ask for, by commands and on the page. */
export interface People {
  /** Whether there are orders to carry out. */
  haveOrdered(): Promise<boolean>;
  /** Carries them out, one after another. */
  obey(): Promise<void>;
  /** The projects of which something new is asked, and when, epoch ms: each once. */
  haveAsked(): Promise<readonly { readonly key: string; readonly at: number }[]>;
}

/** A daemon that is to run, or runs. */
export type Daemon = ReturnType<typeof createDaemon>;

/** When a project is to run. */
export interface TimetableLine extends Pick<DaemonProject, "key" | "schedule"> {
  /** Its last times that came since the daemon was started, by the monotonic clock, oldest first; three at most. */
  readonly times: readonly number[];
  /** When a run of it ended last in which nothing failed, by that clock. */
  readonly succeededAt: number | undefined;
  /** What ended its last run with an error, so that the state knows nothing of it; undefined where that came to its end. */
  readonly broken: unknown;
}

/** Makes a daemon; nothing happens before `run`. */
export function createDaemon(options: DaemonOptions) {
  const { clock, monotonic, timekeeper, log, signal } = options;
  let turns = turnsOf(options.projects, []);
  const queue = createQueue((key, error) => {
    // A full disk or a bug: nothing was sent without its line in the journal, and the next time it is tried again.
    log.error({ project: key, err: error }, "The run ended with an error");
  });
  // A project that is asked for again while it waits must see what has changed until then.
  const dueAt = new Map<string, number>();
  const work = async (key: string): Promise<void> => {
    // The signal may have come, and the project may have gone, while this waited for another run to end.
    if (signal.aborted || !turns.has(key)) return;
    const place: QueuedRun = { dueAt: dueAt.get(key) ?? clock.now(), waiting: queue.waiting() };
    const noteEnd = (error?: unknown): void => {
      const turn = turns.get(key);
      if (turn !== undefined) turn.broken = error;
    };
    const ran = await options
      .runProject(key, place)
      .finally(forward.noteEnd)
      .catch((error: unknown) => {
        noteEnd(error);
        throw error;
      });
    noteEnd();
    const turn = turns.get(key);
    if (ran === "fine" && turn !== undefined) turn.succeededAt = monotonic();
    if (ran === "elsewhere") void askAgain(key, place.dueAt);
    else if (turn !== undefined && !signal.aborted) sayNext(turn);
    if (queue.waiting().length === 0) options.rest();
  };
  const askAgain = async (key: string, at: number): Promise<void> => {
    await clock.sleep(askAgainMs, signal);
    enqueue(key, "skip", Math.max(at, dueAt.get(key) ?? 0));
  };
  const enqueue = (key: string, whileRunning: "skip" | "follow", at = clock.now()): boolean => {
    dueAt.set(key, at);
    return signal.aborted || queue.add(key, () => work(key), whileRunning);
  };
  const forward = createForward({
    clock,
    signal,
    isBusy: queue.isBusy,
    start: (key) => enqueue(key, "follow"),
  });

  const sayNext = ({ key, schedule }: Pick<DaemonProject, "key" | "schedule">): void => {
    const at = schedule.next(clock.now());
    if (Number.isFinite(at)) log.info({ project: key, at: new Date(at).toISOString() }, "Next run");
  };
  const takeTurn = (key: string): void => {
    // Every replica has the same time of the schedule.
    if (!enqueue(key, "skip", Math.floor(clock.now() / 1000) * 1000))
      log.info({ project: key }, "Still waiting or running since an earlier time; this time is left out");
  };
  const startLater = async ({ key, delayMs }: FirstRun): Promise<void> => {
    await clock.sleep(delayMs, signal);
    takeTurn(key);
  };
  /** Ends with the signal. */
  const keepLooking = async (people: People): Promise<void> => {
    const lasting = createLasting(
      { log, clock },
      "What people ask for could not be read",
      "What people ask for can be read again",
    );
    const look = async (): Promise<void> => {
      if (await people.haveOrdered()) queue.add(orders, people.obey);
      for (const { key, at } of await people.haveAsked()) if (turns.has(key)) enqueue(key, "follow", at);
    };
    while (!signal.aborted) {
      await lasting.attempt(look);
      await clock.sleep(lookMs, signal);
    }
  };
  let stops: readonly (() => void)[] = [];
  const startSchedules = (): void => {
    for (const [key, { schedule, times }] of turns) {
      const stop = timekeeper.keep(schedule, () => {
        times.push(monotonic());
        times.splice(0, times.length - timesKept);
        takeTurn(key);
      });
      stops = [...stops, stop];
    }
  };
  const stopSchedules = (): void => {
    for (const stop of stops) stop();
    stops = [];
  };

  return {
    /**
     * Runs every project once at the start, unless it ran within its period, and then on its schedule: one at a time, never
     * two of the same project at once. Resolves when the signal was given and the last run has ended.
     */
    async run(): Promise<void> {
      try {
        startSchedules();
        const starts = planStarts(options, options.projects);
        log.info({ projects: [...turns.keys()], ...options.about }, "Daemon started");
        for (const turn of turns.values()) if (starts.every(({ key }) => key !== turn.key)) sayNext(turn);
        await Promise.all([
          keepBeating(options),
          options.people && keepLooking(options.people),
          ...starts.map(startLater),
        ]);
        log.info(
          { signal: String(signal.reason) },
          "Daemon stopping: the write in hand is finished, nothing new is started",
        );
      } finally {
        stopSchedules();
        await queue.close();
      }
    },
    /** Something may have changed for a project: see `createForward`. One that the daemon doesn't have is left alone. */
    hint(key: string, isOwn: boolean): void {
      if (turns.has(key)) forward.hint(key, isOwn);
    },
    /** A person wants a run of this project: it comes next, and once more where one is under way. */
    start(key: string): void {
      if (turns.has(key)) enqueue(key, "follow");
    },
    /** From now on these projects, on these schedules. New ones run as at the start; what runs now ends by itself. */
    reschedule(projects: readonly DaemonProject[]): void {
      if (signal.aborted) return;
      const added = projects.filter(({ key }) => !turns.has(key));
      const starts = planStarts(options, added);
      stopSchedules();
      turns = turnsOf(projects, [...turns.values()]);
      startSchedules();
      for (const start of starts) void startLater(start);
    },
    /** The projects with their times. */
    timetable: (): readonly TimetableLine[] => [...turns.values()],
  };
}

/** A project in its turn. */
interface TimedProject extends TimetableLine {
  readonly times: number[];
  succeededAt: number | undefined;
  broken: unknown;
}

/** A project that stays keeps what is known of its times. */
function turnsOf(
  projects: readonly DaemonProject[],
  before: readonly TimedProject[],
): ReadonlyMap<string, TimedProject> {
  const known = new Map(before.map((turn) => [turn.key, turn]));
  return new Map(
    projects.map(({ key, schedule }) => {
      const { times = [], succeededAt, broken } = known.get(key) ?? {};
      return [key, { key, schedule, times, succeededAt, broken }];
    }),
  );
}

/** The first run of a project. */
type FirstRun = ReturnType<typeof planStarts>[number];

/** Which projects run at the start, and how long after it. */
function planStarts({ clock, random }: DaemonOptions, projects: readonly DaemonProject[]) {
  const now = clock.now();
  return projects.flatMap(({ key, schedule, lastRunAt = Number.NEGATIVE_INFINITY }) => {
    const ageMs = now - lastRunAt;
    const periodMs = schedule.periodMs(now);
    // A run that lies ahead was before the clock was set back, nobody knows how long.
    if (ageMs >= 0 && ageMs < periodMs) return [];
    return [{ key, delayMs: random() * Math.min(maxStartDelayMs, periodMs / 10) }];
  });
}

/** Ends with the signal. The last sign of life is written at once: the process may not live to see what runs end. */
async function keepBeating({ beat, clock, log, signal }: DaemonOptions): Promise<void> {
  const lasting = createLasting(
    { log, clock },
    "The sign of life could not be written",
    "The sign of life is written again",
  );
  const tryToBeat = (isLast: boolean): Promise<void> => lasting.attempt(() => beat(clock.now(), isLast));
  if (signal.aborted) return;
  while (!signal.aborted) {
    await tryToBeat(false);
    await clock.sleep(beatMs, signal);
  }
  await tryToBeat(true);
}
