import type { PatchOutcome } from "../board/board.ts";
import type { AuditEntry, IntentId } from "../ledger/journal.ts";
import type { Row } from "../model/link.ts";
import type { Post } from "../model/post.ts";
import { changeOf, isNotifying, type PatchPost } from "../plan/action.ts";
import { hashText } from "../plan/hash.ts";
import { recordApplied } from "../plan/plan.ts";
import { signatureOf } from "../plan/print.ts";
import { isShown, nameIssue, type PulledCycle } from "./cycle-state.ts";
import { prepare } from "./intents.ts";
import { noteLimit } from "./limits.ts";
import { postpone, recordRow } from "./record.ts";
import { noteError } from "./report.ts";
import { isApproved } from "./requests.ts";

/** A write that rests on an older pull than this waits for the next one. */
const maxPullAgeMs = 60_000;

/** Sends one PATCH, once, through the journal. Voters hear of a change of status the moment it is sent. */
export async function patchPost(cycle: PulledCycle, action: PatchPost): Promise<void> {
  const { ledger, clock, board } = cycle.world;
  const row = ledger.rows.row(cycle.memory.id, action.post, clock.now());
  if (row === undefined) return;
  if (!isShown(cycle, row) || clock.now() - cycle.pull.endedAt > maxPullAgeMs) {
    postpone(cycle, action, "the post was last seen too long ago; the next pull looks again");
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
  ledger.transaction(() => {
    audit(cycle, row, action, outcome);
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
  const { ledger, clock } = cycle.world;
  const { id: project } = cycle.memory;
  const { post } = action;
  const now = clock.now();
  switch (outcome.kind) {
    case "applied":
      ledger.journal.resolve(intent, "DONE", now, "accepted");
      recordAccepted(cycle, row, action, outcome.post);
      return;
    case "rejected":
      ledger.journal.resolve(intent, "REJECTED", now, outcome.message);
      ledger.rows.park(project, post, {
        kind: "patch-post",
        code: "board.rejected",
        message: outcome.message,
        since: now,
        signature: signatureOf(action, cycle.settings),
      });
      fail(cycle, row, "board.rejected", outcome.message);
      return;
    case "missing":
      ledger.journal.resolve(intent, "REJECTED", now, outcome.message);
      ledger.rows.setMissing(project, post, 2);
      fail(cycle, row, "board.missing", outcome.message);
      return;
    case "limited":
      ledger.journal.resolve(intent, "PREPARED", now, outcome.message);
      cycle.run.closed.board ??= { code: "board.limited", message: outcome.message };
      noteLimit(cycle.world, "board", outcome.retryAt);
      postpone(cycle, action, outcome.message);
      return;
    case "unauthorized":
    case "unsent": {
      const code = outcome.kind === "unsent" ? "board.unreachable" : "board.unauthorized";
      ledger.journal.resolve(intent, "PREPARED", now, outcome.message);
      cycle.run.closed.board ??= { code, message: outcome.message };
      fail(cycle, row, code, outcome.message);
      return;
    }
    case "unknown": {
      ledger.journal.resolve(intent, "UNKNOWN", now, outcome.message);
      const message = `It is not known whether the change reached the board (${outcome.message}). It is looked up before anything is sent again.`;
      fail(cycle, row, "board.unknown", message);
      return;
    }
  }
}

/** The bases are those of an applied write; what the board has made of it the next pull shows. */
function recordAccepted(cycle: PulledCycle, row: Row, action: PatchPost, shown: Post | undefined): void {
  const { ledger, log } = cycle.world;
  const { id: project } = cycle.memory;
  const { post, reason } = action;
  const base = recordApplied(row, action, shown);
  ledger.rows.record(project, post, { base, standing: { kind: "linked", reason }, notes: [], due: "now" });
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

function fail(cycle: PulledCycle, row: Row, code: string, message: string): void {
  const { id: post } = row.post;
  const first = row.links[0]?.link.issue;
  noteError(cycle.tally, { post, ...(first && { issue: nameIssue(cycle, first) }), code, message });
  recordRow(cycle, post);
}

function audit(cycle: PulledCycle, row: Row, action: PatchPost, outcome: PatchOutcome): void {
  const first = row.links[0]?.link.issue;
  const repository = first && cycle.world.ledger.memory.repositoryById(first.repositoryId);
  const entry: AuditEntry = {
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
