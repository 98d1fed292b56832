import { BREAK } from "../../model/dialect.ts";

/** A longer row of signs is no fence that a person typed. It bounds what closing one costs. */
export const MAX_FENCE = 32;

interface Fence {
  readonly sign: string;
  readonly length: number;
}

/**
 * Ends every code block where it can't run on into what follows the text.
 *
 * Only a fence at the left margin can do that: one inside a list or a quote ends with it. Whether a fence that is
 * indented by one to three spaces stands inside a list is hard to say, so such a fence is moved to the margin; from there
 * on the state is certain, because a fence at the margin opens a block whatever stands above it. Doing it twice changes
 * nothing. Source: https://github.github.com/gfm/#fenced-code-blocks
 */
export function closeFences(text: string): string {
  const { lines, open } = walkFences(text);
  return (open === undefined ? lines : [...lines, open.sign.repeat(open.length)]).join("\n");
}

/** Whether what follows a text may still stand in its last code block, also one that stands in a list or a quote, or is HTML. */
export function endsInCode(text: string): boolean {
  const atMargin = text.replace(/^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*/gm, "");
  const html = text.toLowerCase();
  const isInside = (tag: string): boolean => html.lastIndexOf(`<${tag}`) > html.lastIndexOf(`</${tag}`);
  return walkFences(atMargin).open !== undefined || isInside("pre") || isInside("code");
}

function walkFences(text: string): { readonly lines: string[]; readonly open: Fence | undefined } {
  let open: Fence | undefined;
  const lines = text.split("\n").map((line) => {
    const [, sign = "", rest = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/su.exec(line) ?? [];
    if (sign === "") return line;
    if (open !== undefined) {
      if (isClosing(open, sign, rest)) open = undefined;
      return line;
    }
    if (sign.startsWith("`") && rest.includes("`")) return line;
    if (sign.length > MAX_FENCE) return BREAK + line;
    open = { sign: sign.charAt(0), length: sign.length };
    return sign + rest;
  });
  return { lines, open };
}

function isClosing(open: Fence, sign: string, rest: string): boolean {
  return sign.startsWith(open.sign) && sign.length >= open.length && /^[ \t]*$/.test(rest);
}

/** Ends a text of which there is more on the board. */
export const CUT_NOTICE = "… (cut; the whole text is in the post)";

/** An unfinished character reference or joined character at the end. */
const UNFINISHED = /(?:&[#0-9A-Za-z]{0,32}|[\u200C\u200D]+)$/;

/**
 * The text in at most `maxBytes` bytes of UTF-8 (at least 128). A text that is too long is cut between two characters, never
 * inside a character reference, its open code fence is closed, and it says so. To be used after sanitising.
 */
export function cutBytes(text: string, maxBytes: number, notice = CUT_NOTICE): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const ending = `\n\n${notice}`;
  const room = maxBytes - Buffer.byteLength(ending) - MAX_FENCE - 1;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(room));
  return closeFences(finish(text.slice(0, read))) + ending;
}

/**
 * The text in at most `max` UTF-16 units (so in no more than `max` code points either), ending in `…` when it was cut.
 * Never cuts inside a code point or a character reference.
 */
export function cutCodePoints(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, max - 1);
  return `${finish(/[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head)}…`;
}

/** Looks at the end only, so that a long text costs no more than a short one. */
function finish(head: string): string {
  const end = Math.max(0, head.length - 40);
  return head.slice(0, end) + head.slice(end).replace(UNFINISHED, "").trimEnd();
}
