import type { FaultDetail, RemoteError } from "../errors.ts";
import type {
  Issue,
  IssueRecord,
  IssueRef,
  LabelledIssue,
  Milestone,
  Named,
  ProjectFieldKey,
  ProjectFieldName,
  Readable,
  Repository,
  RepositoryId,
  RepositoryName,
  Signals,
} from "../model/issue.ts";
import type { Release } from "../model/release.ts";
import type { ReadBounds } from "../model/surroundings.ts";

/**
 * The tracker, as the sync needs it. An adapter reads and sends; it decides nothing, paces nothing and remembers nothing
 * but what its transport needs.
 *
 * Reads may be repeated by the adapter inside their bounds and throw `RemoteError`. A write is one request, sent exactly
 * once, never redirected, and never throws: every answer, and the lack of one, is an outcome.
 */
export interface Tracker {
  /** Who we are. */
  account(bounds: ReadBounds): Promise<Account>;

  /**
   * When the credential ends, epoch ms, as the answers so far have told it: null where they name no end, undefined where there was
   * none yet. Left out where it is renewed by itself.
   */
  readonly credentialEnds?: () => number | null | undefined;

  /** What answers there, and its version where it tells one: for people. */
  server(bounds: ReadBounds): Promise<string>;

  /**
   * One repository, by name or by its numeric id (a name may have come to mean another repository).
   *
   * @throws RemoteError with the fault `missing` when it does not exist or is not visible to us.
   */
  repository(wanted: RepositoryName | RepositoryId, bounds: ReadBounds): Promise<Repository>;

  /** The labels and milestones of a repository (of all states), complete. */
  catalogue(repository: Repository, bounds: ReadBounds): Promise<Catalogue>;

  /** A repository's labels, complete: where `etag` is given and still right, one conditional request for each page of the list. */
  labels(repository: Repository, etag: string | undefined, bounds: ReadBounds): Promise<Listed<Named>>;

  /** The issue types that a repository may use, as `labels` does it; none where only organisations have them. */
  issueTypes(repository: Repository, etag: string | undefined, bounds: ReadBounds): Promise<Listed<Named>>;

  /** Whether an account can be assigned to issues of a repository. */
  isAssignable(repository: Repository, login: string, bounds: ReadBounds): Promise<boolean>;

  /** The milestones of a repository (of all states), as `labels` does it. */
  milestones(
    repository: Repository,
    etag: string | undefined,
    bounds: ReadBounds,
  ): Promise<Listed<Milestone>>;

  /** The published releases of a repository, pre-releases included, newest first, as `labels` does it. */
  releases(repository: Repository, etag: string | undefined, bounds: ReadBounds): Promise<Listed<Release>>;

  /**
   * Issues of a repository, never pull requests, page by page. An issue may come twice; the later record counts.
   * See `IssueQuery` for what each query promises.
   */
  listIssues(repository: Repository, query: IssueQuery, bounds: ReadBounds): AsyncIterable<IssuePage>;

  /** The open issues that have all of these labels, in any case, oldest first; complete, and conditional as `labels` is. */
  labelled(
    repository: Repository,
    wanted: { readonly labels: readonly string[]; readonly etag: string | undefined },
    bounds: ReadBounds,
  ): Promise<Listed<LabelledIssue>>;

  /** Which person, no program, has set a label of an issue last, by the label's name in lower case, as far as that is known. */
  labellers(issue: IssueRef, bounds: ReadBounds): Promise<ReadonlyMap<string, string>>;

  /** What people and programs have changed of an issue, oldest first, of what a write may change; the first 2,000 events at most. */
  events(issue: IssueRef, bounds: ReadBounds): Promise<readonly IssueEvent[]>;

  /** One issue as it is now. Throws only what concerns more than this issue: a limit, the credential, a server out of reach. */
  readIssue(issue: IssueRef, bounds: ReadBounds): Promise<IssueAnswer>;

  /** All comments of an issue, oldest first, page by page. Complete unless it throws. */
  comments(issue: IssueRef, bounds: ReadBounds): AsyncIterable<readonly IssueComment[]>;

