import { StateError } from "../../src/errors.ts";
import type { LeaseNumber, Leases, Validity } from "../../src/ledger/postgres/leases.ts";
import type { Engine } from "../../src/ledger/sql/ledger.ts";
import { type Asked, answer, type Carry, type Store } from "../../src/ledger/sql/store.ts";
import type { SqliteStore } from "../../src/ledger/sqlite/database.ts";

/** What a process asks the server for; `doubt` is whether a COMMIT has arrived whose answer was lost. */
export type Question = "begin" | "commit" | "doubt" | "read" | "take" | "renew" | "release";

/** What becomes of a question. */
export type Fate = "fine" | "unsent" | "answer lost";

/** One process, as the server and the line to it know it. */
export interface Line {
  /** `daemon, process 1 on host box`. */
  readonly who: string;
  readonly leaseMs: number;
  /** The process's own clock: milliseconds since some moment. */
  monotonic(): number;
  readonly prolonged: Validity["prolonged"];
  fate(question: Question): Fate;
  /** Before a question leaves and after its answer has come: here a process may stand still, or end. */
  pass(question: Question, when: "before" | "after"): Promise<void> | undefined;
  /** Whether the process stands still, so that nobody can wait for it. */
  isStill(): boolean;
}

/** What the server tells whoever watches it. */
export interface ServerEvents {
  committed(line: Line): void;
  taken(line: Line, project: string): void;
  released(line: Line, project: string): void;
}

/** What one process has of the server. */
export interface Connected {
  readonly leases: Leases;
  /** For a run that holds leases, or for none. */
  engineOf(holds: readonly LeaseNumber[], process: ServerProcess): Engine;
  /** Where the tables are. */
  place(): number;
}

/** What a process knows, and what it forgets when the tables are not where they were. */
export interface ServerProcess {
  known: number;
  moved(): Asked<void>;
  assertHeld(holds: readonly LeaseNumber[]): Promise<void>;
}

/**
 * The server of a shared state: a database in memory, with what `postgres/store.ts` does by SQL around its transactions, for
 * many processes and their bad lines.
 */
export interface StateServer {
  connect(line: Line): Connected;
  /** Another state is there, as one that was deleted or put back; every lease is over. */
  reset(isAtHome: boolean): void;
  lease(project: string): Lease | undefined;
  /** It runs out now. */
  endLease(project: string): void;
  readonly isAtHome: boolean;
}

export interface Lease {
  /** Rises each time that another takes it. */
  readonly number: number;
  readonly holder: string;
  /** By the clock of the server. */
  readonly until: number;
}

/** What a planted bug leaves out. */
export type Omission = "comparing leases" | "looking up commits";

export interface ServerSettings {
  /** The clock of the server, epoch ms. */
  now(): number;
  /** Lets time pass: somebody waits for a transaction of a process that stands still. */
  wait(ms: number): void;
  readonly events: ServerEvents;
  readonly omits: Omission | undefined;
}

/** A transaction that holds its locks. */
interface Session {
  readonly line: Line;
  /** When the server heard of it last. */
  readonly heardAt: number;
  /** What it prolongs once it commits. */
  readonly prolonging: ReadonlyMap<string, Lease>;
}

/** A process that has stopped in its transaction loses it: `idle_in_transaction_session_timeout`. */
const idleMs = 8_000;

