import type { Issue } from "../../model/issue.ts";
import { dayMs, describeLength, readInstant } from "../../model/time.ts";

/** When an issue was closed, and by which account. */
export type Closing = NonNullable<Issue["closed"]>;

/**
 * What many issues that were closed in one go have in common: "40 issues were closed within 2 minutes, all by @dana". undefined for
 * fewer than two, and for what has gathered over more than a day.
 */
export function describeClosings(closings: readonly Closing[]): string | undefined {
  const times = closings.map(({ at }) => readInstant(at));
  const length = times.reduce(most, 0) - times.reduce(least, Number.POSITIVE_INFINITY);
  if (closings.length < 2 || !(length <= dayMs)) return undefined;
  const accounts = new Set(closings.map(({ by }) => by));
  const [first] = accounts;
  const isOne = accounts.size === 1 && typeof first === "string";
  const by = isOne ? `, all by @${first}` : accounts.has(null) ? "" : `, by ${accounts.size} accounts`;
  const when = length < 1000 ? "in the same second" : `within ${describeLength(Math.max(length, 2000))}`;
  return `${closings.length.toLocaleString("en")} issues were closed ${when}${by}`;
}

const most = (one: number, other: number): number => Math.max(one, other);
const least = (one: number, other: number): number => Math.min(one, other);
