import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { FaultDetail } from "../../../errors.ts";
import type { Answer } from "./transport.ts";
import type { Excerpt } from "./wording.ts";

/** What the bytes of an answer turned out to be. */
export type Body =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "empty" }
  | Unreadable;

/** `reason` completes a sentence such as "… answered with". */
interface Unreadable {
  readonly kind: "unreadable";
  readonly reason: string;
  /** Set where another remedy helps than for an answer of a strange shape. */
  readonly detail?: FaultDetail;
}

export interface BodyLimits {
  /** Bytes of one body, after decompression. */
  readonly bodyBytes: number;
  /** Levels of arrays and objects inside one another. */
  readonly depth: number;
}

/** Reads the body of an answer as JSON, within the limits. */
export async function readBody(answer: Answer, limits: BodyLimits, excerpt: Excerpt): Promise<Body> {
  const unpacked = await unpackBody(answer, limits);
  return unpacked.kind === "bytes" ? parseBody(unpacked.bytes, limits, excerpt) : unpacked;
}

/** The body of an answer as it was before it was compressed. */
export async function unpackBody(
  answer: Answer,
  limits: BodyLimits,
): Promise<{ readonly kind: "bytes"; readonly bytes: Uint8Array } | Unreadable> {
  const bytes = await decompress(answer, limits);
  return bytes instanceof Uint8Array ? { kind: "bytes", bytes } : bytes;
}

/**
 * Reads plain bytes as JSON. A board without a JSON answer is usually a proxy, a login page or a wrong address, so the first
 * words are quoted.
 */
export function parseBody(bytes: Uint8Array, limits: BodyLimits, excerpt: Excerpt): Body {
  const text = decode(bytes);
  if (text === undefined)
    return { kind: "unreadable", reason: "bytes that are not UTF-8 text", detail: "page" };
  if (text.trim() === "") return { kind: "empty" };
  if (/^\s*</.test(text)) {
    const reason = `HTML instead of JSON, starting "${excerpt(text, 80)}"`;
    return { kind: "unreadable", reason, detail: "page" };
  }
  if (isDeeperThan(text, limits.depth)) {
    return { kind: "unreadable", reason: `JSON that is nested more than ${limits.depth} levels deep` };
  }
  try {
    return { kind: "json", value: JSON.parse(text) };
  } catch {
    // What begins like a list of posts may show people: of that nothing is quoted.
    if (/^\s*[[{]/.test(text)) {
      const reason = `JSON that is broken or cut off (${bytes.length} bytes)`;
      return { kind: "unreadable", reason, detail: "cut" };
    }
    const reason = `something that is not JSON, starting "${excerpt(text, 80)}"`;
    return { kind: "unreadable", reason, detail: "page" };
  }
}

const gunzipAsync = promisify(gunzip);

/** The plain bytes, or why there are none. The limit holds for what comes out, so a zip bomb stops at it. */
async function decompress(answer: Answer, limits: BodyLimits): Promise<Uint8Array | Unreadable> {
  const encoding = (answer.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "" || answer.body.length === 0) return answer.body;
  if (encoding !== "gzip" && encoding !== "x-gzip")
    return { kind: "unreadable", reason: "a compressed body that was not asked for", detail: "page" };
  try {
    return await gunzipAsync(answer.body, { maxOutputLength: limits.bodyBytes });
  } catch (error) {
    const isOversized = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    return isOversized
      ? { kind: "unreadable", reason: describeOversize(limits), detail: "told" }
      : { kind: "unreadable", reason: "a gzip body that is broken or cut off", detail: "cut" };
  }
}

/** How a body above the limit is called in a message. */
export function describeOversize({ bodyBytes }: BodyLimits): string {
  const size = bodyBytes < mebibyte ? `${Math.floor(bodyBytes / 1024)} KiB` : `${bodyBytes / mebibyte} MiB`;
  return `a body of more than ${size}`;
}

const mebibyte = 1024 * 1024;

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Counts brackets outside of strings, before anything is built from the text: one pass, no recursion. */
function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (isInString) {
      if (character === backslash) at += 1;
      else if (character === quote) isInString = false;
    } else if (character === quote) {
      isInString = true;
    } else if (character === openBrace || character === openBracket) {
      depth += 1;
      if (depth > limit) return true;
    } else if (character === closeBrace || character === closeBracket) {
      depth -= 1;
    }
  }
  return false;
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