  /**
   * A single-select field of a project, by the names that people use for it.
   *
   * @throws RemoteError `missing` when there is no such project for us or no such field in it, `unauthorized` when the token
   * may not see projects, `refused` where the server has no projects; the message says what to do.
   */
  projectField(wanted: ProjectFieldName, bounds: ReadBounds): Promise<ProjectField>;

  /**
   * What an issue's own record does not tell, for issues by their node ids: in their order, up to 100 in one answer. Each part
   * of the wish is answered for each issue that is found, as known, or as unknown with the reason. What is too much
   * at once is asked for in smaller pieces, and an issue that is too much alone is `unread` by itself; only a failure of the whole
   * read throws. A page costs one request, and with `released` one more for up to ten repositories, and those that compare
   * commits: at most twenty in one call, what is beyond that stays unknown until the next one.
   */
  readSignals(
    nodeIds: readonly string[],
    wish: SignalWish,
    bounds: ReadBounds,
  ): AsyncIterable<readonly SignalAnswer[]>;

  /** Sends one write. */
  write(repository: Repository, write: IssueWrite): Promise<WriteOutcome>;

  /**
   * Whose budget the requests for a repository count against: pace and limits hold for each budget by itself. Signals and fields
   * of projects (`signals`) may have one of their own: a limit there leaves everything else open. Other limits hold for both.
   */
  budgetOf(repository: RepositoryName, use?: "signals"): string;

  /**
   * How much the tracker answers for at once, where it has refused more. Kept by the caller, it need not be found out again by
   * the next process; left out where nothing is ever too much.
   */
  readonly sizes?: ReadSizes;

  /** Requests sent so far by this adapter, retries included. */
  readonly requests: number;
}

/** What is remembered of sizes that work. */
export interface ReadSizes {
  /** All that hold now. */
  all(): readonly ReadSize[];
  /** What another process has found out. */
  take(known: readonly ReadSize[]): void;
}

/** How much of something the tracker answers for at once. */
export interface ReadSize {
  /** What is asked for, in the adapter's words. */
  readonly name: string;
  readonly size: number;
  /** Epoch ms: after it more is tried again. */
  readonly until: number;
}

export interface Account {
  readonly login: string;
}

export interface Catalogue {
  readonly labels: readonly Named[];
  readonly milestones: readonly Milestone[];
}

/** A list that was asked for conditionally. */
export type Listed<T> =
  | { readonly kind: "unchanged" }
  /** `etag`: what makes the next request conditional, opaque; undefined where nothing does. */
  | { readonly kind: "listed"; readonly rows: readonly T[]; readonly etag: string | undefined };

/** A change that an issue has seen, by its kind; `name` of a label, or the title of a milestone. */
export interface IssueEvent {
  readonly kind: "closed" | "reopened" | "labeled" | "unlabeled" | "milestoned" | "demilestoned";
  readonly name: string;
  readonly login: string;
  /** ISO 8601. */
  readonly at: string;
}

export interface IssueComment {
  /** Login of the author; null for a deleted account, undefined where it can't be read. */
  readonly author: string | null | undefined;
  readonly body: string;
}

/** A single-select field of a project, as it was when it was looked up. Ids stay when people rename. */
export interface ProjectField {
  readonly key: ProjectFieldKey;
  readonly projectId: string;
  readonly fieldId: string;
  /** The field's name. */
  readonly name: string;
  readonly options: readonly ProjectOption[];
  /** Whether the project is closed; its fields can still be read. */
  readonly isClosed: boolean;
}

export interface ProjectOption {
  readonly id: string;
  readonly name: string;
}

/** What `readSignals` is asked for. Only this is read, and only this is answered. */
export interface SignalWish {
  readonly pullRequests: boolean;
  readonly subIssues: boolean;
  /**
   * Whether all merged pull requests that are linked, and at least one, are in a published release of their repository (no draft,
   * no pre-release). Once true it stays true: a caller that keeps it need not ask again.
   */
  readonly released: boolean;
  /** With `released`: also the tags of this repository's published releases that contain all merges there. */
  readonly tagsOf?: RepositoryName;
  /** What the issue was marked as a duplicate of. */
  readonly duplicates: boolean;
  /**
   * An option is known by its id, and is answered with the name that it has in this list; one that is not in the list gets its
   * name of today. So for as long as the caller keeps the field as it was, a rule still matches an option that was renamed.
   */
  readonly projects: readonly ProjectField[];
  /** The issue itself, for issues that no list of ours shows. */
  readonly facts: boolean;
  /** Who has changed the issue's text; left out is no. */
  readonly editors?: boolean;
  /** Where issues are, by their node ids, as far as that is known: whoever has them elsewhere is then not asked. */
  readonly repositories?: ReadonlyMap<string, RepositoryName>;
}

