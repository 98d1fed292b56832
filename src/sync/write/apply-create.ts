import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { IssueRecord } from "../../model/issue.ts";
import type { CreateIssue } from "../../plan/action.ts";
import { isAllowed } from "../../plan/obstacle.ts";
import { signalsOfNew } from "../../plan/rules/asked.ts";
import { looksBesideRecord, neededSignals } from "../../plan/rules/signals.ts";
import { parseMarker } from "../../plan/text/marker.ts";
import type { WriteOutcome } from "../../tracker/tracker.ts";
import { delayAction, isOpen, isShown, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { boardLane, laneOf } from "../ground/lane.ts";
import { postpone, recordRow, replan } from "../ground/record.ts";
import { noteError } from "../ground/report.ts";
import { lookAgain } from "../read/look-again.ts";
import { isScanned } from "../read/markers.ts";
import { earlierRequestOf } from "../read/old-state.ts";
import { repositoryNames } from "../read/repositories.ts";
import { publicHold } from "../read/visibility.ts";
import { patchPost } from "./apply-patch.ts";
import { noteOpened } from "./backlog.ts";
import { parkAction } from "./outcome.ts";
import { type CreateWrite, droppedFrom, optionalOf, prepareIssue, without } from "./prepare-issue.ts";
import { isClosedNow, openForWrites } from "./writable.ts";
import { type IssueRequest, writeIssue } from "./write-issue.ts";

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
    delayAction(cycle, action, { kind: "held", message: hold, isApprovable: true, isPassing: true });
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
    const isApprovable = isAllowed({ kind: "patch-post" }, cycle.settings);
    const delay = { kind: "held", message: followUpHeld, ...(isApprovable && { isApprovable }) } as const;
    delayAction(cycle, { post: action.post, kind: "patch-post" }, delay);
  }
  recordRow(cycle, action.post);
  if (followUpHeld === undefined) await followUp(cycle, action);
}

/**
 * Why the post might have its issue already without our knowing, as words; undefined when it can't. It may be in any
 * repository of the project: where a post belongs changes with its category and with the config.
 */
function doubtOf(cycle: PulledCycle): string | undefined {
  const unscanned = repositoryNames(cycle.settings).find((name) => !isScanned(cycle, name));
  if (unscanned !== undefined) {
    return `${unscanned} could not be searched yet for issues that this state does not know; if it is gone for good, take it out of the config`;
  }
  return earlierRequestOf(cycle);
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
  const place = repository.repository.name;
  noteError(cycle.tally, { post: action.post, issue: place, code: "tracker.field-refused", message });
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
  const lane = laneOf(cycle.world, repository.repository.name);
  const request: IssueRequest = {
    action,
    repository,
    write,
    place: repository.repository.name,
    number: undefined,
    content: action.content,
    fields: [
      { field: "title", value: action.title },
      ...action.labels.map((label) => ({ field: "label", value: label })),
    ],
    claim: "the issue was opened",
    isShown: (record) => record !== undefined && isOurs(cycle, action, record),
    recordApplied: (record) => {
      if (record !== undefined) linkOpened(cycle, repository, action, write, record);
    },
  };
  const sent = await writeIssue(cycle, { action, lane, kind: "create" }, () => Promise.resolve(request));
  return sent?.outcome;
}

/** An answer counts as the new issue only when it shows our marker for this very post. */
function isOurs({ world, memory }: PulledCycle, { post }: CreateIssue, { body }: IssueRecord): boolean {
  const marker = parseMarker(body);
  return (
    marker?.board === world.policy.boardHash && marker.project === memory.id && marker.posts.includes(post)
  );
}

function linkOpened(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: CreateIssue,
  write: CreateWrite,
  record: IssueRecord,
): void {
  const { ledger, log } = cycle.world;
  const { post, content } = action;
  const issue = { repositoryId: record.issue.repositoryId, number: record.issue.number };
  ledger.rows.link(cycle.memory.id, { post, issue, origin: "opened" }, record.issue, content);
  if (looksBesideRecord(neededSignals(cycle.settings))) ledger.signals.store(issue, signalsOfNew);
  ledger.rows.unpark(cycle.memory.id, post, "create-issue");
  cycle.tally.created += 1;
  noteOpened(cycle, laneOf(cycle.world, repository.repository.name));
  const name = nameIssue(cycle, issue);
  log.info({ run: cycle.run.number, project: cycle.project.key, post, issue: name }, "Issue opened");
  const dropped = droppedFrom(write, action, record);
  if (dropped.length === 0) return;
  const message = `The issue was opened without ${dropped.join(", ")}: ${repository.name} did not take it. The token needs push access there, and the name must exist.`;
  noteError(cycle.tally, { post, issue: name, code: "tracker.dropped", message });
}

function parkCreate(
  cycle: PulledCycle,
  { name, repository }: RepositoryMemory,
  action: CreateIssue,
  words: string,
): void {
  const message = `${name} refuses the issue: ${words}`;
  parkAction(cycle, action, { place: repository.name, code: "tracker.rejected", message });
}

/** The PATCH that the plan promised with the create, when the issue came out as it was asked for. */
async function followUp(cycle: PulledCycle, action: CreateIssue): Promise<void> {
  if (action.followUp === undefined || !isOpen(cycle, boardLane)) return;
  await lookAgain(cycle, action.post);
  const next = replan(cycle, { post: action.post, kind: "patch-post" });
  if (next?.kind !== "patch-post") return;
  const isPromised = JSON.stringify(next.writes) === JSON.stringify(action.followUp.writes);
  if (isPromised) await patchPost(cycle, next);
}
