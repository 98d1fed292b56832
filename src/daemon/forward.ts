import type { Clock } from "../model/surroundings.ts";
import { minuteMs } from "../model/time.ts";

/** What comes within this after a hint is one with it: an issue that is closed sends several events at once. */
const gatherMs = 1000;
/** So many runs of a project are brought forward in any minute; a busy repository is worth no more of both sides' patience. */
const maxPerMinute = 6;
/** What our account does within this after a run was most likely done by that run: events come late. */
const echoMs = 30_000;

/** What `createForward` works with. */
export interface ForwardOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  isBusy(): boolean;
  /** Starts the run of a project as soon as nothing else runs, also when it runs now. */
  start(key: string): void;
}

/** Brings runs forward that something hints at. Remembers no more than six times a project. */
export function createForward({ clock, signal, isBusy, start }: ForwardOptions) {
  const gathering = new Set<string>();
  const started = new Map<string, readonly number[]>();
  let endedAt = Number.NEGATIVE_INFINITY;

  const delayOf = (key: string): number => {
    const [oldest = Number.NEGATIVE_INFINITY, ...others] = started.get(key) ?? [];
    if (others.length + 1 < maxPerMinute) return gatherMs;
    return Math.min(minuteMs, Math.max(gatherMs, oldest + minuteMs - clock.now()));
  };
  const gather = async (key: string): Promise<void> => {
    await clock.sleep(delayOf(key), signal);
    gathering.delete(key);
    if (signal.aborted) return;
    started.set(key, [...(started.get(key) ?? []), clock.now()].slice(-maxPerMinute));
    start(key);
  };
  return {
    /**
     * Something may have changed for this project: its run starts within two seconds, unless six were brought forward in the
     * last minute. Any number of hints until then is one.
     *
     * @param isOwn - our own account did it. While a run is under way, and shortly after, such a hint is taken for its echo:
     * otherwise the writes of each run would bring on the next one.
     */
    hint(key: string, isOwn: boolean): void {
      const isEcho = isOwn && (isBusy() || Math.abs(clock.now() - endedAt) < echoMs);
      if (signal.aborted || isEcho || gathering.has(key)) return;
      gathering.add(key);
      void gather(key);
    },
    /** A run has just ended. */
    noteEnd(): void {
      endedAt = clock.now();
    },
  };
}
