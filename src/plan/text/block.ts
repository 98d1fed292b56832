import { hashText } from "../ground/hash.ts";
import { CUT_NOTICE, cutBytes } from "./fence.ts";
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

/** The parts of a body; undefined when it is not (or no more) built like one of ours: it has no marker, or nothing ends the block. */
export function splitBody(body: string): SplitBody | undefined {
  const found = readMarker(body);
  const end = found?.below.search(/^<!-- boardsync:end -->/m) ?? -1;
  if (found === undefined || end === -1) return undefined;
  const { above, marker, below } = found;
  const block = below
    .slice(0, end)
    .replace(/^\s*\n/, "")
    .trimEnd();
  return { above, marker, block, rest: below.slice(end + END.length) };
}

/**
 * The body with another marker and block; what people wrote outside the block stays to the letter. The marker stays whole, and the
 * block is cut to the room that people leave.
 *
 * @param split - the body as it is.
 * @param mostBytes - of a body, in UTF-8. A tracker that shows a larger one than that counts characters.
 * @returns the block that it has, too; undefined where people leave no room at all.
 */
export function replaceBlock(
  split: SplitBody,
  marker: Marker,
  block: string,
  mostBytes: number,
): { readonly body: string; readonly block: string } | undefined {
  const compose = (inside: string) => split.above + composeBody({ marker, block: inside, rest: split.rest });
  const now = split.above + composeBody(split);
  const isInBytes = Buffer.byteLength(now) <= mostBytes;
  const count = (text: string) => (isInBytes ? Buffer.byteLength(text) : text.length);
  const room = mostBytes - count(compose(""));
  // No text has fewer bytes than characters.
  const fitting = count(block) <= room ? block : cutBlock(block, room);
  return fitting === undefined ? undefined : { body: compose(fitting), block: fitting };
}

/** Less room than this has no text in it. */
const leastText = 256;

/** The block in at most so many bytes, with the post's address as its end where there is room; undefined where there is none. */
function cutBlock(block: string, mostBytes: number): string | undefined {
  const at = block.lastIndexOf("\n\n");
  const ending = at !== -1 && /^\n\nhttps?:\/\/\S+$/.test(block.slice(at)) ? block.slice(at) : "";
  const room = mostBytes - Buffer.byteLength(ending);
  if (room >= leastText) return cutBytes(block.slice(0, block.length - ending.length), room) + ending;
  return Buffer.byteLength(CUT_NOTICE) <= mostBytes ? CUT_NOTICE : undefined;
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
