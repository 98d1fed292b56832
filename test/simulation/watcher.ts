import type { NewRequest } from "../../src/ledger/orders.ts";
import type { Issue, IssueRecord } from "../../src/model/issue.ts";
import type { NoteChange, PostChange, PostId, ProjectId, RuleField } from "../../src/model/post.ts";
import type { IssueWrite } from "../../src/tracker/tracker.ts";
import type { BoardPost } from "./board-server.ts";
import type { ChangeWrite, HubIssue, HubRepository } from "./github-server.ts";
import type { Life } from "./process.ts";
import type { Entry, LeavingCall } from "./tools.ts";

/** A post before a write. */
export interface PostBefore extends Pick<BoardPost, "values" | "touched"> {
  /** True time at which the PATCH left. */
  readonly leftAt: number;
  /** Whether the program gets an answer that says so. */
  readonly isAnswered: boolean;
}

/** A PATCH that leaves. */
export interface LeavingPatch {
  readonly life: Life;
  /** The one that it names. */
  readonly project: ProjectId;
  readonly post: PostId;
  /** One of the internal note has no other field. */
  readonly change: PostChange & Partial<NoteChange>;
  /** True time at which it left. */
  readonly leftAt: number;
  /** How far the requests beside it moved the one clock of the history since the program decided to send it, at most: milliseconds. */
  readonly besideMs: number;
  /** Whether it takes effect, or may. */
  readonly isHeard: boolean;
}

/** An internal note that we have written. */
export interface NoteWritten {
  readonly post: PostId;
  readonly note: string;
  /** As the board had shown it last when the PATCH left. */
  readonly shown: string;
  /** Whether the program gets an answer that says so. */
  readonly isAnswered: boolean;
  /** Whether it takes effect some time after the program has given it up. */
  readonly isLate: boolean;
}

/** A write to the tracker that leaves. */
export interface LeavingIssueWrite {
  readonly life: Life;
  readonly repository: HubRepository;
  readonly write: IssueWrite;
  readonly leftAt: number;
  readonly isHeard: boolean;
  /** Whether it reaches the tracker at all. */
  readonly hasArrived: boolean;
}

/** A write of ours to an issue that was there, once it has taken effect. */
export interface IssueWritten {
  readonly issue: HubIssue;
  readonly before: Issue;
  readonly write: ChangeWrite;
  /** Whether the program gets an answer that says so. */
  readonly isAnswered: boolean;
}

