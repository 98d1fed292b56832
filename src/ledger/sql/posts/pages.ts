import { z } from "zod";
import type { PageTrace } from "../../../model/page.ts";
import type { KnownPage } from "../../pulls.ts";
import { stored } from "../../stored.ts";
import { type Part, type Statements, sql } from "../statements.ts";
import type { Asked } from "../store.ts";
import type { HeldPage, OpenPull } from "./sightings.ts";

/** A pull has no more pages than this, however small they are. */
const mostOfPull = 1_000_000;
/** So many are written at once: a commit costs more than a page, and one that a crash loses is read again. */
const mostWaiting = 100;
/** So many are read at once: to ask for one costs more than to read it. */
const readAtOnce = 20;

const readShown = stored("pages.shown", () => z.array(z.number()));

/**
 * Pages of the board's lists, as they are known again. A page holds as long as the posts that it showed stand in the state as
 * it showed them; that is looked up in the posts themselves, so nothing has to remember to end it.
 */
export function createPages({ run, get, all, upsert }: Statements) {
  // A post that is missing, that we have written to, or that a later page has told anew is not as this page showed it.
  const select = (project: number, which: Part) => all<HeldPage & { readonly isHolding: boolean }>`
    SELECT number, request, digest, etag, last_modified, reading, posts, shown,
      pages.posts = (SELECT count(*) FROM EACH NUMBER pages.shown AS batch
        CROSS JOIN posts ON posts.number = batch.value
        WHERE missing = 0 AND seen_at IS NOT NULL AND posts.page <= pages.number) AS is_holding
    FROM pages WHERE project = ${project} AND ${which}`;
  function* write({ project, pages: { waiting } }: OpenPull): Asked<void> {
    for (const { number, request, digest, etag, lastModified, reading, posts, shown } of waiting.splice(0)) {
      const page = { number, project, request, digest, etag, lastModified, reading, posts, shown };
      yield* upsert("pages", ["project", "request"], page);
    }
  }
  const wait = ({ pages }: OpenPull, page: HeldPage): void => {
    pages.met.push(page.number);
    pages.waiting.push(page);
  };
  return {
    /** The number of the next page that this pull stores. Later ones are higher, also in later pulls. */
    next({ id, pages }: OpenPull) {
      // What this page tells of posts that others show ends those.
      pages.ahead = new Map();
      pages.read += 1;
      return id * mostOfPull + Math.min(pages.read, mostOfPull - 1);
    },
    /**
     * Keeps what a page is known by, inside the transaction that stores its posts.
     *
     * @param toldBy - the highest number of the pages that told what is stored of them.
     */
    *keep(pull: OpenPull, trace: PageTrace, number: number, posts: readonly number[], toldBy: number) {
      if (pull.pages.waiting.length >= mostWaiting) yield* write(pull);
      const page = { ...trace, number, posts: posts.length, shown: JSON.stringify(posts) };
      const [known] = yield* select(pull.project, sql`request = ${trace.request}`);
      if (known !== undefined && known.number >= toldBy && isSamePage(known, page)) {
        pull.pages.met.push(known.number);
      } else {
        wait(pull, page);
      }
    },
    /** A page that holds; it is then the offered one. */
    *find({ pages, project, isBroken }: OpenPull, request: string): Asked<KnownPage | undefined> {
      if (!isBroken && !pages.ahead.has(request)) {
        const wanted = sql`(SELECT number FROM pages WHERE project = ${project} AND request = ${request})`;
        const ahead = sql`number BETWEEN ${wanted} AND ${wanted} + ${readAtOnce - 1}`;
        const found = yield* select(project, ahead);
        pages.ahead = new Map(
          found.map(({ isHolding, ...page }) => [page.request, isHolding ? page : undefined]),
        );
      }
      const holding = isBroken ? undefined : pages.ahead.get(request);
      pages.offered = holding;
      if (holding === undefined) return undefined;
      const { number: _, posts, shown: _shown, ...trace } = holding;
      return { trace, posts };
    },
    /** The offered page is still the same. Returns the numbers of its posts. */
    meet(pull: OpenPull, trace: PageTrace) {
      const { pages } = pull;
      const { offered } = pages;
      if (offered?.request !== trace.request) throw new Error(`Pull ${pull.id} was offered another page.`);
      pages.offered = undefined;
      const page = { ...offered, ...trace };
      if (isSamePage(offered, page)) pages.met.push(page.number);
      else wait(pull, page);
      return readShown(page.shown);
    },
    /**
     * Writes what is still to be written, and forgets the project's pages that the pull has not met; inside a transaction. A pull
     * that is not whole and has met none forgets none: it has looked at some posts once more, and no page is to be known by it.
     */
    *end(pull: OpenPull, isWhole: boolean) {
      if (!pull.isBroken) yield* write(pull);
      const { met } = pull.pages;
      if (!isWhole && met.length === 0) return;
      const { project } = pull;
      const known = yield* get<{ pages: number }>`
        SELECT count(*) AS pages FROM pages WHERE project = ${project}`;
      if (known?.pages !== met.length)
        yield* run`
          DELETE FROM pages WHERE project = ${project} AND number NOT IN (SELECT one.value FROM EACH NUMBER ${met} AS one)`;
    },
  };
}

function isSamePage(one: HeldPage, other: HeldPage): boolean {
  const told = ["digest", "etag", "lastModified", "reading", "shown"] as const;
  return told.every((name) => one[name] === other[name]);
}
