import type { PersonRequest } from "../../ledger/orders.ts";
import type { ShownAction } from "../../ledger/rows.ts";
import type { PostId } from "../../model/post.ts";
import { inOrder } from "../../select.ts";
import { approve, isApproved, type LetGo, type PulledCycle } from "../ground/cycle-state.ts";
import { savedActions, savedAt, takesAsItIs } from "../ground/order.ts";
import type { SavedAction } from "../ground/reports.ts";
import { isApprovedBy, isShownAs, type Wanted } from "../ground/verdict.ts";
import { acceptPublic } from "../read/visibility.ts";

/**
 * Remembers that an order of a person lets these very actions go, where this run does not come to them.
 *
 * @param at when the person gave the order, epoch ms: what holds them since then still does.
 */
export async function letGoLater(
  { world: { ledger }, memory }: Pick<PulledCycle, "world" | "memory">,
  actions: Approval["actions"],
  at: number,
): Promise<void> {
  if (actions.length === 0) return;
  const request = {
    kind: "approve",
    actions,
    isWhole: false,
    isImplied: true,
    project: memory.id,
    at,
  } as const;
  await ledger.commit([{ kind: "add-request", request }]);
}

type Approval = Extract<PersonRequest, { kind: "approve" }>;

/**
 * Lets go what a person has approved: what was shown, and nothing more. To apply a plan is to approve it. An approval is over
 * when nothing asks for any of its actions any more.
 *
 * @param unsettled posts that could not be decided in this run, or have a write under way: what is approved of them may still be asked for.
 * @returns what is wanted, with a hold where voters would be notified of something else than the person was shown.
 */
export async function takeApprovals(
  cycle: PulledCycle,
  wanted: readonly Wanted[],
  unsettled: ReadonlySet<PostId>,
): Promise<readonly Wanted[]> {
  // Such a run asks for nothing, so it can't tell what is asked for no more.
  if (takesAsItIs(cycle.run)) return wanted;
  const saved = savedActions(cycle.run, cycle.project.key);
  const find = findWanted(wanted);
  for (const action of saved) {
    const found = find(action);
    const cause = action.lines[0]?.cause ?? null;
    const letGo = { at: savedAt(cycle.run) };
    if (found !== undefined && !(await isUsedUp(cycle, found, letGo)))
      approveShown(cycle, found, { cause }, letGo);
  }
  const { ledger } = cycle.world;
  const pending = await ledger.requests.pending(cycle.memory.id);
  const approvals = pending.filter((request) => request.kind === "approve");
  for (const request of approvals) {
    const asked = wanted.filter((action) => findShown(request, action) !== undefined);
    const used = await inOrder(asked, (action) => isUsedUp(cycle, action, request));
    // What something else holds by now may still go once that is let go, too.
    const left = asked.filter((_, at) => used[at] !== true);
    const approved = left.filter((action) =>
      approveShown(cycle, action, findShown(request, action) ?? {}, request),
    );
    if (request.isWhole) await acceptPublic(cycle, approved);
    const isOpen = left.length > 0 || request.actions.some(({ post }) => unsettled.has(post));
    if (!isOpen) await ledger.commit([{ kind: "end-request", request: request.id }]);
  }
  return inOrder(wanted, (action) => holdChanged(cycle, approvals, action));
}

/**
 * Lets an action go where what holds it now is what a person was shown. An approved issue brings the PATCH along that was shown with
 * it.
 *
 * @returns whether it may go.
 */
function approveShown(
  cycle: PulledCycle,
  action: Wanted,
  shown: Pick<ShownAction, "cause">,
  letGo: LetGo,
): boolean {
  const { post, kind, hold } = action;
  if (kind === "create-issue" && isShownAs(shown, "public")) cycle.course.letGoPublic.set(post, letGo.at);
  const wasShown = hold === undefined || (isShownAs(shown, hold.cause) && letGo.at >= (hold.since ?? 0));
  if (!wasShown) return false;
  approve(cycle, post, kind, letGo);
  if (kind === "create-issue") approve(cycle, post, "patch-post", letGo);
  return true;
}

function findShown({ actions }: Approval, wanted: Wanted): ShownAction | undefined {
  return actions.find((action) => isApprovedBy(action, wanted));
}

/** Whether voters have been told of it since a person let it go: what would tell them once more is another change, however alike. */
async function isUsedUp(
  cycle: PulledCycle,
  { post, isNotifying }: Wanted,
  { at }: Pick<Approval, "at">,
): Promise<boolean> {
  return isNotifying && (await lastTold(cycle, post)) >= at;
}

/** When voters of a post were told of a change last. */
async function lastTold({ world: { ledger }, memory }: PulledCycle, post: PostId): Promise<number> {
  return (await ledger.journal.lastTold(memory.id, post)) ?? Number.NEGATIVE_INFINITY;
}

/**
 * What a person let go, and what is another change by the time of this run: whoever was notified of it would be notified of something that
 * nobody was shown. A change that comes after the approved one was made is a new one.
 */
async function holdChanged(
  cycle: PulledCycle,
  approvals: readonly Approval[],
  action: Wanted,
): Promise<Wanted> {
  const { post, kind, isNotifying, hold } = action;
  if (!isNotifying || hold !== undefined || isApproved(cycle, post, kind)) return action;
  if (cycle.course.unshown.has(post))
    return { ...action, hold: { kind: "hold", cause: "something-else", why: discardedSince } };
  const named = approvals.filter(
    ({ actions, isImplied }) =>
      isImplied !== true && actions.some((one) => one.post === post && one.kind === kind),
  );
  const last = named.at(-1);
  if (last === undefined) return action;
  return (await lastTold(cycle, post)) >= last.at
    ? action
    : { ...action, hold: { kind: "hold", cause: "something-else", why: changedSince } };
}

const discardedSince =
  "what a person discarded has become this: `boardsync approve` lets it go, `--discard` leaves both sides as they are";

const changedSince =
  "it was approved, and its voters would be notified of something else by now: `boardsync approve` lets it go as it is now";

/** What is wanted now, by what a saved plan names it by; undefined for what is wanted no more, or as something else. */
export function findWanted<W extends Pick<Wanted, "kind" | "post" | "planSignature">>(
  wanted: readonly W[],
): (action: SavedAction) => W | undefined {
  const known = new Map(wanted.map((one) => [approvalKey(one), one]));
  return (action) => {
    const found = known.get(approvalKey(action));
    return found?.planSignature === action.signature ? found : undefined;
  };
}

function approvalKey({ kind, post }: Pick<SavedAction, "kind" | "post">): string {
  return `${kind} ${post}`;
}
