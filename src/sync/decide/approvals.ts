import type { PersonRequest, Who } from "../../ledger/requests.ts";
import type { ActionName } from "../../ledger/rows.ts";
import type { PostId } from "../../model/post.ts";
import { approve, type PulledCycle } from "../ground/cycle-state.ts";
import { savedActions, takesAsItIs } from "../ground/order.ts";
import type { SavedAction } from "../ground/reports.ts";
import type { Wanted } from "../ground/wanted.ts";

type Approval = Extract<PersonRequest, { kind: "approve" }>;

/**
 * Lets go what a person has approved: these very actions and no others. To apply a plan is to approve it. An approval is over
 * when nothing asks for any of its actions any more.
 *
 * @param unsettled posts that could not be decided in this run: what is approved of them may still be asked for.
 */
export async function takeApprovals(
  cycle: PulledCycle,
  wanted: readonly Wanted[],
  unsettled: ReadonlySet<PostId>,
): Promise<void> {
  // Such a run asks for nothing, so it can't tell what is asked for no more.
  if (takesAsItIs(cycle.run)) return;
  const find = findWanted(wanted);
  for (const action of savedActions(cycle.run, cycle.project.key)) approveShown(cycle, find(action));
  const { ledger } = cycle.world;
  for (const request of await ledger.requests.pending(cycle.memory.id)) {
    if (request.kind !== "approve") continue;
    const approved = wanted.filter((action) => names(request, action));
    for (const action of approved) approveShown(cycle, action, request);
    const isOpen = approved.length > 0 || request.actions.some(({ post }) => unsettled.has(post));
    if (!isOpen) await ledger.commit([{ kind: "end-request", request: request.id }]);
  }
}

/** An approved issue brings the PATCH along that the plan has shown with it. */
function approveShown(cycle: PulledCycle, action: Wanted | undefined, who: Who = {}): void {
  if (action === undefined) return;
  approve(cycle, action.post, action.kind, who);
  if (action.kind === "create-issue") approve(cycle, action.post, "patch-post", who);
}

function names({ actions }: Approval, wanted: Wanted): boolean {
  return actions.some((action) => isSameAction(action, wanted));
}

function isSameAction(one: ActionName, other: Wanted): boolean {
  return one.post === other.post && one.kind === other.kind && one.signature === other.signature;
}

/** What is wanted now, by what a saved plan names it by; undefined for what is wanted no more, or as something else. */
export function findWanted<W extends Wanted>(wanted: readonly W[]): (action: SavedAction) => W | undefined {
  const known = new Map(wanted.map((one) => [keyOf(one), one]));
  return (action) => {
    const found = known.get(keyOf(action));
    return found?.planSignature === action.signature ? found : undefined;
  };
}

function keyOf({ kind, post }: Pick<SavedAction, "kind" | "post">): string {
  return `${kind} ${post}`;
}
