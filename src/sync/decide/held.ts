import { chunks } from "../../select.ts";
import type { PulledCycle } from "../ground/cycle-state.ts";
import { isPreview } from "../ground/order.ts";
import { outcomeOf } from "../ground/record.ts";
import { waitForTurn } from "../ground/verdict.ts";
import { countVoters } from "../ground/voters.ts";
import { isFree, type Judged } from "../ground/wanted.ts";

/** What is held may be all of a large import: so many are recorded together. */
const recordedAtOnce = 100;

/**
 * Records why actions are held, or left to a later run. Their rows stay due until the actions are approved, their turn comes, or
 * they are not wanted any more.
 */
export async function recordHeld(
  cycle: PulledCycle,
  judged: readonly Judged[],
  following: readonly Judged[],
): Promise<void> {
  const held = [...judged, ...following].filter(({ verdict }) => verdict.kind === "hold");
  sayHeld(cycle, held);
  // Of a post that is there its decision says so.
  const paused = judged.filter(({ kind, verdict }) => kind === "create-post" && verdict.kind === "pause");
  const behind = following.filter(isFree);
  for (const some of chunks([...held, ...paused, ...behind], recordedAtOnce)) {
    await cycle.world.ledger.commit(
      some.map((one) => outcomeOf(cycle, one, one.verdict.kind === "go" ? afterPatch : one.verdict)),
    );
  }
}

const afterPatch = waitForTurn("the post is changed first, and a run after that one goes on");

/** Once for each cause for which actions begin to wait for a person. */
function sayHeld({ world, run, project }: PulledCycle, held: readonly Judged[]): void {
  if (isPreview(run)) return;
  const begun = held.filter(({ wasHeld }) => !wasHeld);
  const reasonOf = ({ verdict }: Judged): string =>
    verdict.kind === "hold" && verdict.isApprovable ? `${verdict.cause} ${verdict.why}` : "";
  for (const [, alike] of Map.groupBy(begun, reasonOf)) {
    const verdict = alike[0]?.verdict;
    if (verdict?.kind !== "hold" || !verdict.isApprovable) continue;
    const { cause, why } = verdict;
    const voters = countVoters(alike.map(({ planned }) => planned.notifies));
    world.log.warn(
      { project: project.key, cause, changes: alike.length, voters: voters.known, reason: why },
      "Changes need you; `boardsync status` shows the ways out",
    );
  }
}
