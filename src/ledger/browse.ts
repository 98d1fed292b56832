import type { Absence, Issue, IssueRef, RepositoryName } from "../model/issue.ts";
import type { FieldValue, PostId, ProjectId } from "../model/post.ts";

/** What people look through, page by page. Reads only; no call reads more than a bounded part of the state. */
export interface Browse {
  /** The links of a project, the newest issue first. */
  links(project: ProjectId, search: LinkSearch): Promise<LinkPage>;
  /**
   * The finished runs that began at `since` or later, in spans of `spanMs` from there on, oldest first; spans without a run are
   * left out. Of very many runs only the newest are counted.
   */
  runs(since: number, spanMs: number): Promise<RunHistory>;
}

export interface LinkSearch {
  /** Part of a post's id or title, or of `owner/name#number`, in any case; '' for every link. */
  readonly text: string;
  /** `absent`: the issue is not where it was. `waiting`: the post is held, parked or quarantined. */
  readonly state: "any" | "open" | "closed" | "absent" | "waiting";
  /** Where to go on, as an earlier page gave it; what no page gave means the beginning. */
  readonly after: string | undefined;
  readonly limit: number;
}

export interface LinkPage {
  readonly links: readonly BrowsedLink[];
  /** Where the next page begins; undefined at the end. It may follow less than `limit` links: one search looks only so far. */
  readonly next: string | undefined;
}

export interface BrowsedLink {
  readonly post: PostId;
  readonly title: FieldValue;
  readonly status: FieldValue;
  readonly issue: IssueRef;
  /** The name that the repository has now; undefined while that is not known. */
  readonly repository: RepositoryName | undefined;
  /** undefined while nothing was read of the issue. */
  readonly state: Issue["state"] | undefined;
  readonly stateReason: string | undefined;
  readonly absence: Absence["kind"] | undefined;
  /** What a person has to answer. */
  readonly waits: readonly ("held" | "parked" | "quarantined")[];
}

export interface RunHistory {
  readonly spans: readonly RunSpan[];
  /** When the oldest run that was counted began; undefined where there was none. */
  readonly countedFrom: number | undefined;
  /** Whether there may be older ones in that time, which are not counted. */
  readonly isCut: boolean;
}

export interface RunSpan {
  /** Counted from 0. */
  readonly span: number;
  readonly runs: number;
  /** To both sides. */
  readonly writes: number;
  readonly failures: number;
  /** Of the longest run, in ms. */
  readonly longestMs: number;
}
