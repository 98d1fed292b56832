import type { ToolRecord } from "../../model/post.ts";
import { hashText } from "../ground/hash.ts";

/** What a list tells of an entry that may have been made. */
type FoundEntry =
  /** It has the text, too. */
  | { readonly kind: "found"; readonly entry: ToolRecord }
  /** They are called so, and the text tells none of them apart. */
  | { readonly kind: "alike"; readonly entries: readonly ToolRecord[] }
  | { readonly kind: "none" };

/**
 * The entry of a title and a text, among those that may be it.
 *
 * @param prints what `printEntry` makes of the texts that were sent.
 * @param taken ids of those that are another release's, or were there before.
 */
export function findEntry(
  entries: readonly ToolRecord[],
  title: string,
  prints: readonly (string | undefined)[],
  taken: ReadonlySet<string>,
): FoundEntry {
  const alike = entries.filter((entry) => isCalled(entry, title) && !taken.has(entry.id));
  const [same, ...others] = alike.filter((entry) => prints.includes(printEntry(entry)));
  if (same !== undefined && others.length === 0) return { kind: "found", entry: same };
  return alike.length === 0 ? { kind: "none" } : { kind: "alike", entries: alike };
}

/**
 * What was found counts as made by a call: by its text, which boards may change, or as the only one that was not there before the call.
 *
 * @param before the entries of its title that were there before; undefined where nobody knows.
 */
export function ownEntry(
  found: FoundEntry | undefined,
  before: readonly string[] | undefined,
): ToolRecord | undefined {
  if (found?.kind === "found") return found.entry;
  const [only, ...others] = found?.kind === "alike" && before !== undefined ? found.entries : [];
  return others.length === 0 ? only : undefined;
}

/** Whether an entry has a title. */
export function isCalled({ title = "" }: Pick<ToolRecord, "title">, wanted: string): boolean {
  return plain(title) === plain(wanted);
}

/** What of an entry people may have edited. */
export function printEntry({ title = "", text = "" }: Pick<ToolRecord, "title" | "text">): string {
  return hashText(`${plain(title)}\n${plain(text)}`);
}

/** As boards show it: without what is not drawn, spaces as one. */
function plain(text: string): string {
  return text.replaceAll("\u200B", "").replace(/\s+/gu, " ").trim();
}
