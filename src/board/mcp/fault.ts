import { type FaultDetail, RemoteError } from "../../errors.ts";
import { readRetryAfter } from "../../http/repeat.ts";
import { isLimited, quoteAnswer, quoteRedirect, sayPause } from "../http/answer/refusal.ts";
import { type Excerpt, showAddress } from "../http/answer/wording.ts";
import type { ToolOutcome } from "../tools.ts";
import type { Failure } from "./wire.ts";

/** Why something that the server was asked for did not come, as far as an answer, or the lack of one, tells. */
export interface Fault {
  /**
   * `unsent`: nothing was done, and may be tried again. `rejected`: a definite no to what was asked. `unknown`: it may have been done.
   */
  readonly kind: "unsent" | "limited" | "unauthorized" | "rejected" | "unknown" | "aborted";
  readonly message: string;
  readonly retryAt?: number | undefined;
  readonly detail?: FaultDetail | undefined;
}

export interface FaultReading {
  readonly url: URL;
  readonly excerpt: Excerpt;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * What an exchange that brought no message comes to.
 *
 * | reply | fault |
 * |---|---|
 * | no connection | unsent |
 * | a limit, in whatever status | limited |
 * | 401, 403 | unauthorized |
 * | 404 | unsent: there is no such server |
 * | 400, 405, 406, 409, 410, 413, 415, 422 | rejected |
 * | 2xx without our answer, 3xx, other 4xx, 5xx, cut off, too large, too late | unknown |
 */
export function explainFailure({ reply, body }: Failure, reading: FaultReading): Fault {
  const { url, excerpt, now } = reading;
  const place = showAddress(url);
  if (reply.kind !== "answer") return explainNoAnswer(reply, place);
  const { status, headers } = reply;
  const said = quoteAnswer(body, excerpt, reply.via);
  const retryAt = readRetryAfter(headers, now);
  if (isLimited(reply, body)) {
    const message = `${place} limits requests (HTTP ${status}): ${said}.${sayPause(retryAt)}`;
    return { kind: "limited", message, retryAt };
  }
  if (status === 401 || status === 403) {
    const detail = status === 403 ? "forbidden" : undefined;
    return { kind: "unauthorized", message: `${place} refused the key (HTTP ${status}): ${said}.`, detail };
  }
  if (status === 404)
    return {
      kind: "unsent",
      message: `There is no MCP server at ${place} (HTTP 404). Check board.mcp.url.`,
      detail: "told",
    };
  if ([400, 405, 406, 409, 410, 413, 415, 422].includes(status))
    return { kind: "rejected", message: `${place} refused what was asked (HTTP ${status}): ${said}.` };
  if (status >= 300 && status < 400) {
    const target = quoteRedirect(headers["location"], url, excerpt);
    const message = `${place} redirects to ${target} (HTTP ${status}), which was not followed, because the key must not travel: set board.mcp.url.`;
    return { kind: "unknown", message, detail: "told" };
  }
  if (status < 300)
    return { kind: "unknown", message: `${place} did not answer what was asked: ${said}.`, detail: "page" };
  return {
    kind: "unknown",
    message: `${place} failed (HTTP ${status}): ${said}.`,
    retryAt,
    detail: "server",
  };
}

function explainNoAnswer(reply: Exclude<Failure["reply"], { kind: "answer" }>, place: string): Fault {
  const message = `${place} ${reply.message}.`;
  if (reply.kind === "aborted") return { kind: "aborted", message: "The run was ended." };
  if (reply.kind === "unsent")
    return { kind: "unsent", message, detail: reply.isOfProxy ? "proxy" : undefined };
  return { kind: "unknown", message, detail: reply.isLate ? "slow" : reply.kind === "lost" ? "cut" : "told" };
}

/** A fault of a read: what ends it. */
export function errorOf({ kind, message, retryAt, detail }: Fault): RemoteError {
  const options = { detail, ...(retryAt !== undefined && { retryAt }) };
  switch (kind) {
    case "limited":
    case "unauthorized":
    case "aborted":
      return new RemoteError("board", kind, message, options);
    case "rejected":
      return new RemoteError("board", "refused", message, { ...options, detail: detail ?? "said" });
    case "unsent":
      return new RemoteError("board", detail === "told" ? "refused" : "unreachable", message, options);
    case "unknown": {
      const fault =
        detail === "told"
          ? "refused"
          : detail === "server" || detail === "slow"
            ? "unreachable"
            : "unreadable";
      return new RemoteError("board", fault, message, options);
    }
  }
}

/** A fault of a call: what became of it. @param isCalled whether the tool itself was called. */
export function outcomeOf(told: Fault, isCalled: boolean): ToolOutcome {
  const { kind, message, retryAt, detail } = told;
  const unsent = { kind: "unsent", message, fault: errorOf(told).fault } as const;
  switch (kind) {
    case "limited":
      return { kind, message, retryAt };
    case "unauthorized":
      return { kind, message, detail };
    case "unsent":
      return unsent;
    case "rejected":
      return isCalled ? { kind, message } : unsent;
    case "unknown":
    case "aborted":
      return isCalled ? { kind: "unknown", message, ...(retryAt !== undefined && { retryAt }) } : unsent;
  }
}
