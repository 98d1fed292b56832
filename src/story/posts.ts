import type { Board, ListEnd, ListShape } from "../board/board.ts";
import { RemoteError } from "../errors.ts";
import type { AskedPaging } from "../model/page.ts";
import type { PostField, ProjectId } from "../model/post.ts";
import type { ReadBounds } from "../model/surroundings.ts";

/** What the list of a project shows, without its posts. */
export interface ShownList {
  /** Posts on each page, in their order. */
  readonly pages: readonly number[];
  readonly seen: ReadonlySet<PostField>;
  /** How many posts have each status. */
  readonly statuses: ReadonlyMap<string, number>;
  /** The most common first. */
  readonly categories: readonly ShownCategory[];
  /** undefined where no page could be read. */
  readonly shape: ListShape | undefined;
  readonly asked: AskedPaging | undefined;
  /** Records that could not be used, as sentences. */
  readonly unusable: readonly string[];
  /** undefined where the list was not read to its end. */
  readonly end: ListEnd | undefined;
  /** What broke the listing off; what came before counts all the same. */
  readonly fault: RemoteError | undefined;
}

/** A category that posts show. */
export interface ShownCategory {
  readonly id: string;
  /** null where no record names it. */
  readonly name: string | null;
  readonly posts: number;
}

/** Reads the list of a project, and keeps of it what it is like. @param most - pages to read. */
export async function lookAtList(
  board: Pick<Board, "listPosts">,
  project: ProjectId,
  bounds: ReadBounds,
  most = Number.POSITIVE_INFINITY,
): Promise<ShownList> {
  const seen = new Set<PostField>();
  const statuses = new Map<string, number>();
  const found = new Map<string, ShownCategory>();
  const pages: number[] = [];
  const unusable: string[] = [];
  let shape: ListShape | undefined;
  let asked: AskedPaging | undefined;
  let end: ListEnd | undefined;
  let fault: RemoteError | undefined;
  try {
    for await (const page of board.listPosts(project, bounds)) {
      shape ??= page.shape;
      asked ??= page.asked;
      end = page.end;
      pages.push(page.posts.length);
      unusable.push(...page.unusable);
      for (const field of page.seen) seen.add(field);
      for (const { values } of page.posts) {
        if (typeof values.status === "string")
          statuses.set(values.status, (statuses.get(values.status) ?? 0) + 1);
        const { categoryId: id } = values;
        if (typeof id !== "string" || id === "") continue;
        const known = found.get(id) ?? { name: null, posts: 0 };
        const name = known.name ?? page.categories?.get(id) ?? null;
        found.set(id, { id, name, posts: known.posts + 1 });
      }
      if (pages.length >= most) break;
    }
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    fault = error;
  }
  const categories = [...found.values()].toSorted(
    (one, other) => other.posts - one.posts || (one.id < other.id ? -1 : 1),
  );
  return { pages, seen, statuses, categories, shape, asked, unusable, end, fault };
}

/** "cat_1 “Billing” (12)": ids are what the config names, names are what people know. */
export function showCategory({ id, name, posts }: ShownCategory): string {
  return `${name === null || name === id ? id : `${id} “${name}”`} (${posts})`;
}
