import type { ContentBase, Row } from "../model/link.ts";
import { adoptRow, planRow } from "../plan/plan.ts";
import { nameIssue, type PulledCycle } from "./cycle-state.ts";
import { recordDecision } from "./record.ts";
import { noteError } from "./report.ts";

/** `--adopt`: both sides as they are. A post that still wants an issue stays due, so that the next sync opens it. */
export function adoptDecision(cycle: PulledCycle, row: Row, now: number): void {
  const wants = planRow(row, cycle.context(now)).actions.some(({ kind }) => kind === "create-issue");
  recordDecision(cycle, row, adoptRow(row, cycle.context(now)), now, wants ? "now" : undefined);
}

/**
 * Links the issue that carries our marker for a post, if there is one, and takes both sides as they are: whatever the post
 * looks like now, it has its issue already. Returns whether there was one.
 */
export function adoptMarked(cycle: PulledCycle, row: Row, now: number): boolean {
  const { ledger } = cycle.world;
  const { id: project } = cycle.memory;
  // An issue whose opening is in doubt is taken as opened, once that is resolved.
  if (row.links.length > 0 || row.openIntents.includes("create-issue")) return false;
  const found = ledger.pulls.marked(project, row.post.id);
  if (found === undefined) return false;
  const issue = { repositoryId: found.issue.repositoryId, number: found.issue.number };
  if (found.count > 1) {
    noteError(cycle.tally, {
      post: row.post.id,
      issue: nameIssue(cycle, issue),
      code: "tracker.duplicate",
      message: `${found.count} issues carry the marker of this post; the first is used. Close the others by hand.`,
    });
  }
  const link = { post: row.post.id, issue, origin: "adopted" } as const;
  ledger.rows.link(project, link, found.issue, found.isOwn ? contentNow(cycle, row, now) : undefined);
  cycle.tally.adopted += 1;
  const linked = ledger.rows.row(project, row.post.id, now);
  if (linked !== undefined) recordDecision(cycle, linked, adoptRow(linked, cycle.context(now)), now);
  return true;
}

/**
 * The text of an issue that we opened follows its post from here on. It counts as written as the post is now: where the
 * issue says something else, people may have edited it, and the next update finds that out before it writes.
 */
function contentNow(cycle: PulledCycle, row: Row, now: number): ContentBase {
  const { titleHash, blockHash } = cycle.context(now).render(row.post);
  return { titleHash, blockHash };
}
