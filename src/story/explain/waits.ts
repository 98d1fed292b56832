import type { PersonRequest } from "../../ledger/requests.ts";
import type { RowNote } from "../../ledger/rows.ts";
import type { IntentKind } from "../../model/link.ts";
import { remedyOf } from "../../sync/ground/remedy.ts";
import type { ExplainedWait } from "./explanation.ts";
import type { Explaining } from "./sources.ts";

/** Everything about a post that waits for a person or a time, and what ends it. */
export function explainWaits(explaining: Explaining): readonly ExplainedWait[] {
  return [
    ...waitingForPeople(explaining),
    ...openWrites(explaining),
    ...asked(explaining),
    ...said(explaining),
  ];
}

function waitingForPeople({ ledger, memory, row, project: { key } }: Explaining): readonly ExplainedWait[] {
  const { id: post } = row.post;
  const notes = ledger.lookup.notes(memory.id, post);
  const held = notes.filter(({ kind }) => kind === "held");
  const quarantine = notes.find(({ kind }) => kind === "quarantined");
  const waits = [
    ...held.map((note) => ({ ...note, code: null, kind: "held" as const })),
    ...row.parked.map((parked) => ({ ...parked, kind: "parked" as const })),
    ...(row.isQuarantined || quarantine !== undefined ? [nameQuarantine(quarantine)] : []),
  ];
  return waits.map(({ kind, code, message, since }) => ({
    kind,
    code,
    message,
    since: timeOf(since),
    command: remedyOf({ kind, post }, key) ?? null,
  }));
}

function nameQuarantine(note: RowNote | undefined) {
  const message = note?.message ?? "its status was written too often in 24 hours";
  return { kind: "quarantined" as const, code: null, message, since: note?.since };
}

/** Writes that left, and whose outcome nobody knows. */
function openWrites({ ledger, memory, row, policy }: Explaining): readonly ExplainedWait[] {
  return ledger.journal
    .open(memory.id)
    .filter(({ post, state }) => post === row.post.id && state !== "PREPARED")
    .map(({ kind, unknownAt, sentAt, at }) => {
      const since = unknownAt ?? sentAt ?? at;
      const waitMs = kind === "create-issue" ? policy.waits.createMs : policy.waits.patchMs;
      const until = kind === "create-issue" || kind === "patch-post" ? since + waitMs : since;
      const message = `${doubts[kind]}; it is looked up, not sent again, from ${timeOf(until)} on.`;
      return { kind: "unknown" as const, code: null, message, since: timeOf(since), command: null };
    });
}

const doubts: Readonly<Record<IntentKind, string>> = {
  "create-issue": "It is not known yet whether its issue was opened",
  "update-issue": "It is not known yet whether the text of its issue was changed",
  "change-issue": "It is not known yet whether what a board rule asks for reached its issue",
  "comment-issue": "It is not known yet whether the comment on its issue was made",
  "patch-note": "It is not known yet whether the line in the post's internal note was written",
  "patch-post": "It is not known yet whether the change of the post arrived",
};

/** What a person has asked for and no run has taken up yet. */
function asked({ ledger, memory, row }: Explaining): readonly ExplainedWait[] {
  return ledger.requests
    .pending(memory.id)
    .filter((request) => isAbout(request, row.post.id))
    .map(({ kind, at }) => ({
      kind: "asked" as const,
      code: null,
      message: `\`boardsync ${kind}\` was asked for; the next run takes it up.`,
      since: timeOf(at),
      command: null,
    }));
}

function isAbout(request: PersonRequest, post: string): boolean {
  if ("posts" in request) return request.posts.some((one) => one === post);
  if ("post" in request) return request.post === post;
  return "actions" in request && request.actions.some((action) => action.post === post);
}

/** What the last run noted of it. */
function said({ ledger, memory, row }: Explaining): readonly ExplainedWait[] {
  // That nothing can be decided of it is what is parked, once more.
  const isGone = row.links.length > 0 && row.parked.some(({ kind }) => kind === "create-issue");
  return ledger.lookup
    .notes(memory.id, row.post.id)
    .filter(({ kind }) => kind !== "held" && kind !== "quarantined" && !(kind === "undecided" && isGone))
    .map(({ message, since }) => ({
      kind: "said" as const,
      code: null,
      message,
      since: timeOf(since),
      command: null,
    }));
}

function timeOf(at: number): string;
function timeOf(at: number | undefined): string | null;
function timeOf(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
