/** What the page shows of the stored report of a project's run. */
export interface ReadReport {
  readonly created: number;
  readonly issueWrites: number;
  readonly postWrites: number;
  readonly requests: { readonly board: number; readonly tracker: number };
  readonly errors: readonly ReadError[];
  /** Why nothing of the whole project is written. */
  readonly hold: string | undefined;
}

/** One thing that failed. */
export interface ReadError {
  readonly post: string | undefined;
  readonly issue: string | undefined;
  readonly code: string;
  readonly message: string;
  /** What a person may do about it. */
  readonly advice: string | undefined;
}

/** Reads a report as it was stored: one of another version may lack parts, or have others. */
export function readReport(report: unknown): ReadReport {
  const errors = fieldOf(report, "errors");
  const requests = fieldOf(report, "requests");
  return {
    created: numberOf(report, "created"),
    issueWrites: numberOf(report, "issueWrites"),
    postWrites: numberOf(report, "postWrites"),
    requests: { board: numberOf(requests, "board"), tracker: numberOf(requests, "tracker") },
    errors: (Array.isArray(errors) ? errors : []).map((error: unknown) => ({
      post: wordOf(error, "post"),
      issue: wordOf(error, "issue"),
      code: wordOf(error, "code") ?? "unknown",
      message: wordOf(error, "message") ?? "",
      advice: wordOf(error, "advice"),
    })),
    hold: wordOf(report, "hold"),
  };
}

function numberOf(value: unknown, name: string): number {
  const field = fieldOf(value, name);
  return typeof field === "number" ? field : 0;
}

function wordOf(value: unknown, name: string): string | undefined {
  const field = fieldOf(value, name);
  return typeof field === "string" ? field : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}
