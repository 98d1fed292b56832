/** What the board's API document leaves open, as options of the sandbox board. */

/** A post as the sandbox keeps it. */
export interface SandboxPost {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: string;
  readonly categoryId: string | null;
  readonly internalNote: string | null;
  readonly isArchived: boolean;
  readonly isReviewed: boolean;
  readonly onRoadmap: boolean;
  readonly roadmapColumn: string | null;
  readonly roadmapOrder: number | null;
  readonly roadmapPublic: boolean;
  readonly votes: number;
  readonly authorName: string;
  readonly authorEmail: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Where the paging signals stand: beside the list's topmost key, or in an object of their own. */
export type SignalPlace = "top" | "pagination" | "meta" | "pageInfo";

/** How pages follow one another. */
export type PagingStyle =
  /** Everything in one page. */
  | { readonly kind: "none" }
  /** Pages without any sign of paging. Parameters that the board doesn't know are ignored. */
  | {
      readonly kind: "silent";
      readonly param: "page" | "offset" | "skip" | "cursor" | "after" | "starting_after" | "none";
      readonly firstPage?: 0 | 1;
    }
  | { readonly kind: "link"; readonly form?: "absolute" | "relative" }
  | {
      readonly kind: "next";
      readonly name?: "next" | "nextUrl" | "links.next";
      readonly form?: "absolute" | "relative";
      readonly under?: SignalPlace;
    }
  | {
      readonly kind: "cursor";
      readonly name?: "nextCursor" | "next_cursor" | "cursor";
      readonly hasMore?: boolean;
      readonly under?: SignalPlace;
    }
  | {
      readonly kind: "page";
      /** What the answer shows beside the number of the page. */
      readonly told?: "totalPages" | "pages" | "hasMore" | "total" | "limit";
      readonly firstPage?: 0 | 1;
      readonly under?: SignalPlace;
    }
  | { readonly kind: "offset"; readonly told?: "total" | "hasMore" | "limit"; readonly under?: SignalPlace };

export interface BoardStyle {
  /** Path of the list in the answer: `feedback`, `data.feedback`, …; the empty string for a bare array. */
  readonly items: string;
  /** Name of the id in a record. */
  readonly idName: string;
  readonly idType: "text" | "number" | "uuid";
  readonly paging: PagingStyle;
  /** Posts a page. */
  readonly pageSize: number;
  /** Other names for fields of the record, such as `{ status: "state" }`. */
  readonly names: Readonly<Record<string, string>>;
  /** Fields that the record doesn't show at all. */
  readonly hidden: readonly string[];
  /** Whether null fields are left out of the record. */
  readonly omitsNull: boolean;
  /** Whether `false`, `0`, the empty text and null are left out of the record. */
  readonly omitsEmpty: boolean;
  /** Whether the record shows `updatedAt`. */
  readonly showsUpdatedAt: boolean;
  /** Whether the record shows people and internal notes. */
  readonly showsPrivate: boolean;
  /** What a PATCH answers: the record, `{ feedback: record }`, or 204. */
  readonly patchAnswer: "record" | "wrapped" | "empty";
  /** Fields of which a PATCH is taken, and nothing changes. */
  readonly ignored: readonly string[];
  /** A status that a PATCH is refused for. */
  readonly refusedStatus: string | undefined;
  /** Column that a status brings along, as in `{ planned: "PLANNED" }`. */
  readonly columnOf: Readonly<Record<string, string>>;
  /**
   * What a page may be asked for conditionally by: nothing, a tag of the page, one that all pages of a list share, the latest
   * change of any post, or, which is a fault, a tag that stays whatever changes.
   */
  readonly validators: "none" | "etag" | "weak-etag" | "list-etag" | "last-modified" | "stuck-etag";
  /** Names of categories by their ids: the record shows such a one as `category: { id, name }`, too. */
  readonly categoryNames: Readonly<Record<string, string>>;
  /** The spelling that the board gives to a status. */
  readonly spellStatus: (status: string) => string;
  /** The order that a page of the list is cut from: of a board that sorts each page anew. */
  readonly arrange: (posts: readonly SandboxPost[], asked: URL) => readonly SandboxPost[];
}

export type BoardStyleOptions = Partial<BoardStyle>;

/** Fills in the defaults: `{ feedback: [ … ] }` with text ids, pages of 50 by `nextCursor`, the record as answer. */
export function completeStyle(style: BoardStyleOptions): BoardStyle {
  return {
    items: "feedback",
    idName: "id",
    idType: "text",
    paging: { kind: "cursor" },
    pageSize: 50,
    names: {},
    hidden: [],
    omitsNull: false,
    omitsEmpty: false,
    showsUpdatedAt: true,
    showsPrivate: true,
    patchAnswer: "record",
    ignored: [],
    refusedStatus: undefined,
    columnOf: {},
    validators: "none",
    categoryNames: {},
    spellStatus: (status) => status,
    arrange: (posts) => posts,
    ...style,
  };
}

const empty: ReadonlySet<unknown> = new Set([null, false, 0, ""]);

/** A post as the board shows it to a caller of the API. */
export function showRecord(post: SandboxPost, style: BoardStyle, base: string): Record<string, unknown> {
  const { id, authorName, authorEmail, internalNote, updatedAt, ...fields } = post;
  const record: Record<string, unknown> = {
    [style.idName]: style.idType === "number" ? Number(id) : id,
    ...fields,
    url: `${new URL(base).origin}/p/${id}`,
  };
  const category = style.categoryNames[post.categoryId ?? ""];
  if (category !== undefined) record["category"] = { id: post.categoryId, name: category };
  if (style.showsUpdatedAt) record["updatedAt"] = updatedAt;
  if (style.showsPrivate) {
    record["internalNote"] = internalNote;
    record["author"] = { name: authorName, email: authorEmail };
  }
  const isLeftOut = (value: unknown): boolean =>
    style.omitsEmpty ? empty.has(value) : style.omitsNull && value === null;
  const shown = Object.entries(record).filter(
    ([name, value]) => !style.hidden.includes(name) && !isLeftOut(value),
  );
  return Object.fromEntries(shown.map(([name, value]) => [style.names[name] ?? name, value]));
}
