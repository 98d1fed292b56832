import { z } from "zod";
import type { PageTrace } from "../../../model/page.ts";
import type { KnownPage } from "../../pulls.ts";
import { stored } from "../../stored.ts";
import type { Store } from "../file/store.ts";
import type { OpenPull, PageColumns } from "./sightings.ts";

/**
 * Pages of the board's lists, as they are known again. A page holds as long as the posts that it showed stand in the state as
 * it showed them; that is looked up in the posts themselves, so nothing has to remember to end it.
 */
export interface Pages {
  /** The number of the next page that this pull stores. Later ones are higher, also in later pulls. */
  next(pull: OpenPull): number;
  /** Keeps what a page is known by, inside the transaction that stores its posts. */
  keep(pull: OpenPull, trace: PageTrace, page: StoredPage): void;
  /** A page that holds; it is then the offered one. */
  find(pull: OpenPull, request: string): KnownPage | undefined;
  /** The offered page is still the same. Returns the numbers of its posts. */
  meet(pull: OpenPull, trace: PageTrace): readonly number[];
  /**
   * Writes what is still to be written, and forgets the project's pages that the pull has not met; inside a transaction. A pull
   * that is not whole and has met none forgets none: it has looked at some posts once more, and no page is to be known by it.
   */
  end(pull: OpenPull, isWhole: boolean): void;
}

/** A page whose posts have been stored. */
export interface StoredPage {
  readonly number: number;
  readonly posts: readonly number[];
  /** The highest number of the pages that told what is stored of them. */
  readonly toldBy: number;
}

/** A pull has no more pages than this, however small they are. */
const mostOfPull = 1_000_000;
/** So many are written at once: a commit costs more than a page, and one that a crash loses is read again. */
const mostWaiting = 100;

const readShown = stored("pages.shown", () => z.array(z.number()));

/** Makes the memory of pages. */
export function createPages(store: Store): Pages {
  // A post that is missing, that we have written to, or that a later page has told anew is not as this page showed it.
  const find = store.prepare<[number, string], PageColumns & { posts: number; isHolding: number }>(`
    SELECT number, project, request, digest, etag, last_modified, reading, shown, json_array_length(shown) AS posts,
      json_array_length(shown) = (SELECT count(*) FROM json_each(pages.shown) AS batch
        CROSS JOIN posts ON posts.number = batch.value
        WHERE missing = 0 AND seen_at IS NOT NULL AND posts.page <= pages.number) AS isHolding
    FROM pages WHERE project = ? AND request = ?`);
  const insert = store.prepare<[PageColumns]>(`
    INSERT OR REPLACE INTO pages (number, project, request, digest, etag, last_modified, reading, shown)
    VALUES (@number, @project, @request, @digest, @etag, @last_modified, @reading, @shown)`);
  const count = store.prepare<[number], { pages: number }>(
    "SELECT count(*) AS pages FROM pages WHERE project = ?",
  );
  const deleteOthers = store.prepare<[number, string]>(
    "DELETE FROM pages WHERE project = ? AND number NOT IN (SELECT value FROM json_each(?))",
  );
  const write = ({ pages: { waiting } }: OpenPull): void => {
    for (const page of waiting) insert.run(page);
    waiting.length = 0;
  };
  const wait = (pull: OpenPull, page: PageColumns): void => {
    pull.pages.met.push(page.number);
    pull.pages.waiting.push(page);
  };
  return {
    next({ id, pages }) {
      pages.read += 1;
      return id * mostOfPull + Math.min(pages.read, mostOfPull - 1);
    },
    keep(pull, trace, { number, posts, toldBy }) {
      if (pull.pages.waiting.length >= mostWaiting) write(pull);
      const page = toColumns(trace, number, pull.project, JSON.stringify(posts));
      const known = find.get(pull.project, trace.request);
      if (known !== undefined && known.number >= toldBy && isSamePage(known, page)) {
        pull.pages.met.push(known.number);
      } else {
        wait(pull, page);
      }
    },
    find(pull, request) {
      const found = pull.isBroken ? undefined : find.get(pull.project, request);
      const holding = found?.isHolding === 1 ? found : undefined;
      pull.pages.offered = holding;
      return holding && { trace: toTrace(holding), posts: holding.posts };
    },
    meet(pull, trace) {
      const { pages, project } = pull;
      const { offered } = pages;
      if (offered?.request !== trace.request) throw new Error(`Pull ${pull.id} was offered another page.`);
      pages.offered = undefined;
      const page = toColumns(trace, offered.number, project, offered.shown);
      if (isSamePage(offered, page)) pages.met.push(offered.number);
      else wait(pull, page);
      return readShown(offered.shown);
    },
    end(pull, isWhole) {
      if (!pull.isBroken) write(pull);
      const { met } = pull.pages;
      if (!isWhole && met.length === 0) return;
      if (count.get(pull.project)?.pages !== met.length) deleteOthers.run(pull.project, JSON.stringify(met));
    },
  };
}

function isSamePage(one: PageColumns, other: PageColumns): boolean {
  return (
    one.digest === other.digest &&
    one.etag === other.etag &&
    one.last_modified === other.last_modified &&
    one.reading === other.reading &&
    one.shown === other.shown
  );
}

function toColumns(trace: PageTrace, number: number, project: number, shown: string): PageColumns {
  const { request, digest, etag = null, lastModified: last_modified = null, reading } = trace;
  return { number, project, request, digest, etag, last_modified, reading, shown };
}

function toTrace({ request, digest, etag, last_modified, reading }: PageColumns): PageTrace {
  return {
    request,
    digest,
    etag: etag ?? undefined,
    lastModified: last_modified ?? undefined,
    reading,
  };
}
