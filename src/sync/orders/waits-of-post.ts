import type { Ledger } from "../../ledger/ledger.ts";
import type { PostId, ProjectId } from "../../model/post.ts";
import { votersOf } from "../../plan/ground/fields.ts";

/** A post that a person named. */
export interface NamedPost {
  /** `project` of the config. */
  readonly key: string;
  readonly project: ProjectId;
  readonly post: PostId;
}

type RetryOrRelease = "retry" | "release";

/** Why `retry` or `release` has something to do for a post; undefined where it has not. */
export async function explainWait(
  { rows }: Pick<Ledger, "rows">,
  answer: RetryOrRelease,
  { project, post }: NamedPost,
  now: number,
): Promise<string | undefined> {
  const row = await rows.row(project, post, now);
  if (answer === "release") return row?.isQuarantined === true ? "the post flapped too often" : undefined;
  const parked = row?.parked.map(({ message }) => message) ?? [];
  const reasons = row?.unlinkedAt === undefined ? parked : [...parked, "a person wanted no issue for it"];
  return reasons.length === 0 ? undefined : reasons.join("; ");
}

/** How many voters would hear of a change of the post's status; null where the board does not show votes. */
export async function votersOfPost(
  { rows, memory }: Pick<Ledger, "rows" | "memory">,
  { key, project, post }: NamedPost,
  now: number,
): Promise<number | null> {
  const row = await rows.row(project, post, now);
  return row === undefined ? null : votersOf(row.post, new Set(memory.project(key)?.seen));
}

/** What is said where there is nothing to do. */
export const nothingWaits: Readonly<Record<RetryOrRelease, string>> = {
  retry: "Nothing of this post is parked, so nothing is tried again.",
  release: "This post is not quarantined.",
};

/** What the answer does. */
export const effectOf: Readonly<Record<RetryOrRelease, string>> = {
  retry: "the next run tries it again; if it is a change of status, its voters are mailed",
  release: "its quarantine ends with the next run",
};
