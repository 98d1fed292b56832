import { type FieldValue, type Post, type PostField, type PostId, postFields } from "../../../model/post.ts";
import { readInstant } from "../../../model/time.ts";
import { isObject, readPath } from "./access.ts";
import { readId } from "./shape.ts";

/**
 * One record of the board becomes a post: the known fields are picked, everything else (people, notes, whatever a board
 * keeps) is dropped here and never reaches another part of the program. By hand: names and places are looked for one by one, so
 * each value would be a parse of its own. That costs 4.7 µs a record in the place of 2.7, and lists have 100,000 of them.
 */

/** Names or paths set in `board.fields`, instead of the usual ones. */
export type FieldNames = Readonly<Partial<Record<PostField, string | undefined>>>;

/** What a field is also called, beside its name in the API document, as it stands there and with underscores. */
const otherNames: Readonly<Partial<Record<PostField, string>>> = {
  categoryId: "category.id",
  votes:
    "voteCount votesCount vote_count votes_count upvotes upvoteCount _count.votes _count.upvotes totalVotes total_votes",
  url: "publicUrl public_url link permalink",
};

/** Where a record keeps each field, in the order of preference. */
const usualNames: ReadonlyMap<PostField, readonly string[]> = new Map(
  postFields.map((field) => {
    const underscored = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [field, [...new Set([field, underscored, ...(otherNames[field]?.split(" ") ?? [])])]];
  }),
);

/** What a value may be; undefined for a value of a wrong type. */
type ReadValue = (value: unknown) => FieldValue | undefined;

const readings: Readonly<Record<PostField, ReadValue>> = {
  status: readStatus,
  roadmapColumn: readText,
  roadmapOrder: readNumber,
  roadmapPublic: readFlag,
  onRoadmap: readFlag,
  isReviewed: readFlag,
  isArchived: readFlag,
  categoryId: (value) => readText(value) ?? readId(value),
  title: readText,
  description: readText,
  // A count, or the list of voters, of which only the length is of interest.
  votes: (value) => (Array.isArray(value) ? value.length : readNumber(withoutSeparators(value))),
  url: readWebAddress,
  createdAt: readTime,
  updatedAt: readTime,
};

/**
 * Picks the known fields of a record; `names` replaces the usual name of a field.
 *
 * @returns no post where the record has no usable id; `mistyped`: fields that are there with a value of a wrong type.
 */
export function pickRecord(
  record: unknown,
  idName: string | undefined,
  names: FieldNames,
): { readonly post: Post | undefined; readonly mistyped: readonly PostField[] } {
  const id = isObject(record) && idName !== undefined ? readId(readPath(record, idName)) : undefined;
  if (id === undefined) return { post: undefined, mistyped: [] };
  const values: [PostField, FieldValue][] = [];
  const mistyped: PostField[] = [];
  for (const field of postFields) {
    const shown = readField(record, field, names[field]);
    if (shown === undefined) continue;
    const value = shown === null || isEmpty(shown) ? null : readings[field](shown);
    if (value === undefined) mistyped.push(field);
    else values.push([field, value]);
  }
  // The id has just been checked; this is where a board's identifier becomes a PostId.
  const post: Post = { id: id as PostId, values: Object.fromEntries(values) };
  return { post: mistyped.length === 0 ? post : { ...post, unread: mistyped }, mistyped };
}

/** Some boards show an empty list or object where there is nothing. */
function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Where a record keeps its internal note, which is no field of a post. */
const noteNames = ["internalNote", "internal_note"];

/** The internal note of a record: its text, empty where the record says null; undefined where it shows none; null where that is no text. */
export function readNote(record: unknown): string | null | undefined {
  const [shown] = valuesOf(record, noteNames);
  if (shown === undefined) return undefined;
  return shown === null ? "" : (readText(shown) ?? null);
}

/** Where a record keeps the name of its category, by which people know it. */
const categoryNames = [
  "category.name",
  "category.title",
  "category.label",
  "categoryName",
  "category_name",
  "category",
];

/** undefined where the record shows none. */
export function readCategoryName(record: unknown): string | undefined {
  return valuesOf(record, categoryNames)
    .map(readText)
    .find((text) => text !== undefined && text !== "");
}

/** The field under the first of its names that is there; null counts only where no other name has a value. */
function readField(record: unknown, field: PostField, override: string | undefined): unknown {
  const shown = valuesOf(record, override === undefined ? (usualNames.get(field) ?? []) : [override]);
  return shown.find((value) => value !== null) ?? shown[0];
}

/** What a record has under these names, in their order; null counts. */
function valuesOf(record: unknown, names: readonly string[]): readonly unknown[] {
  // JSON:API keeps all but the id in `attributes`: https://jsonapi.org/format/#document-resource-objects
  return [record, readPath(record, "attributes")]
    .flatMap((place) => names.map((name) => readPath(place, name)))
    .filter((value) => value !== undefined);
}

/** Lone surrogates are replaced at once, so that a text is the same before and after it was stored. */
function readText(value: unknown): string | undefined {
  return typeof value === "string" ? value.toWellFormed() : undefined;
}

/** What an object of a status may be known by: what an API takes comes before what people read. */
const statusNames = ["slug", "key", "value", "name", "title", "label"];

/** A status as text, or as an object such as `{ id, name, slug }`. An empty text names none. */
function readStatus(value: unknown): FieldValue | undefined {
  const texts = isObject(value)
    ? statusNames.map((name) => readText(readPath(value, name)))
    : [readText(value)];
  return texts.find((text) => text !== undefined && text !== "") ?? (texts.includes("") ? null : undefined);
}

/** Some APIs have flags as numbers or as text. */
export function readFlag(value: unknown): boolean | undefined {
  if (typeof value === "object") return undefined;
  const text = String(value).toLowerCase();
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : undefined;
}

function readNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** As people write a large number: `1,234`. */
function withoutSeparators(value: unknown): unknown {
  return typeof value === "string" && /^\d{1,3}(?:,\d{3})+$/.test(value) ? value.replaceAll(",", "") : value;
}

/** An address that may stand in an issue: web only, so that `javascript:` and the like go no further. */
function readWebAddress(value: unknown): string | undefined {
  const isAddress = typeof value === "string" && value.length <= 2000 && URL.canParse(value);
  const url = isAddress ? new URL(value) : undefined;
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.href : undefined;
}

/**
 * A time. One that is written as a day stays as it is, because an `updatedAt` is compared and its microseconds must not get
 * lost; what is a number becomes ISO 8601.
 */
function readTime(value: unknown): string | undefined {
  const time = new Date(readInstant(value));
  if (Number.isNaN(time.getTime())) return undefined;
  if (typeof value === "number" || /^\d+$/.test(String(value))) return time.toISOString();
  return /^\d{4}-\d\d-\d\d/.test(String(value)) && String(value).length <= 40 ? String(value) : undefined;
}
