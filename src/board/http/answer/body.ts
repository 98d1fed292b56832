import type { FaultDetail } from "../../../errors.ts";
import { packingOf, type Reply } from "../../../http/send.ts";
import type { Excerpt } from "./wording.ts";

/** What the bytes of an answer turned out to be. */
export type Body =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "empty" }
  /** `reason` completes a sentence such as "… answered with"; `detail` where another remedy helps than for a strange shape. */
  | { readonly kind: "unreadable"; readonly reason: string; readonly detail?: FaultDetail };

/** Levels of arrays and objects inside one another. */
const deepest = 64;

/**
 * Reads the body of an answer as JSON. A board without a JSON answer is usually a proxy, a login page or a wrong address, so the
 * first words are quoted.
 */
export function readBody(answer: Reply, excerpt: Excerpt): Body {
  if (answer.kind !== "answer") return { kind: "empty" };
  const page = (reason: string): Body => ({ kind: "unreadable", reason, detail: "page" });
  if (packingOf(answer) !== undefined) return page("a compressed body that was not asked for");
  const text = decode(answer.body);
  if (text === undefined) return page("bytes that are not UTF-8 text");
  if (text.trim() === "") return { kind: "empty" };
  if (/^\s*</.test(text)) return page(`HTML instead of JSON, starting "${excerpt(text, 80)}"`);
  if (isDeeperThan(text, deepest))
    return { kind: "unreadable", reason: `JSON that is nested more than ${deepest} levels deep` };
  try {
    return { kind: "json", value: JSON.parse(text) };
  } catch {
    // What begins like a list of posts may show people: of that nothing is quoted.
    if (!/^\s*[[{]/.test(text)) return page(`something that is not JSON, starting "${excerpt(text, 80)}"`);
    const reason = `JSON that is broken or cut off (${answer.body.length} bytes)`;
    return { kind: "unreadable", reason, detail: "cut" };
  }
}

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
