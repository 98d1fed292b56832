import type { Action } from "../../plan/action.ts";
import { planSignature } from "../../plan/print.ts";
import { delayAction, type PulledCycle } from "../ground/cycle-state.ts";
import { recordRow } from "../ground/record.ts";
import { noteError } from "../ground/report.ts";
import type { Wanted } from "../ground/wanted.ts";
import type { SavedAction } from "../ground/world.ts";

/** What the saved plan that this run carries out names of the project; nothing in any other run. */
export function savedOf({ run, project }: PulledCycle): readonly SavedAction[] {
  return run.saved?.projects.find((one) => one.project === project.key)?.actions ?? [];
}

/** What is wanted now, by what a saved plan names it by; undefined for what is wanted no more, or as something else. */
export function findWanted(wanted: readonly Wanted[]): (action: SavedAction) => Wanted | undefined {
  const known = new Map(wanted.map((one) => [keyOf(one), one]));
  return (action) => {
    const found = known.get(keyOf(action));
    return found?.planSignature === action.signature ? found : undefined;
  };
}

function keyOf({ kind, post }: Pick<SavedAction, "kind" | "post">): string {
  return `${kind} ${post}`;
}

/** To apply a plan is to approve it: no guard holds what it names. */
export function approveSaved(cycle: PulledCycle, wanted: readonly Wanted[]): void {
  const { approved } = cycle.tally;
  const find = findWanted(wanted);
  for (const { post, kind } of savedOf(cycle).flatMap((action) => find(action) ?? [])) {
    const kinds = approved.get(post) ?? new Map();
    kinds.set(kind, undefined);
    // It was shown with the PATCH that follows it.
    if (kind === "create-issue") kinds.set("patch-post", undefined);
    approved.set(post, kinds);
  }
}

/**
 * Refuses what is something else by now than when this run decided, a moment ago.
 *
 * @returns whether it was refused.
 */
export function refuseMoved(cycle: PulledCycle, wanted: Wanted, now: Action | undefined): boolean {
  if (now !== undefined && planSignature(now) === wanted.planSignature) return false;
  noteRefusal(cycle, wanted, movedSince);
  const message = "Decided, and waiting: the saved plan that was applied asked for something else";
  delayAction(cycle, wanted, { kind: "waiting", message, isMoved: true });
  recordRow(cycle, wanted.post);
  return true;
}

/** Why a saved action is not done where nothing more can be said. */
export const movedSince = "the post or its issue has moved since the plan was made";

/** Counts as every other failure of a post: the rest is done. */
export function noteRefusal(
  { tally }: PulledCycle,
  { post, kind }: Pick<SavedAction, "post" | "kind">,
  why: string,
): void {
  const message = `${kind} of the saved plan is refused, and nothing was written for it: ${why.replace(/\.$/, "")}. \`boardsync plan\` shows what is asked for now.`;
  noteError(tally, { post, code: "plan.moved", message });
}
