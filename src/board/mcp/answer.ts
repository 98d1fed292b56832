import type { CallToolResult } from "@modelcontextprotocol/client";
import { readBody } from "../http/answer/body.ts";
import { readNo, sayNo } from "../http/answer/no.ts";
import { type Asked, errorOf, type Fault, judge, quoteAnswer } from "../http/answer/refusal.ts";
import { type Excerpt, showAddress } from "../http/answer/wording.ts";
import type { ToolOutcome } from "../tools.ts";
import type { Failure } from "./wire.ts";

/** What a tool answered: its structured content, or the first of its texts that is JSON; undefined where there is neither. */
export function readAnswer(result: CallToolResult, excerpt: Excerpt): unknown {
  if (result.structuredContent !== undefined) return result.structuredContent;
  for (const text of textsOf(result)) {
    const body = readBody({ kind: "answer", status: 200, headers: {}, body: Buffer.from(text) }, excerpt);
    if (body.kind === "json" && typeof body.value === "object" && body.value !== null) return body.value;
  }
  return undefined;
}

/**
 * What an answer comes to by which a tool says that it failed: by `isError`, or in what it answers (`answer`); undefined for any other
 * answer.
 */
export function readRefusal(
  result: CallToolResult,
  answer: unknown,
  tool: string,
  excerpt: Excerpt,
): Fault | undefined {
  const said = result.isError === true ? textsOf(result).join(" ") : readNo(answer)?.words;
  if (said === undefined) return undefined;
  const fault = sayNo(said, "The tool refused", excerpt);
  const isGone = result.isError === true && said.includes(tool) && isOfGone(said);
  return isGone ? { kind: "unsent", message: fault.message } : fault;
}

/** Whether a server says that it has no such tool: nothing was called. It may have it again after its next start. */
function isOfGone(words: string): boolean {
  return /\b(?:unknown|no such) tool\b|\btool (?:\S{1,80} )?(?:is |was )?(?:not found|unknown|does not exist)\b/i.test(
    words,
  );
}

/**
 * An error of the protocol: https://www.jsonrpc.org/specification#error_object
 *
 * @param tools - the names of those that may have been called.
 */
export function readProtocolError(
  error: unknown,
  excerpt: Excerpt,
  tools: readonly string[],
): Fault | undefined {
  const isOfProtocol =
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "number" &&
    Number.isInteger(error.code);
  if (!isOfProtocol) return undefined;
  const fault = sayNo(error.message, "The MCP server refused", excerpt);
  const { message } = fault;
  const isNamed = tools.some((tool) => error.message.includes(tool));
  if (isNamed && isOfGone(error.message)) return { kind: "unsent", message };
  const isDefinite = definiteCodes.has(error.code);
  return fault.kind === "rejected" && !isDefinite
    ? { ...fault, kind: "unknown", fault: "unreachable", detail: "server" }
    : fault;
}

/** No such method, no such tool, or arguments that don't fit: nothing was called. */
const definiteCodes: ReadonlySet<unknown> = new Set([
  -32_700, -32_600, -32_601, -32_602, -32_020, -32_021, -32_022,
]);

function textsOf({ content }: CallToolResult): readonly string[] {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** Statuses by which the server says that no tool was called. */
const definiteStatuses: ReadonlySet<number> = new Set([400, 405, 406, 409, 410, 413, 415, 422]);

/** What an exchange that brought no message comes to. */
export function explainFailure(
  { reply, body }: Failure,
  { url, excerpt, now }: Pick<Asked, "url" | "excerpt" | "now">,
): Fault {
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
  const fault = judge(reply, body, {
    ...asked,
    setting: "board.mcp.url",
    definite: definiteStatuses,
    excerpt,
    now,
  });
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
