import { z } from "zod";
import type { PutOff, RunReport } from "../ground/reports.ts";

/** What is shown of the stored report of a project's run. */
export interface StoredReport {
  readonly result: RunReport["result"] | undefined;
  readonly created: number;
  readonly issueWrites: number;
  readonly postWrites: number;
  readonly entryWrites: number;
  readonly statusWrites: number;
  /** Who were notified; null where that is not known. */
  readonly voters: number | null;
  /** What waited for a person when the run ended: held, parked or quarantined. */
  readonly held: number;
  readonly parked: number;
  readonly quarantined: number;
  readonly requests: { readonly board: number; readonly tracker: number };
  readonly errors: readonly StoredError[];
  /** Why nothing of the whole project is written. */
  readonly hold: string | undefined;
  /** `writes` of the config, where it stops something. */
  readonly writes: string | undefined;
  /** When the token for the tracker ends, epoch ms; undefined where that is not known. */
  readonly tokenEnds: number | undefined;
  /** Why something was left to a later run. */
  readonly putOff: readonly PutOff[];
}

/** One thing that failed. */
export interface StoredError {
  readonly post: string | undefined;
  readonly issue: string | undefined;
  readonly code: string;
  readonly message: string;
  /** What a person may do about it. */
  readonly advice: string | undefined;
  /** Until when the other side asks for a pause, ISO 8601. */
  readonly until: string | undefined;
}

const number = z.number().catch(0);
const word = z.string().optional().catch(undefined);
const list = <T>(part: z.ZodType<T>) => z.array(part).catch([]);

const requestsShape = z.object({ board: number, tracker: number });
const errorShape = z.object({
  post: word,
  issue: word,
  code: z.string().catch("unknown"),
  message: z.string().catch(""),
  advice: word,
  until: word,
});
const putOffShape = z.object({ code: z.string().catch("unknown"), message: word, until: word, budget: word });

const reportShape = z.object({
  result: z.enum(["ok", "partial", "held", "failed"]).optional().catch(undefined),
  created: number,
  issueWrites: number,
  postWrites: number,
  entryWrites: number,
  statusWrites: number,
  voters: z.number().nullable().catch(null),
  held: number,
  parked: number,
  quarantined: number,
  requests: requestsShape.catch({ board: 0, tracker: 0 }),
  errors: list(errorShape.catch(() => errorShape.parse({}))),
  hold: word,
  writes: word,
  tokenEnds: word,
  putOff: list(putOffShape.catch({ code: "unknown" })),
});

/** Reads a report as it was stored: one of another version may lack parts, or have others. */
export function readReport(report: unknown): StoredReport {
  const { result, hold, writes, tokenEnds, errors, putOff, ...found } = reportShape
    .catch(() => reportShape.parse({}))
    .parse(report);
  const endsAt = Date.parse(tokenEnds ?? "");
  return {
    ...found,
    result,
    errors: errors.map(({ post, issue, advice, until, code, message }) => ({
      post,
      issue,
      code,
      message,
      advice,
      until,
    })),
    hold,
    writes,
    tokenEnds: Number.isNaN(endsAt) ? undefined : endsAt,
    putOff: putOff.map(({ code, message = code, until, budget }) => ({
      code,
      message,
      ...(until !== undefined && { until }),
      ...(budget !== undefined && { budget }),
    })),
  };
}
