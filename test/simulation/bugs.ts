import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Tracker } from "../../src/tracker/tracker.ts";
import type { Bug } from "./stage.ts";

/** A bug that somebody might write, planted from outside, and the promises one of which it breaks. */
export interface PlantedBug {
  readonly words: string;
  readonly breaks: readonly string[];
  readonly bug: Bug;
  /** Where a test may begin to look, because the first histories don't show it; 1 where this is left out. */
  readonly from?: number;
}

const ofJournal = (change: (journal: Ledger["journal"]) => Partial<Ledger["journal"]>): Bug => ({
  ledger: (ledger) => ({ ...ledger, journal: { ...ledger.journal, ...change(ledger.journal) } }),
});

const ofRows = (change: (rows: Ledger["rows"]) => Partial<Ledger["rows"]>): Bug => ({
  ledger: (ledger) => ({ ...ledger, rows: { ...ledger.rows, ...change(ledger.rows) } }),
});

const ofPulls = (change: (pulls: Ledger["pulls"]) => Partial<Ledger["pulls"]>): Bug => ({
  ledger: (ledger) => ({ ...ledger, pulls: { ...ledger.pulls, ...change(ledger.pulls) } }),
});

const ofTracker = (change: (tracker: Tracker) => Partial<Tracker>): Bug => ({
  tracker: (tracker) => ({
    account: tracker.account,
    repository: tracker.repository,
    catalogue: tracker.catalogue,
    listIssues: tracker.listIssues,
    readIssue: tracker.readIssue,
    write: tracker.write,
    ...change(tracker),
    get requests() {
      return tracker.requests;
    },
  }),
});

export const plantedBugs: readonly PlantedBug[] = [
  {
    words: "a create whose answer was lost is sent again at once",
    breaks: ["I1", "I11"],
    bug: ofTracker((tracker) => ({
      async write(repository, write) {
        const outcome = await tracker.write(repository, write);
        return outcome.kind === "unknown" ? tracker.write(repository, write) : outcome;
      },
    })),
  },
  {
    words: "a write leaves without its SENT line",
    breaks: ["I5"],
    bug: ofJournal(() => ({ markSent() {} })),
  },
  {
    words: "an unknown outcome counts as not applied",
    from: 60,
    breaks: ["I1", "I2"],
    bug: ofJournal((journal) => ({
      resolve: (id, state, at, message) =>
        journal.resolve(id, state === "UNKNOWN" ? "PREPARED" : state, at, message),
    })),
  },
  {
    words: "what was under way when a process ended is forgotten",
    breaks: ["I3", "I16"],
    bug: ofJournal(() => ({ recover: () => 0 })),
  },
  {
    words: "the base is not kept, so that a status is set whenever the two sides differ",
    breaks: ["I2", "I16"],
    bug: ofRows((rows) => ({
      record: (project, post, record) => rows.record(project, post, { ...record, base: {} }),
    })),
  },
  {
    words: "a list that broke off counts as complete",
    breaks: ["I6"],
    bug: ofPulls((pulls) => ({ end: (pull, end) => pulls.end(pull, { ...end, kind: "complete" }) })),
  },
  {
    words: "the guard forgets what voters were told before",
    from: 95,
    breaks: ["I10"],
    bug: ofJournal(() => ({ statusWrites: () => 0 })),
  },
  {
    words: "the pace is not remembered",
    breaks: ["I11"],
    bug: ofJournal(() => ({ trackerWrites: () => ({ all: [], creates: [] }) })),
  },
  {
    words: "the end of a limit is not remembered",
    breaks: ["I11"],
    bug: {
      ledger: (ledger) => ({ ...ledger, memory: { ...ledger.memory, rememberLimit() {} } }),
    },
  },
  {
    words: "an old look at a post counts as a new one",
    breaks: ["I8"],
    bug: ofRows((rows) => ({
      row: (project, post, now) => {
        const row = rows.row(project, post, now);
        return row?.seenAt === undefined ? row : { ...row, seenAt: now };
      },
    })),
  },
  {
    words: "changes of issues are not stored",
    breaks: ["I16", "I3"],
    bug: ofPulls((pulls) => ({
      storeIssues: (issues, marked) => (issues.length > 1 ? 0 : pulls.storeIssues(issues, marked)),
    })),
  },
  {
    words: "an issue that a request does not show counts as deleted",
    from: 66,
    breaks: ["I6"],
    bug: ofPulls((pulls) => ({
      linkedIssues: (repository) => {
        const linked = pulls.linkedIssues(repository);
        for (const issue of linked.slice(1)) pulls.setGone(issue, true);
        return linked;
      },
    })),
  },
];
