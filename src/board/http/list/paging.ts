import { RemoteError } from "../../../errors.ts";
import { type Excerpt, placeOf } from "../answer/wording.ts";
import { complete, findRest, incomplete, otherTotal, promised, type Step, usualSizes } from "./ends.ts";
import type { PageSigns } from "./page-signs.ts";

/** `board.paging`; what is not set is recognised from the first page. */
export interface PagingOverrides {
  readonly kind?: "cursor" | "page" | "offset" | "none" | undefined;
  /** Query parameter that takes the cursor, page or offset. */
  readonly param?: string | undefined;
  /** Number of the first page, where that is not 1. */
  readonly first?: number | undefined;
  /** Path of the next cursor or address; `lastId`: the cursor is the id of the page's last post. */
  readonly next?: string | undefined;
  /** Query parameter that takes the size of a page; sent only together with `size`. */
  readonly sizeParam?: string | undefined;
  readonly size?: number | undefined;
}

/** A listing ends as incomplete where it goes on beyond one of these. */
export interface PagingLimits {
  readonly pages: number;
  readonly posts: number;
  /** Of all its pages together, unpacked. */
  readonly bytes: number;
}

export interface PagingOptions {
  /** Address of the first page, with the project. */
  readonly first: URL;
  readonly project: string;
  readonly overrides: PagingOverrides;
  /** Whether the overrides were found by asking the board, and not set by a person. */
  readonly isFound?: boolean;
  readonly limits: PagingLimits;
  readonly excerpt: Excerpt;
}

/** What a page brought. */
export interface PageRead {
  readonly signs: PageSigns;
  /** Address that was asked for it. */
  readonly url: URL;
  /** Of its body, unpacked; 0 where the board only said that it has not changed. */
  readonly bytes: number;
  /** Records on it, usable or not. */
  readonly records: number;
  /** Posts on it that no page before has shown. */
  readonly fresh: number;
  /** Posts on it that a page before has shown. */
  readonly repeated: number;
  /** Records on it that can't be told from any other. */
  readonly unusable: number;
  readonly lastId: string | undefined;
}

/** Follows one listing from page to page. It lives as long as the listing. */
export interface Paging {
  /** @throws RemoteError `unreadable` when the next address is unreadable or on another origin. */
  follow(page: PageRead): Step;
  /** How pages follow one another, in a few words; known after the first page. */
  readonly description: string;
  /** By this the listing can be gone on with later, also by another process. */
  readonly state: PagingState;
}

type PagingKind = "address" | "cursor" | "page" | "offset" | "none";

/** What is known of the listing so far. */
interface Progress {
  readonly options: PagingOptions;
  readonly kind: PagingKind;
  readonly page: PageRead;
  /** Pages and records read, this page included. */
  readonly pages: number;
  readonly received: number;
  /** Number of the first page, or its offset. */
  readonly base: number;
  /** Records on the first page. */
  readonly firstRecords: number;
}

/** After so many pages in a row without a new post, a board that still promises more is not believed. */
const mostIdlePages = 3;
const longestAddress = 8000;

/** What is known of a listing between two pages, as JSON keeps it. */
export interface PagingState {
  kind: PagingKind | undefined;
  description: string;
  pages: number;
  received: number;
  bytes: number;
  posts: number;
  unusable: number;
  idlePages: number;
  base: number;
  firstRecords: number;
  /** The least that any answer has told; null where none has. */
  total: number | null;
  pageCount: number | null;
}

export const nothingRead: PagingState = {
  kind: undefined,
  description: "none seen",
  pages: 0,
  received: 0,
  bytes: 0,
  posts: 0,
  unusable: 0,
  idlePages: 0,
  base: 0,
  firstRecords: 0,
  total: null,
  pageCount: null,
};

