import type { IntentId } from "../ledger/journal.ts";
import type { RepositoryMemory } from "../ledger/memory.ts";
import type { IssueRecord } from "../model/issue.ts";
import type { UpdateIssue } from "../plan/action.ts";
import { hashBlock, replaceBlock, splitBody } from "../plan/block.ts";
import { hashText } from "../plan/hash.ts";
import { signatureOf } from "../plan/print.ts";
import type { IssueAnswer, IssueWrite, WriteOutcome } from "../tracker/tracker.ts";
import { parkAbsent } from "./absent.ts";
import { auditTracker } from "./audit.ts";
import { closureOf, nameIssue, type PulledCycle, repositoryById } from "./cycle-state.ts";
import { sayMissing, takeAnswer } from "./follow.ts";
import { prepare } from "./intents.ts";
import { noteClosure, takePace } from "./pace.ts";
import { postpone, recordRow } from "./record.ts";
import { noteError } from "./report.ts";
import { isClosedNow, openForWrites } from "./writable.ts";

type EditWrite = Extract<IssueWrite, { kind: "edit-issue" }>;

/**
 * Brings the text of an issue that boardsync opened up to date. Starts from the issue as it is this moment: what people
 * wrote outside the block stays to the letter, and where they edited the block itself nothing is overwritten.
 */
export async function updateIssue(cycle: PulledCycle, action: UpdateIssue): Promise<void> {
  const found = repositoryById(cycle, action.issue.repositoryId);
  if (found === undefined) {
    postpone(cycle, action, "its repository can't be used in this run");
    return;
  }
  const repository = await openForWrites(cycle, found, action);
  if (repository === undefined) return;
  const answer = await cycle.world.tracker.readIssue(action.issue, cycle.run.bounds);
  if (answer.kind !== "found") {
    await takeAbsence(cycle, action, answer);
    return;
  }
  const write = editOf(action, answer.record);
  if (write === "edited by people") {
    parkEdited(cycle, action);
    return;
  }
  if (write === undefined) {
    cycle.world.ledger.rows.setContent(cycle.memory.id, action.post, action.issue, action.content);
    recordRow(cycle, action.post);
    return;
  }
  await send(cycle, repository, action, write);
}

/** The issue is not where it was: a transfer is followed, and the text is written to its new place by the next run. */
async function takeAbsence(cycle: PulledCycle, action: UpdateIssue, answer: IssueAnswer): Promise<void> {
  await takeAnswer(cycle, action.issue, answer);
  if (answer.kind === "missing") sayMissing(cycle, nameIssue(cycle, action.issue), action.post);
  parkAbsent(cycle);
  recordRow(cycle, action.post);
}

/** What to send; undefined when the issue shows it already. A title that people changed stays theirs. */
function editOf(action: UpdateIssue, record: IssueRecord): EditWrite | "edited by people" | undefined {
  const { previous, content } = action;
  const isTitleOurs = hashText(record.title) === previous.titleHash;
  const title = action.title !== undefined && isTitleOurs ? action.title : undefined;
  let body: string | undefined;
  if (action.block !== undefined) {
    const parts = splitBody(record.body);
    const shown = parts && hashBlock(parts.block);
    if (shown !== previous.blockHash && shown !== content.blockHash) return "edited by people";
    if (parts !== undefined && shown !== content.blockHash) {
      body = replaceBlock(record.body, parts.marker, action.block);
    }
  }
  if (title === undefined && body === undefined) return undefined;
  return {
    kind: "edit-issue",
    number: action.issue.number,
    ...(title !== undefined && { title }),
    ...(body !== undefined && { body }),
  };
}

