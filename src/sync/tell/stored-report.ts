import { z } from "zod";
import type { Ledger } from "../../ledger/ledger.ts";
import { dayMs } from "../../model/time.ts";

const number = z.number().catch(0);
const word = z.string().optional().catch(undefined);
const list = <T>(part: z.ZodType<T>) => z.array(part).catch([]);

const requestsShape = z.object({ board: number, tracker: number });
const errorShape = z.object({
  post: word,
  issue: word,
  code: z.string().catch("unknown"),
  message: z.string().catch(""),
  /** What a person may do about it. */
  advice: word,
  /** Until when the other side asks for a pause, ISO 8601. */
  until: word,
});
/** One thing that failed. */
export type StoredError = Readonly<z.output<typeof errorShape>>;

const putOffShape = z
  .object({ code: z.string().catch("unknown"), message: word, until: word, budget: word })
  .catch({ code: "unknown" })
  .transform(({ code, message = code, ...rest }) => ({ code, message, ...rest }));

const reportShape = z.object({
  result: z.enum(["ok", "partial", "held", "failed"]).optional().catch(undefined),
  created: number,
  issueWrites: number,
  postWrites: number,
  made: number,
  entryWrites: number,
  statusWrites: number,
  /** Who were notified; null where that is not known. */
  voters: z.number().nullable().catch(null),
  /** What waited for a person when the run ended: held, parked or quarantined. */
  held: number,
  parked: number,
  quarantined: number,
  failed: number,
  requests: requestsShape.catch({ board: 0, tracker: 0 }),
  errors: list(errorShape.catch(() => errorShape.parse({}))),
  /** Why nothing of the whole project is written. */
  hold: word,
  /** `writes` of the config, where it stops something. */
  writes: word,
  /** When the token for the tracker ends, epoch ms; undefined where that is not known. */
  tokenEnds: word.transform((text = "") => {
    const endsAt = Date.parse(text);
    return Number.isNaN(endsAt) ? undefined : endsAt;
  }),
  /** Why something was left to a later run. */
  putOff: list(putOffShape),
});

/** What is shown of the stored report of a project's run. */
export type StoredReport = Readonly<z.output<typeof reportShape>>;

/** Reads a report as it was stored: one of another version may lack parts, or have others. */
export function readReport(report: unknown): StoredReport {
  return reportShape.catch(() => reportShape.parse({})).parse(report);
}

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
  { runs }: Ledger,
  projects: readonly string[],
): Promise<{ readonly endsAt: number | undefined; readonly at: number } | undefined> {
  const last = await runs.last(projects);
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
