import type { PostField } from "../../model/post.ts";
import { namedValues } from "../../plan/named-values.ts";
import type { SyncProject } from "../../sync/ground/world.ts";
import type { ShownList } from "../posts.ts";
import type { Checking, Suggest } from "./findings.ts";

/** A category that posts show. */
export interface ShownCategory {
  readonly id: string;
  /** null where no record names it. */
  readonly name: string | null;
  readonly posts: number;
}

/** What posts of a project show. */
interface ShownCategories {
  readonly project: SyncProject;
  readonly seen: ReadonlySet<PostField>;
  readonly categories: readonly ShownCategory[];
}

/** The most common first. */
export function sortCategories(categories: ShownList["categories"]): readonly ShownCategory[] {
  const listed = [...categories].map(([id, of]) => ({ id, ...of }));
  return listed.toSorted((one, other) => other.posts - one.posts || (one.id < other.id ? -1 : 1));
}

/** "cat_1 “Billing” (12)": ids are what the config names, names are what people know. */
export function showCategory({ id, name, posts }: ShownCategory): string {
  return `${nameCategory({ id, name })} (${posts})`;
}

function nameCategory({ id, name }: Pick<ShownCategory, "id" | "name">): string {
  return name === null || name === id ? id : `${id} “${name}”`;
}

/** More than these are no help in a line. */
const mostShown = 100;

/** Which categories posts have, and which of those that the config names none has. */
export function checkCategories(
  { say }: Checking,
  { project, seen, categories }: ShownCategories,
  suggest: Suggest,
): void {
  if (!seen.has("categoryId")) return;
  const rest = categories.length - mostShown;
  const listed = categories.slice(0, mostShown).map(showCategory).join(", ");
  say("ok", `Categories in use: ${listed || "none"}${rest > 0 ? ` and ${rest} more` : ""}.`);
  const named = namedValues(project.settings).filter(({ field }) => field === "categoryId");
  for (const { value, where } of named) {
    if (categories.some(({ id }) => id === value)) continue;
    const message = `No post has the category \`${value}\` of ${where}${meant(value, categories, suggest)}`;
    say("error", message, "board.category");
  }
}

/** By its name, in any case; else by what is near to it. */
function meant(value: string, categories: readonly ShownCategory[], suggest: Suggest): string {
  const name = fold(value);
  const found = categories.find((category) => category.name !== null && fold(category.name) === name);
  if (found !== undefined) return ` — did you mean \`${found.id}\` (${found.name})? The config names ids.`;
  const near = suggest(
    value,
    categories.flatMap((category) => [category.id, ...(category.name === null ? [] : [category.name])]),
  );
  return near === ""
    ? ", so nothing comes of it. The config names categories by their ids, as listed above."
    : near;
}

function fold(text: string): string {
  return text.toLowerCase();
}
