import type { Side } from "../errors.ts";
import type { Absence, Issue, IssueRef, Milestone, Pin, RepositoryId, Signals } from "../model/issue.ts";
import type { ContentBase, FieldWrite, LeftText, Link, Parked, PatchAnswer, RowNote } from "../model/link.ts";
import type { PageTrace } from "../model/page.ts";
import type { Post, PostId, ProjectId } from "../model/post.ts";
import type { AuditEntry, IntentId, Left, NewIntent, SentCall, ToolCallChange } from "./journal.ts";
import type { Kinds } from "./kinds.ts";
import type {
  AccountMemory,
  CategoriesMemory,
  PagingMemory,
  ProjectFieldMemory,
  ProjectMemory,
  RepositoryMemory,
  SaidNotice,
  SizeMemory,
  ToolMemory,
} from "./memory.ts";
import type { NewRequest, OrderChange, RequestId, RunRecord, SignOfLife } from "./orders.ts";
import type { ImportChange, MarkedIssue, NamingIssue, NewOtherMark, PullId } from "./pulls.ts";
import type { OfPost, RowRecord } from "./rows.ts";

/** One thing that the state is to know. What belongs together is committed together, by `Ledger.commit`. */
export type Change =
  | PullChange
  | IssueChange
  | RowChange
  | JournalChange
  | ToolCallChange
  | ImportChange
  | PaceChange
  | Remembered
  | PersonChange
  | OrderChange;

/** What a pull of the board has shown, page by page. */
export type PullChange = Kinds<{
  /**
   * Posts that a page shows, under the pull's number. A post that comes again replaces what came before. Those become due that
   * are new, differ from what was stored, were missing, or had their look forgotten.
   *
   * @param trace - what the page is known again by; left out where it is not to be.
   */
  "store-posts": { pull: PullId; posts: readonly Post[]; at: number; trace?: PageTrace | undefined };
  /**
   * The page that `knownPage` has just found is still the same: all its posts have been seen once more. Nothing is written
   * unless the trace names another way to ask for it.
   */
  "see-page": { pull: PullId; trace: PageTrace; at: number };
  /**
   * Ends the pull. `complete` counts every stored post that it has not seen as missing once more (never above 2, once a
   * run) and marks it due where the count moved, and with it the
   * posts of other projects that have its id; `usable` and `incomplete` leave absence alone. Pages that it has not shown are
   * forgotten, unless it is `incomplete` and stored none with a trace.
   */
  "end-pull": { pull: PullId; end: "complete" | "usable" | "incomplete"; at: number };
}>;

/** What was read of issues. Rows of an issue that changes become due. */
export type IssueChange = Kinds<{
  /**
   * Issues that are linked, and those that `marked` names: a marker of ours for a post of this board. Others are left out. An
   * issue that was missing or lost is there again; one that was deleted or moved is never taken from a list, which may lag,
   * nor is a state older than the known one.
   */
  "store-issues": { issues: readonly Issue[]; marked: readonly MarkedIssue[] };
  /** Replaces what is known of marks of another board address on these issues. */
  "store-other-marks": { issues: readonly IssueRef[]; marks: readonly NewOtherMark[]; at: number };
  /** A person has said that such marks, of these hashes, are another board's: for good, also of what comes. */
  "accept-other-marks": { project: ProjectId; boards: readonly string[]; at: number };
  /** Replaces what an issue of people's is known to name: addresses, spelt in one way. Only their hashes are kept. */
  "store-naming": { named: readonly NamingIssue[] };
  /**
   * An issue's facts as they were read beside its signals; lists keep them up to date from now on, too. Those of a linked
   * issue only where they are newer: lists lag, and rules must not see a change without one that came before it.
   */
  "store-facts": { issue: Issue };
  /**
   * Lays signals over those that are known: one that is not named stays, and so does each field of a project that is not.
   * With `isFill` what is known stays, and only what is not known yet is taken. Where that changes anything, the rows of the
   * issue and of those that are duplicates of it become due.
   */
  "store-signals": { issue: IssueRef; signals: Signals; isFill: boolean };
  /** Replaces all that is known of what names in the rules of a project mean. */
  "set-pins": { project: ProjectId; pins: readonly Pin[] };
  /** A milestone has another title or state than issues were read with: it is put into their facts. */
  "replace-milestone": { repository: RepositoryId; known: Milestone; now: Milestone };
  /** Replaces what was known of an absence; undefined: the issue is there after all. */
  "set-absence": { issue: IssueRef; absence: Absence | undefined };
  /**
   * A verified transfer: every link and every mark of the old place leads to the new one, whose facts are stored; bases and
   * what was written last stay, and the old place is `moved` for good.
   */
  "follow-transfer": { from: IssueRef; to: Issue; moved: Absence & { readonly kind: "moved" } };
  /** Marks every row due that has an issue in a repository. */
  "mark-repository": { repository: RepositoryId };
}>;

