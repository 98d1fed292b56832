import type { Issue, IssueRef, RepositoryName } from "../model/issue.ts";
import type { PostId, ProjectId } from "../model/post.ts";
import type { ActionName } from "./rows.ts";

/**
 * What people ask for beside a run, in short transactions of their own; the next run of the project takes it up.
 */
export interface Requests {
  /** In the order in which they came. */
  pending(project: ProjectId): Promise<readonly PersonRequest[]>;
  /** The newest of each project that has any. */
  newest(): Promise<readonly Pick<PersonRequest, "project" | "id" | "at">[]>;
}

export type RequestId = number & { readonly __request: true };

/** What is asked for of whole posts. */
export type PostsRequest = "retry" | "release" | "discard" | "resume" | "resume-discard";

/** By which way a person asked. */
export interface Who {
  /** Left out for a command at a terminal. */
  readonly by?: "page";
}

interface AnyRequest extends Who {
  readonly project: ProjectId;
  readonly at: number;
}

/**
 * `retry`: what is parked of these posts may be tried again. `release`: ends their quarantine. `discard`: takes both sides of
 * these posts as they are. `resume`: ends their pause; `resume-discard`: takes both sides as they are, and then ends it. `approve`: lets these very actions go; `isWhole` when the whole project was approved. `accept-size`: of a
 * project that is held because the board shrank, the present size is the new measure. `link`: of this post and an issue that
 * people opened. `unlink`: ends these links. `resume-project`: ends the pause of the whole project; with `isDiscard` both sides of
 * what it held up are taken as they are before that. `publish`: of this very text of an entry of the changelog; asked for twice, it
 * goes although another one was published less than a day before. `retry-entry`: what is stuck of an entry is tried once more.
 */
export type NewRequest = AnyRequest &
  (
    | { readonly kind: PostsRequest; readonly posts: readonly PostId[] }
    | {
        readonly kind: "accept-size";
        /** The size that was shown, as words; left out where an older version asked. */
        readonly shown?: string;
      }
    | {
        readonly kind: "link";
        readonly post: PostId;
        /** As the config names it. */
        readonly repository: RepositoryName;
        readonly number: number;
        /** As it was when the person asked; left out where nobody could ask for it then. */
        readonly issue?: Issue;
      }
    | { readonly kind: "unlink"; readonly post: PostId; readonly issues: readonly IssueRef[] }
    | { readonly kind: "resume-project"; readonly isDiscard: boolean }
    | {
        readonly kind: "publish";
        /** The release's. */
        readonly tag: string;
        /** Of the call that has made the text which was shown. */
        readonly hash: string;
      }
    | { readonly kind: "retry-entry"; readonly tag: string }
    | { readonly kind: "approve"; readonly actions: readonly ActionName[]; readonly isWhole: boolean }
  );

export type PersonRequest = NewRequest & { readonly id: RequestId };
