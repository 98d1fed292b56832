import { z } from "zod";
import type { PageSigns } from "./page-signs.ts";
import {
  incomplete,
  type ListStep,
  otherTotal,
  type PageRead,
  type PagingKind,
  type PagingOverrides,
  pagingKinds,
  type StepOptions,
  takeStep,
} from "./steps.ts";

/** A listing ends as incomplete where it goes on beyond one of these. */
export interface PagingLimits {
  readonly pages: number;
  readonly posts: number;
  /** Of all its pages together, unpacked. */
  readonly bytes: number;
}

/** What a listing is followed with. */
export interface PagingOptions extends StepOptions {
  /** Whether the overrides were found by asking the board, and not set by a person. */
  readonly isFound?: boolean;
  readonly limits: PagingLimits;
}

/** Follows one listing from page to page. It lives as long as the listing. */
export type Paging = ReturnType<typeof createPaging>;

/** After so many pages in a row without a new post, a board that still promises more is not believed. */
const mostIdlePages = 3;

/** What is known of a listing between two pages, as JSON keeps it. */
export const pagingShape = z.object({
  kind: z.enum(pagingKinds).optional(),
  /** How pages follow one another, in a few words; known after the first page. */
  description: z.string(),
  pages: z.number(),
  received: z.number(),
  bytes: z.number(),
  posts: z.number(),
  unusable: z.number(),
  idlePages: z.number(),
  base: z.number(),
  firstRecords: z.number(),
  /** The least that any answer has told; null where none has. */
  total: z.number().nullable(),
  pageCount: z.number().nullable(),
});
export type PagingState = z.output<typeof pagingShape>;

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
export function createPaging(options: PagingOptions, known: PagingState = nothingRead) {
  const asked = new Set([options.first.href]);
  const state = { ...known };
  return {
    /** By this the listing can be gone on with later, also by another process. */
    get state(): PagingState {
      return { ...state };
    },
    /** @throws RemoteError `unreadable` when the next address is unreadable or on another origin. */
    follow(page: PageRead): ListStep {
      const { signs } = page;
      if (state.kind === undefined) {
        state.kind = recognise(signs, options.overrides);
        state.description = describePaging(state.kind, signs, options);
        state.base = state.kind === "page" ? (options.overrides.first ?? signs.page ?? 1) : 0;
        state.firstRecords = page.records;
      }
      const { kind } = state;
      state.pages += 1;
      state.received += page.records;
      state.bytes += page.bytes;
      state.posts += page.fresh;
      state.unusable += page.unusable;
      // Posts come and go while pages are read: what each answer says there is must have been read.
      state.total = least(state.total, signs.total);
      state.pageCount = least(state.pageCount, signs.pageCount);
      state.idlePages = page.fresh === 0 ? state.idlePages + 1 : 0;
      if (page.hasRepeated && page.fresh === 0) {
        return incomplete(
          `The board sent a page of posts that it had all sent before.${adviseParam(kind, page.url, options)}`,
        );
      }
      const step = takeStep({ ...state, options, kind, page });
      if (step.kind === "end") {
        return step.end.kind === "complete" ? (findRest(state, options.overrides) ?? step) : step;
      }
      if (state.idlePages >= mostIdlePages) {
        const says = `The board says that more posts follow, but sent ${state.idlePages} pages without any.`;
        return findRest(state, options.overrides) ?? incomplete(says);
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

/** Holds what was read against what the board says there is. A list that ends before all of that was read is incomplete. */
function findRest(
  { pages, pageCount, posts, unusable, total }: PagingState,
  { kind }: PagingOverrides,
): ListStep | undefined {
  const read = posts + unusable;
  if (total !== null && read < total) {
    return incomplete(
      `The board says that there are ${total} posts, but its list ended after ${read}. Correct board.paging, or set ${otherTotal}.`,
    );
  }
  // A person may have said that the first page is all, whatever the board says of further ones.
  if (kind === "none" || pageCount === null || pages >= pageCount) return undefined;
  return incomplete(
    `The board says that there are ${pageCount} pages, but its list ended after ${pages}. Set board.paging, such as \`paging: { kind: page, param: page }\`.`,
  );
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

function describePaging(kind: PagingKind, signs: PageSigns, options: PagingOptions): string {
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