/** What is recorded of a post. */
export type RowChange = Kinds<{
  /**
   * A decision. A base replaces the one of its field, and those of other fields stay; the notes replace all that were there, but
   * what is parked, and a quarantine; the row is due again only as `due` says. A record of what stands already writes nothing.
   */
  "record-row": OfPost & { record: RowRecord };
  /** Replaces the notes about one action of a post. Notes about others stay, what is parked, and a hold of another action of the same kind. */
  "note-action": OfPost & { of: Required<RowNote>["action"]; notes: readonly RowNote[] };
  /** Replaces the bases that are given, and nothing else; the row becomes due. */
  "set-bases": OfPost & { bases: Pick<RowRecord, "base" | "issueBases"> };
  /** Our write has just changed the post: what is stored says nothing of it until a listing shows it again. */
  "forget-look": OfPost;
  /** Of posts that are named also those that they may have been moved to: something may have kept them from following. */
  "mark-due": { project: ProjectId; which: "all" | "linked" | readonly PostId[] };
  /**
   * The board has moved a post to another project: links, bases, writes, history and what people want of it follow. What the
   * new place knew of it gives way, but for what its lists show; the row there becomes due.
   * Where another process has listed the post in its old place meanwhile, or has a write for it under way, `commit` throws an
   * `OutdatedError`.
   */
  "move-post": OfPost & { to: ProjectId };
  /** The board says of the post itself that it is not there. As a pull that misses it that counts for nothing. */
  "mark-missing": OfPost;
  /** Adds a link (nothing happens when it is there) and stores the issue's facts. */
  link: { project: ProjectId; link: Link; issue: Issue; content: ContentBase | undefined };
  "set-content": OfPost & { issue: IssueRef; content: ContentBase };
  /** A person wants this text left unwritten; the next one that `set-content` records ends that. */
  "leave-text": OfPost & { issue: IssueRef; content: LeftText };
  /** Replaces what is parked for the same kind of write and the same cause: a refusal ends no doubt. */
  park: OfPost & { parked: Parked };
  /** Ends what is parked for one kind of write, or only what is parked there for one cause. */
  unpark: OfPost & { of: Parked["action"]["kind"]; cause?: Parked["cause"] };
  /** Ends a quarantine; status writes before `at` count no more for the next one. */
  release: OfPost & { at: number };
  /**
   * A person ends links of a post: from now on the marks of these issues say nothing of it. The text of an issue goes over to
   * the post that it stands for next. A post without any link left, also one that never had any, forgets its bases and what is
   * parked, and gets no issue by itself until a person links it, or `reopen`. Marks every row of these issues due.
   */
  "end-links": OfPost & { issues: readonly IssueRef[]; at: number };
  /**
   * A person wants nothing written for a post, either way. Who has paused it before stays; what was asked for of its `resume`
   * and is not done yet is asked for no more. The row becomes due.
   */
  pause: OfPost & { at: number };
  /** Ends a pause, as long as this is still asked for: the post may have been paused once more meanwhile. */
  resume: OfPost & { request: RequestId };
  /**
   * A person wants nothing written for a project (undefined: for any), either way. What was asked for of its end is asked for no
   * more, and rows that wait for a time are due, so that the next run notes why they wait now.
   */
  "pause-whole": { project: ProjectId | undefined; at: number };
  /** Ends such a pause; of a request as long as that is still asked for. Rows that it held up become due. */
  "resume-whole": { project: ProjectId | undefined; request: RequestId | undefined };
  /** A person lets such a post get an issue like a new one. */
  reopen: OfPost;
  /** The line in a post's internal note, as the note has it now, as far as is known; and whether it is still due. */
  "record-backlink": OfPost & { line: string | undefined; isDue: boolean };
}>;

