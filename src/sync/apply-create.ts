import type { IntentId } from "../ledger/journal.ts";
import type { RepositoryMemory } from "../ledger/memory.ts";
import type { IssueRecord } from "../model/issue.ts";
import type { CreateIssue } from "../plan/action.ts";
import { hashText } from "../plan/hash.ts";
import { parseMarker } from "../plan/marker.ts";
import { signatureOf } from "../plan/print.ts";
import type { WriteOutcome } from "../tracker/tracker.ts";
import { patchPost } from "./apply-patch.ts";
import { auditTracker } from "./audit.ts";
import { closureOf, delayAction, isOpen, isShown, nameIssue, type PulledCycle } from "./cycle-state.ts";
import { repositoryNames } from "./identify.ts";
import { prepare } from "./intents.ts";
import { isScanned } from "./markers.ts";
import { noteClosure, takePace } from "./pace.ts";
import { type CreateWrite, droppedFrom, optionalOf, prepareIssue, without } from "./prepare-issue.ts";
import { postpone, recordRow, replan } from "./record.ts";
import { noteError } from "./report.ts";
import { publicHold } from "./visibility.ts";
import { isClosedNow, openForWrites } from "./writable.ts";

/**
 * Opens one issue. The request is journalled before it leaves and sent once; what became of it is decided by the answer,
 * and by the marker when there was none.
 */
export async function createIssue(
  cycle: PulledCycle,
  action: CreateIssue,
  followUpHeld: string | undefined,
): Promise<void> {
  const { ledger, clock } = cycle.world;
  const row = ledger.rows.row(cycle.memory.id, action.post, clock.now());
  if (row === undefined || !isShown(cycle, row)) {
    // Perhaps it is gone: the list before may have lacked it, too, and have been too short to be believed.
    postpone(
      cycle,
      action,
      "this run's list of posts did not get as far as the post; the next one looks again",
    );
    return;
  }
  const found = cycle.repositories.get(action.repo);
  if (found === undefined) {
    postpone(cycle, action, `${action.repo} can't be used in this run`);
    return;
  }
  const open = await openForWrites(cycle, found, action);
  if (open === undefined) return;
  const hold = publicHold(cycle, open, action.post);
  if (hold !== undefined) {
    delayAction(cycle, action, { kind: "held", message: hold });
    recordRow(cycle, action.post);
    return;
  }
  const doubt = doubtOf(cycle);
  if (doubt !== undefined) {
    postpone(cycle, action, doubt);
    return;
  }
  const repository = ledger.memory.repository(found.name) ?? found;
  const write = await prepareIssue(cycle, repository, action);
  const isOpened = await send(cycle, repository, action, write);
  if (!isOpened) return;
  if (followUpHeld !== undefined) {
    delayAction(cycle, { post: action.post, kind: "patch-post" }, { kind: "held", message: followUpHeld });
  }
  recordRow(cycle, action.post);
  if (followUpHeld === undefined) await followUp(cycle, action);
}

/**
 * Why the post might have its issue already without our knowing, as words; undefined when it can't. It may be in any
 * repository of the project: where a post belongs changes with its category and with the config.
 */
function doubtOf(cycle: PulledCycle): string | undefined {
  const { clock, policy, ledger } = cycle.world;
  const names = repositoryNames(cycle.settings);
  const unscanned = names.find((name) => !isScanned(cycle, name));
  if (unscanned !== undefined) {
    return `${unscanned} could not be searched yet for issues that this state does not know; if it is gone for good, take it out of the config`;
  }
  // Remembered anew by the pull: this run's own scan may have found that the state was lost.
  const recovered = names.map(
    (name) => ledger.memory.repository(name)?.recoveredAt ?? Number.NEGATIVE_INFINITY,
  );
  const restUntil = Math.max(...recovered) + policy.waits.createMs;
  if (clock.now() >= restUntil) return undefined;
  return `an earlier life of the state may still have a request under way; until ${new Date(restUntil).toISOString()}`;
}

/** Sends the create; once more without the optional fields that a 422 names. Returns whether the issue was opened. */
async function send(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: CreateIssue,
  write: CreateWrite,
): Promise<boolean> {
  const first = await sendOnce(cycle, repository, action, write);
  if (first?.kind !== "rejected") return first?.kind === "applied";
  if (await isClosedNow(cycle, repository, action, first)) return false;
  const refused = first.status === 422 ? optionalOf(first.fields) : [];
  if (refused.length === 0) {
    parkCreate(cycle, repository, action, first.message);
    return false;
  }
  const message = `${repository.name} refuses ${refused.join(", ")} (${first.message}), so the issue is opened without.`;
  report(cycle, action, repository, undefined, "tracker.field-refused", message);
  const second = await sendOnce(cycle, repository, action, without(write, refused));
  if (second?.kind === "rejected") parkCreate(cycle, repository, action, second.message);
  return second?.kind === "applied";
}

