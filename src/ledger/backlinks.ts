import type { PostId, ProjectId } from "../model/post.ts";

/**
 * The line in a post's internal note that names its issues. Of a note nothing else is ever kept. A post is due when what it is
 * linked to has changed, and stays so until it is recorded otherwise.
 */
export interface Backlinks {
  /** Those of these posts that are due; `any`: one of the project, where there is one. */
  due(project: ProjectId, posts: readonly PostId[] | "any"): Promise<readonly DueBacklink[]>;
}

export interface DueBacklink {
  readonly post: PostId;
  /** Our line as it was written or found last; undefined where there was none. */
  readonly line: string | undefined;
}
