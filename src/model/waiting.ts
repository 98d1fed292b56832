import { type IntentKind, pausedByPerson } from "./link.ts";

/** What is said of a write whose outcome nobody knows. */
const inDoubt: Readonly<Record<IntentKind, string>> = {
  "create-issue":
    "It is not known yet whether its issue was opened; it is looked for before another one is opened.",
  "update-issue":
    "It is not known yet whether the change of its issue arrived; the issue is read again first.",
  "change-issue":
    "It is not known yet whether what a board rule asks of its issue arrived; the issue is read again first.",
  "comment-issue":
    "It is not known yet whether the comment on its issue was made; it is looked for before another one is made.",
  "patch-post":
    "It is not known yet whether the change of the post arrived; the post is looked at again first.",
  "create-post":
    "It is not known yet whether the issue has become a post; the post is looked for before another one is made.",
  "patch-note":
    "It is not known yet whether the change of the post arrived; the post is looked at again first.",
};

/**
 * What is said of a missing post. The key counts the complete lists in a row that lacked it, and ends at 2. 0: every list has shown it,
 * but the board has answered a change with "no such post".
 */
const missingFrom = {
  0: "the board says that it does not know the post; nothing is written to it until it is listed again",
  1: "one list of the board lacks the post; nothing is written to it until it is listed again",
  2: "the board no longer lists the post; nothing is written to it until it is listed again, and `boardsync unlink` takes its issue from it",
} as const;

/** From when on a look tells what became of a write of unknown outcome: what was sent can't arrive any more. Epoch ms. */
export function lookUpAt(
  kind: IntentKind,
  since: number,
  waits: { readonly createMs: number; readonly patchMs: number },
): number {
  const isToPost = kind === "patch-post" || kind === "patch-note";
  return since + (isToPost ? waits.patchMs : waits.createMs);
}

/** The sentence of what waits. @param fact - of an intent its kind, of a missing post how many lists lack it; else the sentence; '' of a post's own pause. */
export function wordWait(kind: string, fact: string): string {
  if (kind === "intent") return inDoubt[fact as IntentKind];
  if (kind === "paused" && fact === "") return pausedByPerson;
  return kind === "missing" ? missingFrom[fact as "0" | "1" | "2"] : fact;
}
