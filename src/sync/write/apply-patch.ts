import type { PatchOutcome } from "../../board/board.ts";
import type { AuditEntry, IntentId } from "../../ledger/journal.ts";
import type { Row } from "../../model/link.ts";
import type { Post } from "../../model/post.ts";
import { changeOf, isNotifying, type PatchPost } from "../../plan/action.ts";
import { echoOnIssues } from "../../plan/board-rules/echo.ts";
import { hashText } from "../../plan/hash.ts";
import { recordApplied } from "../../plan/plan.ts";
import { isApproved, isShown, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { boardLane } from "../ground/lane.ts";
import { postpone, recordRow } from "../ground/record.ts";
import { isTooOld } from "../read/look-again.ts";
import { prepare } from "./intents.ts";
import { noteClosure, parkAction, takeFailure } from "./outcome.ts";

/** Sends one PATCH, once, through the journal. Voters hear of a change of status the moment it is sent. */
export async function patchPost(cycle: PulledCycle, action: PatchPost): Promise<void> {
  const { ledger, clock, board } = cycle.world;
  const row = ledger.rows.row(cycle.memory.id, action.post, clock.now());
  if (row === undefined) return;
  if (row.seenAt === undefined || !isShown(cycle, row) || isTooOld(cycle, row.seenAt)) {
    postpone(cycle, action, "the post was last seen too long ago; the next run looks again");
    return;
  }
  const change = changeOf(action);
  const { updatedAt } = row.post.values;
  const intent = prepare(cycle, {
    kind: "patch-post",
    post: action.post,
    reason: action.reason,
    bodyHash: hashText(JSON.stringify(change)),
    writes: action.writes,
    ...(typeof updatedAt === "string" && { updatedAtBefore: updatedAt }),
  });
  ledger.journal.markSent(intent, clock.now());
  const outcome = await board.patchPost(cycle.memory.id, action.post, change);
  noteClosure(cycle, boardLane, outcome);
  ledger.transaction(() => {
    audit(cycle, row, action, intent, outcome);
    recordOutcome(cycle, row, action, intent, outcome);
  });
}

function recordOutcome(
  cycle: PulledCycle,
  row: Row,
  action: PatchPost,
  intent: IntentId,
  outcome: PatchOutcome,
): void {
  if (outcome.kind === "applied") {
    cycle.world.ledger.journal.resolve(intent, "DONE", cycle.world.clock.now(), "accepted");
    recordAccepted(cycle, row, action, outcome.post);
    return;
  }
  const first = row.links[0]?.link.issue;
  const place = first && nameIssue(cycle, first);
  takeFailure(
    cycle,
    { side: "board", intent, action, place, claim: "the change reached the board" },
    outcome,
  );
  if (outcome.kind === "rejected") {
    parkAction(cycle, action, { place, code: "board.rejected", message: outcome.message });
  }
}

/** The bases are those of an applied write; what the board has made of it the next pull shows. */
function recordAccepted(cycle: PulledCycle, row: Row, action: PatchPost, shown: Post | undefined): void {
  const { ledger, log } = cycle.world;
  const { id: project } = cycle.memory;
  const { post, reason } = action;
  const base = recordApplied(row, action, shown);
  const issueBases = echoOnIssues(row, action.writes, cycle.settings, cycle.pull.seen);
  const standing = { kind: "linked", reason } as const;
  ledger.rows.record(project, post, { base, issueBases, standing, notes: [], due: "now" });
  ledger.rows.forgetLook(project, post);
  ledger.rows.unpark(project, post, "patch-post");
  recordRow(cycle, post);
  cycle.tally.postWrites += 1;
  if (isNotifying(action)) cycle.tally.statusWrites += 1;
  const fields = {
    run: cycle.run.number,
    project: cycle.project.key,
    post,
    change: changeOf(action),
    reason,
  };
  log.info(fields, "Post patched");
}

function audit(
  cycle: PulledCycle,
  row: Row,
  action: PatchPost,
  intent: IntentId,
  outcome: PatchOutcome,
): void {
  const first = row.links[0]?.link.issue;
  const repository = first && cycle.world.ledger.memory.repositoryById(first.repositoryId);
  const entry: AuditEntry = {
    intent,
    at: cycle.world.clock.now(),
    run: cycle.run.number,
    side: "board",
    project: cycle.memory.id,
    post: action.post,
    issue: first && repository && { repository: repository.repository.name, number: first.number },
    kind: "patch-post",
    fields: action.writes.map(({ field, before, value }) => ({
      field,
      value,
      ...(before !== undefined && { before }),
    })),
    reason: action.reason,
    outcome: outcome.kind,
    message: outcome.kind === "applied" ? undefined : outcome.message,
    isApproved: isApproved(cycle, action.post, "patch-post"),
  };
  cycle.world.ledger.journal.audit(entry);
}
