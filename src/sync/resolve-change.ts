import type { Intent } from "../ledger/journal.ts";
import type { IssueField, IssueRecord } from "../model/issue.ts";
import type { FieldValue } from "../model/post.ts";
import { carriesMark } from "../plan/comment.ts";
import { isSameValue } from "../plan/fields.ts";
import { readIssueField, splitState } from "../plan/issue-fields.ts";
import { takeComment } from "./apply-comment.ts";
import type { PulledCycle } from "./cycle-state.ts";
import { isSameLogin, storeRecords } from "./markers.ts";
import { takeOwnChange } from "./own-change.ts";
import { settleIntent } from "./settle.ts";

/**
 * Looks at an issue for what became of a change whose answer was lost. Where it shows what was sent, that is our own doing,
 * as if the answer had arrived. Where it does not, the change may still arrive, and nothing is decided before it no longer can.
 *
 * @param hasRested whether what was sent can't arrive any more.
 */
export async function resolveChange(cycle: PulledCycle, intent: Intent, hasRested: boolean): Promise<void> {
  const { ledger } = cycle.world;
  const { post, issueWrites: writes = [] } = intent;
  const record = await readIssue(cycle, intent);
  const repository = record && ledger.memory.repositoryById(record.issue.repositoryId);
  const isShown =
    record !== undefined &&
    writes.every(({ field, value }) => isProof(field, readIssueField(record.issue, field), value, hasRested));
  if (isShown && repository !== undefined) {
    ledger.transaction(() => {
      settleIntent(cycle, intent, "DONE", "the issue shows what was sent");
      takeOwnChange(cycle, { post, writes, issue: record.issue, repository });
    });
    cycle.tally.issueWrites += 1;
  } else if (hasRested) {
    ledger.transaction(() => {
      if (record !== undefined) storeRecords(cycle, [record]);
      settleIntent(cycle, intent, "REJECTED", "the issue does not show it; it is decided afresh");
    });
  }
}

/**
 * An issue that is closed for another reason was closed by people: ours may yet change that, and if it has not, it never
 * arrived. A server that knows no reasons shows none, which counts once ours can't arrive any more.
 */
function isProof(
  field: IssueField,
  shown: FieldValue | undefined,
  sent: FieldValue,
  hasRested: boolean,
): boolean {
  if (shown === sent || !hasRested) return shown === sent;
  const isOtherReason =
    field === "state" && [shown, sent].every((value) => splitState(value ?? null).stateReason !== null);
  return !isOtherReason && isSameValue(field, shown, sent);
}

/** The same for a comment, which its mark tells from every other one. */
export async function resolveComment(cycle: PulledCycle, intent: Intent, hasRested: boolean): Promise<void> {
  const { ledger } = cycle.world;
  const [write] = intent.issueWrites ?? [];
  const record = await readIssue(cycle, intent);
  const key = String(write?.value);
  if (record !== undefined && write !== undefined && (await isMade(cycle, record, key))) {
    ledger.transaction(() => {
      settleIntent(cycle, intent, "DONE", "found by its mark");
      takeComment(cycle, intent, { issue: record.issue, write: { ...write, field: "comment" } });
    });
  } else if (hasRested) {
    settleIntent(cycle, intent, "REJECTED", "no comment carries its mark; it is decided afresh");
  }
}

async function isMade(cycle: PulledCycle, { issue }: IssueRecord, key: string): Promise<boolean> {
  const { tracker } = cycle.world;
  for await (const page of tracker.comments(issue, cycle.run.bounds)) {
    const isOurs = page.some(
      ({ author, body }) => isSameLogin(author, cycle.account) && carriesMark(body, key),
    );
    if (isOurs) return true;
  }
  return false;
}

/** undefined for an issue that is nowhere any more. */
async function readIssue(
  { world, run }: PulledCycle,
  { repository, number }: Intent,
): Promise<IssueRecord | undefined> {
  // Of a write to an issue that was there both are known.
  if (repository === undefined || number === undefined) return undefined;
  const answer = await world.tracker.readIssue({ repositoryId: repository, number }, run.bounds);
  return answer.kind === "found" || answer.kind === "moved" ? answer.record : undefined;
}
