import { reverseField } from "../../plan/fields/undo.ts";
import { type FieldWrite, isHeard, type PatchPost } from "../../plan/ground/action.ts";
import { readField } from "../../plan/ground/fields.ts";
import { isAllowed, patchObstacle } from "../../plan/ground/obstacle.ts";
import { closureOf, isOpen, isShown, type PulledCycle } from "../ground/cycle-state.ts";
import { boardLane } from "../ground/lane.ts";
import { type Asked, postpone } from "../ground/record.ts";
import type { Outcome } from "../ground/verdict.ts";
import { lookAgain } from "../read/look-again.ts";
import { patchPost } from "../write/patch.ts";
import { stay, type UndoPart, type UndoStep } from "./undo-parts.ts";

/** How what a run has written to a post is taken back: one PATCH of the fields that nobody has touched since. */
export async function undoOnPost(
  cycle: PulledCycle,
  { post, fields }: UndoPart & { readonly kind: "post" },
  reason: string,
): Promise<UndoStep> {
  const row = await lookAgain(cycle, post);
  if (row === undefined || !isShown(cycle, row))
    return stay("this run's list of posts has not shown the post");
  if (row.openIntents.includes("patch-post")) return stay("a write to the post is under way");
  const reversals = fields.map((written) =>
    reverseField(written, readField(row.post, written.field, cycle.pull.seen), row.base[written.field]),
  );
  const refusals = reversals.flatMap((reversal) => (reversal.kind === "refused" ? [reversal.message] : []));
  const writes = reversals.flatMap((reversal) => (reversal.kind === "write" ? [reversal.write] : []));
  if (writes.length === 0) return stay(...refusals);
  const action: PatchPost = {
    kind: "patch-post",
    post,
    writes,
    reason,
    notifies: countVoters(row.post.values.votes, writes),
    hold: undefined,
  };
  if (cycle.pull.hold !== undefined) return stay(cycle.pull.hold);
  if (!isAllowed(action, cycle.settings)) return stay(`\`writes: ${cycle.settings.writes}\` in the config`);
  const obstacle = patchObstacle(action, row, cycle.settings);
  if (obstacle !== undefined) return stay(obstacle.map(({ message }) => message).join("; "));
  return { refusals, way: { action, send: () => send(cycle, { row, action }) } };
}

function send(cycle: PulledCycle, asked: Asked<PatchPost>): Promise<Outcome> {
  if (isOpen(cycle, boardLane)) return patchPost(cycle, asked);
  return Promise.resolve(postpone(cycle, asked.action, closureOf(cycle, boardLane)));
}

function countVoters(votes: unknown, writes: readonly FieldWrite[]): number | null {
  if (!writes.some(isHeard)) return 0;
  return typeof votes === "number" ? votes : null;
}
