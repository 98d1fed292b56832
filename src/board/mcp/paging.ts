import { isObject, readKey } from "../http/answer/access.ts";
import { findList } from "../http/answer/shape.ts";
import type { Excerpt } from "../http/answer/wording.ts";
import { type PageSigns, readSigns } from "../http/list/page-signs.ts";
import { usualSizes } from "../http/list/steps.ts";
import type { ToolArguments } from "../tools.ts";

/** What one answer of a tool that lists shows. */
interface ToolPage {
  readonly records: readonly unknown[];
  readonly signs: PageSigns;
}

/** @throws RemoteError where no list, or more than one, can be recognised. */
export function readToolPage(value: unknown, excerpt: Excerpt): ToolPage {
  const { path, records } = findList(value, undefined, excerpt, false);
  return { records, signs: readSigns(value, {}, { list: path }, records.length) };
}

/** How a list goes on: with these arguments; or it ends there, and may be a part. */
export type ToolStep =
  | { readonly kind: "next"; readonly args: ToolArguments }
  | { readonly kind: "end"; readonly isComplete: boolean };

/**
 * The step behind a page. Only an argument that the tool's schema knows leads on.
 *
 * @param args - those that this page was asked for with.
 * @param received - records so far, this page included.
 */
export function stepOn(
  { records, signs }: ToolPage,
  args: ToolArguments,
  schema: unknown,
  received: number,
): ToolStep {
  const known = readKey(schema, "properties");
  const has = (name: string): boolean => isObject(known) && Object.hasOwn(known, name);
  const more = promisesMore(signs, received);
  const looksCut = more === undefined && records.length > 0 && isFull(records.length, signs, args);
  if (more === false || (more === undefined && !looksCut)) return { kind: "end", isComplete: true };
  const next = nextArguments(signs, args, records.length, has);
  const isNew = next !== undefined && JSON.stringify(next) !== JSON.stringify(args);
  if (!isNew || records.length === 0) return { kind: "end", isComplete: false };
  return { kind: "next", args: next };
}

/** Where two signs say different things, the one that promises more counts. */
function promisesMore(
  { hasMore, cursor, page, pageCount, total }: PageSigns,
  received: number,
): boolean | undefined {
  // In so many words: a cursor stands on the last page of some, too, and a total may count what the call leaves out.
  if (hasMore !== undefined) return hasMore;
  const told = [
    cursor && cursor.value !== null,
    page === undefined || pageCount === undefined ? undefined : page < pageCount,
    total === undefined ? undefined : received < total,
  ];
  if (told.includes(true)) return true;
  return told.includes(false) ? false : undefined;
}

function isFull(records: number, signs: PageSigns, args: ToolArguments): boolean {
  const asked = ["limit", "pageSize", "page_size", "perPage", "per_page", "first"].map((name) => args[name]);
  return usualSizes.has(records) || signs.size === records || asked.includes(records);
}

const cursorNames = [
  "cursor",
  "after",
  "pageToken",
  "page_token",
  "starting_after",
  "nextCursor",
  "next_cursor",
];

function nextArguments(
  signs: PageSigns,
  args: ToolArguments,
  records: number,
  has: (name: string) => boolean,
): ToolArguments | undefined {
  const cursor = signs.cursor?.value ?? undefined;
  if (cursor !== undefined) {
    const name = [signs.cursor?.param ?? "cursor", ...cursorNames].find(has);
    if (name === undefined) return undefined;
    return { ...args, [name]: name === "page" ? Number(cursor) : cursor };
  }
  if (has("page")) return { ...args, page: (signs.page ?? numberOf(args["page"]) ?? 1) + 1 };
  const offset = ["offset", "skip"].find(has);
  if (offset === undefined) return undefined;
  return { ...args, [offset]: (signs.offset?.value ?? numberOf(args[offset]) ?? 0) + records };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
