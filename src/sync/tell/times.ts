import { describeLength } from "../../model/time.ts";

/** Tells times to a person: how far away they are, and the clock's time in the zone of the config beside it. */
export type ToldTimes = ReturnType<typeof tellTimes>;

/** What has the times of the moment. */
export interface Timed {
  times(): ToldTimes;
}

/** Times as they are told at a moment; all epoch ms. */
export function tellTimes(now: number, timeZone: string) {
  const clock = createClock(timeZone);
  const name = (at: number): string => `${clock(at, now)} (${describeDistance(at - now)})`;
  return {
    /** Every "ago" counts from here. */
    now,
    /** By itself, as in a table: "in 12 minutes (14:05)". */
    show: (at: number): string => `${describeDistance(at - now)} (${clock(at, now)})`,
    /** After a word, as in "since 14:05 (3 minutes ago)". */
    name,
    /** A text in which every time that is written for machines is named; what it quotes stays as it is. */
    tell: (text: string): string =>
      text.replaceAll(instants, (found) => {
        // What is quoted stays as it is: `Date.parse` takes "Sprint 7" for a day in July.
        const at = /^\d/.test(found) ? Date.parse(found) : Number.NaN;
        return Number.isNaN(at) ? found : name(at);
      }),
  };
}

/** `2026-01-31T09:00:00.000Z`, `2026-01-31 09:00:00 UTC`, as our messages have them; also whatever is quoted, so that no time in it is found. */
const instants =
  /`[^`]*`|“[^”]*”|"[^"]*"|\b\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z| \d{2}:\d{2}:\d{2} UTC)/g;

/** "14:05" of today, "25 Nov, 14:05" of another day, "25 Nov 2027, 14:05" of another year. What is UTC says so. */
function createClock(timeZone: string): (at: number, now: number) => string {
  const clock = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" });
  const day = new Intl.DateTimeFormat("en-GB", { timeZone, day: "numeric", month: "short" });
  const year = new Intl.DateTimeFormat("en-GB", { timeZone, year: "numeric" });
  const zone = clock.resolvedOptions().timeZone === "UTC" ? " UTC" : "";
  return (at, now) => {
    const [thisYear, thisDay] = [year.format(at) === year.format(now), day.format(at) === day.format(now)];
    const time = `${clock.format(at)}${zone}`;
    if (thisYear && thisDay) return time;
    return `${day.format(at)}${thisYear ? "" : ` ${year.format(at)}`}, ${time}`;
  };
}

/** The time of the clock alone, with its day where that is not today; all epoch ms. */
export function nameClock(at: number, now: number, timeZone: string): string {
  return createClock(timeZone)(at, now);
}

/** "in 12 minutes", "3 minutes ago", "just now" */
export function describeDistance(ms: number): string {
  if (Math.abs(ms) < 2000) return ms > 0 ? "now" : "just now";
  return ms < 0 ? `${describeLength(-ms)} ago` : `in ${describeLength(ms)}`;
}
