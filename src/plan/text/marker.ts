import type { PostId, ProjectId } from "../../model/post.ts";
import { hashText } from "../ground/hash.ts";
import { endsInCode } from "./fence.ts";

/** What the hidden comment of an issue says: which board, which project of it, and which posts. */
export interface Marker {
  /** `boardHash` of the board's address. */
  readonly board: string;
  readonly project: ProjectId;
  /** At least one. */
  readonly posts: readonly PostId[];
}

const MAX_ID_LENGTH = 200;

/** The ids are base64url, so that nothing in them can end the comment. */
const PATTERN =
  /^<!-- boardsync:v1 board=([0-9a-f]{16}) project=([:\w-]{1,1100}) posts=([:\w-]{1,1100}(?:,[:\w-]{1,1100})*) -->/;

/** The hidden comment that begins an issue's body, in one line. */
export function formatMarker(marker: Marker): string {
  const posts = marker.posts.map(encodeId).join(",");
  return `<!-- boardsync:v1 board=${marker.board} project=${encodeId(marker.project)} posts=${posts} -->`;
}

/**
 * The marker of a body: its first comment, in a line of its own, whatever people have written above it. A comment further down is
 * never a marker, nor is one in a quote or in code: people quote and copy. Whether the marker counts depends on the author,
 * too.
 */
export function parseMarker(body: string): Marker | undefined {
  const found = readMarker(body);
  if (found === undefined) return undefined;
  const { above, marker, below } = found;
  if (above.trim() === "") return marker;
  const isOwnLine = above.endsWith("\n") && /^[ \t]*(?:\r?\n|$)/.test(below);
  return isOwnLine && !endsInCode(above) ? marker : undefined;
}

/**
 * The first comment of a body that is known to be ours, wherever it stands, and what stands before and behind it, to the letter;
 * undefined where that is no marker.
 */
export function readMarker(body: string) {
  const start = body.indexOf("<!--");
  const found = start === -1 ? null : PATTERN.exec(body.slice(start));
  if (found === null) return undefined;
  const above = body.slice(0, start);
  const [whole, board = "", project = "", posts = ""] = found;
  const ids = [project, ...posts.split(",")].map(decodeId);
  if (!ids.every((id) => id !== undefined)) return undefined;
  const [projectId, ...postIds] = ids;
  // The only place where text becomes an id again: it has just been shown to be one that `formatMarker` wrote.
  const marker: Marker = { board, project: projectId as ProjectId, posts: postIds as string[] as PostId[] };
  return { marker, above, below: body.slice(start + whole.length) };
}

/**
 * Which board: 16 hexadecimal digits of the SHA-256 of its address, however it is spelt (case of the host, default port,
 * slashes at the end, query).
 *
 * @throws TypeError when it is no URL.
 */
export function boardHash(url: string): string {
  const { origin, pathname } = new URL(url);
  return hashText(origin + pathname.replace(/\/+$/, "")).slice(0, 16);
}

/** So many addresses of a text are tried. */
const mostTried = 20;

/**
 * The address whose `boardHash` a mark holds, where it is one of those that lie near: another scheme or path of the board's own
 * address, or an API on a host that the text names. undefined where it is none of them.
 *
 * @param url - of the board.
 * @param text - of the issue that carries the mark.
 */
export function guessAddress(hash: string, url: string, text: string): string | undefined {
  const named = (text.match(/https?:\/\/[^\s/?#<>()"'`[\]\\]+/gi) ?? []).slice(0, mostTried);
  const own = new URL(url);
  const segments = own.pathname.split("/").filter(Boolean);
  const paths = [...segments.keys(), segments.length].map((from) => segments.slice(from));
  const ways = new Set([...paths, ["api", "v1"]].map((parts) => parts.map((part) => `/${part}`).join("")));
  for (const host of [own.origin, ...named].map((one) => one.replace(/^https?:\/\//i, ""))) {
    for (const scheme of ["https", "http"]) {
      for (const way of ways) {
        const address = `${scheme}://${host}${way}`;
        if (URL.canParse(address) && boardHash(address) === hash)
          return new URL(address).href.replace(/\/+$/, "");
      }
    }
  }
  return undefined;
}

/** Ids that are no Unicode text (a lone surrogate) are kept apart by a colon and another encoding. */
function encodeId(id: string): string {
  return id.isWellFormed()
    ? Buffer.from(id, "utf8").toString("base64url")
    : `:${Buffer.from(id, "utf16le").toString("base64url")}`;
}

/** undefined for what `encodeId` would not have written. */
function decodeId(token: string): string | undefined {
  const id = token.startsWith(":")
    ? Buffer.from(token.slice(1), "base64url").toString("utf16le")
    : Buffer.from(token, "base64url").toString("utf8");
  return id.length <= MAX_ID_LENGTH && encodeId(id) === token ? id : undefined;
}
