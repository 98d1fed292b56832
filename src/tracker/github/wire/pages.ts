import { RemoteError } from "../../../errors.ts";
import type { Repository } from "../../../model/issue.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import { refuseAnswer } from "./answers.ts";
import { readLastPage, readNextLink, readRepositoryId, resolveOnOrigin } from "./links.ts";
import { addressed, type Read, type ReadAnswer, type ReadRequest } from "./reader.ts";
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
}

/** Reads a list of a repository page by page, following `Link` exactly as it is given. */
export type Pages = (
  request: ReadRequest,
  repository: Pick<Repository, "id" | "name">,
  bounds: ReadBounds,
) => AsyncIterable<Page>;

/** Reads one page of a list of a repository. */
export type ReadPage = (
  request: ReadRequest,
  repository: Pick<Repository, "id" | "name">,
  bounds: ReadBounds,
) => Promise<Page>;

/**
 * Reads one page and checks what can be checked of its origin: redirects and page links carry the repository's id, and a
 * name that was given to another repository must not pass for the old one.
 */
export function createPageReader(read: Read, quote: Quote): ReadPage {
  return async (request, repository, bounds) => {
    const answer = await read(request, bounds);
    requireSame(answer.url, repository);
    const etag = answer.headers["etag"];
    const known = request.headers?.["if-none-match"];
    if (answer.status === 304 && known !== undefined) {
      return { data: [], etag: known, next: undefined, last: undefined, isUnchanged: true };
    }
    const link = readNextLink(requireOk(answer, request.subject, quote));
    const next = link === undefined ? undefined : resolveOnOrigin(link, answer.url, quote);
    if (next !== undefined) requireSame(next, repository);
    return {
      data: answer.data,
      etag: etag === undefined ? undefined : String(etag),
      next,
      last: readLastPage(answer),
      isUnchanged: false,
    };
  };
}

/** See `Pages`. @throws RemoteError `unreadable` for a list that comes back to itself or passes the limit. */
export function createPages(readPage: ReadPage, pageLimit: number): Pages {
  return async function* (request, repository, bounds) {
    const visited = new Set<string>();
    // What makes the first page conditional says nothing of the others.
    const { headers: _, ...unconditional } = request;
    let next: ReadRequest | undefined = request;
    while (next !== undefined) {
      const page: Page = await readPage(next, repository, bounds);
      yield page;
      if (page.next === undefined) return;
      if (visited.has(page.next) || visited.size >= pageLimit) throw endless(request.subject);
      visited.add(page.next);
      next = { ...unconditional, ...addressed(page.next) };
    }
  };
}

/** The error of a list that doesn't end. */
export function endless(subject: string): RemoteError {
  return new RemoteError("tracker", "unreadable", `GitHub's pages of ${subject} don't come to an end.`);
}

/** Gives the answer back if it is a 200. @throws RemoteError */
export function requireOk(answer: ReadAnswer, subject: string, quote: Quote): ReadAnswer {
  if (answer.status !== 200) throw refuseAnswer(answer, subject, quote);
  return answer;
}

function requireSame(url: string, repository: Pick<Repository, "id" | "name">): void {
  const id = readRepositoryId(url);
  if (id === undefined || id === repository.id) return;
  throw new RemoteError("tracker", "missing", `The name ${repository.name} now means another repository.`);
}