async function sendOnce(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: CreateIssue,
  write: CreateWrite,
): Promise<WriteOutcome | undefined> {
  const { ledger, clock, tracker } = cycle.world;
  const intent = prepare(cycle, {
    kind: "create-issue",
    post: action.post,
    reason: action.reason,
    bodyHash: hashText(JSON.stringify(write)),
    repository: repository.repository.id,
    content: action.content,
  });
  if (!(await takePace(cycle, "create"))) {
    postpone(cycle, action, closureOf(cycle, "tracker"));
    return undefined;
  }
  ledger.journal.markSent(intent, clock.now());
  const outcome = onlyOurs(cycle, action, await tracker.write(repository.repository, write));
  noteClosure(cycle, outcome);
  ledger.transaction(() => recordOutcome(cycle, repository, action, intent, write, outcome));
  return outcome;
}

/** An answer counts as the new issue only when it shows our marker for this very post. */
function onlyOurs(cycle: PulledCycle, action: CreateIssue, outcome: WriteOutcome): WriteOutcome {
  if (outcome.kind !== "applied") return outcome;
  const marker = outcome.record && parseMarker(outcome.record.body);
  const isOurs =
    marker?.board === cycle.world.policy.boardHash &&
    marker.project === cycle.memory.id &&
    marker.posts.includes(action.post);
  return isOurs
    ? outcome
    : { kind: "unknown", message: "the answer does not show the issue that was asked for" };
}

function recordOutcome(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: CreateIssue,
  intent: IntentId,
  write: CreateWrite,
  outcome: WriteOutcome,
): void {
  const { journal } = cycle.world.ledger;
  const now = cycle.world.clock.now();
  auditCreate(cycle, repository, action, outcome);
  switch (outcome.kind) {
    case "applied":
      if (outcome.record !== undefined) linkOpened(cycle, repository, action, intent, write, outcome.record);
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
      report(cycle, action, repository, undefined, code, outcome.message);
      recordRow(cycle, action.post);
      return;
    }
    case "unknown": {
      journal.resolve(intent, "UNKNOWN", now, outcome.message);
      const message = `It is not known whether the issue was opened (${outcome.message}). It is looked up before anything is sent again.`;
      report(cycle, action, repository, undefined, "tracker.unknown", message);
      recordRow(cycle, action.post);
      return;
    }
  }
}

function linkOpened(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: CreateIssue,
  intent: IntentId,
  write: CreateWrite,
  record: IssueRecord,
): void {
  const { ledger, clock, log } = cycle.world;
  const { post, content } = action;
  const issue = { repositoryId: record.issue.repositoryId, number: record.issue.number };
  ledger.rows.link(cycle.memory.id, { post, issue, origin: "opened" }, record.issue, content);
  ledger.rows.unpark(cycle.memory.id, post, "create-issue");
  ledger.journal.resolve(intent, "DONE", clock.now(), `opened as #${issue.number}`);
  cycle.tally.created += 1;
  const fields = { run: cycle.run.number, project: cycle.project.key, post, issue: nameIssue(cycle, issue) };
  log.info(fields, "Issue opened");
  const dropped = droppedFrom(write, action, record);
  if (dropped.length === 0) return;
  const message = `The issue was opened without ${dropped.join(", ")}: ${repository.name} did not take it. The token needs push access there, and the name must exist.`;
  report(cycle, action, repository, issue.number, "tracker.dropped", message);
}

function parkCreate(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: CreateIssue,
  words: string,
): void {
  const { ledger, clock } = cycle.world;
  const message = `${repository.name} refuses the issue: ${words}`;
  ledger.rows.park(cycle.memory.id, action.post, {
    kind: "create-issue",
    code: "tracker.rejected",
    message,
    since: clock.now(),
    signature: signatureOf(action, cycle.settings),
  });
  report(cycle, action, repository, undefined, "tracker.rejected", message);
  recordRow(cycle, action.post);
}

/** The PATCH that the plan promised with the create, when the issue came out as it was asked for. */
async function followUp(cycle: PulledCycle, action: CreateIssue): Promise<void> {
  if (action.followUp === undefined || !isOpen(cycle, "board")) return;
  const next = replan(cycle, { post: action.post, kind: "patch-post" });
  if (next?.kind !== "patch-post") return;
  const isPromised = JSON.stringify(next.writes) === JSON.stringify(action.followUp.writes);
  if (isPromised) await patchPost(cycle, next);
}

function report(
  cycle: PulledCycle,
  { post }: CreateIssue,
  { repository: { name } }: RepositoryMemory,
  number: number | undefined,
  code: string,
  message: string,
): void {
  const issue = number === undefined ? name : `${name}#${number}`;
  noteError(cycle.tally, { post, issue, code, message });
}

function auditCreate(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  { kind, post, title, labels, reason }: CreateIssue,
  outcome: WriteOutcome,
): void {
  const number = outcome.kind === "applied" ? outcome.record?.issue.number : undefined;
  auditTracker(cycle, outcome, {
    kind,
    post,
    issue: number === undefined ? undefined : { repository: repository.repository.name, number },
    fields: [{ field: "title", value: title }, ...labels.map((label) => ({ field: "label", value: label }))],
    reason,
  });
}