/** What a request rests on that is about to leave: `Ledger.commitSent` alone takes it. */
export type SentChange =
  | Kinds<{
      /**
       * The request of an intent leaves now. One that is PREPARED and would write the same is sent once more, and its attempts count
       * on; one that would write something else ends: that is not wanted any more.
       *
       * @param signature - what a saved plan knows the action by that is done with this request; undefined where more of it follows.
       */
      "mark-sent": { intent: NewIntent; at: number; signature?: string | undefined };
      /**
       * A write is about to leave for the tracker: the pace survives a crash.
       *
       * @param budget - whose pace, as the tracker names it.
       * @param project - whose write.
       * @param seen - how many writes of this pace there were since a time, when it was looked at. Where another process has made
       * more of them meanwhile, `commitSent` throws an `OutdatedError`: there may be no room any more.
       */
      "pace-write": {
        at: number;
        isCreate: boolean;
        budget: string;
        project: ProjectId;
        seen?: { readonly since: number; readonly writes: number };
      };
    }>
  | SentCall;

/** What becomes of writes. */
export type JournalChange = Kinds<{
  /**
   * What has become of an intent.
   *
   * @param isUnsent - no byte of it has left: it counts as no attempt.
   * @param isOpen - it is over, and nobody will ever know whether it took effect: so the audit goes on saying.
   * @param answer - of a PATCH that is DONE, where its answer holds the record.
   */
  resolve: {
    intent: IntentId;
    state: "DONE" | "REJECTED" | "UNKNOWN" | "PREPARED";
    at: number;
    message: string;
    isUnsent?: true;
    isOpen?: true;
    answer?: PatchAnswer | undefined;
  };
  /** Other rules ask for something else by now: what T₀ becomes, of the writes of an open PATCH. */
  retarget: { intent: IntentId; writes: readonly FieldWrite[] };
  /**
   * An issue shows what an unknown change was to write, and that is recorded as made. It stays open for as long as it may
   * arrive all the same, once more or for the first time.
   */
  "take-up": { intent: IntentId; at: number };
  /** One line for every write to either side, whatever came of it. */
  audit: { entry: AuditEntry };
  "finish-run": { run: number; record: RunRecord };
}>;

/** What waits for the pace. `budget`: whose pace, as the tracker names it. */
export type PaceChange = Kinds<{
  /**
   * What a run leaves to be written. With nothing left there is no backlog any more, and where there was none nothing is
   * written.
   */
  "note-backlog": { project: ProjectId; budget: string; left: Left; at: number };
  /** Replaces what was known of this side and budget. `at`: when it was learnt. */
  limit: { side: Side; budget: string; until: number; at: number };
}>;

/** What is asked for once, and checked again every `fullEvery`. */
export type Remembered = Kinds<{
  "remember-account": { account: AccountMemory };
  "remember-project": { memory: ProjectMemory };
  "remember-paging": { project: ProjectId; paging: PagingMemory };
  "remember-open-list": { project: ProjectId; place: string | undefined };
  /**
   * Insert or replace, by numeric id. A name moves to the repository that was remembered last under it. `from` is what `memory`
   * was made of (without one, what is held): what both agree on stays as another process has remembered it since.
   */
  "remember-repository": { memory: RepositoryMemory; from?: RepositoryMemory | undefined };
  "remember-project-field": { field: ProjectFieldMemory };
  /** All of them: these replace what was known. */
  "remember-sizes": { sizes: readonly SizeMemory[] };
  "remember-categories": { memory: CategoriesMemory };
  "remember-tool": { tool: ToolMemory };
  /** The tracker has shown that this state is an old copy which nobody stamped; from now on it says so itself. */
  "declare-old": { at: number };
}>;

/** What people ask for, and what they are told. */
export type PersonChange = Kinds<{
  "add-request": { request: NewRequest };
  "end-request": { request: RequestId };
  beat: { sign: SignOfLife };
  /** Offers a code that opens the daemon's page, by its print, in the place of an earlier one. */
  "offer-page": { print: string; until: number };
  /** These are going to be said. What was said before `forgetBefore` is forgotten. */
  say: { notices: readonly SaidNotice[]; forgetBefore: number };
  /** These were not taken. */
  unsay: { causes: readonly string[] };
}>;
