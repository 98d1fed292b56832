import type { IssueRecord } from "../../model/issue.ts";
import type { UpdateIssue } from "../../plan/ground/action.ts";
import { hashText } from "../../plan/ground/hash.ts";
import { hashBlock, replaceBlock, splitBody } from "../../plan/text/block.ts";
import type { IssueWrite, WriteOutcome } from "../../tracker/tracker.ts";
import { nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { laneOfIssue } from "../ground/lane.ts";
import { postpone, recordRow } from "../ground/record.ts";
import type { Outcome } from "../ground/verdict.ts";
import { earlierRequestOf } from "../read/old-state.ts";
import { type FreshIssue, issueRequest, readFresh, waitIfClosed } from "./issue.ts";
import { type Composed, parkAction, send } from "./send.ts";

type EditWrite = Extract<IssueWrite, { kind: "edit-issue" }>;

/**
 * Brings the text of an issue that boardsync opened up to date. Starts from the issue as it is this moment: what people
 * wrote outside the block stays to the letter, and where they edited the block itself nothing is overwritten. An older text
 * that may still arrive from an earlier life of the state is waited for: it would stay there, as nothing would tell it from people's.
 */
export async function updateIssue(cycle: PulledCycle, action: UpdateIssue): Promise<Outcome> {
  const turn = { action, lane: laneOfIssue(cycle.world, action.issue, action.kind), pace: "other" } as const;
  let fresh: FreshIssue | undefined;
  const { answer, outcome } = await send<WriteOutcome>(cycle, turn, async () => {
    const found = await readFresh(cycle, action, action.issue);
    if ("kind" in found) return found;
    fresh = found;
    return compose(cycle, action, found);
  });
  if (answer === undefined || fresh === undefined) return outcome;
  const closed = await waitIfClosed(cycle, fresh.repository, action, answer);
  if (closed !== undefined) return closed;
  if (answer.kind !== "rejected") return outcome;
  return park(cycle, action, "tracker.rejected", `The change of the issue was refused: ${answer.message}`);
}

/** The request, made of the issue as it is this moment. */
async function compose(
  cycle: PulledCycle,
  action: UpdateIssue,
  { repository, record }: FreshIssue,
): Promise<Composed<WriteOutcome>> {
  const write = editOf(action, record);
  if (write === "edited by people") return park(cycle, action, "tracker.edited", edited);
  if (write === undefined) {
    await cycle.world.ledger.commit([
      {
        kind: "set-content",
        project: cycle.memory.id,
        post: action.post,
        issue: action.issue,
        content: action.content,
      },
    ]);
    await recordRow(cycle, action.post);
    return { kind: "done" };
  }
  const earlier = earlierRequestOf(cycle);
  if (earlier !== undefined) return postpone(cycle, action, earlier);
  return issueRequest(cycle, {
    action,
    repository,
    write,
    place: nameIssue(cycle, action.issue),
    number: action.issue.number,
    content: action.content,
    fields: [
      ...(write.title === undefined ? [] : [{ field: "title", value: write.title }]),
      ...(write.body === undefined ? [] : [{ field: "body", value: "the managed block" }]),
    ],
    claim: "the issue was changed",
    record: (own) => recordApplied(own, action),
  });
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
      body = replaceBlock(record.body, { ...parts.marker, posts: action.posts }, action.block);
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

async function recordApplied(cycle: PulledCycle, action: UpdateIssue): Promise<void> {
  await cycle.world.ledger.commit([
    {
      kind: "set-content",
      project: cycle.memory.id,
      post: action.post,
      issue: action.issue,
      content: action.content,
    },
    { kind: "unpark", project: cycle.memory.id, post: action.post, of: "update-issue" },
  ]);
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
  await recordRow(cycle, action.post);
}

const edited =
  "People edited the part of the issue that boardsync manages, so the post's later edits are not written there. Move their words below the block to go on.";

async function park(
  cycle: PulledCycle,
  action: UpdateIssue,
  code: string,
  message: string,
): Promise<Outcome> {
  return parkAction(cycle, action, { place: nameIssue(cycle, action.issue), code, message });
}
