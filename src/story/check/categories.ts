import type { Category, PostField } from "../../model/post.ts";
import { meantCategories } from "../../plan/categories.ts";
import { namedValues } from "../../plan/named-values.ts";
import type { SyncProject } from "../../sync/ground/world.ts";
import type { ShownList } from "../posts.ts";
import type { Checking } from "./findings.ts";

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

/** With those that the board's own tool lists, and their names. */
export function addCategories(
  shown: readonly ShownCategory[],
  listed: readonly Category[],
): readonly ShownCategory[] {
  const names = new Map(listed.map(({ id, name }) => [id, name]));
  const further = listed.filter(({ id }) => !shown.some((one) => one.id === id));
  return [
    ...shown.map((one) => ({ ...one, name: names.get(one.id) ?? one.name })),
    ...further.map((one) => ({ ...one, posts: 0 })),
  ];
}

/** "cat_1 “Billing” (12)": ids are what the config names, names are what people know. */
export function showCategory({ id, name, posts }: ShownCategory): string {
  return `${name === null || name === id ? id : `${id} “${name}”`} (${posts})`;
}

/** More than these are no help in a line. */
const mostShown = 100;

/** Which categories posts have, and which of those that the config names none has. */
export function checkCategories(
  { say, suggest }: Checking,
  { project, seen, categories }: ShownCategories,
): void {
  if (!seen.has("categoryId")) return;
  const rest = categories.length - mostShown;
  const listed = categories.slice(0, mostShown).map(showCategory).join(", ");
  say("ok", `Categories in use: ${listed || "none"}${rest > 0 ? ` and ${rest} more` : ""}.`);
  const named = namedValues(project.settings).filter(({ field }) => field === "categoryId");
  const known = categories.map(({ id, name }) => ({ id, name: name ?? id }));
  for (const { value, where } of named) {
    const meant = meantCategories(value, known);
    if (meant.length === 1) continue;
    const near = suggest(
      value,
      categories.flatMap(({ id, name }) => (name === null ? [id] : [id, name])),
    );
    const several = meant.map(({ id }) => `\`${id}\``).join(" and ");
    const message =
      meant.length > 1
        ? `The category \`${value}\` of ${where} may be ${several}: write the id.`
        : `No post has the category \`${value}\` of ${where}${near === "" ? ", so nothing comes of it. The categories are listed above." : near}`;
    say("error", message, "board.category");
  }
}
