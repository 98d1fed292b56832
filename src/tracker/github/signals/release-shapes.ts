import { z } from "zod";
import { time } from "../wire/shapes.ts";
import type { QueryAnswer } from "./querying.ts";

/** A release that was published. */
export interface PublishedRelease {
  readonly tagId: string;
  readonly tag: string;
  readonly commit: string;
  readonly publishedAt: string;
  readonly isPrerelease: boolean;
}

/** The published releases of one repository, newest first, and why they may not be all. */
export interface Releases {
  readonly releases: readonly PublishedRelease[];
  readonly doubt: string | undefined;
  /** Everything that was published after this time is here; undefined when all is. */
  readonly completeSince: string | undefined;
}

/** Of a repository whose releases are not known. */
export function unreadable(name: string, words: string): Releases {
  const doubt = `the releases of ${name} could not be read: ${words}`;
  return { releases: [], doubt, completeSince: undefined };
}

/** As an answer shows them under an alias of its query. */
export function readRepositoryReleases(answer: QueryAnswer, alias: string, name: string): Releases {
  const fault = answer.errors.find(({ path }) => path.length === 0 || path[0] === alias);
  if (fault !== undefined) return unreadable(name, fault.message);
  const connection = repositoryShape.safeParse(answer.data?.[alias]).data?.releases;
  if (connection === undefined) return unreadable(name, "GitHub hides them");
  const { totalCount, nodes } = connection;
  const published = nodes.filter((node) => !draftShape.safeParse(node).success);
  const releases = published.flatMap((node) => releaseShape.safeParse(node).data ?? []);
  const hasUnread = published.some(
    (node) => !prereleaseShape.safeParse(node).success && !releaseShape.safeParse(node).success,
  );
  const isPartial = totalCount === undefined || totalCount > nodes.length;
  return {
    releases,
    doubt: hasUnread ? `a release of ${name} has no tag that can be read` : undefined,
    // What is beyond the list is older than its last row; without its time nothing is known to be.
    completeSince: isPartial
      ? (createdShape.safeParse(nodes.at(-1)).data?.createdAt ?? new Date(8.64e15).toISOString())
      : undefined,
  };
}

const repositoryShape = z.object({
  releases: z.object({ totalCount: z.number().optional().catch(undefined), nodes: z.array(z.unknown()) }),
});
/** Drafts never count. */
const draftShape = z.object({ isDraft: z.literal(true) });
const prereleaseShape = z.object({ isPrerelease: z.literal(true) });
const createdShape = z.object({ createdAt: time });
const releaseShape = z
  .object({
    isDraft: z.literal(false),
    isPrerelease: z.boolean(),
    tagName: z.string(),
    publishedAt: time,
    tag: z.object({ id: z.string() }),
    tagCommit: z.object({ oid: z.string() }),
  })
  .transform(({ tag, tagName, tagCommit, publishedAt, isPrerelease }): PublishedRelease => {
    return { tagId: tag.id, tag: tagName, commit: tagCommit.oid, publishedAt, isPrerelease };
  });

const tagShape = z.object({ compare: z.object({ status: z.string() }) });

/** Whether a tag contains a commit, or why they can't be compared. */
export function readComparison({ data, errors }: QueryAnswer, alias: string): boolean | string {
  const fault = errors.find(({ path }) => path.length === 0 || path[0] === alias);
  if (fault !== undefined) return `GitHub did not compare its merge with a release: ${fault.message}`;
  const status = tagShape.safeParse(data?.[alias]).data?.compare.status;
  if (status === "BEHIND" || status === "IDENTICAL") return true;
  if (status === "AHEAD" || status === "DIVERGED") return false;
  return "GitHub could not compare its merge with a release";
}
