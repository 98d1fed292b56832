import type { CallToolResult } from "@modelcontextprotocol/client";
import { readBody } from "../http/answer/body.ts";
import { readNo, sayNo } from "../http/answer/no.ts";
import type { Fault } from "../http/answer/refusal.ts";
import type { Excerpt } from "../http/answer/wording.ts";

/** What a tool answered: its structured content, or the first of its texts that is JSON; undefined where there is neither. */
export function readAnswer(result: CallToolResult, depth: number, excerpt: Excerpt): unknown {
  if (result.structuredContent !== undefined) return result.structuredContent;
  for (const text of textsOf(result)) {
    const body = readBody(
      { kind: "answer", status: 200, headers: {}, body: Buffer.from(text) },
      depth,
      excerpt,
    );
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
  const isDefinite = definite.has(error.code);
  return fault.kind === "rejected" && !isDefinite
    ? { ...fault, kind: "unknown", fault: "unreachable", detail: "server" }
    : fault;
}

/** No such method, no such tool, or arguments that don't fit: nothing was called. */
const definite: ReadonlySet<unknown> = new Set([
  -32_700, -32_600, -32_601, -32_602, -32_020, -32_021, -32_022,
]);

function textsOf({ content }: CallToolResult): readonly string[] {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : []));
}
