import type { PulledCycle } from "../ground/cycle-state.ts";
import { isPreview } from "../ground/order.ts";
import { outcomeOf } from "../ground/record.ts";
import { countVoters } from "../ground/voters.ts";
import type { Judged } from "../ground/wanted.ts";

/** Records why actions are held. Their rows stay due until the actions are approved, or not wanted any more. */
export async function recordHeld(cycle: PulledCycle, judged: readonly Judged[]): Promise<void> {
  const changes = judged.flatMap((one) =>
    one.verdict.kind === "hold" ? [outcomeOf(cycle, one, one.verdict)] : [],
  );
  if (changes.length === 0) return;
  await sayHeld(cycle, judged);
  await cycle.world.ledger.commit(changes);
}

/** Once for each cause for which actions begin to wait for a person. */
async function sayHeld(
  { world, run, project, memory }: PulledCycle,
  judged: readonly Judged[],
): Promise<void> {
  if (isPreview(run)) return;
  const before = new Set(
    (await world.ledger.rows.held(memory.id)).map(({ post, kind }) => `${kind} ${post}`),
  );
  const begun = judged.flatMap(({ verdict, ...action }) =>
    verdict.kind === "hold" && verdict.isApprovable && !before.has(`${action.kind} ${action.post}`)
      ? [{ ...verdict, ...action }]
      : [],
  );
  for (const alike of Map.groupBy(begun, ({ cause, why }) => `${cause} ${why}`).values()) {
    const [{ cause, why } = { cause: "", why: "" }] = alike;
    const voters = countVoters(alike.map(({ planned }) => planned.notifies));
    world.log.warn(
      { project: project.key, cause, changes: alike.length, voters: voters.known, reason: why },
      "Changes begin to wait for a person; `boardsync status` shows who would be notified, and the ways out",
    );
  }
}
