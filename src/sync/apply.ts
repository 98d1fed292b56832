import type { ActionKind } from "../plan/action.ts";
import { createIssue } from "./apply-create.ts";
import { patchPost } from "./apply-patch.ts";
import { updateIssue } from "./apply-update.ts";
import { closureOf, isOpen, type PulledCycle } from "./cycle-state.ts";
import type { Wanted } from "./decide.ts";
import { postpone, replan } from "./record.ts";

/** Posts first, then existing issues, then new ones: no PATCH rests on an old pull behind a slow import. */
const order: readonly ActionKind[] = ["patch-post", "update-issue", "create-issue"];

/**
 * Carries out what the plan wants and no guard holds. Every action is planned again from its row as it is now, so that
 * nothing is written that the facts no longer ask for; what can't be done in this run stays due and says why.
 */
export async function apply(cycle: PulledCycle, wanted: readonly Wanted[]): Promise<void> {
  const free = wanted.filter(({ held }) => held === undefined);
  for (const kind of order) {
    const width = kind === "patch-post" ? cycle.world.policy.concurrency : 1;
    await inParallel(
      free.filter((action) => action.kind === kind),
      width,
      (action) => applyOne(cycle, action),
    );
  }
}

async function applyOne(cycle: PulledCycle, wanted: Wanted): Promise<void> {
  const side = wanted.kind === "patch-post" ? "board" : "tracker";
  if (!isOpen(cycle, side)) {
    postpone(cycle, wanted, closureOf(cycle, side));
    return;
  }
  const action = replan(cycle, wanted);
  if (action === undefined) return;
  switch (action.kind) {
    case "patch-post":
      return patchPost(cycle, action);
    case "update-issue":
      return updateIssue(cycle, action);
    case "create-issue":
      return createIssue(cycle, action, wanted.followUpHeld);
  }
}

async function inParallel<T>(
  work: readonly T[],
  width: number,
  one: (part: T) => Promise<void>,
): Promise<void> {
  const queue = work.values();
  const worker = async (): Promise<void> => {
    for (const part of queue) await one(part);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
