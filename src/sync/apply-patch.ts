import type { PatchOutcome } from "../board/board.ts";
import type { AuditEntry, IntentId } from "../ledger/ledger.ts";
import type { Row } from "../model/link.ts";
import { changeOf, isNotifying, type PatchPost } from "../plan/action.ts";
import { hashText } from "../plan/hash.ts";
import { recordApplied } from "../plan/plan.ts";
import { signatureOf } from "../plan/print.ts";
import { nameIssue, type PulledCycle, repositoryById } from "./cycle-state.ts";
import { prepare } from "./intents.ts";
import { postpone } from "./record.ts";

/** A write that rests on an older look at the post than this waits for the next pull. */
const maxLookAgeMs = 60_000;

/** Sends one PATCH, once, through the journal. Voters hear of a change of status the moment it is sent. */
export async function patchPost(cycle: PulledCycle, action: PatchPost): Promise<void> {
  const { ledger, clock, board } = cycle.world;
  const row = ledger.rows.row(cycle.memory.id, action.post, clock.now());
  if (row === undefined) return;
  if (row.seenAt === undefined || clock.now() - row.seenAt > maxLookAgeMs) {
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
  ledger.transaction(() => recordOutcome(cycle, row, action, intent, outcome));
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
  const now = clock.now();
  audit(cycle, row, action, outcome);
  switch (outcome.kind) {
    case "applied": {
      ledger.journal.resolve(intent, "DONE", now, "accepted");
      const base = recordApplied(row, action, outcome.post);
      ledger.rows.record(project, action.post, {
        base,
        standing: { kind: "linked", reason: action.reason },
        notes: [],
        due: "now",
      });
      ledger.rows.forgetLook(project, action.post);
      cycle.tally.postWrites += 1;
      cycle.world.log.info(
        {
          run: cycle.run.number,
          project: cycle.project.key,
          post: action.post,
          change: changeOf(action),
          reason: action.reason,
        },
        "Post patched",
      );
      if (isNotifying(action)) cycle.tally.statusWrites += 1;
      return;
    }
    case "rejected":
      ledger.journal.resolve(intent, "REJECTED", now, outcome.message);
      ledger.rows.park(project, action.post, {
        kind: "patch-post",
        code: "board.rejected",
        message: outcome.message,
        since: now,
        signature: signatureOf(action, cycle.settings),
      });
      reportFailure(
        cycle,
        row,
        "board.rejected",
        `The board refused the change (HTTP ${outcome.status}): ${outcome.message}`,
      );
      return;
    case "missing":
      ledger.journal.resolve(intent, "REJECTED", now, outcome.message);
      ledger.rows.setMissing(project, action.post, 2);
      reportFailure(
        cycle,
        row,
        "board.missing",
        `The board does not know this post any more: ${outcome.message}`,
      );
      return;
    case "unauthorized":
      ledger.journal.resolve(intent, "PREPARED", now, outcome.message);
      cycle.run.closed.board ??= { code: "board.unauthorized", message: outcome.message };
      reportFailure(cycle, row, "board.unauthorized", outcome.message);
      return;
    case "limited":
      ledger.journal.resolve(intent, "PREPARED", now, outcome.message);
      cycle.run.closed.board ??= { code: "board.limited", message: outcome.message };
      postpone(cycle, action, outcome.message);
      return;
    case "unsent":
      ledger.journal.resolve(intent, "PREPARED", now, outcome.message);
      cycle.run.closed.board ??= { code: "board.unreachable", message: outcome.message };
      reportFailure(cycle, row, "board.unreachable", outcome.message);
      return;
    case "unknown": {
      ledger.journal.resolve(intent, "UNKNOWN", now, outcome.message);
      const message = `It is not known whether the change reached the board (${outcome.message}). It is looked up before anything is sent again.`;
      reportFailure(cycle, row, "board.unknown", message);
      return;
    }
  }
}

function reportFailure(cycle: PulledCycle, row: Row, code: string, message: string): void {
  const first = row.links[0]?.link.issue;
  cycle.tally.errors.push({
    post: row.post.id,
    ...(first && { issue: nameIssue(cycle, first) }),
    code,
    message,
  });
}

function audit(cycle: PulledCycle, row: Row, action: PatchPost, outcome: PatchOutcome): void {
  const first = row.links[0]?.link.issue;
  const repository = first && repositoryById(cycle, first.repositoryId);
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
    isApproved: false,
  };
  cycle.world.ledger.journal.audit(entry);
}
