import { StateError } from "../errors.ts";
import type { World } from "./ground/world.ts";

/** What is kept for months need not be looked through for old lines at every run. */
const runsPerPrune = 10;
const mebibyte = 1024 * 1024;
/** A journal of this size is held by somebody who reads on: it is said after each run. */
const notableJournalBytes = 64 * mebibyte;
/** Beyond this the disk is worth more than the next run. Only tests name other limits. */
const mostJournalBytes = 1024 * mebibyte;

/**
 * The space of the journal can be used again only when nobody reads what stood before it. Somebody who never ends reading
 * makes it grow with every run, until nothing on this disk works any more: before that, no run begins.
 *
 * @throws StateError
 */
export async function refuseFullJournal({ ledger }: World, mostBytes = mostJournalBytes): Promise<void> {
  const bytes = await ledger.upkeep.trimJournal();
  if (bytes <= mostBytes) return;
  throw new StateError(
    `The journal beside the state file (\`…-wal\`) has grown to ${Math.round(bytes / mebibyte)} MB, because another process goes on reading the state: end it (a \`sqlite3\` shell, a viewer, a copy that hangs). Nothing was read or written in this run; the next one goes on.`,
  );
}

/**
 * Cleans up when a run is recorded. It goes in small steps: a crash loses none of the run, and what is left is for the next
 * time. That it fails, as on a full disk, is no failure of the run.
 */
export async function keepSmall(
  { ledger, clock, policy, log }: World,
  run: number,
  notableBytes = notableJournalBytes,
): Promise<void> {
  try {
    if (run % runsPerPrune === 0) await ledger.upkeep.prune(clock.now(), policy.keepMs);
    const journalBytes = await ledger.upkeep.trimJournal();
    if (journalBytes > notableBytes) {
      log.warn(
        { journalBytes, limitBytes: mostJournalBytes },
        "Another process goes on reading the state, so its journal grows; beyond the limit no run begins: end that process",
      );
    }
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    log.warn({ reason: error.message }, "The state could not be cleaned up; the run is not affected");
  }
}
