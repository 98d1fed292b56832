import { z } from "zod";
import { RemoteError } from "../../../errors.ts";
import { type AskedPaging, type PageTrace, type PagingWay, showWay } from "../../../model/page.ts";
import type { PostField, PostId } from "../../../model/post.ts";
import type { ListEnd, ListShape, PagePlace, PostPage } from "../../board.ts";
import { askForMore, namePosts, unanswered } from "./ask-for-more.ts";
import {
  conditionsOf,
  type ListOptions,
  nameRequest,
  type PageReading,
  type Recognised,
  readKept,
  readPage,
  readValidators,
  recallReading,
  recognisedShape,
} from "./page.ts";
import { createPaging, nothingRead, type Paging, type PagingState, pagingShape } from "./paging.ts";
import type { PageRead } from "./steps.ts";

/** Reads a listing page by page; see `Board.listPosts` for the contract. */
export async function* listPages(options: ListOptions): AsyncGenerator<PostPage> {
  const { first, project, log } = options;
  const start = readStart(first.href, options.from);
  let way = start.way;
  let paging = startPaging(options, way, start.paging);
  const known = new Set<PostId>();
  const warned = new Set<PostField>();
  const idTypes = new Set<string>();
  let recognised = start.before;
  let keys: readonly string[] | undefined;
  const lost: Lost = { records: 0, all: 0, first: undefined };
  for (let url: URL | undefined = new URL(start.url); url !== undefined; ) {
    const here: ListStart = { first: first.href, url: url.href, before: recognised };
    const { reading, bytes, ...page } = await askForPage(url, recognised, options);
    const { records, ids } = reading;
    recognised = reading.after;
    keys ??= reading.keys;
    for (const field of reading.mistyped.filter((one) => !warned.has(one))) {
      warned.add(field);
      // Else nobody would know why it counts as unseen.
      log.warn({ project, field }, "A field of the board has values of a type that can't be used");
    }
    const fresh = new Set(ids.filter((id) => !known.has(id)));
    const hasRepeated = ids.some((id) => known.has(id));
    for (const id of fresh) known.add(id);
    const unusable = [...reading.unusable, ...sayMixture(reading.idTypes, idTypes)];
    lost.records += records - ids.length;
    lost.all += records;
    if (records > ids.length) lost.first ??= reading.unusable[0];

    const counts = { records, fresh: fresh.size, hasRepeated, unusable: records - ids.length };
    const pageRead: PageRead = { url, bytes, ...counts, lastId: ids.at(-1), signs: reading.signals };
    let step = paging.follow(pageRead);
    let asked: AskedPaging | undefined;
    let pause: RemoteError | undefined;
    if (step.kind === "end" && step.isOpen === true && options.from === undefined) {
      const before = options.asked;
      const found = before ?? (await askForMore({ url, recognised, ids, records }, options));
      if (found instanceof RemoteError) pause = found;
      const shown = found instanceof RemoteError ? unanswered : found;
      if (before === undefined) asked = shown;
      way = shown?.way;
      paging = goOn(paging, step.end, shown, ids, options);
      step = paging.follow(pageRead);
    }
    const { path = "", idName: id } = recognised;
    const { state } = paging;
    const shape: ListShape = { items: path, id, paging: state.description, keys };
    const end = step.kind === "end" ? lower(step.end, lost) : undefined;
    url = step.kind === "next" ? step.url : undefined;
    const there = url && { first: first.href, url: url.href, before: recognised, way, paging: state };
    const places = { place: JSON.stringify(here) as PagePlace, next: there && keptPlace(there, options) };
    const told = { ...places, seen: new Set(reading.seen), shape, unusable, end };
    yield { ...page, ids, ...told, ...(asked !== undefined && { asked }) };
    // What the board has shown counts; nothing more is asked of it.
    if (pause !== undefined && !options.isPatient) throw pause;
  }
}

/** What a `PagePlace` holds. */
const startShape = z.object({
  /** Address of the list's first page. */
  first: z.string(),
  url: z.string(),
  /** What the pages before had told. */
  before: recognisedShape,
  /** How the list goes on, where asking has found that. */
  way: z
    .object({
      kind: z.enum(["page", "offset", "cursor", "none"]),
      param: z.string(),
      first: z.literal(0).exactOptional(),
      next: z.literal("lastId").exactOptional(),
    })
    .optional(),
  /** Left out where only this page is wanted. */
  paging: pagingShape.exactOptional(),
});
type ListStart = z.output<typeof startShape>;

/**
 * A place in a list at another address is not used: the config may name another board by now, and its key must not go to the
 * old one. Nor is what was not written by this program: the list begins anew.
 */
function readStart(first: string, from: PagePlace | undefined): ListStart {
  const kept = from === undefined ? undefined : readKept(startShape, from);
  return kept?.first === first ? kept : { first, url: first, before: {} };
}

