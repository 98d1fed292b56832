import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { IssueRecord, IssueRef } from "../../model/issue.ts";
import type { Action } from "../../plan/action.ts";
import type { IssueAnswer } from "../../tracker/tracker.ts";
import { nameIssue, type PulledCycle, repositoryById } from "../ground/cycle-state.ts";
import { postpone, recordRow } from "../ground/record.ts";
import { parkAbsent } from "../read/absent.ts";
import { sayMissing, takeAnswer } from "../read/follow.ts";
import { openForWrites } from "./writable.ts";

/** An issue as it is this moment, in a repository that can be written to. */
export interface FreshIssue {
  readonly repository: RepositoryMemory;
  readonly record: IssueRecord;
}

/**
 * Reads an issue right before it is written to.
 *
 * @returns undefined when it can't be written to now: the action waits, or is decided anew for where the issue is.
 */
export async function readFresh(
  cycle: PulledCycle,
  action: Pick<Action, "post" | "kind">,
  issue: IssueRef,
): Promise<FreshIssue | undefined> {
  const found = repositoryById(cycle, issue.repositoryId);
  if (found === undefined) {
    postpone(cycle, action, "its repository can't be used in this run");
    return undefined;
  }
  const repository = await openForWrites(cycle, found, action);
  if (repository === undefined) return undefined;
  const answer = await cycle.world.tracker.readIssue(issue, cycle.run.bounds);
  if (answer.kind === "found") return { repository, record: answer.record };
  await takeAbsence(cycle, action, issue, answer);
  return undefined;
}

/** The issue is not where it was: a transfer is followed, and the next run writes to its new place. */
async function takeAbsence(
  cycle: PulledCycle,
  action: Pick<Action, "post" | "kind">,
  issue: IssueRef,
  answer: IssueAnswer,
): Promise<void> {
  await takeAnswer(cycle, issue, answer);
  if (answer.kind === "missing") sayMissing(cycle, nameIssue(cycle, issue), action.post);
  parkAbsent(cycle);
  if (answer.kind === "moved")
    postpone(cycle, action, "its issue was moved, and the next run goes on with it there");
  else recordRow(cycle, action.post);
}