/** Starts to follow a listing, or goes on with one. */
export function createPaging(options: PagingOptions, known: PagingState = nothingRead): Paging {
  const asked = new Set([options.first.href]);
  const state = { ...known };
  return {
    get description() {
      return state.description;
    },
    get state() {
      return { ...state };
    },
    follow(page) {
      const { signs } = page;
      if (state.kind === undefined) {
        state.kind = recognise(signs, options.overrides);
        state.description = describe(state.kind, signs, options);
        state.base = state.kind === "page" ? (options.overrides.first ?? signs.page ?? 1) : 0;
        state.firstRecords = page.records;
      }
      const { kind, base, firstRecords } = state;
      state.pages += 1;
      state.received += page.records;
      state.bytes += page.bytes;
      state.posts += page.fresh;
      state.unusable += page.unusable;
      // Posts come and go while pages are read: what each answer says there is must have been read.
      state.total = least(state.total, signs.total);
      state.pageCount = least(state.pageCount, signs.pageCount);
      state.idlePages = page.fresh === 0 ? state.idlePages + 1 : 0;
      const { pages, received, posts, unusable, idlePages } = state;
      if (page.repeated > 0 && page.fresh === 0) {
        return incomplete(
          `The board sent a page of posts that it had all sent before.${adviseParam(kind, page.url, options)}`,
        );
      }
      const step = decide({ options, kind, page, pages, received, base, firstRecords });
      if (step.kind === "end") {
        const isSingle = options.overrides.kind === "none";
        const total = state.total ?? Number.POSITIVE_INFINITY;
        const pageCount = state.pageCount ?? Number.POSITIVE_INFINITY;
        const told = { pages, pageCount, read: posts + unusable, total, isSingle };
        return step.end.kind === "complete" ? (findRest(told) ?? step) : step;
      }
      if (idlePages >= mostIdlePages) {
        return incomplete(`The board says that more posts follow, but sent ${idlePages} pages without any.`);
      }
      const beyond = findBeyond(state, options.limits);
      if (beyond !== undefined) return incomplete(`The list was given up after ${beyond}.`);
      if (asked.has(step.url.href)) {
        return incomplete("The board named a page as the next one that had been read before.");
      }
      asked.add(step.url.href);
      return step;
    },
  };
}

/** What of a listing is more than anybody can mean. */
function findBeyond({ pages, posts, bytes }: PagingState, limits: PagingLimits): string | undefined {
  if (pages >= limits.pages) return `${pages} pages`;
  if (posts >= limits.posts) return `${posts} posts`;
  if (bytes < limits.bytes) return undefined;
  const mebibytes = Math.round(limits.bytes / 1024 ** 2);
  return `${mebibytes} MiB; where it really is that long, raise board.maxBytes`;
}

function least(known: number | null, told: number | undefined): number | null {
  return told === undefined ? known : Math.min(known ?? told, told);
}

/** A board that does not know a parameter sends its first page once more. */
function adviseParam(kind: PagingKind, url: URL, { first, overrides }: PagingOptions): string {
  const added = [...url.searchParams.keys()].find((name) => !first.searchParams.has(name));
  if (kind === "address" || kind === "none" || added === undefined || overrides.param !== undefined)
    return "";
  return ` It may not know the parameter \`${added}\`. Name the one that it takes: \`paging: { kind: ${kind}, param: … }\`.`;
}

/** Takes the first way that leads on; where none does, the first that says that there is nothing more. */
function recognise(signs: PageSigns, overrides: PagingOverrides): PagingKind {
  if (overrides.kind !== undefined) {
    // A cursor may be handed out as a whole address; which of the two it is, the first page shows.
    return overrides.kind === "cursor" && signs.address?.value != null ? "address" : overrides.kind;
  }
  if (signs.address?.value != null) return "address";
  if (signs.cursor?.value != null) return "cursor";
  // The first page was asked for: a number that is not that of a first page counts something else.
  if ((signs.page ?? 9) <= 1 || signs.pageCount !== undefined) return "page";
  if (signs.offset?.value === 0) return "offset";
  if (signs.address !== undefined) return "address";
  return signs.cursor === undefined ? "none" : "cursor";
}

function describe(kind: PagingKind, signs: PageSigns, options: PagingOptions): string {
  const { overrides } = options;
  const words: Record<PagingKind, string> = {
    address: signs.address?.from ?? "next address",
    cursor: "cursor",
    page: "page numbers",
    offset: "offset",
    none: "none seen",
  };
  if (options.isFound === true) return `${words[kind]}, found by asking`;
  return overrides.kind === undefined ? words[kind] : `${overrides.kind}, as set in board.paging`;
}

function decide(progress: Progress): Step {
  switch (progress.kind) {
    case "address":
      return followAddress(progress);
    case "cursor":
      return followCursor(progress);
    case "page":
      return count(progress, progress.base + progress.pages);
    case "offset":
      return count(progress, progress.base + progress.received);
    case "none":
      return endSinglePage(progress);
  }
}

function followAddress({ options, page }: Progress): Step {
  const { signs } = page;
  const address = signs.address?.value ?? undefined;
  if (signs.hasMore === false) return complete;
  if (address === undefined) return signs.hasMore === true ? promised : complete;
  if (address.length > longestAddress || !URL.canParse(address, page.url.href)) {
    throw new RemoteError(
      "board",
      "unreadable",
      `The board's address of the next page can't be read: ${options.excerpt(address, 80)}.`,
    );
  }
  const url = new URL(address, page.url);
  if (url.origin !== options.first.origin) {
    const place = options.excerpt(placeOf(url));
    const message = `The board's next page is at ${place}, which is another origin than ${options.first.origin}. It was not asked, because the key must not travel.`;
    throw new RemoteError("board", "unreadable", message);
  }
  // Every call carries the project, whatever the board leaves out of its addresses.
  url.searchParams.set("project", options.project);
  url.hash = "";
  return { kind: "next", url };
}

