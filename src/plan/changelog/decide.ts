import type { Release } from "../../model/release.ts";
import { dayMs, readInstant } from "../../model/time.ts";
import { isWanted, printRelease, type Wanted } from "./releases.ts";

/** What is known of a call, as the journal has it. */
export interface KnownCall {
  readonly purpose: "changelogCreate" | "changelogUpdate" | "changelogPublish" | "feedbackCreate";
  readonly subject: string;
  readonly state: "PREPARED" | "SENT" | "UNKNOWN" | "DONE" | "REJECTED";
}

/** What the changelog of a project hangs on. */
export interface ChangelogFacts {
  readonly wanted: Wanted;
  /** All that are published. */
  readonly releases: readonly Release[];
  /** Tags that were there at the first look, and their releases' ids: nothing is ever made of them. */
  readonly noted: readonly string[];
  readonly notedIds?: readonly number[] | undefined;
  /** Ids of those among them that only become releases. */
  readonly unripe?: readonly number[] | undefined;
  /** What is remembered of releases that have an entry, or are about to; the tag is that of when it was made. */
  readonly entries: readonly {
    readonly tag: string;
    readonly release?: number | undefined;
    readonly print: string;
  }[];
  readonly calls: readonly KnownCall[];
}

/** What is to become of an entry. */
export type EntryWish =
  /** `tag`: by which the entry is known. */
  | { readonly kind: "create" | "update"; readonly tag: string; readonly release: Release }
  /** The release of a draft is not there any more. */
  | { readonly kind: "gone"; readonly tag: string };

/**
 * What the releases of a project ask of its changelog, the oldest first.
 *
 * | release | entry | asked for |
 * |---|---|---|
 * | there before the first look, or of another kind | | nothing |
 * | new, or a pre-release before the first look | none, or refused | a draft |
 * | new | in doubt | nothing: it is looked up |
 * | edited, its tag included | a draft | an update |
 * | edited, deleted | published, or perhaps | nothing, ever |
 * | deleted | a draft | it is said |
 */
export function decideEntries(facts: ChangelogFacts): readonly EntryWish[] {
  const { wanted, releases, entries, calls } = facts;
  const stateOf = (purpose: KnownCall["purpose"], tag: string) => callOf(calls, purpose, tag)?.state;
  const isDraft = (tag: string): boolean =>
    stateOf("changelogCreate", tag) === "DONE" && !mayBePublished(stateOf("changelogPublish", tag));
  const asked = releases
    .filter((release) => !isNoted(release, facts))
    .toSorted(
      (one, other) => readInstant(one.publishedAt) - readInstant(other.publishedAt) || one.id - other.id,
    )
    .flatMap((release): readonly EntryWish[] => {
      const tag = nameRelease(release, facts);
      const state = stateOf("changelogCreate", tag);
      if (state === undefined || state === "PREPARED" || state === "REJECTED")
        return isWanted(release, wanted) ? [{ kind: "create", tag, release }] : [];
      const print = entries.find((entry) => entry.tag === tag)?.print;
      const isEdited = print !== undefined && print !== printRelease(release);
      const isUnderWay = ["SENT", "UNKNOWN"].includes(stateOf("changelogUpdate", tag) ?? "");
      return isEdited && isDraft(tag) && !isUnderWay ? [{ kind: "update", tag, release }] : [];
    });
  const there = new Set(releases.map((release) => nameRelease(release, facts)));
  const gone = entries.filter(({ tag }) => !there.has(tag) && isDraft(tag));
  return [...asked, ...gone.map(({ tag }): EntryWish => ({ kind: "gone", tag }))];
}

/** The call for an entry: there is one of each purpose. */
export function callOf<C extends KnownCall>(
  calls: readonly C[],
  purpose: C["purpose"],
  tag: string,
): C | undefined {
  return calls.find((call) => call.purpose === purpose && call.subject === tag);
}

function isNoted({ id, tag, isPrerelease }: Release, facts: ChangelogFacts): boolean {
  const { noted, notedIds = [], unripe = [] } = facts;
  const isRipe = unripe.includes(id) && !isPrerelease;
  return !isRipe && (noted.includes(tag) || notedIds.includes(id));
}

/**
 * By what the entry of a release is known: by its tag, as it was when the entry was made. A tag that another release has given up gets
 * the id of its new one.
 */
export function nameRelease(
  { id, tag }: Release,
  { entries, releases }: Pick<ChangelogFacts, "entries" | "releases">,
): string {
  const known = entries.find((entry) => entry.release === id);
  if (known !== undefined) return known.tag;
  const first = entries.find((entry) => entry.tag === tag)?.release;
  return first !== undefined && releases.some((one) => one.id === first) ? `${tag}-${id}` : tag;
}

/** Whether customers may have seen an entry, by what became of the call that publishes it. */
export function mayBePublished(state: KnownCall["state"] | undefined): boolean {
  return state === "SENT" || state === "UNKNOWN" || state === "DONE";
}

/** A second entry within this time needs a second yes: nobody knows how many subscribers are mailed. */
export const publishEveryMs = dayMs;

/**
 * When an entry may be published that was let go, epoch ms; undefined for at once.
 *
 * @param lastAt when another one of the project was published last, or may have been.
 * @param approvals how often people have let this one go.
 */
export function publishAt(lastAt: number | undefined, approvals: number, now: number): number | undefined {
  if (lastAt === undefined || approvals > 1 || now - lastAt >= publishEveryMs) return undefined;
  return lastAt + publishEveryMs;
}
