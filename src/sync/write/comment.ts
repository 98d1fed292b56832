import { type IssueRef, isSameIssue } from "../../model/issue.ts";
import type { CommentIssue, NewComment } from "../../plan/ground/action.ts";
import { planSignature } from "../../plan/ground/identity.ts";
import type { WriteOutcome } from "../../tracker/tracker.ts";
import { nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { ruleText } from "../ground/describe.ts";
import { replan } from "../ground/record.ts";
import { readRow } from "../ground/rows.ts";
import type { Outcome, PartOutcome } from "../ground/verdict.ts";
import { storeRecords } from "../read/markers.ts";
import { parkAction } from "./failure.ts";
import {
  eachIssue,
  type FreshIssue,
  type IssueWriting,
  issueRequest,
  sayIssueWritten,
  writeToIssue,
} from "./issue.ts";
import { basesOf } from "./own-change.ts";
import type { Request } from "./send.ts";

/**
 * Makes the comments that a board rule asks for, each once for each time that the rule begins to hold. A comment carries a
 * mark, by which it is found if no answer tells whether it was made.
 */
export async function commentIssue(cycle: PulledCycle, action: CommentIssue): Promise<Outcome> {
  const issues = action.comments.map(({ issue }) => issue);
  const { outcome } = await eachIssue(cycle, action.kind, issues, (issue, isAllDone) =>
    commentOne(cycle, action, issue, isAllDone),
  );
  return outcome;
}

async function commentOne(
  cycle: PulledCycle,
  action: CommentIssue,
  issue: IssueRef,
  isAllDone: boolean,
): Promise<PartOutcome> {
  let found:
    | { readonly now: CommentIssue; readonly comment: NewComment; readonly fresh: FreshIssue }
    | undefined;
  const { answer, outcome, next } = await writeToIssue(cycle, action, issue, async (fresh) => {
    await storeRecords(cycle, [fresh.record]);
    const now = (await replan(cycle, action))?.action;
    const comment = now?.comments.find((one) => isSameIssue(one.issue, issue));
    if (now === undefined || comment === undefined) return { kind: "unneeded" };
    found = { now, comment, fresh };
    const isLast = isAllDone && comment === now.comments.at(-1);
    const signature = isLast ? planSignature(action) : undefined;
    return requestOf(cycle, now, comment, { signature, repository: fresh.repository });
  });
  if (answer?.kind !== "rejected" || found === undefined) return { outcome, next };
  const { now, comment, fresh } = found;
  const isLocked = fresh.record.issue.locked;
  const words = isLocked ? `${answer.message} The issue is locked.` : answer.message;
  const place = nameIssue(cycle, comment.issue);
  const message = `The comment that a board rule asks for on ${place} was refused: ${words} It was not made; \`boardsync retry ${now.post}\` tries it again.`;
  const parked = await parkAction(cycle, now, { issue: place, code: "tracker.rejected", message });
  return { outcome: parked, next: "stop" };
}

function requestOf(
  cycle: PulledCycle,
  action: CommentIssue,
  comment: NewComment,
  writing: Pick<IssueWriting, "signature" | "repository">,
): Request<WriteOutcome> {
  const { issue, write, body } = comment;
  return issueRequest(cycle, {
    action,
    ...writing,
    write: { kind: "add-comment", number: issue.number, body },
    kept: { issueWrites: [write] },
    fields: [{ field: "comment", value: ruleText }],
    record: (own) => takeComment(own, action, comment),
  });
}

/** A comment is known to be made. */
export async function takeComment(
  cycle: PulledCycle,
  { post }: Pick<CommentIssue, "post">,
  { issue, write }: Pick<NewComment, "issue" | "write">,
): Promise<void> {
  const { id: project } = cycle.memory;
  const row = await readRow(cycle, post);
  if (row === undefined) return;
  const bases = { base: {}, issueBases: basesOf(row, issue, [write]) };
  await cycle.world.ledger.commit([{ kind: "set-bases", project, post, bases }]);
  sayIssueWritten(cycle, { post, issue: nameIssue(cycle, issue) }, "Comment made");
}