/** What one issue was found to show. A part that was not wished for is absent. */
export interface SignalAnswer {
  readonly nodeId: string;
  /** Without `canonical`: what follows from a chain of duplicates is the caller's matter. */
  readonly signals: Omit<Signals, "canonical">;
  /**
   * null where it is no duplicate of an issue: not marked, unmarked again, or marked as one of a pull request. `hidden`: of
   * one that is not shown to us, or not there any more.
   */
  readonly duplicateOf?: Readable<DuplicateTarget | "hidden" | null>;
  /** Of `tagsOf`, oldest first, pre-releases included; none where no linked pull request was merged there. */
  readonly tags?: Readable<readonly string[]>;
  /** Logins of who has changed the issue's text, each once; null for a deleted account. */
  readonly editors?: Readable<readonly (string | null)[]>;
  /** Of `facts`: the issue as a list would show it; absent where it could not be read in full. */
  readonly issue?: Issue;
  /**
   * The tracker gave no answer for it, or not all, though it was asked for by itself: its words. What `signals` lacks is not known
   * to be otherwise than it was.
   */
  readonly unread?: string;
  /** Nothing is known of the issue: it does not exist (any more), or we can't see it. The rest is empty then. */
  readonly fault?: "missing";
}

/** The issue that another one is a duplicate of. */
export interface DuplicateTarget {
  readonly nodeId: string;
  readonly issue: IssueRef;
  readonly repository: RepositoryName;
  /** Login of who opened it, without `[bot]`; null for a deleted account. */
  readonly author: string | null;
  /** Opened by somebody who may not write to its repository. */
  readonly isOutside?: true;
}

/**
 * `latest`: the one conditional request of an idle run, always with the same URL: the 100 issues and pull requests
 * changed last, newest first. One page; `isUnchanged` when the tracker answered 304 to `etag`.
 * `since`: every issue changed at or after a time (all of them without one), oldest change first, by keyset. Complete
 * unless it throws.
 * `by`: every issue that one account, or anybody, opened (created at or after a time), newest first. Complete unless it throws.
 * `first`: the same of one account from the other end, oldest first. One page.
 */
export type IssueQuery =
  | { readonly kind: "latest"; readonly etag: string | undefined }
  | { readonly kind: "since"; readonly since: string | undefined }
  | { readonly kind: "by"; readonly author: string | undefined; readonly createdSince: string | undefined }
  | { readonly kind: "first"; readonly author: string };

export interface IssuePage {
  readonly issues: readonly IssueRecord[];
  /** Rows of it that can't be read. They are there, and say nothing but that; left out where there are none. */
  readonly odd?: readonly OddIssue[];
  readonly isUnchanged: boolean;
  /** Of `latest` only: what makes the next request conditional. */
  readonly etag: string | undefined;
  /** Of `latest` only: `updated_at` of the page's first row, pull requests included. */
  readonly firstUpdatedAt?: string;
  /** `updated_at` of the page's last row, pull requests included; undefined for an empty page. */
  readonly lastUpdatedAt: string | undefined;
  /** Whether the tracker has rows beyond this page. */
  readonly hasMore: boolean;
  /** Of `by` and `first`: every row of the page that can be read, pull requests and those from before `createdSince` included. */
  readonly rows?: readonly NumberedRow[];
  /** Of `by` only: how many pages the list has, pages already read included; undefined where the tracker does not say. */
  readonly pages?: number;
}

/** An issue or a pull request, which share their numbers. */
export interface NumberedRow {
  readonly number: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** An issue of which a list shows something that can't be read, and what of it can. */
export interface OddIssue {
  readonly issue: IssueRef;
  /** null also where it is not known. */
  readonly author: string | null;
  /** undefined where it is not known. */
  readonly body: string | undefined;
  readonly error: RemoteError;
}

/**
 * What the tracker says of one issue. `moved`: transferred; `to` is where it lives now. `gone`: 410, deleted. `refused`: it is
 * not shown now, for a reason that says nothing of other issues.
 */
export type IssueAnswer =
  | { readonly kind: "found"; readonly record: IssueRecord }
  | { readonly kind: "moved"; readonly record: IssueRecord; readonly to: RepositoryName }
  | { readonly kind: "gone" }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly error: RemoteError };

