import { RemoteError } from "../../../errors.ts";
import type { Repository } from "../../../model/issue.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import { readLastPage, readNextLink, readRepositoryId, resolveOnOrigin } from "./links.ts";
import { halve, largestSize, type Sizes } from "./pieces.ts";
import { addressed, type Read, type ReadRequest, requireOk, TooHeavyError } from "./reader.ts";
import type { Quote } from "./words.ts";

/** One page of a list, and the address of the one after it. */
export interface Page {
  readonly data: unknown;
  readonly etag: string | undefined;
  readonly next: string | undefined;
  /** The number of the last page, where the answer names it. */
  readonly last: number | undefined;
  /** 304 to the request's `If-None-Match`; only where one was sent. */
  readonly isUnchanged: boolean;
  /** The most rows that it may have. */
  readonly size: number;
  /** Whether the list begins with it; once more, where a later page was too heavy. */
  readonly isFirst: boolean;
}

/** Whose list it is. */
type Owner = Pick<Repository, "id" | "name">;

/** The first page of a list; its size is none of the parameters. */
export interface ListRequest extends ReadRequest {
  /** What is listed: how much of it is answered at once is remembered by it. */
  readonly list: string;
  /** Set where it comes whole, without pages. */
  readonly isWhole?: true;
}

/** Reads lists of repositories, following `Link` exactly as it is given. */
export interface Pages {
  /**
   * The first page, as large as it is answered: half as large after each time that it was too heavy. Each size is asked for once,
   * so that from a hundred rows on no more than seven requests fail.
   */
  first(request: ListRequest, repository: Owner, bounds: ReadBounds): Promise<Page>;
  /** The page after one. Where that is too heavy, the first one: the list is begun anew, with smaller pages. */
  after(page: Page, request: ListRequest, repository: Owner, bounds: ReadBounds): Promise<Page>;
  /** A page that an earlier answer had named, by its address. @throws TooHeavyError where the list is to be begun anew. */
  at(address: string, request: ListRequest, repository: Owner, bounds: ReadBounds): Promise<Page>;
  /**
   * All pages. Where one is too heavy the list is begun anew with smaller ones, because the numbers of its pages then mean other
   * rows: rows come again, and none is left out.
   *
   * @throws RemoteError `unreadable` for a list that comes back to itself or passes the limit.
   */
  all(request: ListRequest, repository: Owner, bounds: ReadBounds): AsyncIterable<Page>;
}

/** What lists are read with. */
export interface PagesOptions {
  readonly read: Read;
  readonly quote: Quote;
  readonly sizes: Sizes;
  readonly pageLimit: number;
}

/**
 * Checks what can be checked of a page's origin: redirects and page links carry the repository's id, and a name that was given to
 * another repository must not pass for the old one.
 */
export function createPages({ read, quote, sizes, pageLimit }: PagesOptions): Pages {
  async function readPage(
    request: ListRequest,
    size: number,
    repository: Owner,
    bounds: ReadBounds,
    isDivisible = size > 1,
  ): Promise<Page> {
    const { list: _, isWhole: __, ...plain } = request;
    const answer = await read({ ...plain, isDivisible }, bounds);
    requireSame(answer.url, repository);
    const etag = answer.headers["etag"];
    const known = request.headers?.["if-none-match"];
    const common = { size, isFirst: false };
    if (answer.status === 304 && known !== undefined) {
      return { ...common, data: [], etag: known, next: undefined, last: undefined, isUnchanged: true };
    }
    const link = readNextLink(requireOk(answer, request, quote));
    const next = link === undefined ? undefined : resolveOnOrigin(link, answer.url, quote);
    if (next !== undefined) requireSame(next, repository);
    return {
      ...common,
      data: answer.data,
      etag: etag === undefined ? undefined : String(etag),
      next,
      last: readLastPage(answer),
      isUnchanged: false,
    };
  }

  async function readAt(
    address: string,
    size: number,
    request: ListRequest,
    repository: Owner,
    bounds: ReadBounds,
  ): Promise<Page> {
    try {
      return await readPage({ ...request, ...addressed(address) }, size, repository, bounds);
    } catch (error) {
      if (isTooLarge(error, size)) sizes.note(nameList(request, repository), halve(size));
      throw error;
    }
  }

  async function readFirst(request: ListRequest, repository: Owner, bounds: ReadBounds): Promise<Page> {
    const name = nameList(request, repository);
    const before = sizes.of(name);
    for (;;) {
      const size = sizes.of(name);
      const parameters = request.isWhole ? request.parameters : { ...request.parameters, per_page: size };
      try {
        const asked = { ...request, parameters };
        const isDivisible = !request.isWhole && (size > 1 || before > 1);
        const page = await readPage(asked, size, repository, bounds, isDivisible);
        return { ...page, isFirst: true };
      } catch (error) {
        // Where not even one row is answered, it is not for how many were asked for.
        const isTooMuch = isTooLarge(error, size);
        const isDown = !isTooMuch && error instanceof TooHeavyError;
        if (isTooMuch) sizes.note(name, halve(size));
        else if (isDown) sizes.note(name, before < largestSize ? before : undefined);
        if (!isTooMuch) throw error;
      }
    }
  }

  // What makes the first page conditional says nothing of a list of which one has been read.
  const readAfter: Pages["after"] = async (page, { headers: _, ...request }, repository, bounds) => {
    try {
      return await readAt(page.next ?? "", page.size, request, repository, bounds);
    } catch (error) {
      if (!isTooLarge(error, page.size)) throw error;
      return readFirst(request, repository, bounds);
    }
  };

  return {
    first: readFirst,
    after: readAfter,
    at(address, request, repository, bounds) {
      return readAt(address, sizes.of(nameList(request, repository)), request, repository, bounds);
    },
    async *all(request, repository, bounds) {
      const visited = new Set<string>();
      let page = await readFirst(request, repository, bounds);
      for (;;) {
        yield page;
        if (page.isFirst) visited.clear();
        if (page.next === undefined) return;
        if (visited.has(page.next) || visited.size >= pageLimit) throw endless(request.subject);
        visited.add(page.next);
        page = await readAfter(page, request, repository, bounds);
      }
    },
  };
}

/** Whether smaller pages may be answered. */
export function isTooLarge(error: unknown, size: number): boolean {
  return error instanceof TooHeavyError && size > 1;
}

function nameList({ list }: ListRequest, { id }: Owner): string {
  return `${list} of ${id}`;
}

/** The error of a list that doesn't end. */
export function endless(subject: string): RemoteError {
  return new RemoteError("tracker", "unreadable", `GitHub's pages of ${subject} don't come to an end.`);
}

function requireSame(url: string, { id, name }: Owner): void {
  const shown = readRepositoryId(url);
  if (shown === undefined || shown === id) return;
  throw new RemoteError("tracker", "missing", `The name ${name} now means another repository.`);
}
