import type { Issue, IssueRef, RepositoryId } from "../model/issue.ts";
import type { PostId, ProjectId } from "../model/post.ts";

/**
 * Issues that may become posts. Until then such an issue has a row like a post's, called `owner/name#number`: what is held, parked,
 * discarded or paused of it stands there, and no list of the board touches it.
 */
export interface Imports {
  known(project: ProjectId): Promise<readonly KnownImport[]>;
  /** What makes the next look at a repository's labelled issues conditional, for these labels; undefined while something of it waits. */
  validator(project: ProjectId, repository: RepositoryId, labels: string): Promise<string | undefined>;
  /** Issues of other repositories that have become posts of a project. */
  elsewhere(project: ProjectId, repository: RepositoryId): Promise<readonly Issue[]>;
  /** Posts of a project that may be what an issue has become, at most 500: by title of those that are listed. One pass over the posts. */
  alike(project: ProjectId, wanted: AlikeWish): Promise<readonly AlikePost[]>;
}

/** Either will do. */
export interface AlikeWish {
  /** The text or the title holds one of these, in any case. */
  readonly texts: readonly string[];
  /** It is called so, in any case. */
  readonly titles: readonly string[];
  /** It was not listed before, epoch ms; undefined: no post for that. */
  readonly listedSince: number | undefined;
}

export interface AlikePost {
  readonly post: PostId;
  /** `''` where the board shows none. */
  readonly title: string;
  readonly text: string;
  /** As the board shows it; undefined where it shows none. */
  readonly createdAt: string | undefined;
  /** Since when it is listed, epoch ms. */
  readonly listedSince: number;
  /** Whether it has an issue, or a person has taken one from it. */
  readonly isTaken: boolean;
}

export interface KnownImport {
  readonly post: PostId;
  readonly issue: IssueRef;
  readonly title: string;
  /** The page of the issue, as it was called when it was judged. */
  readonly url: string;
  /** `updatedAt` of the issue as it was judged. */
  readonly updatedAt: string;
  /** Why it does not become a post; undefined where it does. */
  readonly reason: string | undefined;
  /** Whether a person wants no post of it. */
  readonly isDiscarded: boolean;
  /** Whether anything is parked of it. */
  readonly isParked: boolean;
}

/** What is found out about such issues. */
export type ImportChange =
  /** Makes the row of an issue, or brings it up to date. */
  | (Pick<KnownImport, "post" | "issue" | "title" | "url" | "updatedAt" | "reason"> & {
      readonly kind: "store-import";
      readonly project: ProjectId;
    })
  /** Takes the row away with all that stands there: the issue has become a post, or is to become none. */
  | { readonly kind: "drop-import"; readonly project: ProjectId; readonly post: PostId }
  /** `etag` undefined: the next look is to show everything. */
  | {
      readonly kind: "note-import-list";
      readonly project: ProjectId;
      readonly repository: RepositoryId;
      readonly labels: string;
      readonly etag: string | undefined;
    };
