import type { Ledger } from "../ledger.ts";
import { createNumbers } from "./columns/numbers.ts";
import { copyDatabase } from "./file/copy.ts";
import { createStamp } from "./file/stamp.ts";
import { openStore, openStoreCopy, openStoreReadOnly, type StateOptions, type Store } from "./file/store.ts";
import { createUpkeep } from "./file/upkeep.ts";
import { createAbsences } from "./issues/absences.ts";
import { createLinks } from "./issues/ended-links.ts";
import { createIssueStore } from "./issues/issue-store.ts";
import { createMarkers } from "./issues/markers.ts";
import { createSignals } from "./issues/signals.ts";
import { createAudit } from "./journal/audit.ts";
import { createBacklinks } from "./journal/backlinks.ts";
import { createBacklogs } from "./journal/backlogs.ts";
import { createJournal } from "./journal/journal.ts";
import { createMemory } from "./journal/memory.ts";
import { createNotices } from "./journal/notices.ts";
import { createRecall } from "./journal/recall.ts";
import { createRequests } from "./journal/requests.ts";
import { createRuns } from "./journal/runs.ts";
import { createPulls } from "./posts/pulls.ts";
import { createRewind } from "./posts/rewind.ts";
import { createSightings } from "./posts/sightings.ts";
import { createBrowse } from "./rows/browse.ts";
import { createLookup } from "./rows/lookup.ts";
import { createRows } from "./rows/rows.ts";

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
