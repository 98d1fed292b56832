import { z } from "zod";
import { readLinks } from "../../../http/headers.ts";
import { isObject, type JsonObject, readCount, readKey, readPath } from "../answer/access.ts";
import { readFlag } from "../answer/record.ts";
import { topLevel } from "../answer/shape.ts";
import { likelyNames, type SignMeaning, signHeadersOf, signs } from "../answer/signs.ts";

const number = z.number().optional();

/**
 * The signs of paging in one answer, as far as it shows any, and as they are kept. `null` means "shown, and there is no next
 * page"; undefined means "not shown".
 */
export const signsShape = z.object({
  /** Address of the next page, absolute or relative, and where it stood. */
  address: z.object({ value: z.string().nullable(), from: z.string() }).optional(),
  /** Cursor of the next page, and the query parameter that takes it. */
  cursor: z.object({ value: z.string().nullable(), param: z.string() }).optional(),
  /** Whether more follows, in so many words. */
  hasMore: z.boolean().optional(),
  page: number,
  pageCount: number,
  /** Number of posts before this page, and the query parameter that takes it. */
  offset: z.object({ value: z.number(), param: z.string() }).optional(),
  /** Number of all posts of the project. */
  total: number,
  /** Number of posts that a full page holds. */
  size: number,
});
export type PageSigns = Readonly<z.output<typeof signsShape>>;

interface SignPaths {
  /** `board.paging.next`. */
  readonly next?: string | undefined;
  /** `board.list.total`; false where the board's total counts something else. */
  readonly total?: string | false | undefined;
  /** Path of the list. The posts themselves show no signs. */
  readonly list: string;
}

type Headers = Readonly<Record<string, string>>;

/**
 * Reads every sign of paging from an answer: its headers, and its whole envelope at any depth. Where two places say
 * different things about how much there is, the one that promises most counts: then nothing is taken for the whole list
 * that may be a part of it.
 */
export function readSigns(value: unknown, headers: Headers, paths: SignPaths, records: number): PageSigns {
  // Each header is a place of its own: of two totals none stands for the other.
  const told = signHeadersOf(headers).map(([name, header]) => ({ at: { [name]: header }, isLikely: true }));
  const places = [...placesOf(value, paths.list), ...told];
  const find = createFind(places);
  const isFree = paths.next === undefined;
  const next = isFree ? findNext(find) : readNext(readPath(value, paths.next), "cursor");
  const [address] = isFree ? find("address", readAddress) : [];
  const [cursor] = isFree ? [...find("cursor", readToken), ...find("token", readWord)] : [];
  const [page] = find("page", readCount);
  const [offset] = find("offset", readCount);
  const [size] = find("size", readCount);
  const more = [
    ...find("hasMore", readFlag).map((one) => one.value),
    ...find("isLast", readYesNo).map((one) => !one.value),
  ];
  const range = readRange(headers["content-range"]);
  const nextPage = headers["x-next-page"]?.trim();
  const { total } = paths;
  const namedTotal = typeof total === "string" ? readCount(readPath(value, total)) : undefined;
  return {
    address: readLink(headers["link"]) ?? next.address ?? wrap(address?.value),
    cursor: cursor
      ? { value: cursor.value, param: cursor.param }
      : (next.cursor ?? (nextPage === undefined ? undefined : { value: nextPage || null, param: "page" })),
    hasMore: more.length === 0 ? undefined : more.includes(true),
    page: page?.value,
    pageCount: most(find("pageCount", readCount)),
    offset: offset ?? range.offset,
    total: total === false ? undefined : (namedTotal ?? readTotal(places, find, records, range.totals)),
    size: size?.value || undefined,
  };
}

/** An object of the envelope. */
interface SignPlace {
  readonly at: JsonObject;
  /** Whether paging is to be expected in it: the list stands below it, or its name says so. */
  readonly isLikely: boolean;
}

const deepest = 6;
const mostPlaces = 500;
/** What stands in these is about one page, not about the list. */
const pageNames = new Set(["next", "prev", "previous", "first", "last", "self"]);

/** The objects around the posts: those above the list first, from the top down, then the others by their depth. */
function placesOf(value: unknown, list: string): SignPlace[] {
  const steps = list === topLevel ? [] : list.split(".").slice(0, -1);
  const above = [value];
  for (const step of steps) above.push(readKey(above.at(-1), step));
  const places: SignPlace[] = above.filter(isObject).map((at) => ({ at, isLikely: true }));
  const isAbove = new Set<unknown>(above);
  let layer: readonly SignPlace[] = places;
  for (let depth = 1; depth <= deepest && places.length < mostPlaces; depth += 1) {
    const around = layer.flatMap(({ at, isLikely }) =>
      Object.entries(at).flatMap(([name, inner]): SignPlace[] => {
        if (!isObject(inner) || isAbove.has(inner) || pageNames.has(name) || holdsList(inner)) return [];
        return [{ at: inner, isLikely: likelyNames.test(name) || (!isAbove.has(at) && isLikely) }];
      }),
    );
    layer = around.slice(0, mostPlaces - places.length);
    places.push(...layer);
  }
  return places;
}

/** The envelope of another list, whose signs are not ours. A list of links is none. */
function holdsList(value: JsonObject): boolean {
  return Object.entries(value).some(
    ([name, inner]) => name !== "links" && Array.isArray(inner) && inner.some(isObject),
  );
}

