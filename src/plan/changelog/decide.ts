import type { Release } from "../../model/release.ts";
import { readInstant } from "../../model/time.ts";
import { isWanted, printRelease, type Wanted } from "./releases.ts";

/** What is known of a call, as the journal has it. */
export interface KnownCall {
  readonly purpose: "changelogCreate" | "changelogUpdate" | "changelogPublish" | "feedbackCreate";
  readonly subject: string;
  readonly state: "PREPARED" | "SENT" | "UNKNOWN" | "DONE" | "REJECTED";
}

/** What is remembered of a release that has an entry, or is about to. */
export interface KnownEntry {
  readonly tag: string;
  /** What its text was made of. */
  readonly print: string;
}

/** What the changelog of a project hangs on. */
export interface ChangelogFacts {
  readonly wanted: Wanted;
  /** All that are published. */
  readonly releases: readonly Release[];
  /** Tags that were there at the first look: nothing is ever made of them. */
  readonly noted: readonly string[];
  readonly entries: readonly KnownEntry[];
  readonly calls: readonly KnownCall[];
}

/** What is to become of an entry. */
export type EntryWish =
  | { readonly kind: "create" | "update"; readonly release: Release }
  /** The release of a draft is not there any more. */
  | { readonly kind: "gone"; readonly tag: string };

/**
 * What the releases of a project ask of its changelog, the oldest first.
 *
 * | release | entry | asked for |
 * |---|---|---|
 * | there before the first look, or of another kind | | nothing |
 * | new | none, or refused | a draft |
 * | new | in doubt | nothing: it is looked up |
 * | edited | a draft | an update |
 * | edited, deleted | published, or perhaps | nothing, ever |
 * | deleted | a draft | it is said |
 */
export function decideEntries({
  wanted,
  releases,
  noted,
  entries,
  calls,
}: ChangelogFacts): readonly EntryWish[] {
  const stateOf = (purpose: KnownCall["purpose"], tag: string): KnownCall["state"] | undefined =>
    calls.find((call) => call.purpose === purpose && call.subject === tag)?.state;
  const isDraft = (tag: string): boolean =>
    stateOf("changelogCreate", tag) === "DONE" && !mayBePublished(stateOf("changelogPublish", tag));
  const before = new Set(noted);
  const asked = releases
    .filter((release) => !before.has(release.tag))
    .toSorted((one, other) => ageOf(one) - ageOf(other) || one.id - other.id)
    .flatMap((release): readonly EntryWish[] => {
      const { tag } = release;
      const state = stateOf("changelogCreate", tag);
      if (state === undefined || state === "PREPARED" || state === "REJECTED")
        return isWanted(release, wanted) ? [{ kind: "create", release }] : [];
      const print = entries.find((entry) => entry.tag === tag)?.print;
      const isEdited = print !== undefined && print !== printRelease(release);
      const isUnderWay = ["SENT", "UNKNOWN"].includes(stateOf("changelogUpdate", tag) ?? "");
      return isEdited && isDraft(tag) && !isUnderWay ? [{ kind: "update", release }] : [];
    });
  const there = new Set(releases.map(({ tag }) => tag));
  const gone = entries.filter(({ tag }) => !there.has(tag) && isDraft(tag));
  return [...asked, ...gone.map(({ tag }): EntryWish => ({ kind: "gone", tag }))];
}

function ageOf({ publishedAt }: Release): number {
  return readInstant(publishedAt);
}

/** Whether customers may have seen an entry, by what became of the call that publishes it. */
export function mayBePublished(state: KnownCall["state"] | undefined): boolean {
  return state === "SENT" || state === "UNKNOWN" || state === "DONE";
}

/** A second entry within this time needs a second yes: nobody knows how many subscribers are mailed. */
export const publishEveryMs = 86_400_000;

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
