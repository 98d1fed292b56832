import { type Action, type ActionKind, isNotifying } from "../../plan/action.ts";
import { attempt } from "../ground/attempt.ts";
import { isOpen, type PulledCycle } from "../ground/cycle-state.ts";
import { type Lane, lanesOf } from "../ground/lane.ts";
import { postpone, replan } from "../ground/record.ts";
import type { Wanted } from "../ground/wanted.ts";
import { refuseMoved } from "../orders/saved-actions.ts";
import { lookAgain } from "../read/look-again.ts";
import { changeIssue } from "./apply-change.ts";
import { commentIssue } from "./apply-comment.ts";
import { createIssue } from "./apply-create.ts";
import { patchPost } from "./apply-patch.ts";
import { updateIssue } from "./apply-update.ts";
import { createdBefore, estimateRest, noteBacklogs, putOff } from "./backlog.ts";

/** Posts first, then existing issues, then new ones: no PATCH rests on an old pull behind a slow import. */
const order: readonly ActionKind[] = [
  "patch-post",
  "update-issue",
  "change-issue",
  "comment-issue",
  "create-issue",
];

const whats: Readonly<Record<ActionKind, string>> = {
  "patch-post": "posts patched",
  "update-issue": "issues brought up to date",
  "change-issue": "issues changed",
  "comment-issue": "comments made",
  "create-issue": "issues opened",
};

/**
 * Carries out what the plan wants and no guard holds. Every action is planned again from its row as it is now, so that
 * nothing is written that the facts no longer ask for; what can't be done in this run stays due and says why.
 */
export async function apply(cycle: PulledCycle, wanted: readonly Wanted[]): Promise<void> {
  const free = wanted.filter(({ held }) => held === undefined);
  for (const kind of order) {
    const width = kind === "patch-post" ? cycle.world.policy.concurrency : 1;
    const actions = free.filter((action) => action.kind === kind);
    const created = kind === "create-issue" ? createdBefore(cycle) : 0;
    const total = created + actions.length;
    let done = created;
    await inParallel(actions, width, async (action) => {
      await attempt(cycle, action, () => applyOne(cycle, action));
      done += 1;
      cycle.world.progress?.show({
        project: cycle.project.key,
        what: whats[kind],
        done,
        total,
        ...(kind === "create-issue" && { doneAt: () => estimateRest(cycle, total - done) }),
      });
    });
  }
  noteBacklogs(cycle);
}

async function applyOne(cycle: PulledCycle, wanted: Wanted): Promise<void> {
  // What waits is most of a large import, in every run of it: it is planned once less.
  if (cycle.run.saved === undefined && putOffWhereClosed(cycle, wanted, wanted.lanes)) return;
  if (wanted.kind === "patch-post") await lookAgain(cycle, wanted.post);
  const action = replan(cycle, wanted);
  if (cycle.run.saved !== undefined && refuseMoved(cycle, wanted, action)) return;
  if (action === undefined) return;
  if (putOffWhereClosed(cycle, wanted, lanesOf(cycle.world, action))) return;
  const hold = "hold" in action ? action.hold : undefined;
  if (hold !== undefined && wanted.hold === undefined) {
    postpone(cycle, wanted, "a person has to let it go, and nobody could see that yet");
    return;
  }
  if (isNotifying(action) && !wanted.isNotifying) {
    postpone(cycle, wanted, "voters would hear of it now, and the guard has not counted that yet");
    return;
  }
  await carryOut(cycle, action, wanted);
}

/** Leaves an action for a later run where none of its lanes takes any more in this one. */
function putOffWhereClosed(cycle: PulledCycle, wanted: Wanted, lanes: readonly Lane[]): boolean {
  const [first] = lanes;
  if (first === undefined || lanes.some((lane) => isOpen(cycle, lane))) return false;
  putOff(cycle, wanted, first);
  return true;
}

async function carryOut(cycle: PulledCycle, action: Action, { followUpHeld }: Wanted): Promise<void> {
  switch (action.kind) {
    case "patch-post":
      return patchPost(cycle, action);
    case "update-issue":
      return updateIssue(cycle, action);
    case "change-issue":
      return changeIssue(cycle, action);
    case "comment-issue":
      return commentIssue(cycle, action);
    case "create-issue":
      return createIssue(cycle, action, followUpHeld);
  }
}

/** Works through a list, `width` at a time. After an error no further part is begun, and what is under way is waited for. */
export async function inParallel<T>(
  parts: readonly T[],
  width: number,
  work: (part: T) => Promise<void>,
): Promise<void> {
  const queue = parts.values();
  const errors: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const part of queue) {
      if (errors.length > 0) return;
      await work(part).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  if (errors.length > 0) throw errors[0];
}
