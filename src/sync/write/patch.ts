import type { PatchOutcome } from "../../board/board.ts";
import type { PatchAnswer, Row } from "../../model/link.ts";
import type { Post } from "../../model/post.ts";
import { echoOnIssues } from "../../plan/board-rules/echo.ts";
import { leftBy } from "../../plan/fields/base.ts";
import { changeOf, isNotifying, type PatchPost } from "../../plan/ground/action.ts";
import { votersOf } from "../../plan/ground/fields.ts";
import { hashBody, planSignature } from "../../plan/ground/identity.ts";
import { recordApplied } from "../../plan/plan.ts";
import { isApproved, isShown, nameIssue, noteHeard, type PulledCycle } from "../ground/cycle-state.ts";
import { boardLane } from "../ground/lane.ts";
import type { Asked } from "../ground/record.ts";
import { type Outcome, waitForTurn } from "../ground/verdict.ts";
import { awaitsEarlierLife, restOf } from "../read/old-state.ts";
import { isTooOld } from "../read/page.ts";
import { failWrite, parkAction } from "./failure.ts";
import { type Composed, intentLine, send } from "./send.ts";

/** Sends one PATCH. Voters are notified of a change of status the moment it is sent. */
export async function patchPost(cycle: PulledCycle, asked: Asked<PatchPost>): Promise<Outcome> {
  const turn = { lane: boardLane, pace: undefined, action: asked.action };
  const { outcome } = await send<PatchOutcome>(cycle, turn, () => compose(cycle, asked));
  return outcome;
}

async function compose(
  cycle: PulledCycle,
  { row, action }: Asked<PatchPost>,
): Promise<Composed<PatchOutcome>> {
  const { ledger, board } = cycle.world;
  const { post, reason, writes } = action;
  if (row.seenAt === undefined || !isShown(cycle, row) || isTooOld(cycle, row.seenAt)) {
    return waitForTurn("the post was last seen too long ago; the next run looks again");
  }
  // What is read of an issue only now may be a change of the earlier life: the next run takes it as it is.
  if (awaitsEarlierLife(cycle)) {
    const until = new Date(restOf(cycle)).toISOString();
    return waitForTurn(
      `the state was lost or restored, and what was sent to the issue before that may still show up: until ${until} both sides are taken as they are`,
    );
  }
  const change = changeOf(action);
  const { updatedAt } = row.post.values;
  const votes = isNotifying(action) ? votersOf(row.post, cycle.pull.seen) : null;
  const notified = votes !== null && { voters: votes };
  const first = row.links[0]?.link.issue;
  const repository = first && ledger.memory.repositoryById(first.repositoryId);
  return {
    post,
    reason,
    line: intentLine(
      cycle,
      {
        post,
        reason,
        kind: "patch-post",
        bodyHash: hashBody(change),
        writes,
        ...(typeof updatedAt === "string" && { updatedAtBefore: updatedAt }),
        ...notified,
      },
      planSignature(action),
      ({ post: shown }) => shown && answerOf(shown, action),
    ),
    call: () => board.patchPost(cycle.memory.id, post, change),
    tell: () => ({
      kind: "patch-post",
      issue: first && repository && { repository: repository.repository.name, number: first.number },
      fields: writes,
      ...notified,
      // The guard counts PATCHes by the audit, and issue writes by the run.
      isApproved: isApproved(cycle, post, "patch-post"),
    }),
    record: (own, { post: shown }) => recordAccepted(own, row, action, shown),
    fail: (own, failure) => {
      const { kind, message } = failure;
      const issue = first && nameIssue(cycle, first);
      return kind === "rejected"
        ? parkAction(own, action, { issue, code: "board.rejected", message })
        : failWrite(own, "board", { post, issue, claim: "the change reached the board" }, failure);
    },
  };
}

/** What a record shows of the fields of a write. */
export function answerOf({ values }: Post, { writes }: PatchPost): PatchAnswer {
  const shown = writes.flatMap(({ field }) => (field in values ? [[field, values[field]]] : []));
  const { updatedAt } = values;
  return { values: Object.fromEntries(shown), ...(typeof updatedAt === "string" && { updatedAt }) };
}

/** The bases are those of an applied write; what the board has made of it the next pull shows. */
async function recordAccepted(
  cycle: PulledCycle,
  row: Row,
  action: PatchPost,
  shown: Post | undefined,
): Promise<void> {
  const { ledger, log } = cycle.world;
  const { id: project } = cycle.memory;
  const { post, reason } = action;
  const base = recordApplied(row, action, shown);
  const taken = action.writes.map((write) => {
    const { field, value: sent } = write;
    return { ...write, value: leftBy({ sent, shown: shown?.values[field] }) };
  });
  const issueBases = echoOnIssues(row, taken, cycle.settings, cycle.pull.seen);
  const standing = { kind: "linked", reason } as const;
  const written = action.writes.map(({ field }): string => field);
  // What else is held stays held: also what this row could not ask for now, because a fact is missing.
  const notes = (row.notes ?? []).filter(({ action: held, planned }) => {
    const fields = planned?.changes.map(({ field }) => field) ?? written;
    return (
      held?.signature !== undefined &&
      (held.kind !== action.kind || !fields.some((one) => written.includes(one)))
    );
  });
  await ledger.commit([
    { kind: "record-row", project, post, record: { base, issueBases, standing, notes, due: "now" } },
    { kind: "forget-look", project, post },
  ]);
  cycle.tally.postWrites += 1;
  const voters = votersOf(row.post, cycle.pull.seen);
  if (isNotifying(action)) noteHeard(cycle.tally, voters);
  const fields = {
    run: cycle.run.number,
    project: cycle.project.key,
    post,
    change: changeOf(action),
    reason,
    ...(isNotifying(action) && { voters }),
  };
  log.info(fields, "Post patched");
}
