import type { Change } from "../change.ts";
import { createHeldMemory, type HeldMemory, isOfMemory } from "../held-memory.ts";
import type { Ahead, Ledger } from "../ledger.ts";
import type { Runs } from "../runs.ts";
import type { Changes } from "./columns/changes.ts";
import { createNumbers } from "./columns/numbers.ts";
import { copyDatabase } from "./file/copy.ts";
import { promise, promised } from "./file/plain.ts";
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
import { createJournal } from "./journal/journal.ts";
import { createMemory } from "./journal/memory.ts";
import { createNotices } from "./journal/notices.ts";
import { createOrders } from "./journal/orders.ts";
import { createPace } from "./journal/pace.ts";
import { createRequests } from "./journal/requests.ts";
import { createRuns } from "./journal/runs.ts";
import { createMoves } from "./posts/moves.ts";
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

type Parts = Omit<Ahead, "memory" | "copiedAt">;

/** The ledger over an open database. */
export function createLedger(store: Store): Ledger {
  return createFollowing(store).ledger;
}

/** A ledger whose rows others may write, too, and what it has to know of that. */
export interface Following {
  readonly ledger: Ledger;
  /** Others have written rows of these tables, and those of these posts. */
  relearn(tables: ReadonlySet<string>, posts: Iterable<number>): void;
  /** What was written has been rolled back. */
  forget(): void;
}

/** The same over a database that follows another one. */
export function createFollowing(store: Store): Following {
  const numbers = createNumbers(store);
  const remembered = createMemory(store, numbers);
  const memory = createHeldMemory();
  memory.hold(remembered.read());
  let memoryTables: ReadonlySet<string> | undefined;
  const sightings = createSightings();
  const issues = createIssueStore(store);
  const stamp = createStamp(store);
  const parts = {
    pulls: createPulls(store, numbers, sightings, issues, createMarkers(store, numbers)),
    absences: createAbsences(store, numbers, issues),
    signals: createSignals(store, numbers, issues),
    links: createLinks(store, numbers, issues),
    backlinks: createBacklinks(store, numbers),
    rows: createRows(store, numbers, sightings.seenAt, issues),
    lookup: createLookup(store, numbers),
    browse: createBrowse(store, numbers),
    journal: createJournal(store, numbers, createAudit(store, numbers)),
    pace: createPace(store, numbers),
    requests: createRequests(store, numbers),
    orders: createOrders(store),
    runs: createRuns(store, createRewind(store, sightings)),
    notices: createNotices(store),
    upkeep: createUpkeep(store),
  };
  const carried: Changes<Change["kind"]> = {
    ...remembered.changes,
    ...parts.pulls.changes,
    ...parts.absences.changes,
    ...parts.signals.changes,
    ...parts.links.changes,
    ...parts.backlinks.changes,
    ...parts.rows.changes,
    ...parts.journal.changes,
    ...parts.pace.changes,
    ...parts.requests.changes,
    ...parts.orders.changes,
    ...parts.runs.changes,
    ...parts.notices.changes,
    ...createMoves(store, numbers).changes,
    "declare-old": ({ at }) => stamp.write(at),
  };
  const change = (one: Change): void => (carried[one.kind] as (change: Change) => void)(one);
  const lookAhead = (changes: readonly Change[], read: () => unknown): unknown => {
    if (changes.length === 0) return read();
    return store.tryOut(() => {
      for (const one of changes) change(one);
      return read();
    });
  };
  const ledger: Ledger = {
    ...promised<Parts>(parts),
    memory,
    runs: {
      ...promise<Runs>(parts.runs),
      begin: async (at) => {
        const begun = parts.runs.begin(at);
        memory.hold(remembered.read());
        return begun;
      },
    },
    get copiedAt() {
      return stamp.read();
    },
    get identity() {
      return stamp.identity();
    },
    get pageKey() {
      return stamp.pageKey();
    },
    commit: createCommit(store, change, memory),
    after: (changes) => ({
      ...promised<Parts>(parts, (read) => lookAhead(changes(), read)),
      get memory() {
        return changes().some(isOfMemory) ? memory.after(changes()) : memory;
      },
      get copiedAt() {
        return changes().findLast((one) => one.kind === "declare-old")?.at ?? stamp.read();
      },
    }),
    copyTo: (file, stampedAt) => copyDatabase(store.database, file, stampedAt),
    // The operating system's lock is this process's for as long as it lives.
    assertHeld: async () => undefined,
    close: () => store.close(),
  };
  return {
    ledger,
    forget: () => memory.hold(remembered.read()),
    relearn(tables, posts) {
      memoryTables ??= remembered.tables();
      const known = memoryTables;
      if ([...tables].some((table) => known.has(table))) memory.hold(remembered.read());
      // What this process has seen of them may have been before another's write.
      for (const post of posts) sightings.seenAt.delete(post);
    },
  };
}

/** What leaves next rests on such a line. */
const awaited: ReadonlySet<Change["kind"]> = new Set(["mark-sent", "pace-write"]);

/**
 * Lines that a request waits for are a commit of their own, on the disk when it returns. That the connection promises that is
 * checked after the first one; nothing changes it from then on.
 */
function createCommit(store: Store, change: (change: Change) => void, memory: HeldMemory): Ledger["commit"] {
  let isDurable = false;
  return async (changes) => {
    const isAwaited = changes.some(({ kind }) => awaited.has(kind));
    if (isAwaited && !changes.every(({ kind }) => awaited.has(kind)))
      throw new Error("A line that a request waits for needs a commit of its own.");
    store.transaction(() => {
      for (const one of changes) change(one);
    });
    for (const one of changes) memory.learn(one);
    if (!isAwaited || isDurable) return;
    store.assertDurable();
    isDurable = true;
  };
}
