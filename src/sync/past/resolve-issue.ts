import { RemoteError } from "../../errors.ts";
import type { Change } from "../../ledger/change.ts";
import type { Intent } from "../../ledger/journal.ts";
import { type Issue, type IssueField, type IssueRecord, isSameIssue } from "../../model/issue.ts";
import type { ContentBase, FieldWrite } from "../../model/link.ts";
import { carriesMark } from "../../plan/board-rules/issue-writes.ts";
import { isSameValue } from "../../plan/ground/fields.ts";
import { hashText } from "../../plan/ground/hash.ts";
import {
  isSameName,
  labelOf,
  readIssueField,
  splitState,
  withFields,
} from "../../plan/ground/issue-fields.ts";
import { hashBlock, splitBody } from "../../plan/text/block.ts";
import type { IssueEvent } from "../../tracker/tracker.ts";
import type { PulledCycle } from "../ground/cycle-state.ts";
import { endIntent } from "../ground/record.ts";
import { asOne, readRow } from "../ground/rows.ts";
import { isSameLogin } from "../read/identify.ts";
import { overlapMs, storeRecords } from "../read/markers.ts";
import { takeComment } from "../write/comment.ts";
import { takeOwnChange } from "../write/own-change.ts";

const made = "the issue shows what was sent";

/**
 * Looks at an issue for what became of a change whose answer was lost. Where it shows what was sent, that is our own doing,
 * as if the answer had arrived; but it need not have been that, so the change stays open until it can't arrive any more. Where
 * it does not, nothing is decided before that.
 *
 * @param hasRested whether what was sent can't arrive any more.
 */
export async function resolveChange(cycle: PulledCycle, intent: Intent, hasRested: boolean): Promise<void> {
  const { ledger, clock } = cycle.world;
  const { post, issueWrites: writes = [], takenAt } = intent;
  if (takenAt !== undefined) {
    if (hasRested) await endIntent(cycle, intent, "DONE", made);
    return;
  }
  const record = await readIssue(cycle, intent);
  const repository = record && ledger.memory.repositoryById(record.issue.repositoryId);
  // One that people have closed for another reason, ours may yet change: until then only the very same is proof.
  const isShown =
    record !== undefined &&
    writes.every(({ field, value }) => {
      const shown = readIssueField(record.issue, field);
      return hasRested ? isSameValue(field, shown, value) : shown === value;
    });
  if (isShown && repository !== undefined) {
    await asOne(cycle, async (own) => {
      if (hasRested) await endIntent(own, intent, "DONE", made);
      else await own.world.ledger.commit([{ kind: "take-up", intent: intent.id, at: clock.now() }]);
      const issue = withOurReason(record.issue, writes);
      await takeOwnChange(own, { post, writes, issue, repository });
      if (issue !== record.issue) await storeRecords(own, [record]);
    });
    cycle.tally.issueWrites += 1;
  } else if (hasRested) {
    const isTakenBack =
      record !== undefined && repository !== undefined && (await wasMade(cycle, intent, record.issue));
    await asOne(cycle, async (own) => {
      if (isTakenBack) {
        const issue = withFields(record.issue, writes, repository.milestones);
        await takeOwnChange(own, { post, writes, issue, repository });
      }
      if (record !== undefined) await storeRecords(own, [record]);
      if (isTakenBack) await endIntent(own, intent, "DONE", "it was made, and people have changed it since");
      else await endIntent(own, intent, "REJECTED", "the issue does not show it; it is decided afresh");
    });
    if (isTakenBack) cycle.tally.issueWrites += 1;
  }
}

/** Whether our account has made the change, as the issue's events tell: then what it shows now is people's, and stays. */
async function wasMade(
  cycle: PulledCycle,
  { issueWrites: writes = [], sentAt, at, updatedAtBefore }: Intent,
  issue: Issue,
): Promise<boolean> {
  const { tracker, ledger } = cycle.world;
  const logins = [cycle.account, ...(ledger.memory.account()?.former ?? [])];
  // By our clock about when it was sent; by the tracker's own not before what the issue showed right before that.
  const since = Math.max((sentAt ?? at) - overlapMs, Date.parse(updatedAtBefore ?? issue.createdAt));
  try {
    const events = await tracker.events(issue, cycle.run.bounds);
    const own = events.filter(
      (one) => Date.parse(one.at) >= since && logins.some((login) => isSameLogin(one.login, login)),
    );
    return writes.every((write) => own.some((event) => isEventOf(event, write)));
  } catch (error) {
    // Without them it is as if there were none.
    if (error instanceof RemoteError && error.concerns === "asked") return false;
    throw error;
  }
}

