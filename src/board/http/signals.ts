import { readCount, readKey, readPath } from "./access.ts";

/**
 * The signs of paging in one answer, as far as it shows any. `null` means "shown, and there is no next page"; undefined
 * means "not shown".
 */
export interface Signals {
  /** Address of the next page, absolute or relative, and where it stood. */
  readonly address: { readonly value: string | null; readonly from: string } | undefined;
  /** Cursor of the next page, and the query parameter that takes it. */
  readonly cursor: { readonly value: string | null; readonly param: string } | undefined;
  /** Whether more follows, in so many words. */
  readonly hasMore: boolean | undefined;
  readonly page: number | undefined;
  readonly pageCount: number | undefined;
  readonly offset: number | undefined;
  /** Number of all posts of the project. */
  readonly total: number | undefined;
  /** Number of posts that a full page holds. */
  readonly size: number | undefined;
}

export interface SignalPaths {
  /** `board.paging.next`. */
  readonly next?: string | undefined;
  /** `board.list.total`. */
  readonly total?: string | undefined;
  /** Path of the list: what stands beside the list counts like the top level. */
  readonly list: string;
}

const names = {
  address: ["nextUrl", "next_url", "links.next", "links.next.href", "_links.next", "_links.next.href"],
  cursor: ["nextCursor", "next_cursor", "cursor", "endCursor"],
  hasMore: ["hasMore", "has_more", "hasNextPage", "has_next_page", "hasNext"],
  page: ["page", "currentPage", "current_page"],
  pageCount: ["totalPages", "total_pages", "pages", "pageCount"],
  offset: ["offset"],
  total: ["total", "totalCount", "total_count"],
  size: ["limit", "pageSize", "page_size", "perPage", "per_page"],
};

/** Reads every sign of paging from an answer: its `Link` header, its top level, and the usual places below it. */
export function readSignals(value: unknown, link: string | undefined, paths: SignalPaths): Signals {
  const places = placesOf(value, paths.list);
  const find = <T>(keys: readonly string[], read: (found: unknown) => T | undefined): T | undefined => {
    for (const key of keys) {
      for (const place of places) {
        const found = read(readPath(place, key));
        if (found !== undefined) return found;
      }
    }
    return undefined;
  };
  const next = paths.next === undefined ? find(["next"], readToken) : readToken(readPath(value, paths.next));
  const named = paths.next === undefined;
  const cursor = named ? find(names.cursor, readToken) : undefined;
  const total = paths.total === undefined ? undefined : readCount(readPath(value, paths.total));
  return {
    address:
      readLink(link) ?? addressOf(next) ?? (named ? wrap(find(names.address, readAddress)) : undefined),
    cursor: cursor === undefined ? cursorOf(next) : { value: textOf(cursor), param: "cursor" },
    hasMore: find(names.hasMore, (found) => (typeof found === "boolean" ? found : undefined)),
    page: find(names.page, readCount),
    pageCount: find(names.pageCount, readCount),
    offset: find(names.offset, readCount),
    total: total ?? find(names.total, readCount),
    size: find(names.size, readCount) || undefined,
  };
}

function placesOf(value: unknown, list: string): unknown[] {
  const parent = list.includes(".") ? readPath(value, list.slice(0, list.lastIndexOf("."))) : undefined;
  const tops = parent === undefined ? [value] : [value, parent];
  const below = tops.flatMap((top) => ["pagination", "meta", "pageInfo"].map((key) => readKey(top, key)));
  return [...tops, ...below];
}

/** A next address, cursor or page number; null where it says that there is none. */
function readToken(found: unknown): string | number | null | undefined {
  if (found === null || found === "" || found === false) return null;
  if (typeof found === "string") return found;
  return typeof found === "number" && Number.isSafeInteger(found) ? found : undefined;
}

function readAddress(found: unknown): string | null | undefined {
  const token = readToken(found);
  return typeof token === "number" ? undefined : token;
}

/** Plain `next` may hold an address, a cursor or the number of a page. */
function addressOf(next: string | number | null | undefined): Signals["address"] {
  if (typeof next === "number" || (typeof next === "string" && !looksLikeAddress(next))) return undefined;
  return wrap(next);
}

function wrap(address: string | null | undefined): Signals["address"] {
  return address === undefined ? undefined : { value: address, from: "next address" };
}

function cursorOf(next: string | number | null | undefined): Signals["cursor"] {
  if (typeof next === "number") return { value: String(next), param: "page" };
  if (typeof next === "string" && !looksLikeAddress(next)) return { value: next, param: "cursor" };
  return undefined;
}

function textOf(token: string | number | null): string | null {
  return token === null ? null : String(token);
}

function looksLikeAddress(text: string): boolean {
  return /^([a-z][a-z0-9+.-]*:|\/|\?)/i.test(text) || text.includes("?");
}

/** The `Link` header (RFC 8288). One without `rel="next"` says that there is no next page. */
function readLink(header: string | undefined): Signals["address"] {
  let isLink = false;
  for (const [, target = "", parameters = ""] of (header ?? "").matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, quoted, bare] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? [];
    const relations = (quoted ?? bare ?? "").toLowerCase().split(/\s+/);
    if (relations.includes("next")) return { value: target, from: "Link header" };
    isLink ||= relations.some((relation) => ["prev", "previous", "first", "last"].includes(relation));
  }
  return isLink ? { value: null, from: "Link header" } : undefined;
}
