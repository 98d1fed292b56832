/** A page of a board's list as it is known again: what the board's adapter has read of it, and the ledger keeps with its posts. */

/** What tells a page from every other one. */
export interface PageTrace {
  /** Hash of what was asked for, and of how the answer is read: another address, setting or version is another page. */
  readonly request: string;
  /** Hash of the whole answer, as far as it is read. */
  readonly digest: string;
  /** What makes the next request conditional; undefined where the board sends nothing that can be relied on. */
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** What the adapter has to know of the page besides its posts, in its own words; nobody else reads it. */
  readonly reading: string;
}

/** The pages of earlier listings. */
export interface KnownPages {
  /**
   * What is known of the page that such a request has shown; undefined where there is nothing, or where the state no longer
   * says of each of its posts exactly what the page does. To be asked right before the page is.
   */
  find(request: string): Promise<PageTrace | undefined>;
}

/** What asking a board for more has shown, where no sign on the first page of its list said how to go on. */
export interface AskedPaging {
  /** undefined where no request brought a post that the first page lacks. */
  readonly way: PagingWay | undefined;
  /**
   * Stands for the posts of the first page: once it shows others, they may be a part of a longer list. null where the board
   * gave no answer of its own, so that nothing is known.
   */
  readonly posts: string | null;
}

/** How a list goes on; the same words as `board.paging` of the config. */
export interface PagingWay {
  /** `none`: there are no further pages, only larger ones. */
  readonly kind: "page" | "offset" | "cursor" | "none";
  /** Query parameter that takes the page, the offset, the cursor, or the size. */
  readonly param: string;
  /** Number of the first page, where that is not 1. */
  readonly first?: 0;
  /** The cursor is the id of the page's last post. */
  readonly next?: "lastId";
}

/** A way on as the line of the config that says so, below `board`. */
export function showWay(way: PagingWay): string {
  const { kind, param, first, next } = way;
  if (kind === "none") return `paging: { kind: none, sizeParam: ${param}, size: 1000 }`;
  const parts = [`kind: ${kind}`, `param: ${param}`];
  if (first !== undefined) parts.push(`first: ${first}`);
  if (next !== undefined) parts.push(`next: ${next}`);
  return `paging: { ${parts.join(", ")} }`;
}