function startPaging(
  { first, project, overrides, limits, excerpt }: ListOptions,
  way: PagingWay | undefined,
  known?: PagingState,
): Paging {
  const ways = { ...overrides.paging, ...way };
  const isFound = way !== undefined;
  return createPaging({ first, project, overrides: ways, isFound, limits, excerpt }, known);
}

/** undefined where the board has put our key into an address: it must not be kept. */
function keptPlace(start: ListStart, { key }: ListOptions): PagePlace | undefined {
  const text = JSON.stringify(start);
  return holdsKey(text, key) ? undefined : (text as PagePlace);
}

function holdsKey(text: string, key: string): boolean {
  return [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)].some((form) => text.includes(form));
}

type AskedPage = Pick<PostPage, "posts" | "notes" | "categories" | "isUnchanged" | "trace"> & {
  readonly reading: PageReading;
  /** Of the plain body. */
  readonly bytes: number;
};

/** Asks for a page, and reads it unless it is known already. */
async function askForPage(url: URL, before: Recognised, options: ListOptions): Promise<AskedPage> {
  const { reader, bounds, overrides, version } = options;
  const request = nameRequest(url, [version, overrides]);
  // Notes are nowhere but on the page itself.
  const found = options.hasNotes ? undefined : await options.known?.find(request);
  const reading = recallReading(found, before);
  const known = reading && found;
  const conditions = known !== undefined && options.isConditional ? conditionsOf(known) : {};
  const answer = await reader.askPage(url, bounds, known && { digest: known.digest, conditions });
  const validators = readValidators(answer.headers);
  if (answer.kind === "read") {
    const { posts, categories, notes, reading } = readPage(answer, before, options);
    const { digest, bytes } = answer;
    const trace: PageTrace = { request, digest, ...validators, reading: JSON.stringify(reading) };
    // Nothing is kept by which the page is known again where that would keep the key.
    const isSafe = !holdsKey([trace.etag, trace.lastModified, trace.reading].join("\n"), options.key);
    return {
      posts,
      categories,
      ...(options.hasNotes && { notes }),
      ...(isSafe && { trace }),
      reading,
      bytes,
    };
  }
  if (known === undefined || reading === undefined)
    throw new Error("The board says that a page is unchanged, and boardsync has never read that page.");
  // Where the board was asked for the page as such, it has said anew what to ask it by.
  const isRenewed = Object.keys(conditions).length === 0;
  const trace = isRenewed ? { ...known, ...validators } : known;
  return { posts: [], isUnchanged: true, trace, reading, bytes: answer.bytes };
}

/**
 * How a list goes on whose first page shows no way on: in the way that `askForMore` has found. Where no request brought
 * another post, a page that only looked like a part is the whole list, for as long as it shows the same posts. If the
 * board itself promises more, the list stays incomplete.
 */
function goOn(
  { state: { description } }: Paging,
  end: ListEnd,
  shown: AskedPaging | undefined,
  ids: readonly PostId[],
  options: ListOptions,
): Paging {
  if (shown?.way?.kind === "none") {
    const message = `The board sends more posts where larger pages are asked for, and knows no further pages. Set board.paging: \`${showWay(shown.way)}\`.`;
    return stopAt({ kind: "incomplete", message }, description);
  }
  if (shown?.way !== undefined) return startPaging(options, shown.way);
  const isWhole = end.kind === "cut" && shown?.posts === namePosts(ids);
  return isWhole ? stopAt({ kind: "complete" }, "none, found by asking") : stopAt(end, description);
}

function stopAt(end: ListEnd, description: string): Paging {
  return { state: { ...nothingRead, description }, follow: () => ({ kind: "end", end }) };
}

/** Records of a listing that could not be used. */
interface Lost {
  records: number;
  /** Records of the listing, usable or not. */
  all: number;
  /** Why the first of these records can't be used. */
  first: string | undefined;
}

/** A record that can't be told may be any post, so nothing that is missing beside it is taken for deleted. */
function lower(end: ListEnd, { records, all, first }: Lost): ListEnd {
  if (records === 0) return end;
  if (records === all)
    return { kind: "incomplete", message: `None of the board's ${all} records can be used. ${first}` };
  if (end.kind === "incomplete") return end;
  const message = `${records} of the board's ${all} records can't be used, so posts missing from the list are not taken for deleted. ${first}`;
  return { kind: "lossy", message };
}

/** A sentence, once a listing, where its ids come both as numbers and as text: in an address 1 and "1" are the same post. */
function sayMixture(types: readonly string[] | undefined, known: Set<string>): readonly string[] {
  const wasMixed = known.size > 1;
  for (const type of types ?? []) known.add(type);
  if (wasMixed || known.size <= 1) return [];
  return [
    'Some ids of the list are numbers and others are text: 1 and "1" count as one post, as the later record shows it.',
  ];
}
