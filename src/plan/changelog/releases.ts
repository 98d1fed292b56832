import type { Issue } from "../../model/issue.ts";
import type { Release } from "../../model/release.ts";
import { hashText } from "../ground/hash.ts";
import { canonical } from "../ground/identity.ts";
import type { ChangelogSettings } from "../ground/settings.ts";

/** Which releases get an entry. */
export type Wanted = Pick<ChangelogSettings, "releases" | "prereleases">;

/** Whether a release gets an entry of the changelog. */
export function isWanted({ tag, isPrerelease }: Release, { releases, prereleases }: Wanted): boolean {
  return matchesGlob(releases, tag) && (prereleases || !isPrerelease);
}

/** Whether a text is what a pattern says, from its first to its last character: `*` is any text, `?` any one character. */
export function matchesGlob(pattern: string, text: string): boolean {
  let [at, from] = [0, 0];
  let star: { readonly next: number; seen: number } | undefined;
  while (from < text.length) {
    const sign = pattern[at];
    if (sign === "*") {
      at += 1;
      star = { next: at, seen: from };
    } else if (sign !== undefined && (sign === "?" || sign === text[from])) {
      at += 1;
      from += 1;
    } else if (star !== undefined) {
      star.seen += 1;
      [at, from] = [star.next, star.seen];
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}

/** What an entry is made of, of a release: when it changes, the draft is out of date. */
export function printRelease({ name, body, url }: Release): string {
  return hashText(canonical({ name, body, url }));
}

/** What is looked at to tell whether a release ships an issue. */
export interface Shipping {
  readonly release: Release;
  /** All that are published, by tag. */
  readonly releases: readonly Release[];
  readonly wanted: Wanted;
}

/** Whether an issue is done at all, and may be shipped by a release: closed, and neither dropped nor a duplicate. */
export function isDone({ state, stateReason }: Issue): boolean {
  return state === "closed" && stateReason !== "not_planned" && stateReason !== "duplicate";
}

/** Whether the milestone of an issue is called like the release: `1.2` and `v1.2` are the same. */
export function isInMilestone({ milestone }: Issue, { tag, name }: Release): boolean {
  if (milestone === null) return false;
  const title = plainVersion(milestone.title);
  return title === plainVersion(tag) || title === plainVersion(name);
}

/**
 * Whether the release is the first one, of those that get an entry, that contains all merges of an issue.
 *
 * @param tags the releases that contain them, oldest first.
 */
export function isFirstWith(tags: readonly string[], { release, releases, wanted }: Shipping): boolean {
  const first = tags.find((tag) => releases.some((one) => one.tag === tag && isWanted(one, wanted)));
  return first === release.tag;
}

function plainVersion(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^v(?=\d)/, "");
}
