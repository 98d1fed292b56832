/*
 * Why something of a post is not done: one closed list, which everything that waits names, and on which everything hangs that is
 * told or done about it. The words of a message only tell it.
 */

/** What ends a wait. `sides`: a change on either side, or what its message names. `config`: a change of the config. */
export type LetGoBy = "time" | "sides" | "config" | "approve" | "retry" | "release" | "resume";

/** What lets each cause go. */
export const letting = {
  /** `settle`. */
  settling: "time",
  /** The pace of the tracker's writes, or the part of it that is this project's. */
  pace: "time",
  budget: "time",
  /** A limit that a side has named. */
  limit: "time",
  /** Another write, look or answer comes first: a later run goes on. */
  turn: "time",
  /** A write has left, and nobody knows what became of it: it is looked up. */
  "in-doubt": "time",
  guard: "approve",
  "rules-changed": "approve",
  /** `conflict: hold`. */
  conflict: "approve",
  /** It is something else by now than what a person has let go. */
  "something-else": "approve",
  /** The repository is public. */
  public: "approve",
  /** An issue names the page of the post. */
  named: "approve",
  /** An issue carries the mark of the post under another address of the board. */
  "other-address": "approve",
  /** It may be a post that has an issue, in another project or by another id. */
  namesake: "approve",
  refused: "retry",
  /** It can't be found out whether voters have been notified of it, or whether its issue was opened. */
  unsure: "retry",
  /** The issue is not where it was. */
  "issue-gone": "retry",
  quarantined: "release",
  paused: "resume",
  /** With its whole project, or with all projects. */
  "project-paused": "resume",
  "all-paused": "resume",
  /** `writes`, or a config that was read anew during the run. */
  "writes-off": "config",
  /** A template of the config fails on the post. */
  template: "config",
  /** The board shows nothing, less than half of what is linked, or other posts: only the project as a whole is let go. */
  shrank: "sides",
  /** The board no longer lists the post. */
  missing: "sides",
  undecided: "sides",
  /** The issue shows more than can be read. Anybody can make it so. */
  "too-large": "sides",
  differs: "sides",
  "did-not-stick": "sides",
  /** A repository, or all of a side, takes no writes: archived, no permission, an outage. */
  closed: "sides",
} as const satisfies Readonly<Record<string, LetGoBy>>;

export type Cause = keyof typeof letting;

/** Why something is not done now. */
export interface Reason {
  readonly cause: Cause;
  /** As words. */
  readonly why: string;
}

export function letGoBy(cause: Cause): LetGoBy {
  return letting[cause];
}

/** What holds a new issue for as long as it is there, and not longer: a hold of it that no person has let go ends with it. */
const passing: ReadonlySet<Cause> = new Set(["public", "named", "other-address", "namesake"]);

export function isPassing(cause: Cause): boolean {
  return passing.has(cause);
}

/** Whether a person has paused more than the post. */
export function isPausedAsWhole(cause: Cause): boolean {
  return cause === "project-paused" || cause === "all-paused";
}
