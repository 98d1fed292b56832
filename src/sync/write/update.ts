import type { Change } from "../../ledger/change.ts";
import type { IssueRecord } from "../../model/issue.ts";
import type { ContentBase } from "../../model/link.ts";
import type { UpdateIssue } from "../../plan/ground/action.ts";
import { hashText } from "../../plan/ground/hash.ts";
import { planSignature } from "../../plan/ground/identity.ts";
import { hashBlock, replaceBlock, splitBody } from "../../plan/text/block.ts";
import type { WriteOutcome } from "../../tracker/tracker.ts";
import { nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { type Outcome, waitForTurn } from "../ground/verdict.ts";
import { earlierRequestOf } from "../read/old-state.ts";
import { parkAction } from "./failure.ts";
import { type FreshIssue, issueRequest, sayIssueWritten, writeToIssue } from "./issue.ts";
import type { Composed } from "./send.ts";

/**
 * Brings the text of an issue that boardsync opened up to date. Starts from the issue as it is this moment: what people
 * wrote outside the block stays to the letter, and where they edited the block itself nothing is overwritten. An older text
 * that may still arrive from an earlier life of the state is waited for: it would stay there, as nothing would tell it from people's.
 */
export async function updateIssue(cycle: PulledCycle, action: UpdateIssue): Promise<Outcome> {
  const { answer, outcome } = await writeToIssue(cycle, action, action.issue, (fresh) =>
    compose(cycle, action, fresh),
  );
  if (answer?.kind !== "rejected") return outcome;
  return park(cycle, action, "tracker.rejected", `The change of the issue was refused: ${answer.message}`);
}

/** The request, made of the issue as it is this moment. */
async function compose(
  cycle: PulledCycle,
  action: UpdateIssue,
  { repository, record }: FreshIssue,
): Promise<Composed<WriteOutcome>> {
  const edit = editOf(action, record, cycle.project.renderer.dialect.bodyBytes);
  if (edit === "edited by people") return park(cycle, action, "tracker.edited", edited);
  if (edit === "no room") return park(cycle, action, "tracker.rejected", noRoom);
  const { write, content } = edit;
  if (write === undefined) {
    await cycle.world.ledger.commit(contentNow(cycle, action, content, record));
    return { kind: "done" };
  }
  const earlier = earlierRequestOf(cycle);
  if (earlier !== undefined) return waitForTurn(earlier);
  return issueRequest(cycle, {
    action,
    signature: planSignature(action),
    repository,
    write,
    kept: { content },
    fields: [
      ...(write.title === undefined ? [] : [{ field: "title", value: write.title }]),
      ...(write.body === undefined ? [] : [{ field: "body", value: "the managed block" }]),
    ],
    record: async (own, shown) => {
      await own.world.ledger.commit(contentNow(own, action, content, shown ?? record));
      sayIssueWritten(own, { post: action.post, issue: nameIssue(own, action.issue) });
    },
  });
}

/**
 * What to send. A title that people changed stays theirs, and so does the room that they have taken.
 *
 * @returns `write`: undefined where the issue shows it already. `content`: the text that it then has of ours.
 */
function editOf(action: UpdateIssue, record: IssueRecord, mostBytes: number) {
  const { previous } = action;
  let { content } = action;
  const isTitleOurs = hashText(record.title) === previous.titleHash;
  const title = action.title !== undefined && isTitleOurs ? action.title : undefined;
  let body: string | undefined;
  if (action.block !== undefined) {
    const parts = splitBody(record.body);
    if (parts === undefined) return "edited by people";
    const shown = hashBlock(parts.block);
    const marker = { ...parts.marker, posts: action.posts };
    const next = replaceBlock(parts, marker, action.block, mostBytes);
    const fitted = next && hashBlock(next.block);
    if (![previous.blockHash, content.blockHash, fitted].includes(shown)) return "edited by people";
    if (next === undefined) return "no room";
    content = { ...content, blockHash: hashBlock(next.block) };
    if (shown !== content.blockHash) body = next.body;
  }
  const parts = { ...(title !== undefined && { title }), ...(body !== undefined && { body }) };
  const write = { kind: "edit-issue", number: action.issue.number, ...parts } as const;
  return { write: title === undefined && body === undefined ? undefined : write, content };
}

/** What the issue has of ours by now. Where its text had to be cut, the whole of it waits until the issue changes. */
function contentNow(
  { memory }: PulledCycle,
  { post, issue, content: wanted }: UpdateIssue,
  content: ContentBase,
  { issue: { updatedAt } }: IssueRecord,
): readonly Change[] {
  const place = { project: memory.id, post, issue };
  const isCut = content.blockHash !== wanted.blockHash;
  const left = { kind: "leave-text", ...place, content: { ...wanted, seenAt: updatedAt } } as const;
  return [{ kind: "set-content", ...place, content }, ...(isCut ? [left] : [])];
}

const noRoom =
  "People have filled the issue's text: no room is left in it for the part that boardsync manages, so the post's later edits are not written there. Shorten it, and they are.";

const edited =
  "People edited the part of the issue that boardsync manages, so the post's later edits are not written there. Move their words below the block to go on.";

function park(cycle: PulledCycle, action: UpdateIssue, code: string, message: string): Promise<Outcome> {
  return parkAction(cycle, action, { issue: nameIssue(cycle, action.issue), code, message });
}
