import type { RepositoryMemory } from "../ledger/ledger.ts";
import type { RepositoryName } from "../model/issue.ts";
import { adoptRow } from "../plan/plan.ts";
import type { Cycle, PulledCycle } from "./cycle-state.ts";
import { eachDueRow } from "./due-rows.ts";
import { recordDecision } from "./record.ts";

/**
 * A backup that was put back does not know what was written since it was made. So, once for each project, both sides are
 * taken as they are: no voter hears again of a change that was told in the life in between. Issues that were opened then are
 * found by their markers, and new ones wait as long as a request of that life may take.
 */
export function beginRecovery(cycle: Cycle): Cycle {
  if (!isRecovering(cycle)) return cycle;
  const { ledger, clock, log } = cycle.world;
  const repositories = new Map<RepositoryName, RepositoryMemory>();
  for (const [name, known] of cycle.repositories) {
    const memory = { ...known, etag: undefined, scannedAt: undefined, recoveredAt: clock.now() };
    ledger.memory.rememberRepository(memory);
    repositories.set(name, memory);
  }
  log.warn(
    { project: cycle.project.key, copiedAt: new Date(ledger.copiedAt ?? 0).toISOString() },
    "The state is a copy that was put back: both sides are taken as they are, and nothing is written for what differs",
  );
  return { ...cycle, repositories };
}

/** After the pull: every pair takes T₀ and P₀ from what both sides show now. What people asked of the old state is over. */
export function recoverPairs(cycle: PulledCycle): void {
  if (!isRecovering(cycle)) return;
  const { ledger } = cycle.world;
  ledger.transaction(() => {
    for (const { id } of ledger.requests.pending(cycle.memory.id)) ledger.requests.end(id);
    ledger.rows.markDue(cycle.memory.id, "linked");
    eachDueRow(cycle, (row, now) => {
      if (row.links.length > 0) recordDecision(cycle, row, adoptRow(row, cycle.context(now)), now);
    });
    const memory = ledger.memory.project(cycle.project.key) ?? cycle.memory;
    ledger.memory.rememberProject({ ...memory, recoveredFrom: ledger.copiedAt });
  });
}

function isRecovering({ world: { ledger }, memory }: Cycle): boolean {
  return ledger.copiedAt !== undefined && ledger.copiedAt !== memory.recoveredFrom;
}
