/** A record of the changelog, as a list shows it. */
export interface ListedEntry {
  readonly id: string;
  readonly title?: string;
  readonly text?: string;
  readonly url?: string;
  readonly isPublished?: boolean;
}

/** What a list tells of an entry that may have been made. */
export type FoundEntry =
  | { readonly kind: "found"; readonly entry: ListedEntry }
  | { readonly kind: "none" }
  | { readonly kind: "several" };

/**
 * The entry of a title, among those that are no other release's.
 *
 * @param taken ids of the entries of other releases.
 */
export function findEntry(
  entries: readonly ListedEntry[],
  title: string,
  taken: ReadonlySet<string>,
): FoundEntry {
  const wanted = plain(title);
  const [first, ...others] = entries.filter(
    ({ id, title: its = "" }) => plain(its) === wanted && !taken.has(id),
  );
  if (first === undefined) return { kind: "none" };
  return others.length === 0 ? { kind: "found", entry: first } : { kind: "several" };
}

/** What of an entry people may have edited. */
export function plainEntry({ title = "", text = "" }: Pick<ListedEntry, "title" | "text">): string {
  return `${plain(title)}\n${plain(text)}`;
}

/** As boards show it: without what is not drawn, spaces as one. */
function plain(text: string): string {
  return text.replaceAll("\u200B", "").replace(/\s+/gu, " ").trim();
}
