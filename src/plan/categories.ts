import type { Category, CategoryPin } from "../model/post.ts";
import type { OpenCategories, Settings } from "./ground/settings.ts";
import { namedValues, replaceNamed } from "./named-values.ts";

/** What the board calls its categories, and what the config's words for them mean. */
export interface CategoryNames {
  /** As the board calls them now, or called them last. */
  readonly categories: readonly Category[];
  readonly pins: readonly CategoryPin[];
}

/** The words by which the config calls categories: names or ids, each once. */
export function categoryWords(settings: Parameters<typeof namedValues>[0]): readonly string[] {
  const named = namedValues(settings).filter(({ field }) => field === "categoryId");
  return [...new Set(named.map(({ value }) => value))];
}

/** Which categories a word of the config may mean: the one of that id, or those of that name, in any case. */
export function meantCategories(word: string, categories: readonly Category[]): readonly Category[] {
  const byId = categories.filter(({ id }) => id === word);
  return byId.length > 0 ? byId : categories.filter(({ name }) => fold(name) === fold(word));
}

/**
 * What the words of the config mean by now. A name that has meant a category goes on to mean it, whatever that is called; only where
 * that is not shown any more, it means what is called so now. A name that several have means none of them.
 *
 * @param known what the words meant so far.
 */
export function pinCategories(
  words: readonly string[],
  { categories, pins }: CategoryNames,
): readonly CategoryPin[] {
  return words.flatMap((word): readonly CategoryPin[] => {
    const before = pins.find((pin) => pin.word === word);
    const isShown = categories.some(({ id }) => id === before?.id);
    const [meant, ...others] = meantCategories(word, categories);
    const now =
      meant === undefined || others.length > 0 || meant.id === word ? undefined : { word, id: meant.id };
    const pin = isShown ? before : (now ?? before);
    return pin === undefined ? [] : [pin];
  });
}

/**
 * The words of which it is not known what they mean: a name that several have, and one that only a list may tell which could not be
 * read. undefined where there are none.
 */
export function openCategories(
  settings: Parameters<typeof namedValues>[0],
  { categories, pins, isUnlisted }: CategoryNames & { readonly isUnlisted?: boolean },
): OpenCategories | undefined {
  const known = categories.map(({ id }) => id);
  const named = namedValues(settings).filter(({ field }) => field === "categoryId");
  const open = named.flatMap(({ value: word, isSought }) => {
    if (known.includes(word) || pins.some((pin) => pin.word === word)) return [];
    const ids = meantCategories(word, categories).map(({ id }) => id);
    const mayMean = ids.length > 1 ? ids : null;
    return mayMean !== null || isUnlisted === true ? [{ word, isSought, mayMean }] : [];
  });
  if (open.length === 0) return undefined;
  const words = open.flatMap(({ word, isSought, mayMean }) => (isSought ? [[word, mayMean] as const] : []));
  const written = [...new Set(open.flatMap(({ word, isSought }) => (isSought ? [] : [word])))];
  return { words: Object.fromEntries(words), written, known };
}

/** Settings, or rules that an earlier run has kept, with ids in the place of names. A word that means nothing yet stays as it is. */
export function nameCategories<T extends Partial<Settings>>(settings: T, pins: readonly CategoryPin[]): T {
  if (pins.length === 0) return settings;
  const ids = new Map(pins.map(({ word, id }) => [word, id]));
  return replaceNamed(settings, ({ field, value }) =>
    field === "categoryId" ? (ids.get(value) ?? value) : value,
  );
}

function fold(text: string): string {
  return text.trim().toLowerCase();
}
