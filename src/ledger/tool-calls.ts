import type { PostId, ProjectId } from "../model/post.ts";

/** What one of the board's own tools is called for: one write each. */
export type CallPurpose = "changelogCreate" | "changelogUpdate" | "changelogPublish" | "feedbackCreate";

/** What the audit calls them. */
export const auditKinds: Readonly<Record<CallPurpose, string>> = {
  changelogCreate: "create-entry",
  changelogUpdate: "update-entry",
  changelogPublish: "publish-entry",
  feedbackCreate: "create-post",
};

/** The release whose entry a line of the audit is about; undefined for any other line. */
export function entryTag({
  kind,
  subject,
}: {
  readonly kind: string;
  readonly subject?: string;
}): string | undefined {
  return kind === auditKinds.feedbackCreate ? undefined : subject;
}

/**
 * One call of a tool: what it is for, and of what: the tag of a release, or `<repository id>#<number>` of an issue. There is one
 * line for each, so the table itself says "one draft a tag, one post an issue".
 */
export interface CallKey {
  readonly project: ProjectId;
  readonly purpose: CallPurpose;
  readonly subject: string;
}

/** As an intent's. PREPARED, SENT and UNKNOWN are open. */
export type CallState = "PREPARED" | "SENT" | "UNKNOWN" | "DONE" | "REJECTED";

/**
 * The write-ahead journal of tool calls: SENT, in a commit of its own before the request leaves, then DONE, REJECTED, UNKNOWN, or
 * PREPARED where it provably did nothing. A line stays for good.
 */
export interface ToolCalls {
  /** Of a project, by purpose and subject; of all purposes where none is named. */
  list(project: ProjectId, purpose?: CallPurpose): Promise<readonly ToolCall[]>;
  find(key: CallKey): Promise<ToolCall | undefined>;
  /**
   * Before the first write of a run: what was SENT for these projects has an unknown outcome, its wait starts at `at`. Returns
   * how many.
   */
  recover(at: number, projects: readonly ProjectId[]): Promise<number>;
}

export interface ToolCall extends CallKey {
  readonly state: CallState;
  readonly run: number;
  /** SHA-256 of the arguments that are sent. */
  readonly hash: string;
  readonly reason: string;
  /** When it was written down. */
  readonly preparedAt: number;
  readonly sentAt: number | undefined;
  /** Since when its outcome is unknown. */
  readonly unknownAt: number | undefined;
  readonly endedAt: number | undefined;
  /** Requests sent for it. */
  readonly attempts: number;
  /** Of one that is DONE: the id that the board gave, and its page, as far as these are known. */
  readonly result: string | undefined;
  readonly url: string | undefined;
  readonly message: string | undefined;
  /** Of one whose outcome is unknown: whether it was looked up, and can't be found out. */
  readonly isUnsure: boolean;
}

/** Whether a call waits for a person: it was refused, or it can't be found out what became of it. */
export function isStuck({ purpose, state, isUnsure }: ToolCall): boolean {
  // That is parked in the row of its issue.
  if (purpose === "feedbackCreate") return false;
  if (state === "UNKNOWN") return isUnsure;
  // What was to be published, and was not, is a draft as before.
  return state === "REJECTED" && purpose !== "changelogPublish";
}

/** What becomes of a call. */
export type ToolCallChange =
  /** Nothing had to be sent: what it asks for was there already. As one that is DONE. */
  | (CallWritten &
      Pick<ToolCall, "result" | "url"> & { readonly kind: "take-call"; readonly message: string })
  /** What came of it, and what the audit said of it while nobody knew. `isAnew`: a person wants it tried once more, also if refused. */
  | (CallKey & {
      readonly kind: "end-call";
      readonly state: Exclude<CallState, "SENT">;
      readonly at: number;
      readonly message: string;
      readonly isUnsure?: true;
      readonly isAnew?: true;
      readonly result?: string | undefined;
      readonly url?: string | undefined;
      /** Of a post that was created: as its history names it from now on. */
      readonly post?: PostId | undefined;
    });

/**
 * The request of a call leaves now: it is SENT, with one attempt more. It takes the place of one that is PREPARED or REJECTED, and
 * of a `changelogUpdate` also of one that is DONE. Attempts count anew where it sends something else.
 *
 * @throws Error from the commit where one is under way, or done for good: a bug of the caller.
 */
export interface SentCall extends CallWritten {
  readonly kind: "send-call";
}

interface CallWritten extends CallKey, Pick<ToolCall, "run" | "hash" | "reason"> {
  readonly at: number;
}
