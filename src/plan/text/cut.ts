import { closeFences, MAX_FENCE } from "./fence.ts";

/** Ends a text of which there is more on the board. */
export const CUT_NOTICE = "… (cut; the whole text is in the post)";

/** An unfinished character reference or joined character at the end. */
const UNFINISHED = /(?:&[#0-9A-Za-z]{0,32}|[\u200C\u200D]+)$/;

/**
 * The text in at most `maxBytes` bytes of UTF-8 (at least 128). A text that is too long is cut between two characters, never
 * inside a character reference, its open code fence is closed, and it says so. To be used after sanitising.
 */
export function cutBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const ending = `\n\n${CUT_NOTICE}`;
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
