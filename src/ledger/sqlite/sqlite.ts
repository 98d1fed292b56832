import type { Ledger } from "../ledger.ts";
import { createAbsences } from "./absences.ts";
import { createAudit } from "./audit.ts";
import { createBacklinks } from "./backlinks.ts";
import { createBacklogs } from "./backlogs.ts";
import { createBrowse } from "./browse.ts";
import { copyDatabase } from "./copy.ts";
import { createLinks } from "./ended-links.ts";
import { createIssueStore } from "./issue-store.ts";
import { createJournal } from "./journal.ts";
import { createLookup } from "./lookup.ts";
import { createMarkers } from "./markers.ts";
import { createMemory } from "./memory.ts";
import { createNotices } from "./notices.ts";
import { createNumbers } from "./numbers.ts";
import { createPulls } from "./pulls.ts";
import { createRecall } from "./recall.ts";
import { createRequests } from "./requests.ts";
import { createRewind } from "./rewind.ts";
import { createRows } from "./rows.ts";
import { createRuns } from "./runs.ts";
import { createSightings } from "./sightings.ts";
import { createSignals } from "./signals.ts";
import { createStamp } from "./stamp.ts";
import { openStore, openStoreCopy, openStoreReadOnly, type StateOptions, type Store } from "./store.ts";
import { createUpkeep } from "./upkeep.ts";

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

/**
 * A copy of the state in memory, also of an older version's, made beside the process that writes it. `isKnown` says whether
 * there is one; else the copy is empty.
 *
 * @throws StateError when the file can't be read.
 */
export function openLedgerCopy(
  file: string,
  options: StateOptions,
): { readonly ledger: Ledger; readonly isKnown: boolean } {
  const { store, isKnown } = openStoreCopy(file, options);
  return { ledger: createLedger(store), isKnown };
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
    signals: createSignals(store, numbers, issues),
    links: createLinks(store, numbers, issues),
    backlinks: createBacklinks(store, numbers),
    rows: createRows(store, numbers, sightings.seenAt, issues),
    lookup: createLookup(store, numbers),
    browse: createBrowse(store, numbers),
    journal: createJournal(store, numbers, createAudit(store, numbers)),
    backlogs: createBacklogs(store, numbers),
    requests: createRequests(store, numbers),
    runs: createRuns(store, recall),
    notices: createNotices(store),
    upkeep: createUpkeep(store),
    get copiedAt() {
      return stamp.read();
    },
    get identity() {
      return stamp.identity();
    },
    declareOld: (at) => stamp.write(at),
    rewind: createRewind(store, sightings),
    transaction: (work) => store.transaction(work),
    copyTo: (file, stampedAt) => copyDatabase(store.database, file, stampedAt),
    close: () => store.close(),
  };
}
