import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Log } from "../../../log.ts";
import type { PageTrace } from "../../../model/page.ts";
import { type Post, type PostField, type PostId, type ProjectId, postFields } from "../../../model/post.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import { readInstant } from "../../../model/time.ts";
import type { ListWishes } from "../../board.ts";
import { readPath } from "../answer/access.ts";
import type { JsonAnswer, Reader } from "../answer/read.ts";
import { type FieldNames, pickRecord, readCategoryName, readNote } from "../answer/record.ts";
import { explainId, findIdName, findList, keysOf, readId, readListAt } from "../answer/shape.ts";
import type { Excerpt } from "../answer/wording.ts";
import { readSigns, signsShape } from "./page-signs.ts";
import type { PagingLimits } from "./paging.ts";
import type { PagingOverrides } from "./steps.ts";

/** One page of a listing: what its answer shows, and what it is known again by. */

/** What a listing has found out about its shape so far. */
export const recognisedShape = z.object({
  /** Path of the list; undefined before the first page. */
  path: z.string().optional(),
  /** Name of the id; undefined while no record was seen. */
  idName: z.string().optional(),
});
export type Recognised = Readonly<z.output<typeof recognisedShape>>;

/** What is kept for a listing, in the state; undefined where it is not what this program writes, and can do without. */
export function readKept<T>(shape: z.ZodType<T>, text: string): T | undefined {
  try {
    return shape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const field = z.enum(postFields);
const words = z.array(z.string());

/** Everything that a listing has to know of a page but its posts. It is kept as JSON, where what is undefined is left out. */
const readingShape = z.object({
  /** What was known before the page: with anything else it would be read in another way. */
  before: recognisedShape,
  after: recognisedShape,
  /** Keys of the records; of the first page only. */
  keys: words,
  /** The signs of paging; by this name they are kept. */
  signals: signsShape,
  /** Records on the page, usable or not. */
  records: z.number(),
  /** Of the usable ones, in their order. */
  ids: words as unknown as z.ZodType<PostId[]>,
  /** As what their ids came; left out where there is none. */
  idTypes: words.exactOptional(),
  seen: z.array(field),
  /** Fields that are there with a value of a wrong type. */
  mistyped: z.array(field),
  unusable: words,
});
export type PageReading = Readonly<z.output<typeof readingShape>>;

/** What a person set because the board's answers can't be recognised: `board.list`, `board.paging`, `board.fields`. */
export interface ListOverrides {
  readonly list: { readonly items?: string | undefined; readonly total?: string | false | undefined };
  readonly paging: PagingOverrides;
  readonly fields: FieldNames & { readonly id?: string | undefined };
}

export interface ListOptions extends ListWishes {
  /** Address of the first page, with the project and, if set, the size of a page. */
  readonly first: URL;
  readonly project: ProjectId;
  readonly bounds: ReadBounds;
  readonly reader: Reader;
  /** The same without a repetition, for what the board need not know. */
  readonly asker: Reader;
  readonly overrides: ListOverrides;
  readonly limits: PagingLimits;
  readonly excerpt: Excerpt;
  readonly log: Log;
  /** Version of boardsync: another one may read the same answer in another way. */
  readonly version: string;
  /** Must not be kept, in whatever a board has put it. */
  readonly key: string;
}

/** How an answer is read. */
type Lens = Pick<ListOptions, "overrides" | "hasNotes" | "excerpt">;

/** At most so many records of a page are explained one by one. */
const mostExplained = 5;

/** @throws RemoteError when the shape of the page can't be recognised. */
export function readPage(answer: JsonAnswer, before: Recognised, lens: Lens) {
  const { value, headers } = answer;
  const { excerpt, overrides } = lens;
  const list =
    before.path === undefined
      ? findList(value, overrides.list.items, excerpt)
      : readListAt(value, before.path, excerpt);
  const idName = before.idName ?? findIdName(list.records, overrides.fields.id, excerpt);
  const { posts, notes, categories, ...read } = readRecords(list.records, idName, lens);
  const isFirst = before.path === undefined;
  const keys = isFirst ? keysOf(list.records) : [];
  const paths = { next: overrides.paging.next, total: overrides.list.total, list: list.path };
  const signals = readSigns(value, headers, paths, list.records.length);
  const reading: PageReading = {
    before,
    after: { path: list.path, idName },
    keys: keys.map((key) => excerpt(key, 60)),
    signals,
    records: list.records.length,
    ...(read.ids.length > 0 && { idTypes: findIdTypes(list.records, idName) }),
    ...read,
  };
  return { posts, notes, categories, reading };
}

function findIdTypes(records: readonly unknown[], idName: string | undefined): string[] {
  const ids = idName === undefined ? [] : records.map((record) => readPath(record, idName));
  return [...new Set(ids.filter((id) => readId(id) !== undefined).map((id) => typeof id))];
}

function readRecords(
  records: readonly unknown[],
  idName: string | undefined,
  { overrides, hasNotes, excerpt }: Lens,
) {
  const posts: Post[] = [];
  const seen = new Set<PostField>();
  const mistyped = new Set<PostField>();
  const notes = new Map<PostId, string | null>();
  const categories = new Map<string, string>();
  const unusable: string[] = [];
  const known = new Map<PostId, Post>();
  const contradicted = new Set<PostId>();
  for (const [index, record] of records.entries()) {
    const picked = pickRecord(record, idName, overrides.fields);
    for (const field of picked.mistyped) mistyped.add(field);
    if (picked.post === undefined) {
      const why = explainId(record, idName ?? "id", excerpt);
      unusable.push(`Record ${index + 1} of a page has no usable id: ${why}.`);
    } else {
      const before = known.get(picked.post.id);
      if (before === undefined) known.set(picked.post.id, picked.post);
      // Nobody can say which of them is true.
      else if (!isDeepStrictEqual(before, picked.post)) contradicted.add(picked.post.id);
      posts.push(picked.post);
      const note = hasNotes ? readNote(record) : undefined;
      if (note !== undefined) notes.set(picked.post.id, note);
      for (const [field, value] of Object.entries(picked.post.values)) {
        // Every post has a status: where none shows one, nothing is known of it.
        if (field !== "status" || value !== null) seen.add(field as PostField);
      }
      const { categoryId } = picked.post.values;
      const name = typeof categoryId === "string" ? readCategoryName(record) : undefined;
      if (name !== undefined) categories.set(String(categoryId), excerpt(name, 100));
    }
  }
  for (const id of contradicted)
    unusable.push(`Records of a page show the post ${excerpt(id, 60)} in several ways.`);
  const rest = unusable.length - mostExplained;
  const explained =
    rest > 0 ? [...unusable.slice(0, mostExplained), `And ${rest} more like this.`] : unusable;
  const sure = contradicted.size === 0 ? posts : posts.filter(({ id }) => !contradicted.has(id));
  const ids = sure.map(({ id }) => id);
  const found = { seen: [...seen], mistyped: [...mistyped], unusable: explained };
  return { posts: sure, ids, notes, categories, ...found };
}

/** The request for a page, as its trace names it. `manner` is whatever decides how the answer is read. */
export function nameRequest(url: URL, manner: unknown): string {
  return hash("sha256", JSON.stringify([url.href, manner]), "base64");
}

/** What was read of a page before; undefined where that was done knowing something else of the listing. */
export function recallReading(trace: PageTrace | undefined, before: Recognised): PageReading | undefined {
  if (trace === undefined) return undefined;
  const reading = readKept(readingShape, trace.reading);
  const isSame = reading?.before.path === before.path && reading?.before.idName === before.idName;
  return isSame ? reading : undefined;
}

/** What makes the request for a known page conditional. An entity tag says more than a time, so only one of them is sent. */
export function conditionsOf({ etag, lastModified }: PageTrace): Readonly<Record<string, string>> {
  if (etag !== undefined) return { "if-none-match": etag };
  return lastModified === undefined ? {} : { "if-modified-since": lastModified };
}

/** By what the board wants to be asked for a page again. */
export function readValidators(
  headers: Readonly<Record<string, string>>,
): Pick<PageTrace, "etag" | "lastModified"> {
  const etag = headers["etag"];
  const isTag = etag !== undefined && etag.length <= longestTag && /^(W\/)?"[\x21\x23-\x7e]*"$/.test(etag);
  return { etag: isTag ? etag : undefined, lastModified: readLastModified(headers) };
}

const longestTag = 500;

/**
 * A time of whole seconds: within the second in which the answer was made the page may change once more unnoticed (RFC 9110,
 * section 8.8.2.2), so that time is of no use.
 */
function readLastModified(headers: Readonly<Record<string, string>>): string | undefined {
  const modified = headers["last-modified"];
  const madeAt = readInstant(headers["date"]);
  return modified !== undefined && readInstant(modified) <= madeAt - 1000 ? modified : undefined;
}
