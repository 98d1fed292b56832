import { ProjectError } from "../../errors.ts";
import type { RepositoryName } from "../../model/issue.ts";
import { type PulledCycle, projectNow, rememberOfProject } from "../ground/cycle-state.ts";
import { takesAsItIs } from "../ground/order.ts";
import { recordAdopted } from "../ground/record.ts";
import { eachDueRow } from "../ground/rows.ts";
import { repositoryNames } from "../ground/world.ts";
import { awaitsEarlierLife, isRecovering, restOf, stampOf, unsettled } from "../read/old-state.ts";
import { askRepositoryAgain } from "../read/repositories.ts";

/**
 * A copy that was put back does not know what was written since it was made. So, once for each project, after the pull, every
 * pair takes T₀ and P₀ from what both sides show now: no voter is notified again of a change that was written in the life in between.
 * What people asked of the old state is over, and so are its writes to posts and issues that were under way. Issues that
 * were opened in between are found by their markers, and new ones wait as long as a request of that life may take.
 *
 * @throws ProjectError when a repository could not be read: what its issues became would pass for a change later.
 */
export async function recoverPairs(cycle: PulledCycle): Promise<void> {
  if (!isRecovering(cycle)) {
    if (!awaitsEarlierLife(cycle)) return;
    // What this state knows nothing of may have changed issues a moment ago: such a change may arrive, or be listed, only later.
    // So until the first look after `waits.create` both sides are taken as they are.
    await takeDuePairs(cycle);
    const settledAt = cycle.world.clock.now();
    if (settledAt >= restOf(cycle)) await rememberOfProject(cycle, { settledAt });
    return;
  }
  await refuseBlind(cycle);
  const { ledger, log } = cycle.world;
  const stamp = stampOf(ledger, projectNow(cycle)) ?? 0;
  const old = (await ledger.requests.pending(cycle.memory.id)).filter(({ at }) => at <= stamp);
  await endOldWrites(cycle);
  await ledger.commit([
    ...old.map(({ id }) => ({ kind: "end-request", request: id }) as const),
    { kind: "mark-due", project: cycle.memory.id, which: "linked" },
  ]);
  // A process that ends between two batches has not said that it is through: the next run begins anew.
  await takeDuePairs(cycle);
  await rememberOfProject(cycle, { recoveredFrom: stamp });
  // A person who adopts or rebuilds has just said so.
  if (takesAsItIs(cycle.run)) return;
  log.warn(
    { project: cycle.project.key, copiedAt: new Date(stamp).toISOString() },
    "The state is a copy that was put back: both sides are taken as they are, and nothing is written for what differs",
  );
}

/** Takes both sides of every due pair as they are. The rows stay due, because their decision may have more to say. */
function takeDuePairs(cycle: PulledCycle): Promise<void> {
  return eachDueRow(cycle, async (own, row, now) => {
    if (row.links.length > 0) await recordAdopted(own, row, now, "now");
  });
}

async function refuseBlind(cycle: PulledCycle): Promise<void> {
  const unread: RepositoryName[] = [];
  for (const name of repositoryNames(cycle.settings)) {
    const read = cycle.repositories.get(name);
    // Where issues are off a list may look like that of a repository without any.
    const now = read && (await askRepositoryAgain(cycle, read));
    if (now?.repository.hasIssues !== true) unread.push(name);
  }
  if (unread.length === 0) return;
  throw new ProjectError(
    "state.old",
    `The state is a copy that was put back, and ${unread.join(", ")} can't be read: nothing is written for this project until it has been read once. Switch its issues on if they are off; if it is gone for good, take it out of the config.`,
  );
}

/**
 * Ends the writes that an old copy says are under way. Sent again now, they would be second ones. Only an issue that may have been
 * opened is still looked for.
 */
export async function endOldWrites(cycle: PulledCycle): Promise<void> {
  if (!isRecovering(cycle)) return;
  const { ledger, clock } = cycle.world;
  const at = clock.now();
  const message = "the state is an old copy; both sides were taken as they are";
  const open = await ledger.journal.open(cycle.memory.id);
  // An undo changes issues without any rule.
  if (open.some(({ kind }) => kind === "change-issue"))
    await rememberOfProject(cycle, { settledAt: unsettled });
  await ledger.commit(
    open
      .filter(({ kind }) => kind !== "create-issue")
      .map(({ id }) => ({ kind: "resolve", intent: id, state: "REJECTED", at, message })),
  );
}
