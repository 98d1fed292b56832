import { hash } from "node:crypto";
import { RemoteError } from "../../../errors.ts";
import type { AskedPaging, PagingWay } from "../../../model/page.ts";
import type { PostId } from "../../../model/post.ts";
import { type ListOptions, type Recognised, readPage } from "./page.ts";
import { lastId } from "./steps.ts";

/** The first page of a list that may go on, although no sign in it says how. */
export interface OpenPage {
  readonly url: URL;
  readonly recognised: Recognised;
  readonly ids: readonly PostId[];
  readonly records: number;
}

/** What a list that was asked for in another way shows, held against the first page. `larger`: all of that page, and more. */
type Comparison = "more" | "larger" | "same" | "empty" | "other";

/** What asking would show is not known: the page is taken for no whole list, and asking is left for a while. */
export const unanswered: AskedPaging = { way: undefined, posts: null };

const mostRequests = 6;
const sizeParam = "limit";

/**
 * Asks a board for more in the usual ways, by GET, at most six times. The first answer with posts that the first page lacks
 * is the way on.
 *
 * @returns undefined where the board could not be asked now: no connection, or the end of the run's time; the error where it asks
 *   for a pause.
 */
export async function askForMore(
  first: OpenPage,
  options: ListOptions,
): Promise<AskedPaging | RemoteError | undefined> {
  let left = mostRequests;
  let hasAnswered = false;
  const look = async (param: string, value: string, size?: number): Promise<Comparison> => {
    left -= 1;
    const url = new URL(first.url);
    url.searchParams.set(param, value);
    if (size !== undefined) url.searchParams.set(sizeParam, String(size));
    const ids = await readIds(url, first.recognised, options);
    hasAnswered ||= ids !== "failed";
    return ids === "failed" ? "other" : compareLists(first.ids, ids);
  };
  try {
    const way = await findWay(first, look, () => left > 0);
    return hasAnswered ? { way, posts: namePosts(first.ids) } : unanswered;
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return error.fault === "limited" || error.retryAt !== undefined ? error : undefined;
  }
}

/** Stands for the posts of a page, in any order. */
export function namePosts(ids: readonly PostId[]): string {
  return hash("sha256", JSON.stringify([...ids].sort()), "base64");
}

async function findWay(
  { ids, records }: OpenPage,
  look: (param: string, value: string, size?: number) => Promise<Comparison>,
  mayGoOn: () => boolean,
): Promise<PagingWay | undefined> {
  const second = await look("page", "2");
  if (isMore(second) || second === "empty") {
    // Where the first page has the number 0, page 2 is the third one.
    const one = await look("page", "1");
    if (isMore(one)) return { kind: "page", param: "page", first: 0 };
    if (one === "same") return isMore(second) ? { kind: "page", param: "page" } : undefined;
  }
  for (const param of ["offset", "skip"]) {
    if (isMore(await look(param, String(records)))) return { kind: "offset", param };
  }
  const last = ids.at(-1);
  if (last === undefined) return undefined;
  for (const param of ["cursor", "after"]) {
    if (isMore(await look(param, last))) return { kind: "cursor", param, next: lastId };
  }
  if (!mayGoOn()) return undefined;
  // The last request also asks for one post more: Fider, for example, has no further pages, only larger ones.
  const param = "starting_after";
  const shown = await look(param, last, records + 1);
  if (shown === "larger") return { kind: "none", param: sizeParam };
  return shown === "more" ? { kind: "cursor", param, next: lastId } : undefined;
}

function isMore(shown: Comparison): boolean {
  return shown === "more" || shown === "larger";
}

/**
 * Posts that the first page lacks are more of the list only where they come behind those that it has: a post may have moved to
 * the next page meanwhile. In any other order they are the first page again, with new posts on it.
 */
function compareLists(first: readonly PostId[], ids: readonly PostId[] | undefined): Comparison {
  if (ids === undefined) return "other";
  if (ids.length === 0) return "empty";
  const known = new Set(first);
  const start = ids.findIndex((id) => !known.has(id));
  if (start === -1) return "same";
  if (ids.slice(start).some((id) => known.has(id))) return "same";
  return start >= first.length ? "larger" : "more";
}

/**
 * The posts of an answer; undefined for a definite no, and for one that can't be read; `failed` where the board failed at it.
 *
 * @throws RemoteError where the board gave no answer of its own.
 */
async function readIds(
  url: URL,
  recognised: Recognised,
  options: ListOptions,
): Promise<readonly PostId[] | "failed" | undefined> {
  try {
    const answer = await options.asker.askJson(url, options.bounds);
    return readPage(answer, recognised, { ...options, hasNotes: false }).reading.ids;
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const isAway =
      error.fault === "unreachable" && (error.detail !== "server" || error.retryAt !== undefined);
    if (isAway || error.fault === "limited" || error.fault === "aborted") throw error;
    return error.fault === "unreachable" ? "failed" : undefined;
  }
}
