import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { IssueRef } from "../../model/issue.ts";
import type { CommentIssue, IssueComment } from "../../plan/action.ts";
import { isOpen, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { type Lane, laneOfIssue } from "../ground/lane.ts";
import { recordRow, replan } from "../ground/record.ts";
import { isSameIssue, storeRecords } from "../read/markers.ts";
import { putOff } from "./backlog.ts";
import { parkAction } from "./outcome.ts";
import { basesOf } from "./own-change.ts";
import { readFresh } from "./read-fresh.ts";
import { isClosedNow } from "./writable.ts";
import { type IssueRequest, writeIssue } from "./write-issue.ts";

/**
 * Makes the comments that a board rule asks for, each once for each time that the rule begins to hold. A comment carries a
 * mark, by which it is found if no answer tells whether it was made.
 */
export async function commentIssue(cycle: PulledCycle, action: CommentIssue): Promise<void> {
  for (const { issue } of action.comments) {
    const lane = laneOfIssue(cycle.world, issue);
    if (!isOpen(cycle, lane)) {
      putOff(cycle, action, lane);
      continue;
    }
    const progress = await commentOne(cycle, action, issue, lane);
    if (progress === "stop") return;
  }
}

async function commentOne(
  cycle: PulledCycle,
  action: CommentIssue,
  issue: IssueRef,
  lane: Lane,
): Promise<"go on" | "stop"> {
  let found:
    | { readonly now: CommentIssue; readonly comment: IssueComment; readonly locked: boolean }
    | undefined;
  let isUnread = false;
  const sent = await writeIssue(cycle, { action, lane, kind: "other" }, async () => {
    const fresh = await readFresh(cycle, action, issue);
    isUnread = fresh === undefined;
    if (fresh === undefined) return undefined;
    storeRecords(cycle, [fresh.record]);
    const now = replan(cycle, action);
    const comment =
      now?.kind === "comment-issue" && now.comments.find((one) => isSameIssue(one.issue, issue));
    if (now?.kind !== "comment-issue" || !comment) return undefined;
    found = { now, comment, locked: fresh.record.issue.locked };
    return requestOf(cycle, now, comment, fresh.repository);
  });
  // What can't be read waits by itself; whatever else has changed is decided anew by the next run.
  if (sent === undefined || found === undefined) return isUnread ? "go on" : "stop";
  const { outcome, request } = sent;
  if (outcome.kind === "applied") return "go on";
  if (outcome.kind !== "rejected") return "stop";
  const { now, comment, locked } = found;
  if (await isClosedNow(cycle, request.repository, now, outcome)) return "stop";
  parkRefused(cycle, now, comment, locked ? `${outcome.message} The issue is locked.` : outcome.message);
  return "stop";
}

function requestOf(
  cycle: PulledCycle,
  action: CommentIssue,
  comment: IssueComment,
  repository: RepositoryMemory,
): IssueRequest {
  const { issue, write, body } = comment;
  return {
    action,
    repository,
    write: { kind: "add-comment", number: issue.number, body },
    place: nameIssue(cycle, issue),
    number: issue.number,
    issueWrites: [write],
    fields: [{ field: "comment", value: "the text of the board rule" }],
    claim: "the comment was made",
    isShown: () => true,
    recordApplied: () => {
      takeComment(cycle, action, comment);
      recordRow(cycle, action.post);
    },
  };
}

/** A comment is known to be made. */
export function takeComment(
  cycle: PulledCycle,
  { post }: Pick<CommentIssue, "post">,
  { issue, write }: Pick<IssueComment, "issue" | "write">,
): void {
  const { ledger, clock, log } = cycle.world;
  const { id: project } = cycle.memory;
  const row = ledger.rows.row(project, post, clock.now());
  if (row === undefined) return;
  ledger.rows.setBases(project, post, { base: {}, issueBases: basesOf(row, issue, [write]) });
  ledger.rows.unpark(project, post, "comment-issue");
  cycle.tally.issueWrites += 1;
  const fields = { run: cycle.run.number, project: cycle.project.key, post, issue: nameIssue(cycle, issue) };
  log.info(fields, "Comment made");
}

function parkRefused(cycle: PulledCycle, action: CommentIssue, { issue }: IssueComment, words: string): void {
  const place = nameIssue(cycle, issue);
  const message = `The comment that a board rule asks for on ${place} was refused: ${words} It was not made; \`boardsync retry ${action.post}\` tries it again.`;
  parkAction(cycle, action, { place, code: "tracker.rejected", message });
}