function isEventOf({ kind, name }: IssueEvent, { field, value }: FieldWrite<IssueField>): boolean {
  const label = labelOf(field);
  if (label !== undefined)
    return kind === (value === true ? "labeled" : "unlabeled") && isSameName(name, label);
  if (field === "milestone") return kind === (value === null ? "demilestoned" : "milestoned");
  return field === "state" && kind === (splitState(value).state === "open" ? "reopened" : "closed");
}

/**
 * The issue as we closed it. Where it is closed for another reason, people have changed that: their change is stored after
 * this one, and decided like any other. A server that knows no reasons shows none.
 */
function withOurReason(
  issue: Issue,
  writes: readonly Pick<FieldWrite<IssueField>, "field" | "value">[],
): Issue {
  const sent = writes.find(({ field }) => field === "state");
  const reason = sent && splitState(sent.value).stateReason;
  const isOther = typeof reason === "string" && issue.stateReason !== null && issue.stateReason !== reason;
  return isOther ? { ...issue, stateReason: reason } : issue;
}

/** The same for a comment, which its mark tells from every other one. */
export async function resolveComment(cycle: PulledCycle, intent: Intent, hasRested: boolean): Promise<void> {
  const [write] = intent.issueWrites ?? [];
  const record = await readIssue(cycle, intent);
  const key = String(write?.value);
  if (record !== undefined && write !== undefined && (await isMade(cycle, record, key))) {
    await asOne(cycle, async (own) => {
      await endIntent(own, intent, "DONE", "found by its mark");
      await takeComment(own, intent, { issue: record.issue, write: { ...write, field: "comment" } });
    });
  } else if (hasRested) {
    await endIntent(cycle, intent, "REJECTED", "no comment carries its mark; it is decided afresh");
  }
}

async function isMade(cycle: PulledCycle, { issue }: IssueRecord, key: string): Promise<boolean> {
  const { tracker, ledger } = cycle.world;
  // It may have been made with the token of another account.
  const logins = [cycle.account, ...(ledger.memory.account()?.former ?? [])];
  for await (const page of tracker.comments(issue, cycle.run.bounds)) {
    const isOurs = page.some(
      ({ author, body }) =>
        (author === undefined || logins.some((login) => isSameLogin(author, login))) &&
        carriesMark(body, key),
    );
    if (isOurs) return true;
  }
  return false;
}

/** undefined for an issue that is nowhere any more. @throws RemoteError when it is not shown now: that tells nothing. */
async function readIssue(
  { world, run }: PulledCycle,
  { repository, number }: Intent,
): Promise<IssueRecord | undefined> {
  // Of a write to an issue that was there both are known.
  if (repository === undefined || number === undefined) return undefined;
  const answer = await world.tracker.readIssue({ repositoryId: repository, number }, run.bounds);
  if (answer.kind === "refused") throw answer.error;
  return answer.kind === "found" || answer.kind === "moved" ? answer.record : undefined;
}

/**
 * Looks at an issue for what became of an edit whose answer was lost. Where it does not show what was sent, that may still
 * arrive, and would then replace a newer text: nothing else is sent before it no longer can.
 *
 * @param hasRested whether what was sent can't arrive any more.
 */
export async function resolveUpdate(cycle: PulledCycle, intent: Intent, hasRested: boolean): Promise<void> {
  const { post, repository, number, content: sent } = intent;
  // Of an edit all three are known.
  if (repository === undefined || number === undefined || sent === undefined) return;
  const record = await readIssue(cycle, intent);
  const row = await readRow(cycle, post);
  const linked = record && row?.links.find(({ link }) => isSameIssue(link.issue, record.issue));
  const text = linked?.text;
  const before = typeof text === "object" ? text.content : undefined;
  const shown = record && before && readContent(record, sent, before);
  const isShown = shown?.titleHash === sent.titleHash && shown.blockHash === sent.blockHash;
  if (!isShown && !hasRested) return;
  const ours: readonly Change[] =
    record === undefined || shown === undefined
      ? []
      : [{ kind: "set-content", project: cycle.memory.id, post, issue: record.issue, content: shown }];
  if (isShown) await endIntent(cycle, intent, "DONE", made, ours);
  else await endIntent(cycle, intent, "REJECTED", "the issue does not show it; it is decided afresh", ours);
  if (isShown) cycle.tally.issueWrites += 1;
}

/** What of an issue's text is ours by now. A part that shows what was sent is not people's, whatever the post says since. */
function readContent({ title, body }: IssueRecord, sent: ContentBase, before: ContentBase): ContentBase {
  const parts = splitBody(body);
  const isBlock = parts !== undefined && hashBlock(parts.block) === sent.blockHash;
  return {
    titleHash: hashText(title) === sent.titleHash ? sent.titleHash : before.titleHash,
    blockHash: isBlock ? sent.blockHash : before.blockHash,
  };
}
