import { errorOf, type Fault, judge, quoteAnswer } from "../http/answer/refusal.ts";
import { type Excerpt, showAddress } from "../http/answer/wording.ts";
import type { ToolOutcome } from "../tools.ts";
import type { Failure } from "./wire.ts";

export interface FaultReading {
  readonly url: URL;
  readonly excerpt: Excerpt;
  /** Epoch ms. */
  readonly now: number;
}

/** Statuses by which the server says that no tool was called. */
const definite: ReadonlySet<number> = new Set([400, 405, 406, 409, 410, 413, 415, 422]);

/** What an exchange that brought no message comes to. */
export function explainFailure({ reply, body }: Failure, { url, excerpt, now }: FaultReading): Fault {
  const { kind, status } = reply;
  const place = showAddress(url);
  if (kind === "answer" && status < 300) {
    const said = quoteAnswer(body, excerpt, reply.via);
    return { kind: "unknown", message: `${place} did not answer what was asked: ${said}.`, detail: "page" };
  }
  if (status === 404) {
    const message = `There is no MCP server at ${place} (HTTP 404). Check board.mcp.url.`;
    return { kind: "unsent", fault: "refused", message, detail: "told" };
  }
  const asked = { kind: "post", url, who: "The MCP server", what: "what was asked", named: place } as const;
  const fault = judge(reply, body, { ...asked, setting: "board.mcp.url", definite, excerpt, now });
  // The board itself may take a key that its tools refuse.
  return { ...fault, concerns: "asked" };
}

/** A fault of a call: what became of it. @param isCalled whether the tool itself was called. */
export function outcomeOf(told: Fault, isCalled: boolean): ToolOutcome {
  const { kind, message, retryAt, detail } = told;
  if (kind === "limited") return { kind, message, retryAt };
  if (kind === "unauthorized") return { kind, message, detail };
  if (kind === "unsent" || kind === "missing" || !isCalled)
    return { kind: "unsent", message, fault: errorOf(told).fault };
  if (kind === "rejected") return { kind, message };
  return { kind: "unknown", message, ...(retryAt !== undefined && { retryAt }) };
}
