import type { AuditEntry } from "../../ledger/journal.ts";
import type { WriteOutcome } from "../../tracker/tracker.ts";
import type { PulledCycle } from "./cycle-state.ts";

/** Writes the line of one write to the tracker, whatever came of it. */
export function auditTracker(
  { world, run, memory }: PulledCycle,
  outcome: WriteOutcome,
  write: Pick<AuditEntry, "intent" | "kind" | "post" | "issue" | "fields" | "reason">,
): void {
  world.ledger.journal.audit({
    ...write,
    at: world.clock.now(),
    run: run.number,
    side: "tracker",
    project: memory.id,
    outcome: outcome.kind,
    message: outcome.kind === "applied" ? undefined : outcome.message,
    // The guard counts issue writes by the run, so nothing asks this of them.
    isApproved: false,
  });
}
