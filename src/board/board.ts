import type { FaultDetail } from "../errors.ts";
import type { AskedPaging, KnownPages, PageTrace } from "../model/page.ts";
import type {
  BoardProject,
  NoteChange,
  Post,
  PostChange,
  PostField,
  PostId,
  ProjectId,
} from "../model/post.ts";
import type { ReadBounds } from "../model/surroundings.ts";

/**
 * The board, as the sync needs it. An adapter reads and sends; it decides nothing.
 *
 * Reads may be repeated by the adapter (429 and 5xx, `retries` times, inside their bounds) and throw `RemoteError`.
 * The one write is sent exactly once and never throws: every answer, and the lack of one, is an outcome.
 */
export interface Board {
  /** Proves that the key is accepted (`GET /`). Throws `RemoteError` with the fault `unauthorized` when it is not. */
  verifyKey(bounds: ReadBounds): Promise<void>;

  /** The projects that the key's owner can access. Never partial. */
  listProjects(bounds: ReadBounds): Promise<readonly BoardProject[]>;

  /**
   * All posts of a project, page by page, in the board's order. The last page, and only it, has an `end`. A post may
   * come twice when the board shifts between pages; the later record counts, and what that says of the others is the caller's
   * to judge. A page is handed over as soon as it is
   * read, so a pull that fails later has still shown true posts; the next one is asked for when it is wanted, and not before.
   *
   * @param wishes what is read beside the posts, which nobody else gets to see, and what need not be read again.
   * @throws RemoteError when a page can't be fetched or its shape can't be recognised: the pull is then incomplete.
   */
  listPosts(project: ProjectId, bounds: ReadBounds, wishes?: ListWishes): AsyncIterable<PostPage>;

  /**
   * Changes the given fields of one post, and no others. Sent once, with the project in the query. Voters are notified by
   * the board when `status` is among the fields, so the caller has journalled it before.
   */
  patchPost(project: ProjectId, post: PostId, change: PostChange | NoteChange): Promise<PatchOutcome>;

  /** Requests sent so far by this adapter, retries included. */
  readonly requests: number;
}

export interface ListWishes {
  readonly hasNotes: boolean;
  /** A page that still is what is known of it comes without its posts; left out, every page is read. Not together with notes. */
  readonly known?: KnownPages;
  /** Whether the board is believed when it says that a known page has not changed; else what it sends is compared. */
  readonly isConditional?: boolean;
  /** Whether a limit that asking for more meets is left to itself: it was met before, and what is to be written would never be. */
  readonly isPatient?: boolean;
  /** What asking for more has shown before. Left out, the board is asked once more where its list may go on. */
  readonly asked?: AskedPaging | undefined;
  /** Begins with this page of an earlier listing; left out, with the first one. */
  readonly from?: PagePlace | undefined;
}

/** Where a page of a listing is, in the adapter's own words. The key is in none that is called `next`. */
export type PagePlace = string & { readonly __page: true };

export interface PostPage {
  /** None where the page is unchanged: they are those that were stored with its trace. */
  readonly posts: readonly Post[];
  /** Ids of all its posts in their order, also where it is unchanged. */
  readonly ids: readonly PostId[];
  readonly isUnchanged?: true;
  readonly place: PagePlace;
  /** Where the listing goes on, also for a later process; undefined at its end, and where that may not be kept. */
  readonly next?: PagePlace | undefined;
  /** What the page is known again by; left out where nothing of it may be kept. */
  readonly trace?: PageTrace;
  /** Every known field that some record of this page showed, null or not; a renamed one under its own name. */
  readonly seen: ReadonlySet<PostField>;
  /** Internal notes of the records that show one, or null where that is no text; only where they were asked for. */
  readonly notes?: ReadonlyMap<PostId, string | null>;
  /** Names of categories by their ids, as far as records show both; left out where the page was not read anew. */
  readonly categories?: ReadonlyMap<string, string>;
  /** What was recognised, for `check`: `data.feedback`, `uuid`, `Link`, … The same on every page of a pull. */
  readonly shape: ListShape;
  /** Records that could not be used (no id, not an object), as sentences; at most a few a page. */
  readonly unusable: readonly string[];
  /** What asking for more has shown just now; of the first page only. */
  readonly asked?: AskedPaging;
  readonly end: ListEnd | undefined;
}

export interface ListShape {
  /** Path of the array in the answer; `(top level)` for a bare array. */
  readonly items: string;
  /** Name of the id field; undefined while no record was seen. */
  readonly id: string | undefined;
  /** How pages follow one another, in a few words for a person. */
  readonly paging: string;
  /** Every key that the records of the first page have, sorted; names only. */
  readonly keys: readonly string[];
}

/**
 * How a listing ended. `complete`: absence means something. `cut`: one page without any sign of paging, of a size that
 * looks like a limit, and the board could not be asked for more; usable, but absence means nothing. `lossy`: some records
 * could not be used; the others count, absence means nothing, and it is a failure. `incomplete`: no record could be used, the
 * pages contradict themselves (all seen before, a repeated cursor, the page limit), or the board says that there is more
 * than was read: the pull failed.
 */
export type ListEnd =
  | { readonly kind: "complete" }
  | { readonly kind: "cut"; readonly message: string }
  | { readonly kind: "lossy"; readonly message: string }
  | { readonly kind: "incomplete"; readonly message: string };

/** What became of a PATCH. Only `unknown` may have been applied without our knowing. */
export type PatchOutcome =
  /** 2xx. `post` is the record as the answer shows it; undefined where the answer holds none. */
  | { readonly kind: "applied"; readonly post: Post | undefined }
  /** 400, 409, 410, 413, 422: this write is refused for good, in the board's words (cut, and without control characters). */
  | { readonly kind: "rejected"; readonly status: number; readonly message: string }
  /** 404. */
  | { readonly kind: "missing"; readonly message: string }
  /** 401, 403: nothing more is written, of the run or (403, `forbidden`) of its project. */
  | { readonly kind: "unauthorized"; readonly message: string; readonly detail?: FaultDetail | undefined }
  /** A limit, in whatever status it comes: not applied. `retryAt` in epoch ms where the board named a time. */
  | { readonly kind: "limited"; readonly retryAt: number | undefined; readonly message: string }
  /** Refused connection, name not found, TLS failure: it never left. */
  | { readonly kind: "unsent"; readonly message: string }
  /** Anything else: 3xx, 5xx, time-out, reset, an unreadable answer. It may have been applied. */
  | {
      readonly kind: "unknown";
      readonly message: string;
      /** Epoch ms before which nothing more should be sent, where the answer names a time. */
      readonly retryAt?: number;
    };
