import type { AuditEntry, IntentId } from "../ledger/journal.ts";
import type { RepositoryMemory } from "../ledger/memory.ts";
import type { IssueField, IssueRecord, Repository } from "../model/issue.ts";
import type { ContentBase } from "../model/link.ts";
import type { Action, FieldWrite, PatchPost } from "../plan/action.ts";
import { hashText } from "../plan/hash.ts";
import type { IssueWrite, WriteOutcome } from "../tracker/tracker.ts";
import { auditTracker } from "./audit.ts";
import { putOff } from "./backlog.ts";
import type { PulledCycle } from "./cycle-state.ts";
import { prepare } from "./intents.ts";
import { laneOf } from "./lane.ts";
import { noteClosure, takeFailure } from "./outcome.ts";
import { takePace } from "./pace.ts";

/** One write to an issue, as its writer wants it sent. */
export interface IssueRequest {
  readonly action: Exclude<Action, PatchPost>;
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

/**
 * Sends one write to an issue, once: at the tracker's pace, journalled before it leaves, and recorded whatever comes of it.
 * Of a rejected one the writer decides what follows. One that was refused for its token alone, and so did nothing, is
 * prepared anew and goes out once more with the next token.
 *
 * @returns undefined when nothing may be sent in this run any more: the action waits.
 */
export async function writeIssue(
  cycle: PulledCycle,
  memory: RepositoryMemory,
  request: IssueRequest,
  isSecond = false,
): Promise<WriteOutcome | undefined> {
  const { repository } = memory;
  const { ledger, clock, tracker } = cycle.world;
  const { action, write, number, content, issueWrites, place, claim } = request;
  const intent = prepare(cycle, {
    kind: action.kind,
    post: action.post,
    reason: action.reason,
    bodyHash: hashText(JSON.stringify(write)),
    repository: repository.id,
    ...(number !== undefined && { number }),
    ...(content !== undefined && { content }),
    ...(issueWrites !== undefined && { issueWrites }),
  });
  const lane = laneOf(cycle.world, repository.name);
  if (!(await takePace(cycle, lane, write.kind === "create-issue" ? "create" : "other"))) {
    putOff(cycle, action, lane);
    return undefined;
  }
  ledger.journal.markSent(intent, clock.now());
  const outcome = onlyShown(request, await tracker.write(repository, write));
  if (outcome.kind === "unauthorized" && outcome.againAfterMs !== undefined && !isSecond) {
    ledger.transaction(() => {
      audit(cycle, repository, request, intent, outcome);
      ledger.journal.resolve(intent, "PREPARED", clock.now(), outcome.message);
    });
    await clock.sleep(outcome.againAfterMs, cycle.run.bounds.signal);
    return writeIssue(cycle, memory, request, true);
  }
  noteClosure(cycle, lane, outcome);
  ledger.transaction(() => {
    audit(cycle, repository, request, intent, outcome);
    if (outcome.kind !== "applied") {
      takeFailure(cycle, { side: "tracker", intent, action, place, claim }, outcome);
      return;
    }
    ledger.journal.resolve(intent, "DONE", clock.now(), wordsOf(request, outcome.record));
    request.recordApplied(outcome.record);
  });
  return outcome;
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
  { name }: Repository,
  { action, write, fields, number: known }: IssueRequest,
  intent: IntentId,
  outcome: WriteOutcome,
): void {
  const number = known ?? (outcome.kind === "applied" ? outcome.record?.issue.number : undefined);
  auditTracker(cycle, outcome, {
    intent,
    kind: write.kind,
    post: action.post,
    issue: number === undefined ? undefined : { repository: name, number },
    fields,
    reason: action.reason,
  });
}