async function send(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: UpdateIssue,
  write: EditWrite,
): Promise<void> {
  const { ledger, clock, tracker } = cycle.world;
  const intent = prepare(cycle, {
    kind: "update-issue",
    post: action.post,
    reason: action.reason,
    bodyHash: hashText(JSON.stringify(write)),
    repository: action.issue.repositoryId,
    number: action.issue.number,
    content: action.content,
  });
  if (!(await takePace(cycle, "other"))) {
    postpone(cycle, action, closureOf(cycle, "tracker"));
    return;
  }
  ledger.journal.markSent(intent, clock.now());
  const outcome = await tracker.write(repository.repository, write);
  noteClosure(cycle, outcome);
  ledger.transaction(() => {
    auditEdit(cycle, repository, action, write, outcome);
    recordOutcome(cycle, action, intent, outcome);
  });
  if (outcome.kind !== "rejected" || (await isClosedNow(cycle, repository, action, outcome))) return;
  park(cycle, action, "tracker.rejected", `The change of the issue was refused: ${outcome.message}`);
}

function recordOutcome(
  cycle: PulledCycle,
  action: UpdateIssue,
  intent: IntentId,
  outcome: WriteOutcome,
): void {
  const { journal } = cycle.world.ledger;
  const now = cycle.world.clock.now();
  switch (outcome.kind) {
    case "applied":
      journal.resolve(intent, "DONE", now, "accepted");
      recordApplied(cycle, action);
      return;
    case "rejected":
      journal.resolve(intent, "REJECTED", now, outcome.message);
      return;
    case "limited":
      journal.resolve(intent, "PREPARED", now, outcome.message);
      postpone(cycle, action, outcome.message);
      return;
    case "unauthorized":
    case "unsent": {
      journal.resolve(intent, "PREPARED", now, outcome.message);
      const code = outcome.kind === "unsent" ? "tracker.unreachable" : "tracker.unauthorized";
      report(cycle, action, code, outcome.message);
      recordRow(cycle, action.post);
      return;
    }
    case "unknown": {
      journal.resolve(intent, "UNKNOWN", now, outcome.message);
      const message = `It is not known whether the issue was changed (${outcome.message}). It is looked up before anything is sent again.`;
      report(cycle, action, "tracker.unknown", message);
      recordRow(cycle, action.post);
      return;
    }
  }
}

function recordApplied(cycle: PulledCycle, action: UpdateIssue): void {
  cycle.world.ledger.rows.setContent(cycle.memory.id, action.post, action.issue, action.content);
  cycle.world.ledger.rows.unpark(cycle.memory.id, action.post, "update-issue");
  cycle.tally.issueWrites += 1;
  cycle.world.log.info(
    {
      run: cycle.run.number,
      project: cycle.project.key,
      post: action.post,
      issue: nameIssue(cycle, action.issue),
    },
    "Issue changed",
  );
  recordRow(cycle, action.post);
}

function parkEdited(cycle: PulledCycle, action: UpdateIssue): void {
  const message =
    "People edited the part of the issue that boardsync manages, so the post's later edits are not written there. Move their words below the block to go on.";
  park(cycle, action, "tracker.edited", message);
}

function park(cycle: PulledCycle, action: UpdateIssue, code: string, message: string): void {
  const { ledger, clock } = cycle.world;
  ledger.rows.park(cycle.memory.id, action.post, {
    kind: "update-issue",
    code,
    message,
    since: clock.now(),
    signature: signatureOf(action, cycle.settings),
  });
  report(cycle, action, code, message);
  recordRow(cycle, action.post);
}

function report(cycle: PulledCycle, action: UpdateIssue, code: string, message: string): void {
  noteError(cycle.tally, { post: action.post, issue: nameIssue(cycle, action.issue), code, message });
}

function auditEdit(
  cycle: PulledCycle,
  { repository }: RepositoryMemory,
  { post, issue, reason }: UpdateIssue,
  write: EditWrite,
  outcome: WriteOutcome,
): void {
  auditTracker(cycle, outcome, {
    kind: write.kind,
    post,
    issue: { repository: repository.name, number: issue.number },
    fields: [
      ...(write.title === undefined ? [] : [{ field: "title", value: write.title }]),
      ...(write.body === undefined ? [] : [{ field: "body", value: "the managed block" }]),
    ],
    reason,
  });
}
