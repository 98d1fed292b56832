import type { AuditEntry, IntentId } from "../../ledger/journal.ts";
import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { IssueField, IssueRecord } from "../../model/issue.ts";
import type { ContentBase } from "../../model/link.ts";
import type { Action, FieldWrite, PatchPost } from "../../plan/action.ts";
import { hashText } from "../../plan/hash.ts";
import type { IssueWrite, WriteOutcome } from "../../tracker/tracker.ts";
import { auditTracker } from "../ground/audit.ts";
import type { PulledCycle } from "../ground/cycle-state.ts";
import type { Lane } from "../ground/lane.ts";
import { putOff } from "./backlog.ts";
import { prepare } from "./intents.ts";
import { noteClosure, takeFailure } from "./outcome.ts";
import { awaitPace, type PacedKind, takePace } from "./pace.ts";

/** One write to an issue, as its writer wants it sent. */
export interface IssueRequest {
  readonly action: Exclude<Action, PatchPost>;
  readonly repository: RepositoryMemory;
  readonly write: IssueWrite;
  /** As reports name it: the issue, or the repository that it is to be opened in. */
  readonly place: string;
  /** undefined for an issue that is to be opened. */
  readonly number: number | undefined;
  /** What our part of the issue's text will be; left out where the write leaves it alone. */
  readonly content?: ContentBase;
  /** The fields that board rules ask for; left out where the write is none of theirs. */
  readonly issueWrites?: readonly FieldWrite<IssueField>[];
  /** As the audit tells them. */
  readonly fields: AuditEntry["fields"];
  /** What nobody knows when the answer is lost: `the issue was opened`. */
  readonly claim: string;
  /** Whether the answer shows what was asked for; anything less is an unknown outcome. */
  readonly isShown: (record: IssueRecord | undefined) => boolean;
  /** Records what was applied, in the transaction that ends the intent. */
  readonly recordApplied: (record: IssueRecord | undefined) => void;
}

/** Whose turn it is at the tracker's pace. */
export interface Turn {
  readonly action: Pick<Action, "post" | "kind">;
  readonly lane: Lane;
  readonly kind: PacedKind;
}

/** A request that was sent, and what became of it. */
export interface SentIssueWrite {
  readonly request: IssueRequest;
  readonly outcome: WriteOutcome;
}

/**
 * Sends one write to an issue, once: it waits for the tracker's pace, has the request made of the issue as it is then, and
 * sends that at once, so that nothing of people's is overwritten that they wrote during the wait. It is journalled before it
 * leaves, and recorded whatever comes of it. Of a rejected one the writer decides what follows. One that was refused for its
 * token alone, and so did nothing, is made anew and goes out once more with the next token.
 *
 * @param compose reads what the request is made of; undefined when there is nothing to send, and that is recorded.
 * @returns undefined when nothing was sent: there was nothing to send, or the action waits.
 */
export async function writeIssue(
  cycle: PulledCycle,
  turn: Turn,
  compose: () => Promise<IssueRequest | undefined>,
): Promise<SentIssueWrite | undefined> {
  const { clock, ledger } = cycle.world;
  for (let isSecond = false; ; isSecond = true) {
    const sent = await sendOnce(cycle, turn, compose);
    if (sent === undefined) return undefined;
    const { request, outcome, intent } = sent;
    if (outcome.kind === "unauthorized" && outcome.againAfterMs !== undefined && !isSecond) {
      ledger.transaction(() => {
        audit(cycle, request, intent, outcome);
        ledger.journal.resolve(intent, "PREPARED", clock.now(), outcome.message);
      });
      await clock.sleep(outcome.againAfterMs, cycle.run.bounds.signal);
      continue;
    }
    noteClosure(cycle, turn.lane, outcome);
    ledger.transaction(() => {
      audit(cycle, request, intent, outcome);
      if (outcome.kind !== "applied") {
        const { action, place, claim } = request;
        takeFailure(cycle, { side: "tracker", intent, action, place, claim }, outcome);
        return;
      }
      ledger.journal.resolve(intent, "DONE", clock.now(), wordsOf(request, outcome.record));
      request.recordApplied(outcome.record);
    });
    return { request, outcome };
  }
}

async function sendOnce(
  cycle: PulledCycle,
  { action, lane, kind }: Turn,
  compose: () => Promise<IssueRequest | undefined>,
): Promise<(SentIssueWrite & { readonly intent: IntentId }) | undefined> {
  const { ledger, clock, tracker } = cycle.world;
  const isTurn = await awaitPace(cycle, lane, kind);
  const request = isTurn ? await compose() : undefined;
  if (request === undefined) {
    if (!isTurn) putOff(cycle, action, lane);
    return undefined;
  }
  const intent = prepareRequest(cycle, request);
  if (!(await takePace(cycle, lane, kind))) {
    putOff(cycle, action, lane);
    return undefined;
  }
  ledger.journal.markSent(intent, clock.now());
  const answer = await tracker.write(request.repository.repository, request.write);
  return { request, intent, outcome: onlyShown(request, answer) };
}

function prepareRequest(cycle: PulledCycle, request: IssueRequest): IntentId {
  const { action, repository, write, number, content, issueWrites } = request;
  return prepare(cycle, {
    kind: action.kind,
    post: action.post,
    reason: action.reason,
    bodyHash: hashText(JSON.stringify(write)),
    repository: repository.repository.id,
    ...(number !== undefined && { number }),
    ...(content !== undefined && { content }),
    ...(issueWrites !== undefined && { issueWrites }),
  });
}

function onlyShown({ isShown }: IssueRequest, outcome: WriteOutcome): WriteOutcome {
  return outcome.kind !== "applied" || isShown(outcome.record)
    ? outcome
    : { kind: "unknown", message: "the answer does not show the issue that was asked for" };
}

function wordsOf({ number }: IssueRequest, record: IssueRecord | undefined): string {
  return number === undefined && record !== undefined ? `opened as #${record.issue.number}` : "accepted";
}

function audit(
  cycle: PulledCycle,
  { action, repository, write, fields, number: known }: IssueRequest,
  intent: IntentId,
  outcome: WriteOutcome,
): void {
  const number = known ?? (outcome.kind === "applied" ? outcome.record?.issue.number : undefined);
  auditTracker(cycle, outcome, {
    intent,
    kind: write.kind,
    post: action.post,
    issue: number === undefined ? undefined : { repository: repository.repository.name, number },
    fields,
    reason: action.reason,
  });
}
