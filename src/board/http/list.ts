import type { Log } from "../../log.ts";
import type { Post, PostField, PostId, ProjectId } from "../../model/post.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import type { ListEnd, ListShape, PostPage } from "../board.ts";
import { createPaging, type PagingLimits, type PagingOverrides } from "./paging.ts";
import type { JsonAnswer, Reader } from "./read.ts";
import { type FieldNames, pickRecord, readNote } from "./record.ts";
import { findIdName, findList, keysOf, readList } from "./shape.ts";
import type { Excerpt } from "./wording.ts";

/** What a person set because the board's answers can't be recognised: `board.list`, `board.paging`, `board.fields`. */
export interface ListOverrides {
  readonly list: { readonly items?: string | undefined; readonly total?: string | undefined };
  readonly paging: PagingOverrides;
  readonly fields: FieldNames & { readonly id?: string | undefined };
}

export interface ListOptions {
  /** Address of the first page, with the project and, if set, the size of a page. */
  readonly first: URL;
  readonly project: ProjectId;
  readonly bounds: ReadBounds;
  readonly reader: Reader;
  readonly overrides: ListOverrides;
  readonly limits: PagingLimits;
  readonly excerpt: Excerpt;
  readonly log: Log;
  readonly hasNotes: boolean;
}

/** At most so many records of a page are explained one by one. */
const mostExplained = 5;

/** Reads a listing page by page; see `Board.listPosts` for the contract. */
export async function* listPages(options: ListOptions): AsyncGenerator<PostPage> {
  const { first, project, bounds, reader, overrides, limits, excerpt } = options;
  const total = overrides.list.total;
  const paging = createPaging({ first, project, overrides: overrides.paging, total, limits, excerpt });
  const known = new Set<PostId>();
  const warned = new Set<PostField>();
  let path: string | undefined;
  let idName: string | undefined;
  let keys: readonly string[] = [];
  let unusable = 0;
  for (let url: URL | undefined = first; url !== undefined; ) {
    const answer: JsonAnswer = await reader.askJson(url, bounds);
    const list =
      path === undefined
        ? findList(answer.value, overrides.list.items, excerpt)
        : readList(answer.value, path, excerpt);
    if (path === undefined) keys = keysOf(list.records).map((key) => excerpt(key, 60));
    path = list.path;
    idName ??= findIdName(list.records, overrides.fields.id, excerpt);
    const read = readRecords(list.records, idName, overrides.fields, options.hasNotes);
    warnOfTypes(read.mistyped, warned, project, options.log);
    const fresh = new Set(read.posts.map((post) => post.id).filter((id) => !known.has(id)));
    const repeated = read.posts.some((post) => known.has(post.id)) ? 1 : 0;
    for (const id of fresh) known.add(id);
    unusable += list.records.length - read.posts.length;

    const step = paging.follow({
      value: answer.value,
      link: answer.headers["link"],
      url,
      list: path,
      records: list.records.length,
      fresh: fresh.size,
      repeated,
    });
    const shape: ListShape = { items: path, id: idName, paging: paging.description, keys };
    const end = step.kind === "end" ? lower(step.end, unusable) : undefined;
    const notes = options.hasNotes ? { notes: read.notes } : {};
    yield { posts: read.posts, seen: read.seen, ...notes, shape, unusable: read.unusable, end };
    url = step.kind === "next" ? step.url : undefined;
  }
}

interface Records {
  readonly posts: readonly Post[];
  readonly seen: ReadonlySet<PostField>;
  readonly notes: ReadonlyMap<PostId, string>;
  readonly mistyped: ReadonlySet<PostField>;
  readonly unusable: readonly string[];
}

function readRecords(
  records: readonly unknown[],
  idName: string | undefined,
  names: FieldNames,
  hasNotes: boolean,
): Records {
  const posts: Post[] = [];
  const seen = new Set<PostField>();
  const mistyped = new Set<PostField>();
  const notes = new Map<PostId, string>();
  const unusable: string[] = [];
  for (const [index, record] of records.entries()) {
    const picked = pickRecord(record, idName, names);
    for (const field of picked.mistyped) mistyped.add(field);
    if (picked.post === undefined) {
      unusable.push(`Record ${index + 1} of a page has no usable ${idName ?? "id"}.`);
    } else {
      posts.push(picked.post);
      const note = hasNotes ? readNote(record) : undefined;
      if (note !== undefined) notes.set(picked.post.id, note);
      for (const field of Object.keys(picked.post.values)) seen.add(field as PostField);
    }
  }
  const rest = unusable.length - mostExplained;
  const explained =
    rest > 0 ? [...unusable.slice(0, mostExplained), `And ${rest} more like this.`] : unusable;
  return { posts, seen, notes, mistyped, unusable: explained };
}

/** A record that can't be told may be any post, so nothing that is missing beside it is taken for deleted. */
function lower(end: ListEnd, unusable: number): ListEnd {
  if (end.kind !== "complete" || unusable === 0) return end;
  const message = `${unusable} of the board's records could not be used, so posts missing from the list are not taken for deleted.`;
  return { kind: "cut", message };
}

/** Says once a listing that a field is there but of no use, so that nobody wonders why it counts as unseen. */
function warnOfTypes(
  mistyped: ReadonlySet<PostField>,
  warned: Set<PostField>,
  project: ProjectId,
  log: Log,
): void {
  for (const field of mistyped) {
    if (warned.has(field)) continue;
    warned.add(field);
    log.warn({ project, field }, "A field of the board has values of a type that can't be used");
  }
}
