import type { Change } from "../../ledger/change.ts";
import type { Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { type Action, type ActionKind, isNotifying } from "../../plan/ground/action.ts";
import { approvalSignature } from "../../plan/ground/identity.ts";
import { pauseOf } from "../../plan/ground/obstacle.ts";
import { planRow } from "../../plan/plan.ts";
import { inParallel } from "../../select.ts";
import { isApproved, isOpen, type PulledCycle } from "../ground/cycle-state.ts";
import { type Lane, lanesOf } from "../ground/lane.ts";
import { isTakenUp } from "../ground/order.ts";
import { type Asked, outcomeOf, putOff, recordDecision, replan } from "../ground/record.ts";
import { attempt, attemptNow } from "../ground/report.ts";
import { eachRowOf, readRow } from "../ground/rows.ts";
import { isApprovedBy, type Judged, type Outcome, waitForTurn } from "../ground/verdict.ts";
import { lookAgain } from "../read/page.ts";
import { changeIssue } from "./change.ts";
import { commentIssue } from "./comment.ts";
import { createIssue } from "./create.ts";
import { importIssue, replanImport } from "./import.ts";
import type { FreshIssue } from "./issue.ts";
import { estimate, noteBacklogs, readImport } from "./pace.ts";
import { patchPost } from "./patch.ts";
import { updateIssue } from "./update.ts";

/** What is written, in this order: posts first, then existing issues, then new ones. So no PATCH rests on an old pull behind a slow import. */
const whats: Readonly<Record<ActionKind, string>> = {
  "patch-post": "posts patched",
  "update-issue": "issues brought up to date",
  "change-issue": "issues changed",
  "comment-issue": "comments made",
  "create-issue": "issues opened",
  "create-post": "posts made",
};
const writeSequence = Object.keys(whats);

/**
 * Actions in the order in which they are written. Of those on issues, what an earlier run had no room for comes first: else texts that
 * change all the time would leave new issues none.
 */
export function inWriteOrder<A extends Pick<Judged, "kind"> & Partial<Pick<Judged, "hasWaited">>>(
  actions: readonly A[],
): readonly A[] {
  const turnOf = ({ kind, hasWaited = false }: A): number => (kind === "patch-post" ? 0 : hasWaited ? 1 : 2);
  const rankOf = ({ kind }: A): number => writeSequence.indexOf(kind);
  return actions.toSorted((one, other) => turnOf(one) - turnOf(other) || rankOf(one) - rankOf(other));
}

/** Actions of one kind that follow each other. */
function partsOf(actions: readonly Judged[]) {
  const parts: { readonly kind: ActionKind; readonly actions: Judged[] }[] = [];
  for (const action of inWriteOrder(actions)) {
    const { kind } = action;
    if (parts.at(-1)?.kind === kind) parts.at(-1)?.actions.push(action);
    else parts.push({ kind, actions: [action] });
  }
  return parts;
}

/**
 * Makes an action anew from what both sides show right before it is written; undefined where nothing asks for it any more.
 *
 * @param fresh the issue that it changes, where that was read a moment ago.
 */
export type Replan = (wanted: Judged, row: Row | undefined, fresh?: FreshIssue) => Promise<Asked | undefined>;

/** How an order differs from what the rules ask for. */
export interface Ways {
  /**
   * Says of an action that is planned again right before it is written what becomes of it where that is not what was ordered, undefined
   * where it is. Left out where the order lets the plan decide.
   */
  readonly recheck?: (wanted: Judged, now: Action | undefined) => Promise<Outcome | undefined>;
  /** Where no rule asks for the actions; left out where the rules do. */
  readonly replan?: Replan;
}

/** What is sent is recorded with its answer; that so many others wait may be recorded together. */
const recordedAtOnce = 100;
/** Rows are decided anew together, and people who look meanwhile see the last so many as they were. */
const decidedAtOnce = 20;

/**
 * Carries out what may go. Every action is planned again from its row as it is now, so that nothing is written that the
 * facts no longer ask for; what can't be done in this run stays due and says why.
 *
 * @returns what became of each.
 */
export async function write(
  cycle: PulledCycle,
  free: readonly Judged[],
  ways: Ways = {},
): Promise<ReadonlyMap<Judged, Outcome>> {
  const { world, memory } = cycle;
  const { ledger, clock } = world;
  const { pace } = world.policy;
  const outcomes = new Map<Judged, Outcome>();
  const known: Change[] = [];
  const record = (): Promise<void> => ledger.commit(known.splice(0));
  const undecided: PostId[] = [];
  for (const { kind, actions } of partsOf(free)) {
    const width = kind === "patch-post" ? world.policy.concurrency : 1;
    const under =
      kind === "create-issue" ? await readImport({ ledger, pace }, memory.id, clock.now()) : undefined;
    const created = under?.done ?? 0;
    const total = created + actions.length;
    let done = created;
    await inParallel(actions, width, async (action) => {
      const outcome = await attempt(cycle, action.post, () => writeOne(cycle, action, ways));
      outcomes.set(action, outcome);
      if (isTakenUp(cycle.run)) known.push(outcomeOf(cycle, action, outcome));
      if (known.length >= recordedAtOnce) await record();
      if (outcome.kind === "done" && outcome.isUndecided) undecided.push(action.post);
      if (undecided.length >= decidedAtOnce) await decideAnew(cycle, undecided.splice(0));
      done += 1;
      world.progress?.show({
        project: cycle.project.key,
        what: whats[kind],
        done,
        total,
        ...(kind === "create-issue" && {
          doneAt: await estimate(
            { ledger, pace },
            { project: memory.id, budget: action.lanes[0]?.budget ?? "", creates: total - done },
            clock.now(),
          ),
        }),
      });
    });
    if (known.length > 0) await record();
    if (undecided.length > 0) await decideAnew(cycle, undecided.splice(0));
  }
  if (isTakenUp(cycle.run)) await noteBacklogs(cycle, outcomes);
  return outcomes;
}

/** Decides rows as they are now, and records that as one. */
async function decideAnew(cycle: PulledCycle, posts: readonly PostId[]): Promise<void> {
  await eachRowOf(cycle, posts, async (own, row, now) => {
    await attemptNow(own, row.post.id, async () =>
      recordDecision(own, row, planRow(row, await own.context(now)), now),
    );
  });
}

async function writeOne(
  cycle: PulledCycle,
  wanted: Judged,
  { recheck, replan: ask = (_, row) => replan(cycle, wanted, row) }: Ways,
): Promise<Outcome> {
  // What waits is most of a large import, in every run of it: it is planned once less.
  const early = recheck === undefined ? await putOffWhereClosed(cycle, wanted.lanes) : undefined;
  if (early !== undefined) return early;
  const row =
    wanted.kind === "patch-post" ? await lookAgain(cycle, wanted.post) : await readRow(cycle, wanted.post);
  const isImport = wanted.kind === "create-post";
  const asked = isImport ? await replanImport(cycle, wanted.post) : await ask(wanted, row);
  const other = await recheck?.(wanted, asked?.action);
  if (other !== undefined) return other;
  if (asked === undefined) return { kind: "unneeded" };
  const { action } = asked;
  const delay = await whyNotNow(cycle, wanted, asked);
  if (delay !== undefined) return delay;
  switch (action.kind) {
    case "patch-post":
      return patchPost(cycle, { row: asked.row, action });
    case "update-issue":
      return updateIssue(cycle, action);
    case "change-issue":
      return changeIssue(cycle, action, async (fresh) => (await ask(wanted, undefined, fresh))?.action);
    case "comment-issue":
      return commentIssue(cycle, action);
    case "create-issue":
      return createIssue(cycle, { row: asked.row, action }, wanted.followUp);
    case "create-post":
      return importIssue(cycle, action);
  }
}

/** Why an action is not written although it is asked for still; undefined where it may go. */
async function whyNotNow(cycle: PulledCycle, wanted: Judged, asked: Asked): Promise<Outcome | undefined> {
  const { action } = asked;
  // `send` asks once more. Here nothing waits for the pace yet.
  const pause = pauseOf(asked.row);
  if (pause !== undefined) return { kind: "pause", ...pause };
  const closed = await putOffWhereClosed(cycle, lanesOf(cycle.world, action));
  if (closed !== undefined) return closed;
  const hold = "hold" in action ? action.hold : undefined;
  if (hold !== undefined && wanted.hold === undefined)
    return waitForTurn("a person has to let it go, and nobody could see that yet");
  if (isNotifying(action) && !wanted.isNotifying)
    return waitForTurn("voters would be notified of it now, and the guard has not counted that yet");
  const { post, kind } = action;
  if (
    isApproved(cycle, post, kind) &&
    !isApprovedBy(wanted, { post, kind, signature: approvalSignature(action) })
  )
    return waitForTurn("it is something else by now than what a person has let go");
  return undefined;
}

/** Leaves an action for a later run where none of its lanes takes any more in this one. */
async function putOffWhereClosed(cycle: PulledCycle, lanes: readonly Lane[]): Promise<Outcome | undefined> {
  const [first] = lanes;
  if (first === undefined || lanes.some((lane) => isOpen(cycle, lane))) return undefined;
  return putOff(cycle, first);
}
