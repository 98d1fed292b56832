import type { Intent } from "../../ledger/journal.ts";
import type { PulledCycle } from "./cycle-state.ts";

/** What became of a write is known now: its row is decided again. */
export function settleIntent(
  { world, memory }: PulledCycle,
  intent: Intent,
  state: "DONE" | "REJECTED" | "PREPARED",
  message: string,
): void {
  const { ledger, clock } = world;
  ledger.transaction(() => {
    ledger.journal.resolve(intent.id, state, clock.now(), message);
    ledger.rows.markDue(memory.id, [intent.post]);
  });
}
