import type {
  IssueRecord,
  IssueRef,
  Milestone,
  Repository,
  RepositoryId,
  RepositoryName,
} from "../model/issue.ts";
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
   * One repository, by name or by its numeric id (a name may have come to mean another repository).
   *
   * @throws RemoteError with the fault `missing` when it does not exist or is not visible to us.
   */
  repository(wanted: RepositoryName | RepositoryId, bounds: ReadBounds): Promise<Repository>;

  /** The labels and milestones of a repository (of all states), complete. */
  catalogue(repository: Repository, bounds: ReadBounds): Promise<Catalogue>;

  /**
   * Issues of a repository, never pull requests, page by page. An issue may come twice; the later record counts.
   * See `IssueQuery` for what each query promises.
   */
  listIssues(repository: Repository, query: IssueQuery, bounds: ReadBounds): AsyncIterable<IssuePage>;

  /** One issue as it is now. */
  readIssue(issue: IssueRef, bounds: ReadBounds): Promise<IssueAnswer>;

  /** Sends one write. */
  write(repository: Repository, write: IssueWrite): Promise<WriteOutcome>;

  /** Requests sent so far by this adapter, retries included. */
  readonly requests: number;
}

export interface Account {
  readonly login: string;
}

export interface Catalogue {
  readonly labels: readonly string[];
  readonly milestones: readonly Milestone[];
}

/**
 * `latest`: the one conditional request of an idle run, always with the same URL: the 100 issues and pull requests
 * changed last, newest first. One page; `isUnchanged` when the tracker answered 304 to `etag`.
 * `since`: every issue changed at or after a time (all of them without one), oldest change first, by keyset. Complete
 * unless it throws.
 * `by`: every issue that one account opened (created at or after a time), newest first. Complete unless it throws.
 */
export type IssueQuery =
  | { readonly kind: "latest"; readonly etag: string | undefined }
  | { readonly kind: "since"; readonly since: string | undefined }
  | { readonly kind: "by"; readonly author: string; readonly createdSince: string | undefined };

export interface IssuePage {
  readonly issues: readonly IssueRecord[];
  readonly isUnchanged: boolean;
  /** Of `latest` only: what makes the next request conditional. */
  readonly etag: string | undefined;
  /** `updated_at` of the page's last row, pull requests included; undefined for an empty page. */
  readonly lastUpdatedAt: string | undefined;
  /** Whether the tracker has rows beyond this page. */
  readonly hasMore: boolean;
}

/** What the tracker says of one issue. `moved`: transferred; `to` is where it lives now. `gone`: 410, deleted. */
export type IssueAnswer =
  | { readonly kind: "found"; readonly record: IssueRecord }
  | { readonly kind: "moved"; readonly record: IssueRecord; readonly to: RepositoryName }
  | { readonly kind: "gone" }
  | { readonly kind: "missing" };

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
  | { readonly kind: "create-label"; readonly name: string };

/** What became of a write. Only `unknown` may have been applied without our knowing. */
export type WriteOutcome =
  /**
   * Applied for certain. `record` is the issue as the answer shows it: always there for `create-issue` (201 with a number
   * in the repository that was asked for; anything less is `unknown`) and `edit-issue`, else undefined. Removing a label
   * that is not there, and creating one that is, count as applied.
   */
  | { readonly kind: "applied"; readonly record: IssueRecord | undefined }
  /** 400, 403 without a limit, 404, 410, 413, 422, 451 in the tracker's own shape. `fields` are those of a 422. */
  | {
      readonly kind: "rejected";
      readonly status: number;
      readonly message: string;
      readonly fields: readonly string[];
    }
  /** 401: the credential is not accepted. Not applied. */
  | { readonly kind: "unauthorized"; readonly message: string }
  /** 403 or 429 that names a limit: not applied; nothing may be sent before `retryAt` (epoch ms). */
  | { readonly kind: "limited"; readonly retryAt: number; readonly message: string }
  /** Refused connection, name not found, TLS failure: it never left. */
  | { readonly kind: "unsent"; readonly message: string }
  /** Anything else: another 2xx, 3xx, 408, 5xx, time-out, reset, an unreadable answer. It may have been applied. */
  | { readonly kind: "unknown"; readonly message: string };
