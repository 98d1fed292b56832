import type { Times } from "../config/times.ts";
import type { Log } from "../log.ts";
import type { Clock } from "../model/surroundings.ts";

/** Whatever the clock does meanwhile, it is looked at again after this. */
const lookMs = 15_000;
/** A clock that is adjusted little by little stays below this between two looks. */
const leapMs = 1000;
/** From here on a leap is said. */
const notableMs = 10_000;

/** Calls what is to be done at times, by a clock that may be set while it does. */
export type Timekeeper = ReturnType<typeof createTimekeeper>;

/** What a timekeeper works with. */
export interface TimekeeperOptions {
  readonly clock: Clock;
  /** Milliseconds since some moment: a clock that nobody can set. */
  monotonic(): number;
  readonly log: Log;
}

interface Kept {
  readonly times: Times;
  /** By the wall clock, epoch ms. */
  nextAt: number;
  /** By the clock that nobody can set: after a leap back it comes then at the latest, whatever the wall clock shows. */
  latestAt: number;
  fire(): void;
}

/**
 * One loop for everything that is to be done at a time. It sleeps no longer than `lookMs`, and looks how far the wall clock and
 * one that can't be set have gone since. Where the clock was set back the next times are reckoned anew from what it shows, and
 * however often that happens, nothing comes later than two of its periods after it came last.
 */
export function createTimekeeper({ clock, monotonic, log }: TimekeeperOptions) {
  const kept = new Set<Kept>();
  let seen = { wall: clock.now(), monotonic: monotonic() };
  let wake = new AbortController();
  let isAwake = false;

  const noticeLeap = (): void => {
    const now = { wall: clock.now(), monotonic: monotonic() };
    const expected = seen.wall + now.monotonic - seen.monotonic;
    const leap = now.wall - expected;
    seen = now;
    if (Math.abs(leap) >= notableMs) sayLeap(log, leap);
    if (leap > -leapMs) return;
    for (const one of kept) {
      const afterNextAt = one.times.next(one.nextAt);
      one.latestAt = Math.min(one.latestAt, now.monotonic + afterNextAt - expected);
      one.nextAt = one.times.next(now.wall);
    }
  };
  const restOf = ({ nextAt, latestAt }: Kept): number =>
    Math.min(nextAt - clock.now(), latestAt - monotonic());
  const fireDue = (): void => {
    for (const one of kept) {
      if (restOf(one) > 0) continue;
      one.nextAt = one.times.next(clock.now());
      one.latestAt = Number.POSITIVE_INFINITY;
      one.fire();
    }
  };
  const watch = async (): Promise<void> => {
    isAwake = true;
    while (kept.size > 0) {
      const rest = Math.min(lookMs, ...[...kept].map(restOf));
      wake = new AbortController();
      await clock.sleep(Math.max(0, rest), wake.signal);
      noticeLeap();
      fireDue();
    }
    isAwake = false;
  };
  return {
    /**
     * Calls `fire` at these times from now on, until what it returns is called. Times that passed while the process was busy or
     * asleep, or that the clock leapt over, are made up for once.
     */
    keep(times: Times, fire: () => void): () => void {
      if (kept.size === 0) seen = { wall: clock.now(), monotonic: monotonic() };
      const one = { times, nextAt: times.next(clock.now()), latestAt: Number.POSITIVE_INFINITY, fire };
      kept.add(one);
      if (isAwake) wake.abort();
      else void watch();
      return () => {
        kept.delete(one);
        if (kept.size === 0) wake.abort();
      };
    },
  };
}

function sayLeap(log: Log, leap: number): void {
  const seconds = Math.round(Math.abs(leap) / 1000);
  const words =
    leap < 0
      ? "The clock was set back: the next times are reckoned from what it shows now"
      : "The clock went ahead, or the machine slept: what was due meanwhile is done once";
  log.warn({ seconds }, words);
}
