import type { Ledger } from "../ledger.ts";
import { createAbsences } from "./absences.ts";
import { createAudit } from "./audit.ts";
import { copyDatabase } from "./copy.ts";
import { createIssueStore } from "./issue-store.ts";
import { createJournal } from "./journal.ts";
import { createMarkers } from "./markers.ts";
import { createMemory } from "./memory.ts";
import { createNumbers } from "./numbers.ts";
import { createPulls } from "./pulls.ts";
import { createRecall } from "./recall.ts";
import { createRequests } from "./requests.ts";
import { createRewind } from "./rewind.ts";
import { createRows } from "./rows.ts";
import { createRuns } from "./runs.ts";
import { createSightings } from "./sightings.ts";
import { createStamp } from "./stamp.ts";
import { openStore, openStoreReadOnly, type StateOptions, type Store } from "./store.ts";

/**
 * Opens the state for writing, and makes it when it is missing.
 *
 * @throws StateError when the file can't be used, in one sentence that says what to do.
 */
export function openLedger(file: string, options: StateOptions): Ledger {
  return createLedger(openStore(file, options));
}

/**
 * Opens the state beside the process that writes it; undefined where there is none yet. Methods that write throw
 * `StateError`.
 *
 * @throws StateError when the file can't be read.
 */
export function openLedgerReadOnly(file: string): Ledger | undefined {
  const store = openStoreReadOnly(file);
  return store && createLedger(store);
}

/** The ledger over an open database. */
export function createLedger(store: Store): Ledger {
  const numbers = createNumbers(store);
  const recall = createRecall(store);
  const sightings = createSightings();
  const issues = createIssueStore(store);
  const stamp = createStamp(store);
  return {
    memory: createMemory(store, numbers, recall),
    pulls: createPulls(store, numbers, sightings, issues, createMarkers(store, numbers)),
    absences: createAbsences(store, numbers, issues),
    rows: createRows(store, numbers, sightings.seenAt, issues),
    journal: createJournal(store, numbers, createAudit(store, numbers)),
    requests: createRequests(store, numbers),
    runs: createRuns(store, recall),
    get copiedAt() {
      return stamp.read();
    },
    declareOld: (at) => stamp.write(at),
    rewind: createRewind(store, sightings),
    transaction: (work) => store.transaction(work),
    copyTo: (file, stampedAt) => copyDatabase(store.database, file, stampedAt),
    close: () => store.close(),
  };
}
