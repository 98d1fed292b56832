import { z } from "zod";
import type { PutOff } from "../ground/reports.ts";

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

const putOffShape = z.object({ code: z.string().catch("unknown"), message: word, until: word, budget: word });

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
  tokenEnds: word,
  putOff: list(putOffShape.catch({ code: "unknown" })),
});

/** What is shown of the stored report of a project's run. */
export interface StoredReport extends Readonly<Omit<z.output<typeof reportShape>, "tokenEnds" | "putOff">> {
  /** When the token for the tracker ends, epoch ms; undefined where that is not known. */
  readonly tokenEnds: number | undefined;
  /** Why something was left to a later run. */
  readonly putOff: readonly PutOff[];
}

/** Reads a report as it was stored: one of another version may lack parts, or have others. */
export function readReport(report: unknown): StoredReport {
  const { result, hold, tokenEnds, putOff, ...found } = reportShape
    .catch(() => reportShape.parse({}))
    .parse(report);
  const endsAt = Date.parse(tokenEnds ?? "");
  return {
    ...found,
    result,
    hold,
    tokenEnds: Number.isNaN(endsAt) ? undefined : endsAt,
    putOff: putOff.map(({ code, message = code, until, budget }) => ({
      code,
      message,
      ...(until !== undefined && { until }),
      ...(budget !== undefined && { budget }),
    })),
  };
}