function followCursor(progress: Progress): Step {
  const {
    options,
    page: { signs },
  } = progress;
  const { overrides } = options;
  if (overrides.next === lastId) return followLastId(progress);
  const cursor = signs.cursor?.value ?? undefined;
  if (signs.hasMore === false) return complete;
  if (cursor === undefined) return signs.hasMore === true ? promised : complete;
  if (cursor.length > longestAddress) {
    throw new RemoteError("board", "unreadable", "The board's cursor of the next page is too long.");
  }
  return nextWith(options, overrides.param ?? signs.cursor?.param ?? "cursor", cursor);
}

/** What `board.paging.next` is called where no answer shows a cursor, because the id of a page's last post is one. */
export const lastId = "lastId";

function followLastId(progress: Progress): Step {
  const { options, page } = progress;
  const hasMore = promisesMore(progress) ?? (page.records > 0 && page.records >= fullSize(progress));
  if (!hasMore) return complete;
  return page.lastId === undefined
    ? promised
    : nextWith(options, options.overrides.param ?? "cursor", page.lastId);
}

/**
 * Page numbers and offsets. What the answer says about more rules; where it says nothing, an empty page or one that is
 * not full is the last.
 */
function count(progress: Progress, next: number): Step {
  const { kind, options, page } = progress;
  const hasMore = promisesMore(progress) ?? (page.records > 0 && page.records >= fullSize(progress));
  if (!hasMore) return complete;
  const param = kind === "page" ? "page" : (page.signs.offset?.param ?? "offset");
  return nextWith(options, options.overrides.param ?? param, String(next));
}

/**
 * What a full page holds: as the board says, as was asked for, or as the first page shows. A first page that stops short
 * of that at a round number is more likely a limit of the board than the end of the list.
 */
function fullSize(progress: Progress): number {
  const { firstRecords } = progress;
  return usualSizes.has(firstRecords) ? firstRecords : (toldSize(progress) ?? firstRecords);
}

function toldSize({ options, page: { signs } }: Progress): number | undefined {
  return signs.size ?? options.overrides.size;
}

function promisesMore({ kind, page: { signs }, pages, received }: Progress): boolean | undefined {
  if (signs.hasMore !== undefined) return signs.hasMore;
  if (kind === "page" && signs.pageCount !== undefined) return pages < signs.pageCount;
  return signs.total === undefined ? undefined : received < signs.total;
}

/** One page, and no way on. It is the whole list unless it says otherwise or looks like a page that was cut. */
function endSinglePage(progress: Progress): Step {
  const { options, page, received } = progress;
  const { signs } = page;
  if (options.overrides.kind === "none") return endFullPage(page.records, options.overrides);
  const hasMore = promisesMore(progress);
  if (hasMore === true) {
    const seen = signs.total === undefined ? "" : ` (${signs.total} posts in all, ${received} shown)`;
    const other = signs.total === undefined ? "" : `; or set ${otherTotal}`;
    const message = `The board says that more posts follow${seen}, but not how to ask for them. Set board.paging: to the way that it knows (\`kind\` and \`param\`), or to larger pages, such as \`paging: { kind: none, sizeParam: limit, size: 1000 }\`${other}.`;
    return { kind: "end", end: { kind: "incomplete", message }, isOpen: true };
  }
  const isSuspicious = page.records === toldSize(progress) || usualSizes.has(page.records);
  if (hasMore === false || !isSuspicious) return complete;
  const message = `The board showed exactly ${page.records} posts and no sign of further pages, which looks like a list that was cut off. Posts missing from it are not taken for deleted. Set board.paging: \`paging: { kind: none }\` if there are no more, else how to ask for them.`;
  return { kind: "end", end: { kind: "cut", message }, isOpen: true };
}

/** A person has said that there is one page. One that is as full as was asked for may still be a part. */
function endFullPage(records: number, { sizeParam, size }: PagingOverrides): Step {
  if (sizeParam === undefined || size === undefined || records < size) return complete;
  return incomplete(
    `The board sent as many posts as it was asked for (${records}), so there may be more. Raise board.paging.size.`,
  );
}

function nextWith(options: PagingOptions, param: string, value: string): Step {
  const url = new URL(options.first);
  url.searchParams.set(param, value);
  return { kind: "next", url };
}
