import type { IssueRecord } from "../../model/issue.ts";
import type { UpdateIssue } from "../../plan/action.ts";
import { hashText } from "../../plan/hash.ts";
import { hashBlock, replaceBlock, splitBody } from "../../plan/text/block.ts";
import type { IssueWrite } from "../../tracker/tracker.ts";
import { nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { laneOfIssue } from "../ground/lane.ts";
import { postpone, recordRow } from "../ground/record.ts";
import { earlierRequestOf } from "../read/old-state.ts";
import { parkAction } from "./outcome.ts";
import { readFresh } from "./read-fresh.ts";
import { isClosedNow } from "./writable.ts";
import { type IssueRequest, writeIssue } from "./write-issue.ts";

type EditWrite = Extract<IssueWrite, { kind: "edit-issue" }>;

/**
 * Brings the text of an issue that boardsync opened up to date. Starts from the issue as it is this moment: what people
 * wrote outside the block stays to the letter, and where they edited the block itself nothing is overwritten. An older text
 * that may still arrive from an earlier life of the state is waited for: it would stay there, as nothing would tell it from people's.
 */
export async function updateIssue(cycle: PulledCycle, action: UpdateIssue): Promise<void> {
  const turn = { action, lane: laneOfIssue(cycle.world, action.issue), kind: "other" } as const;
  const sent = await writeIssue(cycle, turn, () => compose(cycle, action));
  if (sent === undefined) return;
  const { outcome, request } = sent;
  if (outcome.kind !== "rejected" || (await isClosedNow(cycle, request.repository, action, outcome))) return;
  park(cycle, action, "tracker.rejected", `The change of the issue was refused: ${outcome.message}`);
}

/** The request, made of the issue as it is this moment; undefined where nothing is to be sent. */
async function compose(cycle: PulledCycle, action: UpdateIssue): Promise<IssueRequest | undefined> {
  const fresh = await readFresh(cycle, action, action.issue);
  if (fresh === undefined) return undefined;
  const write = editOf(action, fresh.record);
  if (write === "edited by people") {
    parkEdited(cycle, action);
    return undefined;
  }
  if (write === undefined) {
    cycle.world.ledger.rows.setContent(cycle.memory.id, action.post, action.issue, action.content);
    recordRow(cycle, action.post);
    return undefined;
  }
  const earlier = earlierRequestOf(cycle);
  if (earlier !== undefined) {
    postpone(cycle, action, earlier);
    return undefined;
  }
  return {
    action,
    repository: fresh.repository,
    write,
    place: nameIssue(cycle, action.issue),
    number: action.issue.number,
    content: action.content,
    fields: [
      ...(write.title === undefined ? [] : [{ field: "title", value: write.title }]),
      ...(write.body === undefined ? [] : [{ field: "body", value: "the managed block" }]),
    ],
    claim: "the issue was changed",
    isShown: () => true,
    recordApplied: () => recordApplied(cycle, action),
  };
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
  parkAction(cycle, action, { place: nameIssue(cycle, action.issue), code, message });
}
