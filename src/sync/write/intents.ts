import type { Intent, IntentId, IntentWrite, NewIntent } from "../../ledger/journal.ts";
import type { Field } from "../../model/link.ts";
import type { PulledCycle } from "../ground/cycle-state.ts";

type WantedIntent = Omit<NewIntent, "project" | "run" | "at">;

/**
 * Writes the intent down before anything is sent. One of the same content that is prepared already is used again, so that
 * the times it has been sent still count; one of another content is out of date, and ends.
 */
export function prepare(cycle: PulledCycle, wanted: WantedIntent): IntentId {
  const { ledger, clock } = cycle.world;
  const at = clock.now();
  const open = ledger.journal
    .open(cycle.memory.id)
    .find(({ post, kind, state }) => post === wanted.post && kind === wanted.kind && state === "PREPARED");
  if (open !== undefined && isSame(open, wanted)) return open.id;
  return ledger.transaction(() => {
    if (open !== undefined)
      ledger.journal.resolve(open.id, "REJECTED", at, "not sent; something else is wanted now");
    return ledger.journal.prepare({ ...wanted, project: cycle.memory.id, run: cycle.run.number, at });
  });
}

/** The place counts as much as the content, or the outcome would be looked up where nothing was sent. */
function isSame(open: Intent, wanted: WantedIntent): boolean {
  return (
    open.bodyHash === wanted.bodyHash &&
    open.repository === wanted.repository &&
    open.number === wanted.number &&
    printWrites(open.writes ?? open.issueWrites) === printWrites(wanted.writes ?? wanted.issueWrites)
  );
}

function printWrites(writes: readonly IntentWrite<Field>[] = []): string {
  return JSON.stringify(writes.map(({ field, before, value, target }) => [field, before, value, target]));
}
