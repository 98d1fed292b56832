import type { PutOff, RunReport } from "../ground/reports.ts";

/** What is shown of the stored report of a project's run. */
export interface StoredReport {
  readonly result: RunReport["result"] | undefined;
  readonly created: number;
  readonly issueWrites: number;
  readonly postWrites: number;
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

/** Reads a report as it was stored: one of another version may lack parts, or have others. */
export function readReport(report: unknown): StoredReport {
  const requests = fieldOf(report, "requests");
  return {
    result: results.find((result) => result === fieldOf(report, "result")),
    created: numberOf(report, "created"),
    issueWrites: numberOf(report, "issueWrites"),
    postWrites: numberOf(report, "postWrites"),
    requests: { board: numberOf(requests, "board"), tracker: numberOf(requests, "tracker") },
    errors: listOf(report, "errors").map((error) => ({
      post: wordOf(error, "post"),
      issue: wordOf(error, "issue"),
      code: wordOf(error, "code") ?? "unknown",
      message: wordOf(error, "message") ?? "",
      advice: wordOf(error, "advice"),
      until: wordOf(error, "until"),
    })),
    hold: wordOf(report, "hold"),
    writes: wordOf(report, "writes"),
    tokenEnds: timeOf(wordOf(report, "tokenEnds")),
    putOff: listOf(report, "putOff").map((reason) => {
      const until = wordOf(reason, "until");
      const code = wordOf(reason, "code") ?? "unknown";
      const budget = wordOf(reason, "budget");
      return {
        code,
        message: wordOf(reason, "message") ?? code,
        ...(until !== undefined && { until }),
        ...(budget !== undefined && { budget }),
      };
    }),
  };
}

const results = ["ok", "partial", "held", "failed"] as const;

function listOf(value: unknown, name: string): readonly unknown[] {
  const field = fieldOf(value, name);
  return Array.isArray(field) ? field : [];
}

function numberOf(value: unknown, name: string): number {
  const field = fieldOf(value, name);
  return typeof field === "number" ? field : 0;
}

function wordOf(value: unknown, name: string): string | undefined {
  const field = fieldOf(value, name);
  return typeof field === "string" ? field : undefined;
}

function timeOf(word: string | undefined): number | undefined {
  const at = Date.parse(word ?? "");
  return Number.isNaN(at) ? undefined : at;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}
