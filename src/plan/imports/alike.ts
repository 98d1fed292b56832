import type { AlikePost } from "../../model/post.ts";
import { readInstant } from "../../model/time.ts";

/** What was asked of the board, and when (epoch ms). */
export interface AskedPost {
  readonly title: string;
  /** Of the issue's page: each by which it was, or is, known. */
  readonly addresses: readonly string[];
  readonly at: number;
}

/** What posts tell of one that was asked for. */
export type Likeness =
  /** This is it: its text names the issue, it came after it was asked for, and nobody has it. */
  | { readonly kind: "found"; readonly post: AlikePost }
  /** One of these may be it. */
  | { readonly kind: "doubt"; readonly posts: readonly AlikePost[] }
  | { readonly kind: "none" };

/** Two clocks, and a board that writes whole minutes. */
const slackMs = 120_000;

/** Looks among the posts of a project for the one that was asked for. */
export function findAlike(posts: readonly AlikePost[], asked: AskedPost): Likeness {
  const since = asked.at - slackMs;
  const listed = posts.filter(({ listedSince }) => listedSince >= since);
  // One clock may be far off, or the board tell times without a zone: what names the issue is in doubt then, not another one.
  const isOlder = ({ createdAt }: AlikePost): boolean => readInstant(createdAt) < since;
  const naming = listed.filter((post) => namesAddress(post, asked.addresses));
  const called = listed.filter((post) => isCalled(post, asked.title) && !post.isTaken && !isOlder(post));
  const [only] = naming;
  const isIt = only !== undefined && naming.length === 1 && !only.isTaken && !isOlder(only);
  if (isIt) return { kind: "found", post: only };
  const maybe = new Set([...naming, ...called]);
  return maybe.size === 0 ? { kind: "none" } : { kind: "doubt", posts: [...maybe] };
}

/**
 * Posts that may be it, whatever people have made of them: they came after it was asked for, and nobody has them.
 *
 * @param restMs `waits.create`.
 * @param until when a list that must have shown it was read, epoch ms.
 */
export function newcomers(
  posts: readonly AlikePost[],
  { at, restMs }: Pick<AskedPost, "at"> & { readonly restMs: number },
  until = Number.POSITIVE_INFINITY,
): readonly AlikePost[] {
  // What was asked for takes effect in that time, or never.
  const isOf = (made: number): boolean => !(made < at - slackMs || made > at + restMs + slackMs);
  return posts.filter(
    ({ listedSince, createdAt, isTaken }) =>
      !isTaken && listedSince >= at && listedSince <= until && isOf(readInstant(createdAt)),
  );
}

/** The first of these posts that stands for the issue already, as far as one can tell by its text or its title. */
export function findStanding(
  posts: readonly AlikePost[],
  { title, addresses }: Pick<AskedPost, "title" | "addresses">,
): AlikePost | undefined {
  return posts.find((post) => namesAddress(post, addresses)) ?? posts.find((post) => isCalled(post, title));
}

/** Whether a post names the page of an issue, by one of its addresses: `…/issues/12` is not named by `…/issues/123`. */
export function namesAddress(
  { title, text }: Pick<AlikePost, "title" | "text">,
  addresses: readonly string[],
): boolean {
  const parts = [title, text].map((part) => part.toLowerCase());
  const ways = addresses.flatMap((address) => parts.map((where) => [address.toLowerCase(), where] as const));
  return ways.some(([wanted, where]) => {
    for (let at = where.indexOf(wanted); at !== -1; at = where.indexOf(wanted, at + 1))
      if (!/\d/.test(where.charAt(at + wanted.length))) return true;
    return false;
  });
}

/** Whether a post is called as an issue is. */
export function isCalled({ title }: Pick<AlikePost, "title">, wanted: string): boolean {
  return title.trim().toLowerCase() === wanted.trim().toLowerCase();
}

/** Numbers of issues whose pages a post names, where those of a repository begin so. */
export function issuesNamed(
  { title, text }: Pick<AlikePost, "title" | "text">,
  pages: string,
): readonly number[] {
  const where = `${title}\n${text}`.toLowerCase();
  const wanted = pages.toLowerCase();
  const found: number[] = [];
  for (let at = where.indexOf(wanted); at !== -1; at = where.indexOf(wanted, at + wanted.length)) {
    const [number] = /^\d{1,9}/.exec(where.slice(at + wanted.length, at + wanted.length + 9)) ?? [];
    if (number !== undefined) found.push(Number(number));
  }
  return found;
}
