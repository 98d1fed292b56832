import { RemoteError } from "../../../errors.ts";
import { readLinks } from "../../../http/headers.ts";
import type { Repository } from "../../../model/issue.ts";
import { halve, largestSize, type Sizes } from "./pieces.ts";
import {
  addressed,
  type Read,
  type ReadRequest,
  requireOk,
  resolveOnOrigin,
  TooHeavyError,
} from "./reader.ts";
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

/** The first page of a list; its size is none of the parameters. */
export interface ListRequest extends Omit<ReadRequest, "headers"> {
  /** What is listed: how much of it is answered at once is remembered by it. */
  readonly list: string;
  /** Whose list it is. */
  readonly repository: Pick<Repository, "id" | "name">;
  /** Set where it comes whole, without pages. */
  readonly isWhole?: true;
  /** Of the one page that is asked for, as an earlier answer gave it. */
  readonly etag?: string | undefined;
}

/** Reads lists of repositories, following `Link` exactly as it is given. */
export type Pages = ReturnType<typeof createPages>;

/** What lists are read with. */
export interface PagesOptions {
  readonly url: string;
  readonly read: Read;
  readonly quote: Quote;
  readonly sizes: Sizes;
  readonly pageLimit: number;
}

/**
 * Checks what can be checked of a page's origin: redirects and page links carry the repository's id, and a name that was given to
 * another repository must not pass for the old one.
 */
export function createPages({ url, read, quote, sizes, pageLimit }: PagesOptions) {
  async function readPage(
    { list: _, isWhole: __, repository, etag: known, ...request }: ListRequest,
    size: number,
    isDivisible: boolean,
  ): Promise<Page> {
    const headers = known === undefined ? {} : { "if-none-match": known };
    const answer = await read({ ...request, headers, isDivisible });
    requireSame(answer.url, repository);
    const page = { size, isFirst: false };
    if (answer.status === 304 && known !== undefined)
      return { ...page, data: [], etag: known, next: undefined, last: undefined, isUnchanged: true };
    const links = readLinks(requireOk(answer, request, quote).headers["link"]);
    const link = links.get("next");
    const next = link === undefined ? undefined : resolveOnOrigin(link, answer.url, quote);
    // Lists whose pages have no numbers name none.
    const last = /[?&]page=(\d{1,9})(?:&|$)/.exec(links.get("last") ?? "")?.[1];
    if (next !== undefined) requireSame(next, repository);
    const etag = answer.headers["etag"];
    return {
      ...page,
      data: answer.data,
      etag: etag === undefined ? undefined : String(etag),
      next,
      last: last === undefined ? undefined : Number(last),
      isUnchanged: false,
    };
  }

  async function readAt(address: string, size: number, request: ListRequest): Promise<Page> {
    try {
      return await readPage({ ...request, ...addressed(address) }, size, size > 1);
    } catch (error) {
      if (isTooLarge(error, size)) sizes.note(nameOf(request), halve(size));
      throw error;
    }
  }

  async function readFirst(request: ListRequest): Promise<Page> {
    const name = nameOf(request);
    const before = sizes.of(name);
    for (;;) {
      const size = sizes.of(name);
      const parameters = request.isWhole ? request.parameters : { ...request.parameters, per_page: size };
      try {
        const isDivisible = !request.isWhole && (size > 1 || before > 1);
        return { ...(await readPage({ ...request, parameters }, size, isDivisible)), isFirst: true };
      } catch (error) {
        if (!(error instanceof TooHeavyError)) throw error;
        if (size > 1 && !request.isWhole) {
          sizes.note(name, halve(size));
          continue;
        }
        // Where not even one row is answered, it is not for how many were asked for.
        sizes.note(name, before < largestSize ? before : undefined);
        throw error;
      }
    }
  }

  // What makes the first page conditional says nothing of a list of which one has been read.
  async function readAfter(page: Page, { etag: _, ...request }: ListRequest): Promise<Page> {
    try {
      return await readAt(page.next ?? "", page.size, request);
    } catch (error) {
      if (!isTooLarge(error, page.size)) throw error;
      return readFirst(request);
    }
  }

  return {
    /**
     * The first page, as large as it is answered: half as large after each time that it was too heavy. Each size is asked for once,
     * so that from a hundred rows on no more than seven requests fail.
     */
    first: readFirst,
    /** The page after one. Where that is too heavy, the first one: the list is begun anew, with smaller pages. */
    after: readAfter,
    /** A page that an earlier answer had named, by its path. @throws TooHeavyError where the list is to be begun anew. */
    at: (path: string, request: ListRequest) =>
      readAt(resolveOnOrigin(path, url, quote), sizes.of(nameOf(request)), request),
    /**
     * All pages. Where one is too heavy the list is begun anew with smaller ones, because the numbers of its pages then mean other
     * rows: rows come again, and none is left out.
     *
     * @throws RemoteError `unreadable` for a list that comes back to itself or passes the limit.
     */
    async *all(request: ListRequest): AsyncGenerator<Page> {
      const visited = new Set<string>();
      let page = await readFirst(request);
      for (;;) {
        yield page;
        if (page.isFirst) visited.clear();
        if (page.next === undefined) return;
        if (visited.has(page.next) || visited.size >= pageLimit) throw endless(request.subject);
        visited.add(page.next);
        page = await readAfter(page, request);
      }
    },
  };
}

/** Whether smaller pages may be answered. */
function isTooLarge(error: unknown, size: number): boolean {
  return error instanceof TooHeavyError && size > 1;
}

function nameOf({ list, repository: { id } }: ListRequest): string {
  return `${list} of ${id}`;
}

/** The error of a list that doesn't end. */
export function endless(subject: string): RemoteError {
  return new RemoteError("tracker", "unreadable", `GitHub's pages of ${subject} don't come to an end.`);
}

/** A redirected address, or one of a next page, names the repository by its id, such as `/repositories/42/issues`. */
function requireSame(url: string, { id, name }: ListRequest["repository"]): void {
  const shown = /\/repositories\/(\d{1,15})(?:\/|$)/.exec(new URL(url).pathname)?.[1];
  if (shown === undefined || Number(shown) === id) return;
  throw new RemoteError("tracker", "missing", `The name ${name} now means another repository.`);
}
