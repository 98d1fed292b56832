import type { PostId, ProjectId } from "../model/post.ts";

/** What a person asks for by name, beside what a run needs. Reads only. */
export interface Lookup {
  /** Those of some addresses that several posts show as their page. One pass over the posts. */
  sharedPages(project: ProjectId, urls: readonly string[]): Promise<ReadonlySet<string>>;
  /** The last pull that saw all that the board would show, by its number; undefined before the first. */
  lastPull(project: ProjectId): Promise<KnownPull | undefined>;
  /**
   * Posts that were listed and that a text may mean: those whose ids begin with it, then those whose ids are about as long.
   * At most `limit` of each kind, by id.
   */
  postsLike(project: ProjectId, text: string, limit: number): Promise<readonly PostId[]>;
}

/** A pull of the board that has ended. */
export interface KnownPull {
  readonly run: number;
  /** Whatever it showed was so after its beginning, epoch ms. */
  readonly beganAt: number;
  readonly kind: "complete" | "usable";
}
