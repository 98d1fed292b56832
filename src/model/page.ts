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
  find(request: string): PageTrace | undefined;
}
