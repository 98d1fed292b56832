import { hash } from "node:crypto";
import { type BoardStyle, type PagingStyle, type SandboxPost, showRecord } from "./style.ts";

/** One page of a listing as the sandbox answers it. */
export interface ListAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Which part of a list a page is; `end` is where the next one begins. */
export interface Cut {
  readonly start: number;
  readonly end: number;
  readonly total: number;
  readonly size: number;
  readonly asked: URL;
}

/** The page that was asked for, in the board's shape and paging. */
export function answerList(all: readonly SandboxPost[], asked: URL, style: BoardStyle): ListAnswer {
  const posts = style.arrange(all, asked);
  const cut = cutPage(posts, asked, style);
  const page = posts.slice(cut.start, cut.end).map((post) => showRecord(post, style, asked.href));
  return answerPage(page, cut, style);
}

/** Where the page begins and ends that was asked for. */
export function cutPage(posts: readonly SandboxPost[], asked: URL, { paging, pageSize }: BoardStyle): Cut {
  const total = posts.length;
  const size = paging.kind === "none" ? Math.max(total, 1) : pageSize;
  const start =
    paging.kind === "silent" ? startOfSilent(asked, paging, size, posts) : startOf(asked, paging, size);
  return { start, end: Math.min(start + size, total), total, size, asked };
}

/** Dresses the records of a page in the board's shape and paging. */
export function answerPage(page: readonly unknown[], cut: Cut, style: BoardStyle): ListAnswer {
  const { paging } = style;
  const { asked } = cut;
  const next = cut.end < cut.total ? addressOf(cut, "form" in paging ? paging.form : "absolute") : undefined;
  const isLinked = paging.kind === "link" && next !== undefined;
  return {
    headers: isLinked ? { link: `<${asked.pathname}?first>; rel="first", <${next}>; rel="next"` } : {},
    body: dress(page, signalsOf(cut, paging, next), style),
  };
}

function startOfSilent(
  asked: URL,
  { param, firstPage = 1 }: Extract<PagingStyle, { readonly kind: "silent" }>,
  size: number,
  posts: readonly SandboxPost[],
): number {
  const value = asked.searchParams.get(param);
  if (value === null) return 0;
  if (param === "page") return (Number(value) - firstPage) * size;
  if (param === "offset" || param === "skip") return Number(value);
  return posts.findIndex(({ id }) => id === value) + 1;
}

/** Address pages and cursors carry the start as an opaque `cursor`; the other two count in the open. */
function startOf(asked: URL, paging: PagingStyle, size: number): number {
  const number = (name: string, missing: number) => Number(asked.searchParams.get(name) ?? missing);
  if (paging.kind === "page") {
    const firstPage = paging.firstPage ?? 1;
    return (number("page", firstPage) - firstPage) * size;
  }
  if (paging.kind === "offset") return number("offset", 0);
  return Number(Buffer.from(asked.searchParams.get("cursor") ?? "", "base64url").toString()) || 0;
}

function cursorOf(end: number): string {
  return Buffer.from(String(end)).toString("base64url");
}

function addressOf(cut: Cut, form: "absolute" | "relative" = "absolute"): string {
  const url = new URL(cut.asked);
  url.searchParams.set("cursor", cursorOf(cut.end));
  return form === "absolute" ? url.href : `${url.pathname}${url.search}`;
}

function signalsOf(cut: Cut, paging: PagingStyle, next: string | undefined): Record<string, unknown> {
  const hasMore = cut.end < cut.total;
  const pageCount = Math.ceil(cut.total / cut.size);
  const told = { totalPages: pageCount, pages: pageCount, hasMore, total: cut.total, limit: cut.size };
  switch (paging.kind) {
    case "none":
    case "silent":
    case "link":
      return {};
    case "next":
      return paging.name === "links.next"
        ? { links: { next: next ?? null } }
        : { [paging.name ?? "next"]: next ?? null };
    case "cursor": {
      const cursor = { [paging.name ?? "nextCursor"]: hasMore ? cursorOf(cut.end) : null };
      return paging.hasMore === true ? { ...cursor, hasMore } : cursor;
    }
    case "page": {
      const page = (paging.firstPage ?? 1) + Math.floor(cut.start / cut.size);
      const name = paging.told ?? "totalPages";
      return { page, [name]: told[name] };
    }
    case "offset": {
      const name = paging.told ?? "total";
      return { offset: cut.start, [name]: told[name] };
    }
  }
}

function dress(page: readonly unknown[], signals: Record<string, unknown>, style: BoardStyle): unknown {
  if (style.items === "") return page;
  const [outer = "", inner] = style.items.split(".");
  const list = { [outer]: inner === undefined ? page : { [inner]: page } };
  const under = "under" in style.paging ? (style.paging.under ?? "top") : "top";
  return under === "top" ? { ...list, ...signals } : { ...list, [under]: signals };
}

/** What a list is asked for conditionally by. */
interface Asked {
  readonly headers: Readonly<Record<string, string>>;
  readonly now: number;
}

/** A page with its validator, or 304 where the caller named that. */
export function answerConditionally(
  page: ListAnswer,
  posts: readonly SandboxPost[],
  { validators }: BoardStyle,
  { headers, now }: Asked,
): { readonly status: number } & Partial<ListAnswer> {
  if (validators === "none") return { status: 200, ...page };
  if (validators === "last-modified") {
    const modified = new Date(posts.map(({ updatedAt }) => updatedAt).reduce(latest, "1970-01-01"));
    const shown = { "last-modified": modified.toUTCString(), date: new Date(now).toUTCString() };
    if (headers["if-modified-since"] === shown["last-modified"]) return { status: 304, headers: shown };
    return { status: 200, body: page.body, headers: { ...page.headers, ...shown } };
  }
  const etag = tagOf(page, posts, validators);
  const known = headers["if-none-match"]?.replace(/^W\//, "");
  if (known === etag.replace(/^W\//, "")) return { status: 304, headers: { etag } };
  return { status: 200, body: page.body, headers: { ...page.headers, etag } };
}

function tagOf(
  page: ListAnswer,
  posts: readonly SandboxPost[],
  validators: "etag" | "weak-etag" | "list-etag" | "stuck-etag",
): string {
  const print = (shown: unknown): string => `"${hash("sha256", JSON.stringify(shown), "hex")}"`;
  switch (validators) {
    case "etag":
      return print(page);
    case "weak-etag":
      return `W/${print(page)}`;
    case "list-etag":
      return print(posts);
    case "stuck-etag":
      return '"1"';
  }
}

function latest(one: string, other: string): string {
  return one > other ? one : other;
}
