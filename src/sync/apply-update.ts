import type { AuditEntry, RepositoryMemory } from "../ledger/ledger.ts";
import type { IssueRecord } from "../model/issue.ts";
import type { UpdateIssue } from "../plan/action.ts";
import { hashBlock, replaceBlock, splitBody } from "../plan/block.ts";
import { hashText } from "../plan/hash.ts";
import { signatureOf } from "../plan/print.ts";
import type { IssueWrite, WriteOutcome } from "../tracker/tracker.ts";
import { closureOf, nameIssue, type PulledCycle, repositoryById } from "./cycle-state.ts";
import { prepare } from "./intents.ts";
import { noteClosure, takePace } from "./pace.ts";
import { postpone, settleRow } from "./record.ts";

type EditWrite = Extract<IssueWrite, { kind: "edit-issue" }>;

/**
 * Brings the text of an issue that boardsync opened up to date. Starts from the issue as it is this moment: what people
 * wrote outside the block stays to the letter, and where they edited the block itself nothing is overwritten.
 */
export async function updateIssue(cycle: PulledCycle, action: UpdateIssue): Promise<void> {
  const repository = repositoryById(cycle, action.issue.repositoryId);
  if (repository === undefined) {
    postpone(cycle, action, "its repository can't be used in this run");
    return;
  }
  const answer = await cycle.world.tracker.readIssue(action.issue, cycle.run.bounds);
  if (answer.kind === "gone") {
    cycle.world.ledger.pulls.setGone(action.issue, true);
    settleRow(cycle, action.post);
    return;
  }
  if (answer.kind !== "found") {
    report(
      cycle,
      action,
      "tracker.missing",
      "The issue is not where it was: it was moved, or our token no longer sees it.",
    );
    return;
  }
  const write = editOf(action, answer.record);
  if (write === "edited by people") {
    parkEdited(cycle, action);
    return;
  }
  if (write === undefined) {
    cycle.world.ledger.rows.setContent(cycle.memory.id, action.post, action.issue, action.content);
    settleRow(cycle, action.post);
    return;
  }
  await send(cycle, repository, action, write);
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
    audit(cycle, repository, action, write, outcome);
    const state = { applied: "DONE", rejected: "REJECTED", unknown: "UNKNOWN" } as const;
    const next = outcome.kind in state ? state[outcome.kind as keyof typeof state] : "PREPARED";
    ledger.journal.resolve(
      intent,
      next,
      clock.now(),
      outcome.kind === "applied" ? "accepted" : outcome.message,
    );
    if (outcome.kind === "applied") recordApplied(cycle, action);
    else recordFailure(cycle, action, outcome);
  });
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
  settleRow(cycle, action.post);
}

function recordFailure(
  cycle: PulledCycle,
  action: UpdateIssue,
  outcome: Exclude<WriteOutcome, { kind: "applied" }>,
): void {
  switch (outcome.kind) {
    case "limited":
      postpone(cycle, action, outcome.message);
      return;
    case "rejected":
      park(cycle, action, "tracker.rejected", `The change of the issue was refused: ${outcome.message}`);
      return;
    case "unauthorized":
      report(cycle, action, "tracker.unauthorized", outcome.message);
      return;
    case "unsent":
      report(cycle, action, "tracker.unreachable", outcome.message);
      return;
    case "unknown":
      report(
        cycle,
        action,
        "tracker.unknown",
        `It is not known whether the issue was changed (${outcome.message}); it is read again.`,
      );
      return;
  }
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
  settleRow(cycle, action.post);
}

function report(cycle: PulledCycle, action: UpdateIssue, code: string, message: string): void {
  cycle.tally.errors.push({ post: action.post, issue: nameIssue(cycle, action.issue), code, message });
}

function audit(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: UpdateIssue,
  write: EditWrite,
  outcome: WriteOutcome,
): void {
  const entry: AuditEntry = {
    at: cycle.world.clock.now(),
    run: cycle.run.number,
    side: "tracker",
    project: cycle.memory.id,
    post: action.post,
    issue: { repository: repository.repository.name, number: action.issue.number },
    kind: "edit-issue",
    fields: [
      ...(write.title === undefined ? [] : [{ field: "title", value: write.title }]),
      ...(write.body === undefined ? [] : [{ field: "body", value: "the managed block" }]),
    ],
    reason: action.reason,
    outcome: outcome.kind,
    message: outcome.kind === "applied" ? undefined : outcome.message,
    isApproved: false,
  };
  cycle.world.ledger.journal.audit(entry);
}
