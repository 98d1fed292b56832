import { BREAK } from "./characters.ts";

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
  if (open !== undefined) lines.push(open.sign.repeat(open.length));
  return lines.join("\n");
}

function isClosing(open: Fence, sign: string, rest: string): boolean {
  return sign.startsWith(open.sign) && sign.length >= open.length && /^[ \t]*$/.test(rest);
}
