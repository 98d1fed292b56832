import { hashText } from "../ground/hash.ts";
import { formatMarker, type Marker, readMarker } from "./marker.ts";

/**
 * The body of an issue that boardsync opened:
 *
 *     <!-- boardsync:v1 … -->      the marker
 *     the managed block            text of the post, its address last
 *
 *     <!-- boardsync:end -->       no text of a post can hold a comment, so this is where the block ends
 *     the rest                     room for people; never touched
 */
export interface IssueBody {
  readonly marker: Marker;
  readonly block: string;
  /** Everything behind the end comment, to the letter. */
  readonly rest: string;
}

/** A body that was read: people may also have written above the marker. */
export interface SplitBody extends IssueBody {
  /** Everything before the marker, to the letter. */
  readonly above: string;
}

const END = "<!-- boardsync:end -->";

/** The body of an issue. A new issue's `rest` is one line end: people write below it. */
export function composeBody(body: IssueBody): string {
  return `${formatMarker(body.marker)}\n${body.block}\n\n${END}${body.rest}`;
}

/**
 * The parts of a body; undefined when it is not (or no more) built like one of ours: its first comment is no marker, or
 * nothing ends the block. The marker's identity counts only where `parseMarker` finds it, at the very start.
 */
export function splitBody(body: string): SplitBody | undefined {
  const start = body.indexOf("<!--");
  const found = start === -1 ? undefined : readMarker(body.slice(start));
  if (found === undefined) return undefined;
  const inside = body.slice(start + found.end);
  const end = inside.search(/^<!-- boardsync:end -->/m);
  if (end === -1) return undefined;
  return {
    above: body.slice(0, start),
    marker: found.marker,
    block: inside
      .slice(0, end)
      .replace(/^\s*\n/, "")
      .trimEnd(),
    rest: inside.slice(end + END.length),
  };
}

/**
 * The body with another marker and block; what people wrote outside the block stays to the letter. undefined when the body
 * has no block of ours.
 */
export function replaceBlock(body: string, marker: Marker, block: string): string | undefined {
  const split = splitBody(body);
  return split && split.above + composeBody({ marker, block, rest: split.rest });
}

/** The block as it is compared: a form on a web page sends CRLF, and blanks at the ends of lines come and go in editors. */
export function normaliseBlock(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/(?<![ \t])[ \t]+$/gm, "")
    .replace(/^\n+/, "")
    .trimEnd();
}

/** The hash by which two blocks are the same. */
export function hashBlock(text: string): string {
  return hashText(normaliseBlock(text));
}
