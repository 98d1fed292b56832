import type { Intent } from "../../ledger/journal.ts";
import type { IssueRecord } from "../../model/issue.ts";
import type { ContentBase } from "../../model/link.ts";
import { hashText } from "../../plan/ground/hash.ts";
import { hashBlock, splitBody } from "../../plan/text/block.ts";
import type { PulledCycle } from "../ground/cycle-state.ts";
import { endIntent } from "../ground/record.ts";
import { readRow } from "../ground/rows.ts";
import { isSameIssue } from "../read/markers.ts";

/**
 * Looks at an issue for what became of an edit whose answer was lost. Where it does not show what was sent, that may still
 * arrive, and would then replace a newer text: nothing else is sent before it no longer can.
 *
 * @param hasRested whether what was sent can't arrive any more.
 */
export async function resolveUpdate(cycle: PulledCycle, intent: Intent, hasRested: boolean): Promise<void> {
  const { ledger, tracker } = cycle.world;
  const { post, repository, number, content: sent } = intent;
  // Of an edit all three are known.
  if (repository === undefined || number === undefined || sent === undefined) return;
  const answer = await tracker.readIssue({ repositoryId: repository, number }, cycle.run.bounds);
  const record = answer.kind === "found" || answer.kind === "moved" ? answer.record : undefined;
  const row = readRow(cycle, post);
  const linked = record && row?.links.find(({ link }) => isSameIssue(link.issue, record.issue));
  const before = linked?.content;
  const shown = record && before && readContent(record, sent, before);
  const isShown = shown !== undefined && isSameContent(shown, sent);
  if (!isShown && !hasRested) return;
  ledger.transaction(() => {
    if (shown !== undefined && record !== undefined) {
      ledger.rows.setContent(cycle.memory.id, post, record.issue, shown);
    }
    if (isShown) endIntent(cycle, intent, "DONE", "the issue shows what was sent");
    else endIntent(cycle, intent, "REJECTED", "the issue does not show it; it is decided afresh");
  });
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

function isSameContent(one: ContentBase, other: ContentBase): boolean {
  return one.titleHash === other.titleHash && one.blockHash === other.blockHash;
}
