import type { RepositoryMemory } from "../ledger/memory.ts";
import { nextWriteAt } from "../plan/pace.ts";
import type { IssueWrite, WriteOutcome } from "../tracker/tracker.ts";
import { isOpen, type PulledCycle } from "./cycle-state.ts";
import { noteClosure } from "./outcome.ts";

const hourMs = 3_600_000;

/**
 * Waits until the tracker's pace allows one more write, and writes down that one is about to leave. The interval and the
 * minute's limit are waited out; the hour's limit, the budget and a signal end the tracker side of this run.
 *
 * @returns false when nothing may be sent in this run any more.
 */
export async function takePace(cycle: PulledCycle, kind: "create" | "other"): Promise<boolean> {
  const { ledger, clock, policy } = cycle.world;
  for (;;) {
    if (!isOpen(cycle, "tracker")) return false;
    const now = clock.now();
    const next = nextWriteAt(ledger.journal.trackerWrites(now - hourMs), kind, policy.pace, now);
    if (next.at <= now) {
      ledger.journal.paceWrite(now, kind === "create");
      return true;
    }
    if (next.limit === "hour" || next.at > cycle.run.bounds.until) {
      const message = `the pace allows no more writes to the tracker before ${new Date(next.at).toISOString()}`;
      cycle.run.closed.tracker ??= { code: "tracker.pace", message };
      return false;
    }
    await clock.sleep(next.at - now, cycle.run.bounds.signal);
  }
}

/** One paced write that needs no journal: a label. What closes the tracker side for this run is noted. */
export async function writePaced(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  write: IssueWrite,
): Promise<WriteOutcome | undefined> {
  if (!(await takePace(cycle, "other"))) return undefined;
  const outcome = await cycle.world.tracker.write(repository.repository, write);
  noteClosure(cycle, "tracker", outcome);
  return outcome;
}