/** One request that changes something. Names are sent as they are; numbers are looked up by the caller. */
export type IssueWrite =
  | {
      readonly kind: "create-issue";
      readonly title: string;
      readonly body: string;
      readonly labels: readonly string[];
      readonly assignees: readonly string[];
      /** The milestone's number. */
      readonly milestone: number | undefined;
      readonly type: string | undefined;
    }
  | {
      readonly kind: "edit-issue";
      readonly number: number;
      readonly title?: string;
      readonly body?: string;
      readonly state?: "open" | "closed";
      readonly stateReason?: "completed" | "not_planned" | "duplicate" | "reopened";
      /** The milestone's number, null for none. */
      readonly milestone?: number | null;
    }
  | { readonly kind: "add-labels"; readonly number: number; readonly labels: readonly string[] }
  | { readonly kind: "remove-label"; readonly number: number; readonly label: string }
  | { readonly kind: "create-label"; readonly name: string }
  | { readonly kind: "add-comment"; readonly number: number; readonly body: string };

/** Something that an issue can do without; of a milestone its number. */
export interface OptionalValue {
  readonly field: "assignees" | "labels" | "milestone" | "type";
  readonly value: string;
}

/** All that a new issue is to get and can do without. */
export function optionalValues({
  assignees,
  labels,
  milestone,
  type,
}: Extract<IssueWrite, { readonly kind: "create-issue" }>): readonly OptionalValue[] {
  return [
    ...assignees.map((value) => ({ field: "assignees", value }) as const),
    ...labels.map((value) => ({ field: "labels", value }) as const),
    ...(milestone === undefined ? [] : [{ field: "milestone", value: String(milestone) } as const]),
    ...(type === undefined ? [] : [{ field: "type", value: type } as const]),
  ];
}

/** What became of a write. Only `unknown` may have been applied without our knowing. */
export type WriteOutcome =
  /**
   * Applied for certain. `record` is the issue as the answer shows it: always there for `create-issue` (201 with a number
   * in the repository that was asked for; anything less is `unknown`) and `edit-issue`, else undefined. Removing a label
   * that is not there, and creating one that is, count as applied.
   */
  | { readonly kind: "applied"; readonly record: IssueRecord | undefined }
  /**
   * Definitely refused, in the tracker's own shape, and for a reason of this write's own. `fields` are those of a 422; `named` what
   * of a new issue it names.
   */
  | {
      readonly kind: "rejected";
      readonly status: number;
      readonly message: string;
      readonly fields: readonly string[];
      readonly named?: readonly OptionalValue[];
    }
  /**
   * Nothing of this kind may be written to the repository: a permission is missing, or it takes no writes. Not applied, and this
   * write is not to blame. Never of `create-label`: that a label may not be made says nothing of other writes.
   */
  | {
      readonly kind: "forbidden";
      readonly message: string;
      /** Set where the tracker says that the repository is archived. */
      readonly isArchived?: true;
    }
  /**
   * 401: the credential is not accepted. Not applied. Where there is another one by now, the same write may be made again
   * after `againAfterMs`.
   */
  | {
      readonly kind: "unauthorized";
      readonly message: string;
      readonly againAfterMs?: number | undefined;
      readonly detail?: FaultDetail | undefined;
    }
  /** A limit, whatever its status: not applied; nothing may be sent before `retryAt` (epoch ms). */
  | { readonly kind: "limited"; readonly retryAt: number; readonly message: string }
  /** Refused connection, name not found, TLS failure: it never left. */
  | { readonly kind: "unsent"; readonly message: string }
  /** Anything else: another 2xx, 3xx, 408, 5xx, time-out, reset, an unreadable answer. It may have been applied. */
  | {
      readonly kind: "unknown";
      readonly message: string;
      /** Epoch ms before which nothing more should be sent, where the answer names a time. */
      readonly retryAt?: number | undefined;
    };