/** What happens at the two sides, and when runs begin and end. */
export interface Events {
  runBegins(): void;
  /** However it ended. */
  runEnds(): void;
  /** A process is over: what it held in memory is lost. */
  processEnds(): void;
  /** The state is lost: what it counted is lost, too. */
  stateIsLost(): void;
  /** An older state is there instead. */
  copyReturns(): void;
  /** A page of a list; when it was asked for, true time. */
  boardShows(posts: readonly BoardPost[], askedAt: number, project: ProjectId): void;
  boardListEnds(
    shown: readonly PostId[],
    end: "complete" | "torn" | "cut" | "lossy" | "incomplete" | "broken",
    project: ProjectId,
  ): void;
  /** People have moved it to the other project of the board. */
  postMoves(post: PostId): void;
  patchLeaves(patch: LeavingPatch): void;
  patchFindsNoPost(post: PostId, project: ProjectId): void;
  /** What left then, and was to take effect later, finds the post gone: it never does. */
  patchComesTooLate(post: PostId, leftAt: number): void;
  patchTakesEffect(
    post: BoardPost,
    change: PostChange,
    before: PostBefore,
    changed: readonly RuleField[],
  ): void;
  /** A PATCH of an internal note has taken effect. */
  noteIsWritten(written: NoteWritten): void;
  toolCallLeaves(call: LeavingCall): void;
  /** The board's tool has made a post of an issue. */
  postIsMade(post: BoardPost, issue: HubIssue): void;
  /** The board's tool has listed the entries: all of them, or a part. */
  entriesAreListed(isComplete: boolean): void;
  /** The board's tool has made an entry of a release; `all` are all that there are. */
  entryIsMade(entry: Entry, all: readonly Entry[]): void;
  /** It has changed an entry, or published it. */
  entryIsChanged(entry: Entry, by: "changelogUpdate" | "changelogPublish"): void;
  issueWriteLeaves(write: LeavingIssueWrite): void;
  issueOpens(issue: HubIssue): void;
  issueIsWritten(written: IssueWritten): void;
  /** People changed an issue. */
  issueMoves(issue: HubIssue): void;
  /** Somebody has deleted what the issue carried: that is no change of the issue, and nothing of it is told. */
  issueIsRobbed(issue: HubIssue): void;
  /** The page of the issues that changed last is shown, and is another one than before; `records` are all that the lists show at this moment. */
  trackerShowsLatest(repository: HubRepository, records: readonly IssueRecord[], etag: string): void;
  trackerAsked(): void;
  /** Until when, on the program's clock. */
  trackerLimits(until: number): void;
  signalsAsked(): void;
  /** The same of signals alone. */
  signalsLimits(until: number): void;
  /** Somebody orders something beside the runs; `ruled` are its posts of which only other rules want another status. */
  personOrders(order: NewRequest, ruled: readonly PostId[]): void;
  /** Somebody pauses a post, this moment. */
  personPauses(post: PostId): void;
  /** The config is another one now; `issues` are all that there are. */
  settingsChange(issues: readonly HubIssue[]): void;
  /** The program's clock is set. */
  clockLeaps(ms: number): void;
}

/** Something that checks one promise, or a few that belong together. */
export type Check = Partial<Events>;

/** Says that a promise is broken: which, and how, in words. */
export type Violate = (invariant: string, message: string) => void;

/** Tells every check of everything, in a fixed order. */
export function joinChecks(checks: readonly Check[]): Events {
  const all = <Name extends keyof Events>(name: Name): Events[Name] => {
    const hearing = checks.flatMap((check) => check[name] ?? []);
    const tell = (...told: unknown[]): void => {
      for (const hear of hearing) (hear as (...told: unknown[]) => void)(...told);
    };
    return tell as Events[Name];
  };
  return {
    runBegins: all("runBegins"),
    runEnds: all("runEnds"),
    processEnds: all("processEnds"),
    stateIsLost: all("stateIsLost"),
    copyReturns: all("copyReturns"),
    boardShows: all("boardShows"),
    boardListEnds: all("boardListEnds"),
    postMoves: all("postMoves"),
    patchLeaves: all("patchLeaves"),
    patchFindsNoPost: all("patchFindsNoPost"),
    patchComesTooLate: all("patchComesTooLate"),
    patchTakesEffect: all("patchTakesEffect"),
    noteIsWritten: all("noteIsWritten"),
    toolCallLeaves: all("toolCallLeaves"),
    postIsMade: all("postIsMade"),
    entriesAreListed: all("entriesAreListed"),
    entryIsMade: all("entryIsMade"),
    entryIsChanged: all("entryIsChanged"),
    issueWriteLeaves: all("issueWriteLeaves"),
    issueOpens: all("issueOpens"),
    issueIsWritten: all("issueIsWritten"),
    issueMoves: all("issueMoves"),
    issueIsRobbed: all("issueIsRobbed"),
    trackerShowsLatest: all("trackerShowsLatest"),
    trackerAsked: all("trackerAsked"),
    trackerLimits: all("trackerLimits"),
    signalsAsked: all("signalsAsked"),
    signalsLimits: all("signalsLimits"),
    personOrders: all("personOrders"),
    personPauses: all("personPauses"),
    settingsChange: all("settingsChange"),
    clockLeaps: all("clockLeaps"),
  };
}
