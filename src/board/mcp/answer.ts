import type { CallToolResult } from "@modelcontextprotocol/client";
import { isObject, type JsonObject, readKey } from "../http/answer/access.ts";
import { readBody } from "../http/answer/body.ts";
import { isLimited } from "../http/answer/refusal.ts";
import type { Excerpt } from "../http/answer/wording.ts";
import type { Fault } from "./fault.ts";

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
export function readRefusal(result: CallToolResult, answer: unknown, excerpt: Excerpt): Fault | undefined {
  const said = result.isError === true ? textsOf(result).join(" ") : readNo(answer);
  return said === undefined ? undefined : faultOf(said, "The tool refused", excerpt);
}

/** The words of an answer like `{ "success": false, "error": "…" }`; undefined where it does not say no. */
function readNo(answer: unknown): string | undefined {
  if (!isObject(answer)) return undefined;
  const flags = ["success", "ok"].map((name) => readKey(answer, name));
  if (flags.includes(true)) return undefined;
  const errors = ["error", "errors"].flatMap((name) => readWords(readKey(answer, name)));
  const status = readKey(answer, "status");
  const isFailed = typeof status === "string" && /^(?:error|failed|failure)$/i.test(status);
  if (flags.includes(false) || isFailed || errors.length > 0)
    return [...errors, ...readWords(readKey(answer, "message"))].join(" ");
  // Some servers put every answer into a frame: `{ "result": … }`.
  const [inner, ...others] = Object.values(answer);
  return others.length === 0 ? readNo(inner) : undefined;
}

/** What an `error` says, in whatever form; nothing where there is none. */
function readWords(error: unknown): readonly string[] {
  if (typeof error === "string") return error.trim() === "" ? [] : [error];
  if (error === true) return [""];
  if (Array.isArray(error)) return error.flatMap(readWords);
  if (!isObject(error) || Object.keys(error).length === 0) return [];
  return [sayError(error)];
}

function sayError(error: JsonObject): string {
  const message = readKey(error, "message");
  return typeof message === "string" ? message : JSON.stringify(error);
}

/** An error of the protocol: https://www.jsonrpc.org/specification#error_object */
export function readProtocolError(error: unknown, excerpt: Excerpt): Fault | undefined {
  const isOfProtocol =
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "number" &&
    Number.isInteger(error.code);
  if (!isOfProtocol) return undefined;
  const fault = faultOf(error.message, "The MCP server refused", excerpt);
  const isDefinite = definite.has(error.code);
  return fault.kind === "rejected" && !isDefinite ? { ...fault, kind: "unknown", detail: "server" } : fault;
}

/** No such method, no such tool, or arguments that don't fit: nothing was called. */
const definite: ReadonlySet<unknown> = new Set([
  -32_700, -32_600, -32_601, -32_602, -32_020, -32_021, -32_022,
]);

/** Words that leave open whether something was done. A number alone may be a limit of what was asked. */
const ofDoubt: readonly RegExp[] = [
  /\btime[d ]*-?out\b/i,
  /\binternal (?:server )?error/i,
  /\b(?:service|server|temporarily|currently) (?:is )?unavailable/i,
  /\bbad gateway/i,
  /\b(?:http|status|code|error)\W{0,3}50[0-4]\b|^\W*50[0-4]\b/i,
];

/** Words about who asks. That something is not allowed, or forbidden, in a post is a refusal of that post. */
const ofRights: readonly RegExp[] = [
  /\b(?:un-?auth(?:ori[sz]ed|enticated)|forbidden)\b(?! \w)/i,
  /\b(?:access|permission) (?:is |was )?denied/i,
  /\b(?:lacks?|have|has|missing|insufficient|without|no|requires?|needs?) (?:(?:the|an?y?|required|necessary|sufficient) )*(?:permissions?|scopes?|access|authori[sz]ation)\b/i,
  /\binsufficient.(?:scope|permission)/i,
  /\bnot (?:allowed|permitted|authori[sz]ed) to\b/i,
  /\b(?:invalid|expired|revoked) (?:api[ -]?)?(?:key|token|credentials?)\b/i,
  /\b(?:http|status|code|error)\W{0,3}40[13]\b|^\W*40[13]\b/i,
];

function names(words: readonly RegExp[], text: string): boolean {
  return words.some((word) => word.test(text));
}

function faultOf(text: string, who: string, excerpt: Excerpt): Fault {
  const said = text.trim() === "" ? "without a word" : `"${excerpt(text)}"`;
  const message = `${who}: ${said}.`;
  if (isLimited({ status: 400, headers: {} }, { kind: "json", value: { message: text } }))
    return { kind: "limited", message, retryAt: undefined };
  if (names(ofRights, text)) return { kind: "unauthorized", message, detail: "forbidden" };
  if (names(ofDoubt, text)) return { kind: "unknown", message, detail: "server" };
  return { kind: "rejected", message };
}

function textsOf({ content }: CallToolResult): readonly string[] {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : []));
}