type Find = <T>(
  meaning: SignMeaning,
  read: (found: unknown) => T | undefined,
) => readonly { readonly value: T; readonly param: string }[];

/**
 * Looks for the signs of a meaning: of each place the most telling one. A place with an unmistakable sign is a likely place
 * for the plain ones.
 */
function createFind(places: readonly SignPlace[]): Find {
  const isTelling = ({ at, isLikely }: SignPlace): boolean =>
    isLikely ||
    signs.some(({ name, isPlain, meaning }) => !isPlain && meaning !== "total" && Object.hasOwn(at, name));
  const telling = new Set(places.filter(isTelling));
  return (meaning, read) => {
    const of = signs.filter((sign) => sign.meaning === meaning);
    const found = places
      .filter((place) => telling.has(place))
      .flatMap(({ at }) => {
        for (const [rank, { name, param = "" }] of of.entries()) {
          const value = read(readKey(at, name));
          if (value !== undefined) return [{ value, param, rank }];
        }
        return [];
      });
    return found.sort((one, other) => one.rank - other.rank);
  };
}

/**
 * How many posts there are in all. A total in an unlikely place counts where no likely one shows any. `count` is the
 * number of posts on the page for one API and of all posts for another: it says something only where it is above what the
 * page shows.
 */
function readTotal(
  places: readonly SignPlace[],
  find: Find,
  records: number,
  ranges: readonly { readonly value: number }[],
) {
  const likely = most([...find("total", readCount), ...ranges]);
  if (likely !== undefined) return likely;
  const anywhere = createFind(places.map(({ at }) => ({ at, isLikely: true })))("total", readCount);
  return most([...anywhere, ...find("count", readCount).filter((one) => one.value > records)]);
}

function most(found: readonly { readonly value: number }[]): number | undefined {
  return found.length === 0 ? undefined : Math.max(...found.map(({ value }) => value));
}

/** A number may be that of the last page. */
function readYesNo(found: unknown): boolean | undefined {
  const isNumber = typeof found === "number" || /^\d+$/.test(String(found));
  return isNumber ? undefined : readFlag(found);
}

/** A next address, cursor or page number; null where it says that there is none. */
function readToken(found: unknown): string | null | undefined {
  if (found === null || found === "" || found === false) return null;
  if (typeof found === "string") return found;
  return typeof found === "number" && Number.isSafeInteger(found) ? String(found) : undefined;
}

/** A cursor where others have a number. */
function readWord(found: unknown): string | undefined {
  return typeof found === "string" && found !== "" && readCount(found) === undefined ? found : undefined;
}

function readAddress(found: unknown): string | null | undefined {
  return typeof found === "number" ? undefined : readToken(found);
}

type Next = Pick<PageSigns, "address" | "cursor">;

function findNext(find: Find): Next {
  const found = find("next", (value) => (value === undefined ? undefined : { value }));
  const nexts = found.map(({ value: { value }, param }) => readNext(value, param || "cursor"));
  return nexts.find(({ address, cursor }) => address !== undefined || cursor !== undefined) ?? {};
}

/** Query parameters that an object of the next page may name. */
const nextParams = ["cursor", "starting_after", "after", "page", "offset", "skip"];

/** Plain `next` may hold an address, a cursor, the number of a page, or an object with one of them. */
function readNext(found: unknown, param: string): Next {
  if (isObject(found)) {
    const address = ["href", "url", "link", "uri"].map((name) => readAddress(readKey(found, name)));
    const value = address.find((one) => one !== undefined);
    if (value !== undefined) return { address: wrap(value) };
    const name = nextParams.find((one) => readToken(readKey(found, one)) !== undefined);
    if (name === undefined) return {};
    return { cursor: { value: readToken(readKey(found, name)) ?? null, param: name } };
  }
  const token = readToken(found);
  if (token === undefined) return {};
  if (typeof found === "number") return { cursor: { value: token, param: "page" } };
  if (token !== null && !looksLikeAddress(token)) return { cursor: { value: token, param } };
  return { address: wrap(token) };
}

function wrap(address: string | null | undefined): PageSigns["address"] {
  return address === undefined ? undefined : { value: address, from: "next address" };
}

function looksLikeAddress(text: string): boolean {
  return /^([a-z][a-z0-9+.-]*:|\/|\?)/i.test(text) || text.includes("?");
}

// RFC 9110, section 14.4; PostgREST leaves the unit out: `0-24/3573`, `0-24/*`, `*/0`.
function readRange(header: string | undefined) {
  const [, start, total] = /(?:(\d{1,15})-\d{1,15}|\*)\/(\d{1,15}|\*)$/.exec(header?.trim() ?? "") ?? [];
  const [before, all] = [readCount(start), readCount(total)];
  return {
    offset: before === undefined ? undefined : { value: before, param: "offset" },
    totals: all === undefined ? [] : [{ value: all }],
  };
}

/** One without `rel="next"` says that there is no next page. */
function readLink(header: string | undefined): PageSigns["address"] {
  const links = readLinks(header);
  const isOfPages = ["next", "prev", "previous", "first", "last"].some((relation) => links.has(relation));
  return isOfPages ? { value: links.get("next") ?? null, from: "Link header" } : undefined;
}
