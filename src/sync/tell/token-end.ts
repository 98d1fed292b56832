import type { Ledger } from "../../ledger/ledger.ts";
import { dayMs } from "../../model/time.ts";
import { readReport } from "./stored-report.ts";

/** So long before its end a token is spoken of. */
const noticeDays = 14;

/** The sentence on a token of the tracker's that ends soon, or has ended; undefined while there is time. */
export function describeTokenEnd(endsAt: number | null | undefined, now: number): string | undefined {
  const days = daysLeft(endsAt, now);
  if (endsAt === undefined || endsAt === null || days === undefined) return undefined;
  const at = new Date(endsAt).toISOString();
  const todo = "Put a new one into GITHUB_TOKEN before that: without it nothing is read or written.";
  if (endsAt <= now) return `The token for GitHub ended at ${at}. Put a new one into GITHUB_TOKEN.`;
  const when = days === 0 ? "in less than a day" : days === 1 ? "in 1 day" : `in ${days} days`;
  return `The token for GitHub ends ${when}, at ${at}. ${todo}`;
}

/** What the last run of any of the projects knew of the token, and when that was; undefined where none has run. */
export async function lastTokenEnd(
  ledger: Ledger | undefined,
  projects: readonly string[],
): Promise<{ readonly endsAt: number | undefined; readonly at: number } | undefined> {
  const last = await ledger?.runs.last(projects);
  return last && { endsAt: readReport(last.report).tokenEnds, at: last.finishedAt };
}

/** Whether it is to be said anew: a day less is left than when it was looked at last, or it ends at another time. */
export function isTokenNews(
  endsAt: number | null | undefined,
  now: number,
  before: { readonly endsAt: number | undefined; readonly at: number } | undefined,
): boolean {
  const days = daysLeft(endsAt, now);
  if (days === undefined) return false;
  return before?.endsAt !== endsAt || daysLeft(before?.endsAt, before?.at ?? now) !== days;
}

/** Whole days; undefined where there are more of them than anybody need know. */
function daysLeft(endsAt: number | null | undefined, now: number): number | undefined {
  if (endsAt === undefined || endsAt === null || endsAt - now > noticeDays * dayMs) return undefined;
  return Math.floor((endsAt - now) / dayMs);
}
