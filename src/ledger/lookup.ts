import type { IssueRef } from "../model/issue.ts";
import type { Post, PostId, ProjectId } from "../model/post.ts";

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
  /**
   * Posts of other projects that have the id of one of this project's, and an issue, or a write under way, or a person's wish.
   * Of this project's those that are listed and have neither, and are due where none are named.
   */
  namesakes(project: ProjectId, posts: readonly PostId[] | undefined): Promise<readonly Namesake[]>;
}

/** Two posts of one id, in two projects of the board. */
export interface Namesake {
  readonly post: PostId;
  readonly here: Post["values"];
  /** Since when it is listed here, epoch ms. */
  readonly listedSince: number;
  /** Since when there are two: the later one of the times since which each is listed, or was last, epoch ms. */
  readonly since: number;
  /** The other project. */
  readonly project: ProjectId;
  /** As the other project has listed it last; undefined where it never has, and only an issue's mark names it. */
  readonly there: Post["values"] | undefined;
  /** Whether the other project's last complete list has lacked it, or each of them. */
  readonly isGone: boolean;
  /** When that list was begun, epoch ms; undefined where there is none. */
  readonly pulledAt: number | undefined;
  /** Those that the other one is linked to, then those that carry its mark. */
  readonly issues: readonly IssueRef[];
  /** Whether the outcome of a write for the other one is open, but for that of a PATCH. */
  readonly isUnderWay: boolean;
}

/** A pull of the board that has ended. */
export interface KnownPull {
  readonly run: number;
  /** Whatever it showed was so after its beginning, epoch ms. */
  readonly beganAt: number;
  readonly kind: "complete" | "usable";
}
