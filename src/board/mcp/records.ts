import type { ToolRecord } from "../../model/post.ts";
import { isObject, type JsonObject, readKey, readPath } from "../http/answer/access.ts";
import { readFlag } from "../http/answer/record.ts";
import { idNamesKnown, readId } from "../http/answer/shape.ts";

/** What can be recognised of the records that tools show, whose names the board's API document leaves open. */

/** @param idPath - `result` of the config: where the id stands, if it can't be recognised. */
export function readRecord(
  value: unknown,
  idPath: string | undefined,
  names = listIdNames,
): ToolRecord | undefined {
  if (!isObject(value)) return undefined;
  const shown = names.map((name) => readKey(value, name)).find((one) => readId(one) !== undefined);
  const id = readId(idPath === undefined ? shown : readPath(value, idPath));
  if (id === undefined) return undefined;
  const [title, text, url] = [titleNames, textNames, urlNames].map((names) => findText(value, names));
  const isPublished = readPublished(value);
  return {
    id,
    ...(title !== undefined && { title }),
    ...(text !== undefined && { text }),
    ...(url !== undefined && { url }),
    ...(isPublished !== undefined && { isPublished }),
  };
}

/**
 * The one record of an answer: the answer itself, or the only object with an id one or two levels below.
 *
 * @param idPath - from the top of the answer.
 */
export function findRecord(value: unknown, idPath: string | undefined): ToolRecord | undefined {
  if (idPath !== undefined) {
    const id = readId(readPath(value, idPath));
    if (id === undefined) return undefined;
    const around = readPath(value, idPath.split(".").slice(0, -1).join("."));
    const record = idPath.includes(".") ? around : value;
    return { ...readRecord({ ...(isObject(record) && record), id }, "id"), id };
  }
  let layer = [value].filter(isObject);
  for (let depth = 0; depth <= deepest; depth += 1) {
    const [record, ...others] = layer.flatMap((one) => readRecord(one, undefined, idNames) ?? []);
    if (record !== undefined) return others.length === 0 ? record : undefined;
    layer = layer.flatMap((one) => Object.values(one).filter(isObject));
  }
  return undefined;
}

const deepest = 2;

const idNames = [...idNamesKnown, "entryId", "entry_id", "changelogId", "changelog_id", "post_id"];
/** Of a record of a list. What is made is no category, and may name its own. */
const listIdNames = [...idNames, "categoryId", "category_id"];
const titleNames = ["title", "name"];
const textNames = ["content", "body", "description", "markdown"];
const urlNames = ["url", "publicUrl", "public_url", "link", "permalink"];
/** More of a text is not looked at. */
const longestText = 256 * 1024;

function findText(record: JsonObject, names: readonly string[]): string | undefined {
  const found = names.map((name) => readKey(record, name)).find((value) => typeof value === "string");
  return typeof found === "string" ? found.slice(0, longestText) : undefined;
}

/** By what an entry says whether it is published; undefined where a value says nothing of it. */
const publishedSigns: readonly (readonly [names: readonly string[], read: ReadSign])[] = [
  [["published", "isPublished", "is_published"], readFlag],
  [["draft", "isDraft", "is_draft"], (value) => not(readFlag(value))],
  [["status", "state"], readState],
  [["publishedAt", "published_at"], (value) => (value === undefined ? undefined : (value ?? "") !== "")],
];
type ReadSign = (value: unknown) => boolean | undefined;

/** An entry that anything calls published is: such a one is never changed. */
function readPublished(record: JsonObject): boolean | undefined {
  const said = publishedSigns
    .flatMap(([names, read]) => names.map((name) => read(readKey(record, name))))
    .filter((one) => one !== undefined);
  return said.length === 0 ? undefined : said.includes(true);
}

function readState(value: unknown): boolean | undefined {
  if (typeof value !== "string") return undefined;
  if (/^(?:published|public|live)$/i.test(value)) return true;
  return /^(?:draft|unpublished|scheduled|private)$/i.test(value) ? false : undefined;
}

function not(flag: boolean | undefined): boolean | undefined {
  return flag === undefined ? undefined : !flag;
}