export function createStateServer(
  truth: SqliteStore,
  { now, wait, events, omits }: ServerSettings,
): StateServer {
  let isAtHome = true;
  /** Each state has another one, and each that was put back once somebody has committed to it. */
  let place = 0;
  let leases = new Map<string, Lease>();
  let session: Session | undefined;
  let waiting: (() => void)[] = [];
  const declareOld = truth.prepare(
    "INSERT INTO meta (key, value) VALUES ('copied_at', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
  );

  const isHeld = ({ project, number }: LeaseNumber): boolean => {
    const lease = leases.get(project);
    return lease?.number === number && lease.until > now();
  };
  const isOpen = (one: Session): boolean => session === one && now() - one.heardAt < idleMs;
  const isLocked = (project: string): boolean =>
    session !== undefined && isOpen(session) && session.prolonging.has(project);
  const end = (one: Session): void => {
    if (session !== one) return;
    session = undefined;
    const next = waiting;
    waiting = [];
    for (const wake of next) wake();
  };
  const lock = async (line: Line, holds: readonly LeaseNumber[]): Promise<Session> => {
    while (session !== undefined) {
      const { heardAt } = session;
      if (now() - heardAt >= idleMs) end(session);
      else if (session.line.isStill()) wait(heardAt + idleMs - now());
      else await new Promise<void>((wake) => waiting.push(wake));
    }
    const until = now() + line.leaseMs;
    const kept = holds.filter(isHeld);
    const prolonging = new Map(
      kept.map(({ project, number }) => [project, { number, holder: line.who, until }]),
    );
    const own: Session = { line, heardAt: now(), prolonging };
    session = own;
    return own;
  };
  const commit = <T>(own: Session, work: () => Asked<T>): T => {
    const result = truth.carry(truth.transaction(work));
    for (const [project, lease] of own.prolonging) leases.set(project, lease);
    events.committed(own.line);
    return result;
  };

  const carryOf = (line: Line, holds: readonly LeaseNumber[], process: ServerProcess): Carry => {
    /** The tables were put back: they say so from now on, once. */
    const settle = (own: Session): void => {
      if (isAtHome) return;
      commit({ ...own, prolonging: new Map() }, () => declareOld.run(String(now())));
      isAtHome = true;
      place += 1;
    };
    const isThere = async (): Promise<boolean> => {
      if (omits === "looking up commits") return true;
      await line.pass("doubt", "before");
      return line.fate("doubt") === "fine";
    };
    const begin = async (): Promise<Session> => {
      for (;;) {
        await line.pass("begin", "before");
        if (line.fate("begin") !== "fine") throw unreachable();
        const own = await lock(line, omits === "comparing leases" ? [] : holds);
        try {
          if (omits !== "comparing leases" && own.prolonging.size < holds.length)
            throw lost(holds.filter(({ project }) => !own.prolonging.has(project)));
          const isMoved = !isAtHome || process.known !== place;
          settle(own);
          if (!isMoved) {
            await line.pass("begin", "after");
            return own;
          }
        } catch (error) {
          end(own);
          throw error;
        }
        end(own);
        truth.carry(process.moved());
        process.known = place;
        if (holds.length > 0) throw unreachable("The state was put back in the middle of this run.");
      }
    };
    const transact = async <T>(work: () => Asked<T>): Promise<T> => {
      const beganAt = line.monotonic();
      const own = await begin();
      let fate: Fate = "unsent";
      let result: { readonly value: T } | undefined;
      try {
        await line.pass("commit", "before");
        fate = isOpen(own) ? line.fate("commit") : "unsent";
        // What does not arrive was tried all the same, and is taken back.
        if (fate === "unsent") throwAway(truth, work);
        else result = { value: commit(own, work) };
      } finally {
        end(own);
      }
      await line.pass("commit", "after");
      if (fate !== "fine" && !(await isThere())) throw unreachable();
      if (result === undefined) {
        if (omits !== "looking up commits") throw unreachable();
        return truth.carry(truth.tryOut(work));
      }
      line.prolonged(holds, beganAt + line.leaseMs);
      return result.value;
    };
    return async (work) => {
      const steps = work()[Symbol.iterator]();
      let step = steps.next();
      // What only reads has been answered by now.
      if (step.done === true) {
        await line.pass("read", "before");
        if (line.fate("read") !== "fine") throw unreachable();
        await line.pass("read", "after");
      }
      while (step.done !== true) {
        let made: unknown;
        try {
          made = await transact(step.value as () => Asked<unknown>);
        } catch (error) {
          if (steps.throw === undefined) throw error;
          step = steps.throw(error);
          continue;
        }
        step = steps.next(made);
      }
      return step.value;
    };
  };

  const engineOf = (line: Line, holds: readonly LeaseNumber[], process: ServerProcess): Engine => ({
    store: {
      ...truth,
      *transaction<T>(work: () => Asked<T>): Asked<T> {
        if (truth.database.inTransaction) return yield* work();
        return (yield work) as T;
      },
    } satisfies Store,
    carry: carryOf(line, holds, process),
    assertDurable: () => undefined,
    size: () => answer(() => ({ bytes: 0, freeBytes: 0, journalBytes: 0 })),
    trimJournal: () => answer(() => 0),
    copyTo: async () => undefined,
    assertHeld: () => process.assertHeld(holds),
    close: () => undefined,
  });

  const leasesOf = (line: Line): Leases => {
    const free = ({ project, number }: LeaseNumber): void => {
      const lease = leases.get(project);
      if (lease?.number !== number) return;
      leases.set(project, { ...lease, until: Number.NEGATIVE_INFINITY });
      events.released(line, project);
    };
    return {
      async take(keys) {
        const beganAt = line.monotonic();
        await line.pass("take", "before");
        const fate = line.fate("take");
        if (fate === "unsent") throw unreachable();
        const other = keys.find((project) => isLocked(project) || (leases.get(project)?.until ?? 0) > now());
        if (other === undefined) {
          for (const project of keys) {
            const number = (leases.get(project)?.number ?? 0) + 1;
            leases.set(project, { number, holder: line.who, until: now() + line.leaseMs });
            events.taken(line, project);
          }
        }
        const holds = keys.map((project) => ({ project, number: leases.get(project)?.number ?? 0 }));
        await line.pass("take", "after");
        if (fate === "answer lost") throw unreachable();
        if (other !== undefined) {
          const who = leases.get(other)?.holder ?? "";
          return { kind: "taken", project: other, who, isOtherConfig: false };
        }
        line.prolonged(holds, beganAt + line.leaseMs);
        return { kind: "held", holds };
      },
      async renew(holds) {
        const beganAt = line.monotonic();
        const fate = line.fate("renew");
        if (fate === "unsent") throw unreachable();
        const kept = holds.filter(isHeld);
        for (const { project, number } of kept)
          leases.set(project, { number, holder: line.who, until: now() + line.leaseMs });
        if (fate === "answer lost") throw unreachable();
        line.prolonged(kept, beganAt + line.leaseMs);
      },
      async release(holds) {
        await line.pass("release", "before");
        const fate = line.fate("release");
        if (fate !== "unsent") for (const hold of holds) free(hold);
        if (fate !== "fine") throw unreachable();
      },
    };
  };

  return {
    connect: (line) => ({
      leases: leasesOf(line),
      engineOf: (holds, process) => engineOf(line, holds, process),
      place: () => place,
    }),
    reset(atHome) {
      isAtHome = atHome;
      if (atHome) place += 1;
      leases = new Map();
      session = undefined;
    },
    lease: (project) => leases.get(project),
    endLease(project) {
      const lease = leases.get(project);
      if (lease !== undefined) leases.set(project, { ...lease, until: now() });
    },
    get isAtHome() {
      return isAtHome;
    },
  };
}

/** Does what a transaction does that is rolled back at its end. */
function throwAway<T>(truth: SqliteStore, work: () => Asked<T>): void {
  truth.carry(truth.tryOut(work));
}

function unreachable(why = "The state can't be reached."): StateError {
  return new StateError(why, { code: "state.unreachable" });
}

function lost(holds: readonly LeaseNumber[]): StateError {
  const names = holds.map(({ project }) => project).join(", ");
  return new StateError(`The lease of ${names} has run out.`, { code: "state.unreachable" });
}
