import { RemoteError } from "../../../errors.ts";
import { isObject, type JsonObject, readKey, readPath } from "./access.ts";
import { type Excerpt, listNames } from "./wording.ts";

/**
 * Finding the posts in an answer whose shape the board's API document leaves open. Nothing is guessed: exactly one
 * array and exactly one id must offer themselves, or a person names them in the config.
 */

/** How the path of a bare array is called. */
export const topLevel = "(top level)";

/** Names under which boards keep their list, at one or two levels. */
const listNamesKnown = ["feedback", "feedbacks", "posts", "items", "data", "results", "records"];

/** Names that an identifier goes by, where none is set. */
export const idNamesKnown = ["id", "_id", "postId", "feedbackId", "uuid"];

export interface FoundList {
  /** Dotted path, or `(top level)`. */
  readonly path: string;
  readonly records: readonly unknown[];
}

/**
 * Finds the array of records in the first page of a listing.
 *
 * @param override the path set as `board.list.items`.
 * @param ofPosts - whether the records are posts.
 * @throws RemoteError `unreadable`, with the keys that were seen, when no array or more than one offers itself.
 */
export function findList(
  value: unknown,
  override: string | undefined,
  excerpt: Excerpt,
  ofPosts = true,
): FoundList {
  if (override !== undefined) return readListAt(value, override, excerpt);
  if (Array.isArray(value)) return { path: topLevel, records: value };
  const connections = findConnections(value);
  if (connections.length === 1 && connections[0] !== undefined) return connections[0];
  const named = listPaths(value, (key) => listNamesKnown.includes(key)).filter(holdsRecords);
  const candidates = named.length > 0 ? named : findUnnamed(value, ofPosts);
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return only;
  const [list, answer] = ofPosts
    ? ["list of posts", "the board's answer"]
    : ["list", "what the tool answered"];
  const paths = candidates.map(({ path }) => path);
  const found =
    only === undefined
      ? `No ${list} was recognised in ${answer}`
      : `More than one list was found in ${answer} (${listNames(paths, excerpt)})`;
  const seen = `${found}. It has the keys ${describeKeys(value, excerpt)}.`;
  // No setting says where a tool has its list.
  if (!ofPosts) throw new RemoteError("board", "unreadable", seen, { detail: "told" });
  throw new RemoteError(
    "board",
    "unreadable",
    `${seen} Set board.list.items to the path of the list${showLines(candidates.length > 0 ? candidates : deepLists(value), excerpt)}.`,
  );
}

/** The lines of the config that name one of these lists. */
function showLines(lists: readonly FoundList[], excerpt: Excerpt): string {
  const lines = lists.slice(0, 5).map(({ path }) => `\`list: { items: ${excerpt(path, 60)} }\``);
  return lines.length === 0 ? "" : `: ${lines.join(" or ")}`;
}

/** Reads the list where the first page had it. @throws RemoteError `unreadable` when it is not there. */
export function readListAt(value: unknown, path: string, excerpt: Excerpt): FoundList {
  const records = path === topLevel ? value : readPath(value, path);
  if (Array.isArray(records))
    return { path, records: path.endsWith(edges) ? records.map(readNode) : records };
  throw new RemoteError(
    "board",
    "unreadable",
    `The board's answer has no list at ${excerpt(path)}. It has the keys ${describeKeys(value, excerpt)}. Set board.list.items to the path of the list.`,
  );
}

const edges = "edges";

/** Relay's connections: `edges[].node` beside `pageInfo`, as https://relay.dev/graphql/connections.htm has them. */
function findConnections(value: unknown): FoundList[] {
  return deepLists(value)
    .filter(
      ({ path, records }) => path.endsWith(edges) && records.every((edge) => isObject(readKey(edge, "node"))),
    )
    .map(({ path, records }) => ({ path, records: records.map(readNode) }));
}

function readNode(edge: unknown): unknown {
  const node = readKey(edge, "node");
  return isObject(node) ? node : edge;
}

const deepest = 5;

/** Every array of objects, at any depth within bounds and outside of other arrays. */
function deepLists(value: unknown, path: readonly string[] = []): FoundList[] {
  return entriesOf(value).flatMap(([key, inner]): FoundList[] => {
    const here = [...path, key];
    if (Array.isArray(inner))
      return inner.some(isObject) || key === edges ? [{ path: here.join("."), records: inner }] : [];
    return here.length < deepest ? deepLists(inner, here) : [];
  });
}

/** Every array at one or two levels whose keys are accepted. */
function listPaths(value: unknown, accepts: (key: string) => boolean): FoundList[] {
  const found: FoundList[] = [];
  for (const [key, inner] of entriesOf(value).filter(([key]) => accepts(key))) {
    if (Array.isArray(inner)) found.push({ path: key, records: inner });
    for (const [innerKey, records] of entriesOf(inner).filter(([key]) => accepts(key))) {
      if (Array.isArray(records)) found.push({ path: `${key}.${innerKey}`, records });
    }
  }
  return found;
}

/**
 * The only array of objects there is. An empty one counts where there is no full one, or where the name of that says that it holds no
 * posts: a board without posts may list its categories all the same.
 */
function findUnnamed(value: unknown, ofPosts: boolean): FoundList[] {
  const all = listPaths(value, () => true).filter(holdsRecords);
  const full = all.filter((list) => list.records.length > 0);
  const isDoubtful = ofPosts && full.every(isAside) && !all.every(isAside);
  return full.length > 0 && !isDoubtful ? full : all;
}

