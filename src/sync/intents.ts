import type { IntentId, NewIntent } from "../ledger/ledger.ts";
import type { PulledCycle } from "./cycle-state.ts";

/**
 * Writes the intent down before anything is sent. One of the same content that is prepared already is used again, so that
 * the times it has been sent still count; one of another content is out of date, and ends.
 */
export function prepare(cycle: PulledCycle, wanted: Omit<NewIntent, "project" | "run" | "at">): IntentId {
  const { ledger, clock } = cycle.world;
  const at = clock.now();
  const open = ledger.journal
    .open(cycle.memory.id)
    .find(({ post, kind, state }) => post === wanted.post && kind === wanted.kind && state === "PREPARED");
  if (open !== undefined && open.bodyHash === wanted.bodyHash) return open.id;
  return ledger.transaction(() => {
    if (open !== undefined)
      ledger.journal.resolve(open.id, "REJECTED", at, "not sent; something else is wanted now");
    return ledger.journal.prepare({ ...wanted, project: cycle.memory.id, run: cycle.run.number, at });
  });
}
