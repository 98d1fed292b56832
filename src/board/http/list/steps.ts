import { RemoteError } from "../../../errors.ts";
import type { ListEnd } from "../../board.ts";
import { type Excerpt, showAddress } from "../answer/wording.ts";
import type { PageSigns } from "./page-signs.ts";

/** How a listing goes on behind one page, or ends there, and what its end has to be held against. */

/** The address of the next page, or how the listing ended. `isOpen`: no sign leads on, and yet there may be more. */
export type ListStep =
  | { readonly kind: "next"; readonly url: URL }
  | { readonly kind: "end"; readonly end: ListEnd; readonly isOpen?: true };

/** `board.paging`, as the config describes it; what is not set is recognised from the first page. */
export interface PagingOverrides {
  readonly kind?: "cursor" | "page" | "offset" | "none" | undefined;
  readonly param?: string | undefined;
  readonly first?: number | undefined;
  readonly next?: string | undefined;
  /** Sent only together with `size`. */
  readonly sizeParam?: string | undefined;
  readonly size?: number | undefined;
}

/** What the steps of a listing depend on beside its pages. */
export interface StepOptions {
  /** Address of the first page, with the project. */
  readonly first: URL;
  /** undefined for a list that is of no project. */
  readonly project: string | undefined;
  readonly overrides: PagingOverrides;
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
  /** Whether a page before has shown any post on it. */
  readonly hasRepeated: boolean;
  /** Records on it that can't be told from any other. */
  readonly unusable: number;
  readonly lastId: string | undefined;
}

/** How the pages of a listing follow one another. */
export const pagingKinds = ["address", "cursor", "page", "offset", "none"] as const;
export type PagingKind = (typeof pagingKinds)[number];

/** What is known of the listing so far. */
export interface Progress {
  readonly options: StepOptions;
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

const longestAddress = 8000;

/** Sizes that boards cut their lists at. */
export const usualSizes: ReadonlySet<number> = new Set([
  10, 15, 20, 24, 25, 30, 40, 48, 50, 60, 64, 75, 100, 120, 125, 128, 150, 200, 250, 256, 300, 400, 500, 512,
  1000, 1024, 2000, 2500, 5000, 10_000,
]);

/** The step from one page to the next, by how the pages of this listing follow one another. */
export function takeStep(progress: Progress): ListStep {
  switch (progress.kind) {
    case "address":
      return followAddress(progress);
    case "cursor":
      return followCursor(progress);
    case "page":
      return countOn(progress, progress.base + progress.pages);
    case "offset":
      return countOn(progress, progress.base + progress.received);
    case "none":
      return endSinglePage(progress);
  }
}

function followAddress({ options, page }: Progress): ListStep {
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
    const place = options.excerpt(showAddress(url));
    const message = `The board's next page is at ${place}, which is another origin than ${options.first.origin}. It was not asked, because the key must not travel.`;
    throw new RemoteError("board", "unreadable", message);
  }
  // Every call carries the project, whatever the board leaves out of its addresses.
  if (options.project !== undefined) url.searchParams.set("project", options.project);
  url.hash = "";
  return { kind: "next", url };
}

/** What `board.paging.next` is called where no answer shows a cursor, because the id of a page's last post is one. */
export const lastId = "lastId";

function followCursor(progress: Progress): ListStep {
  const { options, page } = progress;
  const isLastId = options.overrides.next === lastId;
  const sign = isLastId ? { value: page.lastId, param: "cursor" } : page.signs.cursor;
  const hasMore = isLastId ? goesOn(progress) : page.signs.hasMore;
  const cursor = sign?.value ?? undefined;
  if (hasMore === false) return complete;
  if (cursor === undefined) return hasMore === true ? promised : complete;
  if (cursor.length > longestAddress) {
    throw new RemoteError("board", "unreadable", "The board's cursor of the next page is too long.");
  }
  return nextWith(options, options.overrides.param ?? sign?.param ?? "cursor", cursor);
}

/** Page numbers and offsets. */
function countOn(progress: Progress, next: number): ListStep {
  const { kind, options, page } = progress;
  if (!goesOn(progress)) return complete;
  const param = kind === "page" ? "page" : (page.signs.offset?.param ?? "offset");
  return nextWith(options, options.overrides.param ?? param, String(next));
}

/** If the answer says whether more follows, that counts. If it says nothing, an empty page is the last, and so is one that is not full. */
function goesOn(progress: Progress): boolean {
  const { records } = progress.page;
  return promisesMore(progress) ?? (records > 0 && records >= fullSize(progress));
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

function promisesMore({ kind, page, pages, received }: Progress): boolean | undefined {
  const { signs, records } = page;
  if (signs.hasMore !== undefined) return signs.hasMore;
  if (kind === "page" && signs.pageCount !== undefined) return pages < signs.pageCount;
  const isNumbered = signs.page !== undefined || signs.offset !== undefined;
  const mayBeFull = usualSizes.has(records) && records >= (signs.size ?? records);
  // It may count just what the page shows, and that looks like a part.
  if (signs.total === records && mayBeFull && !isNumbered) return undefined;
  return signs.total === undefined ? undefined : received < signs.total;
}

/** One page, and no way on. It is the whole list unless it says otherwise or looks like a page that was cut. */
function endSinglePage(progress: Progress): ListStep {
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
function endFullPage(records: number, { sizeParam, size }: PagingOverrides): ListStep {
  if (sizeParam === undefined || size === undefined || records < size) return complete;
  return incomplete(
    `The board sent as many posts as it was asked for (${records}), so there may be more. Raise board.paging.size.`,
  );
}

function nextWith(options: StepOptions, param: string, value: string): ListStep {
  const url = new URL(options.first);
  url.searchParams.set(param, value);
  return { kind: "next", url };
}

/** What a person may set of a total. */
export const otherTotal = "`list: { total: false }` if its total counts something else than these posts";

/** All was read. */
const complete: ListStep = { kind: "end", end: { kind: "complete" } };

/** The board promises more under a sign that has no value. */
const promised = incomplete(
  "The board says that more posts follow, but does not say where. Set board.paging to where the next cursor stands, such as `paging: { kind: cursor, next: meta.nextCursor }`.",
);

/** What was read is a part. */
export function incomplete(message: string): ListStep {
  return { kind: "end", end: { kind: "incomplete", message } };
}