/** Whether an answer lists anything that its name does not set aside. @param wanted - what its list may be called all the same. */
export function showsRecords(value: unknown, wanted?: string): boolean {
  return deepLists(value).some(
    (list) => list.records.length > 0 && (nameOf(list) === wanted || !isAside(list)),
  );
}

function isAside(list: FoundList): boolean {
  return aside.test(nameOf(list));
}

function nameOf({ path }: FoundList): string {
  return path.split(".").at(-1) ?? "";
}

/** What lists beside the posts are called. */
const aside =
  /^(?:categor(?:y|ies)|tags?|labels?|status(?:es)?|columns?|users?|members?|authors?|projects?|boards?|errors?|warnings?|notices?|links?|filters?|options?)$/i;

function entriesOf(value: unknown): [string, unknown][] {
  // A key with a dot in it can't be told from a path, and no board needs one.
  return isObject(value) ? Object.entries(value).filter(([key]) => !key.includes(".")) : [];
}

function holdsRecords(list: FoundList): boolean {
  return list.records.length === 0 || list.records.some(isObject);
}

/** The keys of an answer for a person: two levels, names only. */
function describeKeys(value: unknown, excerpt: Excerpt): string {
  const paths = entriesOf(value).flatMap(([key, inner]) => [
    key,
    ...entriesOf(inner).map(([innerKey]) => `${key}.${innerKey}`),
  ]);
  return listNames(paths, excerpt);
}

/**
 * Finds the name of the identifier in the records of a page.
 *
 * @param override the name or path set as `board.fields.id`.
 * @returns undefined while there is no record to look at.
 * @throws RemoteError `unreadable` when no name or more than one offers itself.
 */
export function findIdName(
  records: readonly unknown[],
  override: string | undefined,
  excerpt: Excerpt,
): string | undefined {
  const objects = records.filter(isObject);
  if (override !== undefined) return override;
  if (records.length === 0) return undefined;
  const names = idNamesKnown.filter((name) => objects.some((record) => isIdLike(readKey(record, name))));
  const [first] = names;
  // Two names with the same value in every record are one id under two names, as MongoDB's libraries give it.
  const isSame = (one: string, other: string): boolean =>
    objects.every((record) => readKey(record, one) === readKey(record, other));
  if (first !== undefined && names.every((name) => isSame(first, name))) return first;
  // A known name without any value that could be an id: each record then says what it has there instead.
  const [only, ...others] = idNamesKnown.filter((name) =>
    objects.some((record) => Object.hasOwn(record, name)),
  );
  if (first === undefined && only !== undefined && others.length === 0) return only;
  const found =
    first === undefined
      ? "The posts' id was not recognised"
      : `More than one field could be the posts' id (${listNames(names, excerpt)})`;
  const keys = listNames(keysOf(records), excerpt);
  throw new RemoteError(
    "board",
    "unreadable",
    `${found}. The records have the keys ${keys}. Set board.fields.id to the name of the id${showIdLines(objects, names, excerpt)}.`,
  );
}

/** The lines of the config that name one of the ids, or else a field with another value in each record. */
function showIdLines(records: readonly JsonObject[], names: readonly string[], excerpt: Excerpt): string {
  const isUnique = (key: string): boolean => {
    const values = records.map((record) => readKey(record, key));
    return values.every(isIdLike) && new Set(values).size === values.length;
  };
  const unique = keysOf(records).filter((key) => /id|key|number|no$|slug/i.test(key) && isUnique(key));
  const lines = (names.length > 0 ? names : unique).slice(0, 5);
  if (lines.length === 0) return "";
  return `: ${lines.map((name) => `\`fields: { id: ${excerpt(name, 60)} }\``).join(" or ")}`;
}

function isIdLike(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}

/** Every key that some record has, sorted. */
export function keysOf(records: readonly unknown[]): readonly string[] {
  return [...new Set(records.filter(isObject).flatMap((record) => Object.keys(record)))].sort();
}

/** An id that is used to name a post to the board: text, without anything that could bend an address or a log line. */
export function readId(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined;
  const isUsable =
    typeof value === "string" && value.length > 0 && value.length <= longestId && !unusable.test(value);
  return isUsable ? value : undefined;
}

/** Why a record has no id that could be used, as the end of a sentence. @param name of the id. */
export function explainId(record: unknown, name: string, excerpt: Excerpt): string {
  if (!isObject(record)) return `it is ${nameType(record)}, and no object`;
  return `\`${excerpt(name, 60)}\` ${explainValue(readPath(record, name))}`;
}

function explainValue(value: unknown): string {
  if (value === undefined) return "is not there";
  if (value === "") return "is empty";
  if (typeof value === "string")
    return value.length > longestId
      ? `is text of ${value.length} characters, and ${longestId} are the most`
      : "has characters that can't be shown";
  if (typeof value !== "number") return `is ${nameType(value)}`;
  if (!Number.isInteger(value)) return `is ${value}, and no whole number`;
  return `is a number beyond ${Number.MAX_SAFE_INTEGER}, whose last digits are lost: the board has to send it as text, or another field has to be named in board.fields.id`;
}

function nameType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  const type = typeof value;
  if (type === "string") return "text";
  return type === "object" ? "an object" : `a ${type}`;
}

const longestId = 200;
const unusable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
