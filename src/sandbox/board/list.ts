import { type BoardStyle, type PagingStyle, type SandboxPost, showRecord } from "./style.ts";

/** One page of a listing as the sandbox answers it. */
export interface ListAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What a page is made of. */
interface Cut {
  readonly start: number;
  readonly end: number;
  readonly total: number;
  readonly size: number;
  readonly asked: URL;
}

/** Cuts the page that was asked for and dresses it in the board's shape and paging. */
export function answerList(posts: readonly SandboxPost[], asked: URL, style: BoardStyle): ListAnswer {
  const { paging } = style;
  const size = paging.kind === "none" ? Math.max(posts.length, 1) : style.pageSize;
  const start =
    paging.kind === "silent" ? startOfSilent(asked, paging, size, posts) : startOf(asked, paging, size);
  const end = Math.min(start + size, posts.length);
  const cut: Cut = { start, end, total: posts.length, size, asked };
  const page = posts.slice(start, end).map((post) => showRecord(post, style, asked.href));
  const next = end < posts.length ? addressOf(cut, "form" in paging ? paging.form : "absolute") : undefined;
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
